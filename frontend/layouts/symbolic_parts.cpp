// Layouts of unknown sizes: rearranged, divided, and their parts.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/layouts/layouts.h"
#include "frontend/layouts/symbolic.h"
#include "frontend/views.h"
#include "layout/divide.h"
#include "layout/inverse.h"
#include "layout/tuples.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTiler;
using ir::IndexTuple;
using layout::IntTuple;

namespace {

/// The functions that depend only on how a layout is nested, not on its numbers, and which arguments are layouts.
struct Structural {
  std::string_view name;
  bool first, second, others;
  bool is_layout(std::size_t k) const { return k == 0 ? first : k == 1 ? second : others; }
};
constexpr Structural structural[] = {
    {"get", true, false, false},    {"select", true, false, false},  {"take", true, false, false},
    {"group", true, false, false},  {"flatten", true, false, false}, {"unflatten", true, false, false},
    {"depth", true, false, false},  {"append", true, true, false},   {"prepend", true, true, false},
    {"replace", true, false, true}, {"concat", true, true, true},    {"zip", true, false, false},
};

/// Stands in for layouts by layouts on numbers: all extents are 1, and each stride is the number of a leaf, from 1 on.
class Labels {
 public:
  layout::Layout of(const IndexLayout& layout) {
    layout.shape.leaves(extents_);
    const IntTuple shape = labelled(layout.shape, [](std::size_t) { return 1; });
    const IntTuple stride = labelled(layout.stride, [&](std::size_t k) { return static_cast<std::int64_t>(k + 1); });
    layout.stride.leaves(strides_);
    return *layout::Layout::make(shape, stride);
  }
  IndexLayout back(ir::IndexStore& indices, const layout::Layout& layout) const {
    return {back(indices, layout.stride(), extents_, 1), back(indices, layout.stride(), strides_, 0)};
  }

 private:
  template <class Label>
  IntTuple labelled(const IndexTuple& tuple, Label label) const {
    std::size_t next = strides_.size();
    const auto each = [&](auto&& self, const IndexTuple& of) -> IntTuple {
      if (of.is_leaf()) return label(next++);
      std::vector<IntTuple> elements;
      for (const IndexTuple& element : of.elements) elements.push_back(self(self, element));
      return elements;
    };
    return each(each, tuple);
  }
  /// Label 0 is a mode that the function has added: 1:0.
  static IndexTuple back(ir::IndexStore& indices, const IntTuple& labels, const std::vector<IndexId>& leaves,
                         std::int64_t added) {
    if (labels.is_int()) {
      const auto label = static_cast<std::size_t>(labels.value());
      return {label == 0 ? indices.constant(added) : leaves[label - 1], {}};
    }
    IndexTuple out;
    for (const IntTuple& element : labels.elements()) out.elements.push_back(back(indices, element, leaves, added));
    return out;
  }

  std::vector<IndexId> extents_, strides_;
};

/// How the tiler is nested, for operations that do not depend on its tiles.
layout::Tiler skeleton(const IndexTiler& tiler) {
  if (tiler.is_keep()) return layout::Tiler::keep();
  if (tiler.layout) return layout::Tiler(*layout::Layout::make(1, 1));
  std::vector<layout::Tiler> modes;
  for (const IndexTiler& mode : tiler.modes) modes.push_back(skeleton(mode));
  return layout::Tiler(std::move(modes));
}

/// Calls the function on numbers, with layouts that stand for the given ones.
template <class IsLayout>
Maybe rearranged(Elaborator& elaborator, Labels& labels, const std::string& name, std::vector<Value> values,
                 const std::vector<SourceSpan>& spans, SourceSpan at, const IsLayout& is_layout) {
  ir::Module& module = elaborator.module;
  std::vector<std::pair<std::string, std::string>> stand_for;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!is_layout(k)) continue;
    auto layout = elaborator.index_layout_of(values[k], spans[k]);
    if (!layout) return std::nullopt;
    layout::Layout labelled = labels.of(*layout);
    const std::string text = ir::layout_text(module, *layout);
    stand_for.emplace_back(labelled.text(), text);
    if (labelled.depth() > 0) stand_for.emplace_back(labelled.shape().text(), text.substr(0, text.find(':')));
    values[k] = {std::move(labelled)};
  }
  if (any_symbolic(values)) {
    return elaborator.report(
        Diagnostic(code::static_needed, at, fmt::format("`{}` needs known numbers beside its layouts", name)));
  }
  const std::size_t before = elaborator.diagnostics.size();
  auto out = call_layout_function(elaborator, name, values, spans, at);
  for (std::size_t k = before; k < elaborator.diagnostics.size(); ++k) {
    for (const auto& [label, text] : stand_for) {
      std::string& message = elaborator.diagnostics[k].message;
      for (std::size_t at = 0; (at = message.find(label, at)) != std::string::npos; at += text.size()) {
        message.replace(at, label.size(), text);
      }
    }
  }
  if (out && out->is<layout::Layout>()) {
    return value_of(module.indices(), labels.back(module.indices(), *out->get_if<layout::Layout>()));
  }
  return out;
}

