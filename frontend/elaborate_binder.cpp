// Binders, the ranges of their indices, and subscripts.
#include <fmt/format.h>

#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/index_ranges_differ.h"
#include "diagnostics/codes/index_without_range.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/quoted_tree_length.h"
#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/elaborator.h"
#include "ir/fold_operation.h"
#include "ir/op.h"
#include "ir/passes/passes.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::TypeKind;
using ir::VariableId;

void Elaborator::note_range(IndexId subscript, IndexId extent, const Expr& written) {
  // Only an index that stands alone takes the dimension's range.
  if (written.kind != ExprKind::name) return;
  const ir::IndexNode& node = module.indices()[subscript];
  if (node.op != ir::IndexOp::variable) return;
  auto found = ranges_.find(node.variable);
  if (found == ranges_.end() || found->second.given) return;
  Range& range = found->second;
  if (!range.extent) {
    range.extent = extent;
    range.found = written.span;
    return;
  }
  if (*range.extent == extent) return;
  report(Diagnostic(code::index_ranges_differ, written.span,
                    fmt::format("index `{}` has two different ranges", range.name),
                    fmt::format("here it has range `{}`", ir::index_text(module, extent)))
             .with(range.found, fmt::format("here it has range `{}`", ir::index_text(module, *range.extent)))
             .help(fmt::format("give it one range: `{} < ...`, or use two indices", range.name)));
}

