// Layouts and their kin applied at indices of the program: `L(i, j)`, `inside(i, j)`.
#include <fmt/format.h>

#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/static_needed.h"
#include "frontend/layouts/at_indices.h"
#include "frontend/layouts/layouts.h"
#include "frontend/views.h"
#include "ir/index_stages.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;
using layout::Bounds;
using layout::Composed;
using layout::CoordinateLayout;
using layout::Layout;

Maybe apply_at_indices(Elaborator& elaborator, const Context& context, const Value& value,
                       const std::vector<Value>& arguments, const Expr& at) {
  ir::Module& module = elaborator.module;
  ir::IndexStore& indices = module.indices();
  const auto* object = value.get_if<LayoutObject>();
  const auto* composed = object ? object->get_if<Composed>() : nullptr;
  const auto* bounds = object ? object->get_if<Bounds>() : nullptr;
  const auto* coordinates = bounds ? &bounds->coordinates() : object ? object->get_if<CoordinateLayout>() : nullptr;
  std::optional<IndexLayout> layout;
  if (object && !composed && !coordinates) {
    return elaborator.fail(code::static_needed, at.span, fmt::format("a {} needs known numbers here", object->kind()));
  }
  if (composed) layout = ir::index_layout(indices, composed->inner());
  else if (coordinates) layout = ir::index_layout(indices, coordinates->order());
  else layout = elaborator.index_layout_of(value, at.span);
  if (!layout) return std::nullopt;
  // `L(i, j)` is `L((i, j))`.
  const bool alone = arguments.size() == 1;
  if (!alone && (layout->shape.is_leaf() || layout->rank() != arguments.size())) {
    return elaborator.fail(code::not_indexable, at.span,
                           fmt::format("a coordinate of {} parts was given for the {} `{}`", arguments.size(),
                                       object ? object->kind() : "layout",
                                       object ? object->text() : ir::layout_text(module, *layout)));
  }
  std::vector<IndexId> leaves;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const IndexTuple& mode = alone ? layout->shape : layout->shape.elements[k];
    const Expr& written = elaborator.expr(context, at.children[k + 1]);
    if (!nested_coordinate(elaborator, context, arguments[k], written, mode, true, leaves)) return std::nullopt;
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
