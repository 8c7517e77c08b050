// Where layouts meet circuits: `view(a, L)`, its nested subscripts, and how parameters and results are stored.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/index_ranges.h"
#include "frontend/views.h"
#include "ir/index_stages.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;
using ir::NodeId;
using ir::TypeKind;
using ir::VariableId;

Maybe call_view(Elaborator& elaborator, const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                SourceSpan at) {
  ir::Module& module = elaborator.module;
  if (arguments.size() != 2) {
    return elaborator.report(
        Diagnostic(code::argument_count, at, fmt::format("`view` takes 2 arguments and was given {}", arguments.size()))
            .help("write `view(a, L)`: a tensor, and a layout of its elements' numbers"));
  }
  auto node = elaborator.node_of(arguments[0], std::nullopt, spans[0]);
  if (!node) return std::nullopt;
  const auto* composed = layout_object<layout::Composed>(arguments[1]);
  auto layout = composed ? ir::index_layout(module.indices(), composed->inner())
                         : elaborator.index_layout_of(arguments[1], spans[1]);
  if (!layout) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind != TypeKind::tensor) {
    return elaborator.report(
        Diagnostic(code::type_mismatch, spans[0],
                   fmt::format("`view` re-indexes a tensor, and this is {}", elaborator.kind_text(arguments[0])))
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

bool nested_coordinate(Elaborator& elaborator, const Context& context, const Value& coordinate, const Expr& written,
                       const IndexTuple& shape, bool proves, std::vector<IndexId>& leaves) {
  ir::Module& module = elaborator.module;
  if (auto* tuple = coordinate.get_if<TupleValue>()) {
    if (shape.is_leaf() || shape.elements.size() != tuple->parts.size()) {
      const std::string modes = ir::layout_text(module, {shape, shape});
      elaborator.report(
          Diagnostic(code::not_indexable, written.span,
                     fmt::format("a coordinate of {} parts was given for `{}`", tuple->parts.size(),
                                 modes.substr(0, modes.find(':'))))
              .help("a coordinate is nested as the layout's shape is; an integer stands for a whole mode"));
      return false;
    }
    const bool literal = written.kind == ExprKind::tuple && written.children.size() == tuple->parts.size();
    for (std::size_t k = 0; k < tuple->parts.size(); ++k) {
      const Expr& part = literal ? elaborator.expr(context, written.children[k]) : written;
      if (!nested_coordinate(elaborator, context, tuple->parts[k], part, shape.elements[k], proves, leaves))
        return false;
    }
    return true;
  }
  auto index = subscript_of(elaborator, coordinate, written.span);
  if (!index) return false;
  const IndexId size = ir::size_of(module.indices(), shape);
  note_range(elaborator, *index, size, written);
  if (proves && !stays_below(elaborator, *index, size, written)) return false;
  ir::split_index(module.indices(), *index, shape, leaves);
  return true;
}

Maybe view_element(Elaborator& elaborator, const View& view, const std::vector<Value>& subscripts,
                   const std::vector<const Expr*>& written, const Context& context, const Expr& at) {
  ir::Module& module = elaborator.module;
  const std::size_t rank = view.shape.is_leaf() ? 1 : view.shape.elements.size();
  if (subscripts.size() != rank) {
    return elaborator.fail(code::not_indexable, at.span,
                           fmt::format("this view has {} mode{} and was given {} subscript{}", rank,
                                       rank == 1 ? "" : "s", subscripts.size(), subscripts.size() == 1 ? "" : "s"),
                           "one subscript for each mode");
  }
  std::vector<IndexId> leaves;
  for (std::size_t k = 0; k < rank; ++k) {
    const IndexTuple& mode = view.shape.is_leaf() ? view.shape : view.shape.elements[k];
    if (!nested_coordinate(elaborator, context, subscripts[k], *written[k], mode, false, leaves)) return std::nullopt;
  }
  const NodeId result = module.element(view.leaves, std::move(leaves));
  module.places().put(result, at.span);
  return Value{DynamicValue{result}};
}

namespace {

std::optional<ir::Storage> storage_of(Elaborator& elaborator, const Context& context, const TypeExpr& written,
                                      ir::TypeId id, const std::string& what) {
  ir::Module& module = elaborator.module;
  const SourceSpan at = elaborator.expr(context, written.storage).span;
  auto value = elaborator.elaborate(context, written.storage);
  if (!value) return std::nullopt;
  const auto* composed = layout_object<layout::Composed>(*value);
  auto layout =
      composed ? ir::index_layout(module.indices(), composed->inner()) : elaborator.index_layout_of(*value, at);
  if (!layout) return std::nullopt;
  const ir::Type type = module.types()[id];
  if (type.kind != TypeKind::tensor)
    return elaborator.fail(code::bad_layout, at, "only a tensor is stored by a layout");
  if (layout->rank() != type.extents.size()) {
    return elaborator.report(Diagnostic(code::bad_layout, at,
                                        fmt::format("the layout has {} mode{}, and {} has {} dimension{}",
                                                    layout->rank(), layout->rank() == 1 ? "" : "s", what,
                                                    type.extents.size(), type.extents.size() == 1 ? "" : "s"))
                                 .with(written.span, fmt::format("{} is `{}`", what, ir::type_text(module, id)))
                                 .help("a mode for each dimension, nested where it is cut: "
                                       "`f32[m, k] @ (m, (4, k // 4)):(4, (1, 4*m))`"));
  }
  for (std::size_t d = 0; d < type.extents.size(); ++d) {
    const IndexId size = ir::size_of(module.indices(), layout->mode(d).shape);
    Diagnostic unfit(code::bad_layout, at,
                     fmt::format("mode {} of the layout has `{}` elements, and dimension {} of {} has `{}`", d,
                                 elaborator.index_text(size), d + 1, what, elaborator.index_text(type.extents[d])));
    if (!elaborator.equal_extents(size, type.extents[d], std::move(unfit))) return std::nullopt;
  }
  ir::Storage out{std::move(*layout), composed ? composed->stages() : std::vector<layout::Stage>(), at};
  // What depends on sizes is looked at when they are known (ir::size_problem).
  std::vector<IndexId> leaves;
  out.layout.shape.leaves(leaves);
  out.layout.stride.leaves(leaves);
  const bool known = std::all_of(leaves.begin(), leaves.end(),
                                 [&](IndexId leaf) { return module.indices().as_constant(leaf).has_value(); });
  if (auto stored = ir::stored_layout(module, out, {}); known && !stored) return elaborator.report(stored.error());
  return out;
}

}  // namespace

bool storages_of(Elaborator& elaborator, const Context& context, const TypeExpr& written, ir::TypeId id,
                 const std::string& what, std::vector<std::optional<ir::Storage>>& out) {
  ir::Module& module = elaborator.module;
  const ir::Type type = module.types()[id];
  std::optional<ir::Storage> storage;
  if (written.storage.valid() && !(storage = storage_of(elaborator, context, written, id, what))) return false;
  if (type.kind != TypeKind::tuple) {
    out.push_back(std::move(storage));
    return true;
  }
  const TypeExpr of_record;  // says nothing about its parts
  for (std::size_t k = 0; k < type.parts.size(); ++k) {
    const bool is_record = !written.name.empty() || written.parts.empty();
    if (!storages_of(elaborator, context, is_record ? of_record : written.parts[k], type.parts[k], fmt::format("part {} of {}", k + 1, what),
                     out)) {
      return false;
    }
  }
  return true;
}

}  // namespace reckon::frontend