Elaborator::Maybe Elaborator::element(const Value& base, const std::vector<Value>& subscripts,
                                      const std::vector<const Expr*>& written, const Expr& at) {
  // A tuple of tensors is indexed part by part; a static list by a known integer gives its element.
  if (auto* tuple = base.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = element(part, subscripts, written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  if (auto* list = base.get_if<ListValue>(); list && subscripts.size() == 1) {
    if (auto* number = subscripts[0].get_if<mpq_class>()) {
      if (number->get_den() != 1 || *number < 0 || *number >= static_cast<long>(list->elements.size())) {
        const std::size_t size = list->elements.size();
        return fail(code::index_out_of_range, written[0]->span,
                    fmt::format("index {} is out of range: the list has {} element{}", number->get_str(), size,
                                size == 1 ? "" : "s"),
                    "subscripts count from 0");
      }
      return list->elements[number->get_num().get_ui()];
    }
  }
  if (!base.is<DynamicValue>() && !base.is<ListValue>()) {
    return fail(code::not_indexable, at.span, fmt::format("{} cannot be indexed", kind_text(base)));
  }
  auto node = node_of(base, std::nullopt, at.span);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      auto one = element({DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}}, subscripts, written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  if (type.extents.size() != subscripts.size()) {
    return fail(code::not_indexable, at.span,
                fmt::format("a value of type `{}` takes {} subscript{} and was given {}",
                            ir::type_text(module, module[*node].type), type.extents.size(),
                            type.extents.size() == 1 ? "" : "s", subscripts.size()),
                "one subscript for each dimension");
  }
  std::vector<IndexId> indices;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    auto index = index_of(subscripts[d], written[d]->span, "a subscript");
    if (!index) return std::nullopt;
    note_range(*index, type.extents[d], *written[d]);
    // A subscript that is out of range for every size, or for this one, is reported at once.
    const auto known = module.indices().as_constant(*index);
    const auto beyond = module.indices().as_constant(module.indices().subtract(*index, type.extents[d]));
    if ((known && *known < 0) || (beyond && *beyond >= 0)) {
      return fail(code::index_out_of_range, written[d]->span,
                  fmt::format("index `{}` is out of range: dimension {} has `{}` elements",
                              ir::index_text(module, *index), d + 1, ir::index_text(module, type.extents[d])),
                  "subscripts count from 0");
    }
    indices.push_back(*index);
  }
  const NodeId result = module.element(*node, std::move(indices));
  module.places().put(result, at.span);
  return Value{DynamicValue{result}};
}

Elaborator::Maybe Elaborator::make_map(const std::vector<VariableId>& variables, const std::vector<IndexId>& extents,
                                       const Value& body, SourceSpan at) {
  if (auto* tuple = body.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = make_map(variables, extents, part, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  auto node = node_of(body, std::nullopt, at);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      auto one = make_map(variables, extents, {DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}}, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  if (type.kind == TypeKind::scalar) {
    return Value{DynamicValue{module.map(variables, extents, *node)}};
  }
  // A tensor for every index is a tensor of more dimensions; its own extents must not depend on the index.
  std::vector<VariableId> all = variables;
  std::vector<IndexId> all_extents = extents, subscripts;
  for (IndexId extent : type.extents) {
    for (VariableId variable : variables) {
      if (!module.indices().mentions(extent, variable)) continue;
      return report(
          Diagnostic(code::ragged_tensor, at,
                     fmt::format("the extent of the inner tensor depends on index `{}`", ranges_[variable].name))
              .help("a tensor has one shape; pad the rows with `select`, or reduce each row"));
    }
    const VariableId fresh = module.fresh_variable();
    all.push_back(fresh);
    all_extents.push_back(extent);
    subscripts.push_back(module.indices().variable(fresh));
  }
  return Value{DynamicValue{module.map(all, all_extents, module.element(*node, subscripts))}};
}

Elaborator::Maybe Elaborator::elaborate_binder(const Context& context, const Expr& expression) {
  ir::IndexStore& indices = module.indices();
  Scope scope(context.scope);
  const Context inner = context.in(scope);
  std::vector<VariableId> variables;
  bool sound = true;
  for (const BinderName& name : expression.names) {
    const VariableId variable = module.fresh_variable();
    Range range{name.name, name.span, {}, {}, false};
    if (name.bound.valid()) {
      auto bound = elaborate(inner, name.bound);
      auto extent = bound ? index_of(*bound, expr(context, name.bound).span, "a bound") : std::nullopt;
      if (!extent) return std::nullopt;
      range.extent = extent;
      range.given = true;
    }
    ranges_[variable] = range;
    variables.push_back(variable);
    scope.bind(name.name, {SymbolicInteger{indices.variable(variable)}});
  }
  const std::size_t errors = diagnostics.size();
  auto body = elaborate(inner, expression.children[0]);
  if (!body || diagnostics.size() != errors) return std::nullopt;
  std::vector<IndexId> extents;
  for (VariableId variable : variables) {
    const Range& range = ranges_[variable];
    if (!range.extent) {
      report(Diagnostic(code::index_without_range, range.declared, fmt::format("index `{}` has no range", range.name),
                        "it never stands alone as a subscript")
                 .help(fmt::format("give it one: `{} < n`", range.name)));
      sound = false;
      continue;
    }
    extents.push_back(*range.extent);
  }
  if (!sound) return std::nullopt;
  const SourceSpan body_span = expr(context, expression.children[0]).span;
  if (expression.binder == BinderKind::for_) {
    for (std::size_t k = 0; k < extents.size(); ++k) {
      for (VariableId variable : variables) {
        if (!indices.mentions(extents[k], variable)) continue;
        return report(Diagnostic(code::ragged_tensor, expression.names[k].span,
                                 fmt::format("the range of `{}` depends on index `{}`", expression.names[k].name,
                                             ranges_[variable].name))
                          .help("a tensor has one shape; in a reduction such a range is fine"));
      }
    }
    auto map = make_map(variables, extents, *body, body_span);
    if (map) {
      if (auto* dynamic = map->get_if<DynamicValue>()) module.places().put(dynamic->node, expression.span);
    }
    return map;
  }

  // Reductions. Several indices are one list of leaves, the last index fastest.
  auto node = node_of(*body, std::nullopt, body_span);
  if (!node) return std::nullopt;
  IndexId extent = extents[0];
  VariableId variable = variables[0];
  if (variables.size() > 1) {
    variable = module.fresh_variable();
    const IndexId flat = indices.variable(variable);
    ir::Module::Substitution split;
    IndexId stride = indices.constant(1);
    for (std::size_t k = variables.size(); k-- > 0;) {
      for (VariableId other : variables) {
        if (!indices.mentions(extents[k], other)) continue;
        return report(Diagnostic(code::ragged_tensor, expression.names[k].span,
                                 fmt::format("the range of `{}` depends on index `{}`", expression.names[k].name,
                                             ranges_[other].name))
                          .help("nest the reductions: `sum i: sum j < i + 1: ...`"));
      }
      IndexId position = indices.floor_div(flat, stride);
      if (k > 0) position = indices.floor_mod(position, extents[k]);
      split.indices.variables[variables[k]] = position;
      stride = indices.multiply(stride, extents[k]);
    }
    extent = stride;
    node = module.substitute(*node, split);
  }
  const ir::Type type = module.type(*node);
  const ir::TypeId type_id = module[*node].type;
  auto is_flat = [&](const ir::Type& each) { return each.kind == TypeKind::scalar; };
  bool scalars = is_flat(type);
  if (type.kind == TypeKind::tuple) {
    scalars = true;
    for (ir::TypeId part : type.parts) scalars = scalars && is_flat(module.types()[part]);
  }
  if (!scalars) {
    return report(Diagnostic(code::type_mismatch, body_span,
                             fmt::format("a reduction combines numbers or tuples of numbers, and this is `{}`",
                                         ir::type_text(module, type_id)))
                      .help("reduce element by element: `for j: sum i: a[i, j]`"));
  }

  ir::Module::Fold fold;
  fold.variable = variable;
  fold.extent = extent;
  fold.body = *node;
  const bool prefix = expression.binder == BinderKind::scan;
  std::string spelled = "sum";
  switch (expression.binder) {
    case BinderKind::sum: fold.operation = Op::add; break;
    case BinderKind::prod: fold.operation = Op::mul, spelled = "prod"; break;
    case BinderKind::min: fold.operation = Op::min, spelled = "min"; break;
    case BinderKind::max: fold.operation = Op::max, spelled = "max"; break;
    default: {
      spelled = prefix ? "scan" : "reduce";
      auto operation = elaborate(context, expression.operation);
      if (!operation) return operation;
      const SourceSpan at = expr(context, expression.operation).span;
      if (auto* builtin = operation->get_if<BuiltinValue>()) {
        const auto op = ir::op_named(builtin->name);
        if (op == Op::add || op == Op::mul || op == Op::min || op == Op::max) {
          fold.operation = *op;
          break;
        }
      }
      fold.left = module.fresh_variable();
      fold.right = module.fresh_variable();
      const Value left{DynamicValue{module.operand(fold.left, type_id)}};
      const Value right{DynamicValue{module.operand(fold.right, type_id)}};
      auto combined = call(*operation, {left, right}, {body_span, body_span}, expression, at);
      if (!combined) return combined;
      ir::IndexSubstitution none;
      auto fitted = fit(*combined, type_id, none, false, at, "the result of the operation");
      if (!fitted) return std::nullopt;
      // A function that only adds its operands becomes the addition, so that whatever holds for sums applies to it.
      if (const auto op = ir::plain_operation(module, *fitted, fold.left, fold.right)) {
        fold.operation = *op;
        break;
      }
      fold.user_operation = *fitted;
    }
  }
  if (!fold.user_operation.valid() && (type.kind == TypeKind::tuple || !ir::is_numeric(type.scalar))) {
    return fail(code::type_mismatch, body_span,
                fmt::format("`{}` needs numbers, and this is `{}`", spelled, ir::type_text(module, type_id)));
  }
  fold.schedule = module.schedules().default_order();
  if (expression.schedule.valid()) {
    auto value = elaborate(context, expression.schedule);
    if (!value) return value;
    const SourceSpan at = expr(context, expression.schedule).span;
    auto schedule = schedule_of(*value, at, false);
    if (!schedule) return std::nullopt;
    fold.schedule = *schedule;
    if (module[fold.body].op == ir::Op::call &&
        module.schedules().operations(*schedule).contains(ir::ScheduleOp::fused)) {
      // A fused order needs the factors of a product, so a call whose body is a product is inlined.
      ir::Function leaf;
      leaf.body = fold.body;
      leaf.places = module.places().current();
      fold.body = ir::inline_calls(module, leaf).body;
    }
    if (!accumulator_fits(*schedule, fold, spelled, at)) return std::nullopt;
    // A quoted tree of another length fails for every run, if the length is known.
    if (auto n = indices.as_constant(extent); n && *n >= 1) {
      const ir::ScheduleNode head = module.schedules()[*schedule];
      if (head.op == ir::ScheduleOp::quoted && module.schedules().trees().leaf_count(head.tree) != *n) {
        return report(Diagnostic(code::quoted_tree_length, at,
                                 fmt::format("the quoted tree has {} leaves, and {} are to be reduced",
                                             module.schedules().trees().leaf_count(head.tree), *n))
                          .help("a quoted tree is for one length alone; `seq` and `tree` are for every length"));
      }
    }
  }
  if (expression.otherwise.valid()) {
    auto value = elaborate(context, expression.otherwise);
    if (!value) return value;
    ir::IndexSubstitution none;
    const SourceSpan at = expr(context, expression.otherwise).span;
    auto otherwise = fit(*value, type_id, none, false, at, "what an empty reduction gives");
    if (!otherwise) return std::nullopt;
    fold.otherwise = *otherwise;
  } else if (indices.as_constant(extent) == 0) {
    return report(Diagnostic(code::empty_reduction, expression.span, "this reduction has no elements")
                      .help(fmt::format("say what an empty one gives: `{} i: ... else 0`", spelled)));
  }
  if (prefix && fold.otherwise.valid()) {
    return fail(code::syntax, expr(context, expression.otherwise).span, "a scan of nothing is an empty tensor");
  }
  const NodeId result = prefix ? module.scan(fold) : module.reduce(fold);
  module.places().put(result, expression.span);
  return Value{DynamicValue{result}};
}

}  // namespace reckon::frontend
