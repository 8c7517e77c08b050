// Where layouts meet circuits: `view(a, L)`, its nested subscripts, and how a parameter is stored.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/elaborator.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::IndexLayout;
using ir::IndexTuple;
using ir::NodeId;
using ir::TypeKind;
using ir::VariableId;

std::optional<IndexTuple> Elaborator::index_tuple_of(const Value& value, SourceSpan at) {
  if (auto* tuple = value.get_if<TupleValue>()) {
    if (tuple->parts.empty()) return fail(Code::bad_layout, at, "a shape has at least one mode, and this has none");
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
    return fail(Code::bad_layout, at, fmt::format("a layout is needed, and this is {}", kind_text(value)));
  }
  auto shape = index_tuple_of(value, at);
  if (!shape) return std::nullopt;
  IndexTuple stride = ir::compact_strides(module.indices(), *shape, module.indices().constant(1));
  return IndexLayout{std::move(*shape), std::move(stride)};
}

namespace {

/// The XOR of a swizzle in arithmetic: a bit z that is changed by a bit y becomes (z + y) mod 2.
IndexId swizzled(ir::IndexStore& indices, const layout::Swizzle& swizzle, IndexId x) {
  IndexId out = x;
  auto bit = [&](int k) {
    return indices.floor_mod(indices.floor_div(x, indices.constant(std::int64_t{1} << k)), indices.constant(2));
  };
  for (int k = 0; k < swizzle.bits; ++k) {
    const int changed = swizzle.base + k - std::min(swizzle.shift, 0);
    const int read = swizzle.base + k + std::max(swizzle.shift, 0);
    const IndexId sum = indices.floor_mod(indices.add(bit(changed), bit(read)), indices.constant(2));
    const IndexId change = indices.subtract(sum, bit(changed));
    out = indices.add(out, indices.multiply(change, indices.constant(std::int64_t{1} << changed)));
  }
  return out;
}

/// What the stages of a composed layout make of the number that its inner layout gives.
IndexId after_stages(ir::IndexStore& indices, const layout::Composed& composed, IndexId number) {
  for (auto stage = composed.stages().rbegin(); stage != composed.stages().rend(); ++stage) {
    number = indices.add(number, indices.constant(stage->offset));
    if (auto* swizzle = std::get_if<layout::Swizzle>(&stage->map)) {
      number = swizzled(indices, *swizzle, number);
      continue;
    }
    const IndexLayout layout = ir::index_layout(indices, std::get<layout::Layout>(stage->map));
    std::vector<IndexId> digits;
    ir::split_index(indices, number, layout.shape, digits);
    number = ir::offset_at(indices, layout.stride, digits);
  }
  return number;
}

}  // namespace