/// Adds the offset of those parts of a coordinate that are no holes.
bool add_fixed(Elaborator& elaborator, const Value& coordinate, const IndexTuple& shape, const IndexTuple& stride,
               SourceSpan at, IndexId& sum) {
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  if (coordinate.is<OpenExtent>()) return true;
  if (auto* tuple = coordinate.get_if<TupleValue>()) {
    if (tuple->parts.size() != shape.elements.size()) {
      return elaborator.fail(code::not_indexable, at,
                             fmt::format("a coordinate of {} parts was given for a mode of {}", tuple->parts.size(),
                                         std::max<std::size_t>(shape.elements.size(), 1))),
             false;
    }
    for (std::size_t k = 0; k < tuple->parts.size(); ++k) {
      if (!add_fixed(elaborator, tuple->parts[k], shape.elements[k], stride.elements[k], at, sum)) return false;
    }
    return true;
  }
  auto index = elaborator.index_of(coordinate, at, "a coordinate");
  if (!index) return false;
  std::vector<IndexId> leaves;
  if (indices.variables(*index).empty()) {
    const IndexId size = ir::size_of(indices, shape);
    const IndexId inside =
        indices.logical_and(indices.less_equal(indices.constant(0), *index), indices.less(*index, size));
    Diagnostic outside(code::index_out_of_range, at,
                       fmt::format("coordinate `{}` is out of range: this mode has `{}` elements",
                                   elaborator.index_text(*index), elaborator.index_text(size)));
    if (!elaborator.equal_extents(inside, indices.constant(1), std::move(outside))) return false;
    ir::split_index(indices, *index, shape, leaves);
  } else {
    Expr here;
    here.kind = ExprKind::name;  // an index alone takes its range from here
    here.span = at;
    if (!nested_coordinate(elaborator, Context{}, coordinate, here, shape, true, leaves)) return false;
  }
  sum = indices.add(sum, ir::offset_at(indices, stride, leaves));
  return true;
}

}  // namespace

std::optional<Maybe> SymbolicLayouts::rearrange(const std::string& name, const std::vector<Value>& values,
                                                const std::vector<SourceSpan>& spans, SourceSpan at) {
  for (const Structural& each : structural) {
    if (each.name != name) continue;
    Labels labels;
    return rearranged(elaborator_, labels, name, values, spans, at, [&](std::size_t k) { return each.is_layout(k); });
  }
  return std::nullopt;
}

std::optional<IndexLayout> SymbolicLayouts::divided(const std::string& name, const Value& value,
                                                    const IndexTiler& tiler, SourceSpan value_at, SourceSpan at) {
  ir::IndexStore& indices = module_.indices();
  auto whole = elaborator_.index_layout_of(value, value_at);
  if (!whole) return std::nullopt;
  const layout::DivideForm form = *layout::division_named(name);
  const auto divided = index_algebra(at).divide(name, *whole, tiler, form == layout::DivideForm::logical);
  if (!divided) return give(divided, at), std::nullopt;
  Labels labels;
  const IntTuple places = layout::in_form(form, labels.of(*divided).stride(), skeleton(tiler));
  return labels.back(indices, *layout::Layout::make(places, places));
}

Maybe SymbolicLayouts::divide(const std::string& name, const std::vector<Value>& values,
                              const std::vector<SourceSpan>& spans, SourceSpan at) {
  auto tiler = tiler_of(values[1], spans[1]);
  auto out = tiler ? divided(name, values[0], *tiler, spans[0], at) : std::nullopt;
  if (!out) return std::nullopt;
  return value_of(module_.indices(), *out);
}

