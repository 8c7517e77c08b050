// Where layouts meet circuits: `view(a, L)`, its nested subscripts, and how parameters and results are stored.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/elaborator.h"
#include "ir/index_stages.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;
using ir::NodeId;
using ir::TypeKind;
using ir::VariableId;

std::optional<IndexTuple> Elaborator::index_tuple_of(const Value& value, SourceSpan at) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    if (tuple->parts.empty()) return fail(code::bad_layout, at, "a shape has at least one mode, and this has none");
    IndexTuple out;
    for (const Value& part : tuple->parts) {
      auto element = index_tuple_of(part, at);
      if (!element) return element;
      out.elements.push_back(std::move(*element));
    }
    return out;
  }
  auto index = index_of(value, at, "a shape, stride or coordinate");
  if (!index) return std::nullopt;
  return IndexTuple{*index, {}};
}

std::optional<IndexLayout> Elaborator::index_layout_of(const Value& value, SourceSpan at) {
  if (auto* symbolic = value.get_if<IndexLayout>()) return *symbolic;
  if (auto* known = value.get_if<layout::Layout>()) return ir::index_layout(module.indices(), *known);
  if (!value.is<mpq_class>() && !value.is<TupleValue>() && !value.is<SymbolicInteger>()) {
    return fail(code::bad_layout, at, fmt::format("a layout is needed, and this is {}", kind_text(value)));
  }
  auto shape = index_tuple_of(value, at);
  if (!shape) return std::nullopt;
  IndexTuple stride = ir::compact_strides(module.indices(), *shape, module.indices().constant(1));
  return IndexLayout{std::move(*shape), std::move(stride)};
}

Maybe Elaborator::call_view(const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans, SourceSpan at) {
  if (arguments.size() != 2) {
    return report(
        Diagnostic(code::argument_count, at, fmt::format("`view` takes 2 arguments and was given {}", arguments.size()))
            .help("write `view(a, L)`: a tensor, and a layout of its elements' numbers"));
  }
  auto node = node_of(arguments[0], std::nullopt, spans[0]);
  if (!node) return std::nullopt;
  const auto* composed = layout_object<layout::Composed>(arguments[1]);
  auto layout = composed ? ir::index_layout(module.indices(), composed->inner()) : index_layout_of(arguments[1], spans[1]);
  if (!layout) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind != TypeKind::tensor) {
    return report(Diagnostic(code::type_mismatch, spans[0],
                             fmt::format("`view` re-indexes a tensor, and this is {}", kind_text(arguments[0])))
                      .help("write `view(a, L)`: a tensor, and a layout of its elements' numbers"));
  }
  ir::IndexStore& indices = module.indices();
  // The elements are numbered row-major; their coordinates are the digits of the number, the last dimension fastest.
  // The first digit takes the rest, so that a number past the end is seen.
  auto element_at = [&](IndexId number) {
    std::vector<IndexId> subscripts(type.extents.size(), number);
    for (std::size_t d = type.extents.size(); d-- > 1;) {
      subscripts[d] = indices.floor_mod(number, type.extents[d]);
      number = indices.floor_div(number, type.extents[d]);
    }
    subscripts[0] = number;
    const NodeId element = module.element(*node, std::move(subscripts));
    module.places().put(element, at);
    return element;
  };
  auto variable = [&](std::vector<VariableId>& variables) {
    variables.push_back(module.fresh_variable());
    return indices.variable(variables.back());
  };
  auto view = std::make_shared<View>();
  view->shape = layout->shape;
  std::vector<IndexId> extents, coordinate;
  std::vector<VariableId> variables;
  layout->shape.leaves(extents);
  for (std::size_t k = 0; k < extents.size(); ++k) coordinate.push_back(variable(variables));
  IndexId number = ir::offset_at(indices, layout->stride, coordinate);
  if (composed) number = ir::after_stages(indices, composed->stages(), number);
  view->leaves = module.map(variables, extents, element_at(number));
  module.places().put(view->leaves, at);
  if (extents.size() == layout->rank()) return Value{DynamicValue{view->leaves, std::move(view)}};

  extents.clear();
  coordinate.clear();
  variables.clear();
  for (std::size_t k = 0; k < layout->rank(); ++k) {
    const IndexLayout mode = layout->mode(k);
    extents.push_back(ir::size_of(indices, mode.shape));
    ir::split_index(indices, variable(variables), mode.shape, coordinate);
  }
  const NodeId body = module.element(view->leaves, coordinate);
  module.places().put(body, at);
  return Value{DynamicValue{module.map(variables, extents, body), std::move(view)}};
}

