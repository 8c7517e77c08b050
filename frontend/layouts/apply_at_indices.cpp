// Layouts and their kin applied at indices of the program: `L(i, j)`, `inside(i, j)`.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/elaborator.h"
#include "frontend/layouts/at_indices.h"
#include "ir/index_stages.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;
using ir::VariableId;
using layout::Bounds;
using layout::Composed;
using layout::CoordinateLayout;
using layout::Layout;

/// Checks an index of the program here, because nothing checks it later (unlike the subscript of an element).
bool Elaborator::stays_below(IndexId index, IndexId extent, const Expr& written) {
  const ir::IndexNode& node = module.indices()[index];
  if (node.op == ir::IndexOp::variable) {
    auto found = ranges.find(node.variable);
    if (found != ranges.end() && found->second.extent == extent) return true;
  }
  std::map<VariableId, ir::IndexRange> values_of;
  for (VariableId variable : module.indices().variables(index)) {
    auto found = ranges.find(variable);
    const auto known = found != ranges.end() && found->second.extent
                           ? module.indices().as_constant(*found->second.extent)
                           : std::nullopt;
    if (known) values_of[variable] = {0, std::max<std::int64_t>(*known - 1, 0)};
  }
  const auto most = module.indices().range(extent, values_of, {}),
             values = module.indices().range(index, values_of, {});
  if (most && values && values->low >= 0 && values->high < most->low) return true;
  if (most && values && node.op == ir::IndexOp::variable && values->high >= most->high) {
    return fail(code::index_out_of_range, written.span,
                fmt::format("index `{}` is out of range: it goes to `{}`, and this mode has `{}` elements",
                            ir::index_text(module, index), values->high, ir::index_text(module, extent))),
           false;
  }
  if (most && values && (values->low >= most->high || values->high < 0)) {
    return fail(code::index_out_of_range, written.span,
                fmt::format("index `{}` is out of range: this mode has `{}` elements", ir::index_text(module, index),
                            ir::index_text(module, extent))),
           false;
  }
  report(Diagnostic(code::index_out_of_range, written.span,
                    fmt::format("it cannot be decided here whether `{}` stays below `{}`",
                                ir::index_text(module, index), ir::index_text(module, extent)))
             .help("`view(x, L)[...]` checks its subscripts when sizes are known"));
  return false;
}

Maybe Elaborator::apply_at_indices(const Context& context, const Value& value, const std::vector<Value>& arguments,
                                   const Expr& at) {
  ir::IndexStore& indices = module.indices();
  const auto* object = value.get_if<LayoutObject>();
  const auto* composed = object ? object->get_if<Composed>() : nullptr;
  const auto* bounds = object ? object->get_if<Bounds>() : nullptr;
  const auto* coordinates = bounds ? &bounds->coordinates() : object ? object->get_if<CoordinateLayout>() : nullptr;
  std::optional<IndexLayout> layout;
  if (object && !composed && !coordinates) {
    return fail(code::static_needed, at.span, fmt::format("a {} needs known numbers here", object->kind()));
  }
  if (composed) layout = ir::index_layout(indices, composed->inner());
  else if (coordinates) layout = ir::index_layout(indices, coordinates->order());
  else layout = index_layout_of(value, at.span);
  if (!layout) return std::nullopt;
  // `L(i, j)` is `L((i, j))`.
  const bool alone = arguments.size() == 1;
  if (!alone && (layout->shape.is_leaf() || layout->rank() != arguments.size())) {
    return fail(code::not_indexable, at.span,
                fmt::format("a coordinate of {} parts was given for the {} `{}`", arguments.size(),
                            object ? object->kind() : "layout",
                            object ? object->text() : ir::layout_text(module, *layout)));
  }
  std::vector<IndexId> leaves;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const IndexTuple& mode = alone ? layout->shape : layout->shape.elements[k];
    const Expr& written = expr(context, at.children[k + 1]);
    if (!nested_coordinate(context, arguments[k], written, mode, true, leaves)) return std::nullopt;
  }
  if (!coordinates) {
    const IndexId offset = ir::offset_at(indices, layout->stride, leaves);
    return Value{SymbolicInteger{composed ? ir::after_stages(indices, composed->stages(), offset) : offset}};
  }
  std::vector<IndexId> values;
  for (const Layout& component : components(*coordinates)) {
    values.push_back(ir::offset_at(indices, ir::index_layout(indices, component).stride, leaves));
  }
  if (!bounds) return nested_as(indices, *coordinates, values);
  const auto origin = constants(indices, bounds->origin()), extents = constants(indices, bounds->shape());
  IndexId inside = indices.less(indices.add(origin[0], values[0]), extents[0]);
  for (std::size_t k = 1; k < values.size(); ++k) {
    inside = indices.logical_and(inside, indices.less(indices.add(origin[k], values[k]), extents[k]));
  }
  if (auto known = indices.as_constant(inside)) return Value{*known != 0};
  return Value{SymbolicCondition{inside}};
}

}  // namespace reckon::frontend