/// A coordinate of zeros gives the structure of the slice; then the offset of the fixed coordinates is added.
Maybe SymbolicLayouts::slice(const Value& coordinate, const Value& value, SourceSpan value_at, SourceSpan at) {
  ir::IndexStore& indices = module_.indices();
  auto whole = elaborator_.index_layout_of(value, value_at);
  if (!whole) return std::nullopt;
  const auto zeros = [](auto&& self, const Value& each) -> Value {
    if (auto* tuple = each.get_if<TupleValue>()) {
      TupleValue out;
      for (const Value& part : tuple->parts) out.parts.push_back(self(self, part));
      return {std::move(out)};
    }
    return each.is<OpenExtent>() ? each : Value{mpq_class(0)};
  };
  Labels labels;
  auto out = rearranged(elaborator_, labels, "slice", {zeros(zeros, coordinate), value}, {at, value_at}, at,
                        [](std::size_t k) { return k == 1; });
  if (!out) return std::nullopt;
  auto* parts = out->get_if<TupleValue>();
  IndexId start = indices.constant(0);
  if (!add_fixed(elaborator_, coordinate, whole->shape, whole->stride, at, start)) return std::nullopt;
  const auto* left = parts && parts->parts.size() == 2 ? parts->parts[0].get_if<layout::Layout>() : nullptr;
  if (!left) return value_of(indices, IndexTuple{start, {}});
  return Value{TupleValue{{value_of(indices, labels.back(indices, *left)), value_of(indices, IndexTuple{start, {}})}}};
}

Maybe SymbolicLayouts::local_tile(const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
                                  SourceSpan at) {
  auto tiler = tiler_of(values[1], spans[1]);
  auto zipped = tiler ? divided("zipped_divide", values[0], *tiler, spans[0], at) : std::nullopt;
  if (!zipped) return std::nullopt;
  const auto holes = [](const IndexTuple& mode) -> Value {
    if (mode.is_leaf()) return {OpenExtent{}};
    return {TupleValue{std::vector<Value>(mode.elements.size(), Value{OpenExtent{}})}};
  };
  Value place = values[2];
  const IndexTuple& rest = zipped->shape.elements[1];
  if (auto* tuple = std::get_if<TupleValue>(&place.data); tuple && !rest.is_leaf()) {
    while (tuple->parts.size() < rest.elements.size()) tuple->parts.push_back({OpenExtent{}});
  }
  const Value tile = tiler->layout ? Value{OpenExtent{}} : holes(zipped->shape.elements[0]);
  return slice({TupleValue{{tile, std::move(place)}}}, {*zipped}, spans[0], spans[2]);
}

/// The extents of the threads' modes give the part; the coordinate of the thread's number gives its start.
Maybe SymbolicLayouts::local_partition(const std::vector<Value>& values, const std::vector<SourceSpan>& spans,
                                       SourceSpan at) {
  ir::IndexStore& indices = module_.indices();
  auto threads = elaborator_.index_layout_of(values[1], spans[1]);
  if (!threads) return std::nullopt;
  const auto known = ir::known_layout(indices, *threads);
  if (!known) {
    return elaborator_.fail(code::static_needed, spans[1],
                            "`local_partition` needs a number of threads that is known here");
  }
  const auto where = layout::inverse(*known);
  if (!where) return elaborator_.report(layout_problem(where.problem(), spans[1]));
  const IndexTuple extents = ir::index_tuple(indices, *layout::product_each(known->shape()));
  IndexTiler tiler;
  const auto tile = [&](IndexId extent) {
    return IndexTiler{IndexLayout{{extent, {}}, {indices.constant(1), {}}}, {}};
  };
  if (extents.is_leaf()) tiler = tile(extents.leaf);
  for (const IndexTuple& extent : extents.elements) tiler.modes.push_back(tile(extent.leaf));
  auto zipped = divided("zipped_divide", values[0], tiler, spans[0], at);
  if (!zipped) return std::nullopt;

  const IndexLayout numbers = ir::index_layout(indices, *where);
  IndexId number = indices.constant(0);
  if (!add_fixed(elaborator_, values[2], numbers.shape, numbers.stride, spans[2], number)) return std::nullopt;
  std::vector<IndexId> coordinate;
  ir::split_index(indices, number, extents, coordinate);
  const IndexLayout tiles = zipped->mode(0);
  IndexId start = indices.constant(0);
  for (std::size_t k = 0; k < coordinate.size(); ++k) {
    const IndexLayout mode = extents.is_leaf() ? tiles : tiles.mode(k);
    std::vector<IndexId> leaves;
    ir::split_index(indices, coordinate[k], mode.shape, leaves);
    start = indices.add(start, ir::offset_at(indices, mode.stride, leaves));
  }
  return Value{TupleValue{{value_of(indices, zipped->mode(1)), value_of(indices, IndexTuple{start, {}})}}};
}

}  // namespace reckon::frontend