/// Adds the leaves of one coordinate of a mode.
bool Elaborator::nested_coordinate(const Context& context, const Value& coordinate, const Expr& written,
                                   const IndexTuple& shape, bool proves, std::vector<IndexId>& leaves) {
  if (auto* tuple = coordinate.get_if<TupleValue>()) {
    if (shape.is_leaf() || shape.elements.size() != tuple->parts.size()) {
      const std::string modes = ir::layout_text(module, {shape, shape});
      report(Diagnostic(code::not_indexable, written.span,
                        fmt::format("a coordinate of {} parts was given for `{}`", tuple->parts.size(),
                                    modes.substr(0, modes.find(':'))))
                 .help("a coordinate is nested as the layout's shape is; an integer stands for a whole mode"));
      return false;
    }
    const bool literal = written.kind == ExprKind::tuple && written.children.size() == tuple->parts.size();
    for (std::size_t k = 0; k < tuple->parts.size(); ++k) {
      const Expr& part = literal ? expr(context, written.children[k]) : written;
      if (!nested_coordinate(context, tuple->parts[k], part, shape.elements[k], proves, leaves)) return false;
    }
    return true;
  }
  auto index = index_of(coordinate, written.span, "a subscript");
  if (!index) return false;
  const IndexId size = ir::size_of(module.indices(), shape);
  note_range(*index, size, written);
  if (proves && !stays_below(*index, size, written)) return false;
  ir::split_index(module.indices(), *index, shape, leaves);
  return true;
}

Maybe Elaborator::view_element(const View& view, const std::vector<Value>& subscripts,
                               const std::vector<const Expr*>& written, const Context& context, const Expr& at) {
  const std::size_t rank = view.shape.is_leaf() ? 1 : view.shape.elements.size();
  if (subscripts.size() != rank) {
    return fail(code::not_indexable, at.span,
                fmt::format("this view has {} mode{} and was given {} subscript{}", rank, rank == 1 ? "" : "s",
                            subscripts.size(), subscripts.size() == 1 ? "" : "s"),
                "one subscript for each mode");
  }
  std::vector<IndexId> leaves;
  for (std::size_t k = 0; k < rank; ++k) {
    const IndexTuple& mode = view.shape.is_leaf() ? view.shape : view.shape.elements[k];
    if (!nested_coordinate(context, subscripts[k], *written[k], mode, false, leaves)) return std::nullopt;
  }
  const NodeId result = module.element(view.leaves, std::move(leaves));
  module.places().put(result, at.span);
  return Value{DynamicValue{result}};
}

bool Elaborator::storages_of(const Context& context, const TypeExpr& written, ir::TypeId id, const std::string& what,
                             std::vector<std::optional<ir::Storage>>& out) {
  const ir::Type type = module.types()[id];
  std::optional<ir::Storage> storage;
  if (written.storage.valid() && !(storage = storage_of(context, written, id, what))) return false;
  if (type.kind != TypeKind::tuple) {
    out.push_back(std::move(storage));
    return true;
  }
  for (std::size_t k = 0; k < type.parts.size(); ++k) {
    if (!storages_of(context, written.parts[k], type.parts[k], fmt::format("part {} of {}", k + 1, what), out)) {
      return false;
    }
  }
  return true;
}

std::optional<ir::Storage> Elaborator::storage_of(const Context& context, const TypeExpr& written, ir::TypeId id,
                                                  const std::string& what) {
  const SourceSpan at = expr(context, written.storage).span;
  auto value = elaborate(context, written.storage);
  if (!value) return std::nullopt;
  const auto* composed = layout_object<layout::Composed>(*value);
  auto layout = composed ? ir::index_layout(module.indices(), composed->inner()) : index_layout_of(*value, at);
  if (!layout) return std::nullopt;
  const ir::Type type = module.types()[id];
  if (type.kind != TypeKind::tensor) return fail(code::bad_layout, at, "only a tensor is stored by a layout");
  if (layout->rank() != type.extents.size()) {
    return report(Diagnostic(code::bad_layout, at,
                             fmt::format("the layout has {} mode{}, and {} has {} dimension{}", layout->rank(),
                                         layout->rank() == 1 ? "" : "s", what, type.extents.size(),
                                         type.extents.size() == 1 ? "" : "s"))
                      .with(written.span, fmt::format("{} is `{}`", what, ir::type_text(module, id)))
                      .help("a mode for each dimension, nested where it is cut: "
                            "`f32[m, k] @ (m, (4, k // 4)):(4, (1, 4*m))`"));
  }
  for (std::size_t d = 0; d < type.extents.size(); ++d) {
    const IndexId size = ir::size_of(module.indices(), layout->mode(d).shape);
    Diagnostic unfit(code::bad_layout, at,
                     fmt::format("mode {} of the layout has `{}` elements, and dimension {} of {} has `{}`", d,
                                 ir::index_text(module, size), d + 1, what, ir::index_text(module, type.extents[d])));
    if (!equal_extents(size, type.extents[d], std::move(unfit))) return std::nullopt;
  }
  ir::Storage out{std::move(*layout), composed ? composed->stages() : std::vector<layout::Stage>(), at};
  // What depends on sizes is looked at when they are known (ir::size_problem).
  std::vector<IndexId> leaves;
  out.layout.shape.leaves(leaves);
  out.layout.stride.leaves(leaves);
  const bool known = std::all_of(leaves.begin(), leaves.end(),
                                 [&](IndexId leaf) { return module.indices().as_constant(leaf).has_value(); });
  if (auto stored = ir::stored_layout(module, out, {}); known && !stored) return report(stored.error());
  return out;
}

}  // namespace reckon::frontend