Elaborator::Maybe Elaborator::call_view(const std::vector<Value>& arguments, const std::vector<SourceSpan>& spans,
                                        SourceSpan at) {
  if (arguments.size() != 2) {
    return report(Diagnostic(Code::argument_count, at,
                             fmt::format("`view` takes 2 arguments and was given {}", arguments.size()))
                      .help("write `view(a, L)`: a tensor, and a layout of its elements' numbers"));
  }
  auto node = node_of(arguments[0], std::nullopt, spans[0]);
  if (!node) return std::nullopt;
  auto* object = arguments[1].get_if<LayoutObject>();
  const auto* composed = object ? object->get_if<layout::Composed>() : nullptr;
  auto layout = composed ? ir::index_layout(module.indices(), composed->inner()) : index_layout_of(arguments[1], spans[1]);
  if (!layout) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind != TypeKind::tensor) {
    return report(Diagnostic(Code::type_mismatch, spans[0],
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
    module.set_span(element, at);
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
  if (composed) number = after_stages(indices, *composed, number);
  view->leaves = module.map(variables, extents, element_at(number));
  module.set_span(view->leaves, at);
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
  module.set_span(body, at);
  return Value{DynamicValue{module.map(variables, extents, body), std::move(view)}};
}

/// Adds the leaves of one coordinate of a mode.
bool Elaborator::nested_coordinate(const Context& context, const Value& coordinate, const Expr& written,
                                   const IndexTuple& shape, bool proves, std::vector<IndexId>& leaves) {
  if (auto* tuple = coordinate.get_if<TupleValue>()) {
    if (shape.is_leaf() || shape.elements.size() != tuple->parts.size()) {
      const std::string modes = ir::layout_text(module, {shape, shape});
      report(Diagnostic(Code::not_indexable, written.span,
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

Elaborator::Maybe Elaborator::view_element(const View& view, const std::vector<Value>& subscripts,
                                           const std::vector<const Expr*>& written, const Context& context,
                                           const Expr& at) {
  const std::size_t rank = view.shape.is_leaf() ? 1 : view.shape.elements.size();
  if (subscripts.size() != rank) {
    return fail(Code::not_indexable, at.span,
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
  module.set_span(result, at.span);
  return Value{DynamicValue{result}};
}

/// An index is an integer of the program, which nothing checks later (an element's subscript is).
bool Elaborator::stays_below(IndexId index, IndexId extent, const Expr& written) {
  const ir::IndexNode& node = module.indices()[index];
  if (node.op == ir::IndexOp::variable) {
    auto found = ranges_.find(node.variable);
    if (found != ranges_.end() && found->second.extent == extent) return true;
  }
  std::map<VariableId, ir::IndexRange> ranges;
  for (VariableId variable : module.indices().variables(index)) {
    auto found = ranges_.find(variable);
    const auto known = found != ranges_.end() && found->second.extent
                           ? module.indices().as_constant(*found->second.extent)
                           : std::nullopt;
    if (known) ranges[variable] = {0, std::max<std::int64_t>(*known - 1, 0)};
  }
  const auto most = module.indices().range(extent, ranges, {}), values = module.indices().range(index, ranges, {});
  if (most && values && values->low >= 0 && values->high < most->low) return true;
  if (most && values && (values->low >= most->high || values->high < 0)) {
    return fail(Code::index_out_of_range, written.span,
                fmt::format("index `{}` is out of range: this mode has `{}` elements", ir::index_text(module, index),
                            ir::index_text(module, extent))),
           false;
  }
  report(Diagnostic(Code::index_out_of_range, written.span,
                    fmt::format("it cannot be decided here whether `{}` stays below `{}`", ir::index_text(module, index),
                                ir::index_text(module, extent)))
             .help("`view(x, L)[...]` checks its subscripts when sizes are known"));
  return false;
}

Elaborator::Maybe Elaborator::apply_at_indices(const Context& context, const Value& value,
                                               const std::vector<Value>& arguments, const Expr& at) {
  auto layout = index_layout_of(value, at.span);
  if (!layout) return std::nullopt;
  // `L(i, j)` is `L((i, j))`.
  const bool alone = arguments.size() == 1;
  if (!alone && (layout->shape.is_leaf() || layout->rank() != arguments.size())) {
    return fail(Code::not_indexable, at.span,
                fmt::format("a coordinate of {} parts was given for the layout `{}`", arguments.size(),
                            ir::layout_text(module, *layout)));
  }
  std::vector<IndexId> leaves;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const IndexTuple& mode = alone ? layout->shape : layout->shape.elements[k];
    const Expr& written = expr(context, at.children[k + 1]);
    if (!nested_coordinate(context, arguments[k], written, mode, true, leaves)) return std::nullopt;
  }
  return Value{SymbolicInteger{ir::offset_at(module.indices(), layout->stride, leaves)}};
}

bool Elaborator::storage_of(const Context& context, ExprId written, ir::Parameter& parameter) {
  const SourceSpan at = expr(context, written).span;
  auto value = elaborate(context, written);
  auto layout = value ? index_layout_of(*value, at) : std::nullopt;
  if (!layout) return false;
  const ir::Type type = module.types()[parameter.type];
  if (type.kind != TypeKind::tensor) {
    fail(Code::bad_layout, at, "only a tensor is stored by a layout");
    return false;
  }
  const std::string name(module.name(parameter.name));
  if (layout->rank() != type.extents.size()) {
    report(Diagnostic(Code::bad_layout, at,
                      fmt::format("the layout has {} mode{}, and `{}` has {} dimension{}", layout->rank(),
                                  layout->rank() == 1 ? "" : "s", name, type.extents.size(),
                                  type.extents.size() == 1 ? "" : "s"))
               .with(parameter.span, fmt::format("`{}` is `{}`", name, ir::type_text(module, parameter.type)))
               .help("a mode for each dimension, nested where it is cut: `a: f32[m, k] @ (m, (4, k // 4)):(4, (1, 4*m))`"));
    return false;
  }
  for (std::size_t d = 0; d < type.extents.size(); ++d) {
    const IndexId size = ir::size_of(module.indices(), layout->mode(d).shape);
    Diagnostic unfit(Code::bad_layout, at,
                     fmt::format("mode {} of the layout has `{}` elements, and dimension {} of `{}` has `{}`", d,
                                 ir::index_text(module, size), d + 1, name, ir::index_text(module, type.extents[d])));
    if (!equal_extents(size, type.extents[d], std::move(unfit))) return false;
  }
  parameter.storage = std::move(*layout);
  return true;
}

}  // namespace reckon::frontend
