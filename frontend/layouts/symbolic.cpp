// Layouts whose sizes are not known as numbers yet, inside of a circuit: the few functions that need no numbers.
#include "frontend/layouts/symbolic.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/layouts/functions.h"
#include "ir/layout/divide.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;

namespace {

bool is_symbolic(const Value& value) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    return std::any_of(tuple->parts.begin(), tuple->parts.end(), is_symbolic);
  }
  return value.is<IndexLayout>() || value.is<SymbolicInteger>();
}

IndexTuple reversed(const IndexTuple& tuple) {
  if (tuple.is_leaf()) return tuple;
  IndexTuple out;
  for (auto element = tuple.elements.rbegin(); element != tuple.elements.rend(); ++element) {
    out.elements.push_back(reversed(*element));
  }
  return out;
}

/// Modes of shape and stride side by side.
struct Modes {
  std::vector<IndexLayout> items;
  void add(IndexLayout mode) { items.push_back(std::move(mode)); }
  IndexLayout joined() const {
    if (items.size() == 1) return items[0];
    IndexLayout out;
    for (const IndexLayout& item : items) {
      out.shape.elements.push_back(item.shape);
      out.stride.elements.push_back(item.stride);
    }
    return out;
  }
};

}  // namespace

Value value_of(const ir::IndexStore& indices, const IndexTuple& tuple) {
  if (tuple.is_leaf()) {
    if (auto known = indices.as_constant(tuple.leaf)) return {mpq_class(static_cast<long>(*known))};
    return {SymbolicInteger{tuple.leaf}};
  }
  TupleValue out;
  for (const IndexTuple& element : tuple.elements) out.parts.push_back(value_of(indices, element));
  return {std::move(out)};
}

bool Elaborator::any_symbolic(const std::vector<Value>& values) {
  return std::any_of(values.begin(), values.end(), is_symbolic);
}

Elaborator::Maybe Elaborator::call_symbolic_layout_function(const std::string& name, const std::vector<Value>& values,
                                                            const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::IndexStore& indices = module.indices();
  if (values.size() == 1 && (name == "row_major" || name == "column_major")) {
    auto shape = index_tuple_of(values[0], spans[0]);
    if (!shape) return std::nullopt;
    const IndexId one = indices.constant(1);
    if (name == "column_major") return Value{IndexLayout{*shape, ir::compact_strides(indices, *shape, one)}};
    return Value{IndexLayout{*shape, reversed(ir::compact_strides(indices, reversed(*shape), one))}};
  }
  if (values.size() == 1 && (name == "size" || name == "shape" || name == "stride" || name == "rank")) {
    auto layout = index_layout_of(values[0], spans[0]);
    if (!layout) return std::nullopt;
    if (name == "rank") return Value{mpq_class(static_cast<unsigned long>(layout->rank()))};
    if (name == "shape") return value_of(indices, layout->shape);
    if (name == "stride") return value_of(indices, layout->stride);
    return value_of(indices, {ir::size_of(indices, layout->shape), {}});
  }
  if (layout::division_named(name) && values.size() == 2) return divide_symbolic(name, values, spans, at);
  if (takes_indices(name, values)) return part_at_indices(name, values, spans, at);
  return report(Diagnostic(Code::static_needed, at,
                           fmt::format("`{}` needs sizes that are known numbers here", name))
                    .help("give them to the circuit as static arguments: `fn f[m, k](a: f32[m, k]) = ...`, `f[64, 32]`"));
}

/// By mode, each of one extent, by tiles that divide it: m:d by t is (t, m // t):(d, t*d).
Elaborator::Maybe Elaborator::divide_symbolic(const std::string& name, const std::vector<Value>& values,
                                              const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::IndexStore& indices = module.indices();
  auto layout = index_layout_of(values[0], spans[0]);
  if (!layout) return std::nullopt;
  std::vector<Value> tiles{values[1]};
  if (auto* tuple = values[1].get_if<TupleValue>()) tiles = tuple->parts;
  if (tiles.size() > layout->rank()) {
    return fail(Code::bad_layout, spans[1],
                fmt::format("`{}`: the tiler has {} modes, and `{}` has {}", name, tiles.size(),
                            ir::layout_text(module, *layout), layout->rank()));
  }
  Modes logical, inner, outer;
  for (std::size_t k = 0; k < layout->rank(); ++k) {
    const IndexLayout mode = layout->mode(k);
    if (k >= tiles.size() || tiles[k].is<OpenExtent>()) {
      if (k < tiles.size() && name != "logical_divide") {
        return fail(Code::bad_layout, spans[1], fmt::format("`{}`: `_` keeps a mode, which has no tile", name),
                    "`logical_divide` takes it");
      }
      logical.add(mode);
      outer.add(mode);
      continue;
    }
    if (!mode.shape.is_leaf() || tiles[k].is<TupleValue>() || tiles[k].is<layout::Layout>()) {
      return report(Diagnostic(Code::static_needed, spans[mode.shape.is_leaf() ? 1 : 0],
                               fmt::format("`{}`: sizes that are not known numbers are divided by an integer, mode by "
                                           "mode, and mode {} is not",
                                           name, k))
                        .help("give the sizes as static arguments: `fn f[m, k](a: f32[m, k]) = ...`, `f[64, 32]`"));
    }
    auto tile = index_of(tiles[k], spans[1], "a tile");
    if (!tile) return std::nullopt;
    const IndexId extent = mode.shape.leaf, stride = mode.stride.leaf;
    Diagnostic ragged(Code::bad_layout, at,
                      fmt::format("`{}`: a tile of `{}` does not divide mode {}, of `{}`", name,
                                  ir::index_text(module, *tile), k, ir::index_text(module, extent)));
    if (!equal_extents(indices.floor_mod(extent, *tile), indices.constant(0), std::move(ragged))) return std::nullopt;
    const IndexLayout one{{*tile, {}}, {stride, {}}};
    const IndexLayout rest{{indices.floor_div(extent, *tile), {}}, {indices.multiply(stride, *tile), {}}};
    Modes both;
    both.add(one);
    both.add(rest);
    logical.add(both.joined());
    inner.add(one);
    outer.add(rest);
  }
  if (name == "logical_divide") return Value{logical.joined()};
  Modes out;
  if (name == "flat_divide") out.items = inner.items;
  else out.add(inner.joined());
  if (name == "zipped_divide") out.add(outer.joined());
  else out.items.insert(out.items.end(), outer.items.begin(), outer.items.end());
  return Value{out.joined()};
}

}  // namespace reckon::frontend
