// Binders, the ranges of their indices, and subscripts.
#include <fmt/format.h>

#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/index_out_of_range.h"
#include "diagnostics/codes/index_without_range.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/quoted_tree_length.h"
#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/binders.h"
#include "frontend/calls.h"
#include "frontend/index_ranges.h"
#include "frontend/schedules.h"
#include "ir/fold_operation.h"
#include "ir/op.h"
#include "ir/passes/passes.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::TypeKind;
using ir::VariableId;

Maybe element(Elaborator& elaborator, const Value& base, const std::vector<Value>& subscripts,
              const std::vector<const Expr*>& written, const Expr& at) {
  ir::Module& module = elaborator.module;
  // A tuple of tensors is indexed part by part; a static list by a known integer gives its element.
  if (auto* tuple = base.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = element(elaborator, part, subscripts, written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  if (auto* list = base.get_if<ListValue>(); list && subscripts.size() == 1) {
    if (auto* number = subscripts[0].get_if<mpq_class>()) {
      if (number->get_den() != 1 || *number < 0 || *number >= static_cast<long>(list->elements.size())) {
        const std::size_t size = list->elements.size();
        return elaborator.fail(code::index_out_of_range, written[0]->span,
                               fmt::format("index {} is out of range: the list has {} element{}", number->get_str(),
                                           size, size == 1 ? "" : "s"),
                               "subscripts count from 0");
      }
      return list->elements[number->get_num().get_ui()];
    }
  }
  if (!base.is<DynamicValue>() && !base.is<ListValue>()) {
    return elaborator.fail(code::not_indexable, at.span,
                           fmt::format("{} cannot be indexed", elaborator.kind_text(base)));
  }
  auto node = elaborator.node_of(base, std::nullopt, at.span);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      auto one = element(elaborator, {DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}}, subscripts,
                         written, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  if (type.extents.size() != subscripts.size()) {
    Diagnostic diagnostic(code::not_indexable, at.span,
                          fmt::format("a value of type `{}` takes {} subscript{} and was given {}",
                                      ir::type_text(module, module[*node].type), type.extents.size(),
                                      type.extents.size() == 1 ? "" : "s", subscripts.size()),
                          "one subscript for each dimension");
    if (subscripts.size() == 1 && type.extents.size() > 1) {
      diagnostic.helps.emplace_back("all subscripts stand in one pair of brackets: `x[i, j]`");
    }
    return elaborator.report(std::move(diagnostic));
  }
  std::vector<IndexId> indices;
  DataSubscripts data(elaborator);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    auto index = data.subscript_of(subscripts[d], type.extents[d], written[d]->span);
    if (!index) return std::nullopt;
    note_range(elaborator, *index, type.extents[d], *written[d]);
    // A subscript that is out of range for every size, or for this one, is reported at once.
    const auto known = module.indices().as_constant(*index);
    const auto beyond = module.indices().as_constant(module.indices().subtract(*index, type.extents[d]));
    if ((known && *known < 0) || (beyond && *beyond >= 0)) {
      Diagnostic diagnostic(code::index_out_of_range, written[d]->span,
                            fmt::format("index `{}` is out of range: dimension {} has `{}` elements",
                                        ir::index_text(module, *index), d + 1, ir::index_text(module, type.extents[d])),
                            "subscripts count from 0");
      if (known && *known < 0 && !module.indices().as_constant(type.extents[d])) {
        diagnostic.helps.push_back(
            fmt::format("the last element is `[{} - 1]`", ir::index_text(module, type.extents[d])));
      }
      return elaborator.report(std::move(diagnostic));
    }
    indices.push_back(*index);
  }
  const NodeId result = data.put_into(module.element(*node, std::move(indices)));
  module.places().put(result, at.span);
  return Value{DynamicValue{result}};
}

namespace {

/// The tensor of a body for all values of the indices; of a tuple, part by part.
Maybe make_map(Elaborator& elaborator, const std::vector<VariableId>& variables, const std::vector<IndexId>& extents,
               const Value& body, SourceSpan at) {
  ir::Module& module = elaborator.module;
  if (auto* tuple = body.get_if<TupleValue>()) {
    TupleValue parts;
    for (const Value& part : tuple->parts) {
      auto one = make_map(elaborator, variables, extents, part, at);
      if (!one) return one;
      parts.parts.push_back(std::move(*one));
    }
    return Value{std::move(parts)};
  }
  auto node = elaborator.node_of(body, std::nullopt, at);
  if (!node) return std::nullopt;
  const ir::Type type = module.type(*node);
  if (type.kind == TypeKind::tuple) {
    TupleValue parts;
    for (std::size_t k = 0; k < type.parts.size(); ++k) {
      auto one = make_map(elaborator, variables, extents,
                          {DynamicValue{module.get(*node, static_cast<std::uint32_t>(k))}}, at);
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
      return elaborator.report(Diagnostic(code::ragged_tensor, at,
                                          fmt::format("the extent of the inner tensor depends on index `{}`",
                                                      elaborator.ranges[variable].name))
                                   .help("a tensor has one shape; pad the rows with `select`, or reduce each row"));
    }
    const VariableId fresh = module.fresh_variable();
    all.push_back(fresh);
    all_extents.push_back(extent);
    subscripts.push_back(module.indices().variable(fresh));
  }
  return Value{DynamicValue{module.map(all, all_extents, module.element(*node, subscripts))}};
}

/// One binder: its indices with their ranges, and the tensor or the reduction that they make of its body.
class BinderElaboration {
 public:
  BinderElaboration(Elaborator& elaborator, const Context& context, const Expr& expression)
      : elaborator_(elaborator),
        module_(elaborator.module),
        context_(context),
        expression_(expression),
        scope_(context.scope),
        inner_(context.in(scope_)),
        prefix_(expression.binder == BinderKind::scan) {}
  BinderElaboration(const BinderElaboration&) = delete;

  Maybe elaborate();

 private:
  bool bind_indices();
  bool find_ranges();
  bool has_constant_range(std::size_t k, const char* help);
  Maybe tensor(const Value& body);
  Maybe reduction(const Value& body);
  std::optional<NodeId> flatten(NodeId body);
  bool combines_numbers(const ir::Type& type);
  bool find_operation();
  bool find_written_operation();
  bool elaborate_schedule();
  void inline_product();
  bool quoted_tree_fits(SourceSpan at);
  bool elaborate_otherwise();

  const Expr& expr(ExprId id) const { return elaborator_.expr(context_, id); }
  bool refuse(Diagnostic diagnostic) {
    elaborator_.report(std::move(diagnostic));
    return false;
  }

  Elaborator& elaborator_;
  ir::Module& module_;
  const Context& context_;
  const Expr& expression_;
  Scope scope_;  ///< with the indices
  const Context inner_;
  std::vector<VariableId> variables_;
  std::vector<IndexId> extents_;
  SourceSpan body_span_;

  // Reductions and scans
  const bool prefix_;
  ir::TypeId element_;   ///< the type of what is combined
  std::string spelled_;  ///< `sum`, for messages
  ir::Module::Fold fold_;
};

Maybe BinderElaboration::elaborate() {
  if (!bind_indices()) return std::nullopt;
  const std::size_t errors = elaborator_.diagnostics.size();
  const Maybe body = elaborator_.elaborate(inner_, expression_.children[0]);
  if (!body || elaborator_.diagnostics.size() != errors) return std::nullopt;
  if (!find_ranges()) return std::nullopt;
  body_span_ = expr(expression_.children[0]).span;
  return expression_.binder == BinderKind::for_ ? tensor(*body) : reduction(*body);
}

/// Brings the indices into scope, each with its bound if one is written. A bound may use the indices before it.
bool BinderElaboration::bind_indices() {
  for (const BinderName& name : expression_.names) {
    const VariableId variable = module_.fresh_variable();
    BinderRange range{name.name, name.span, {}, {}, false};
    if (name.bound.valid()) {
      const Maybe bound = elaborator_.elaborate(inner_, name.bound);
      const auto extent = bound ? elaborator_.index_of(*bound, expr(name.bound).span, "a bound") : std::nullopt;
      if (!extent) return false;
      range.extent = extent;
      range.given = true;
    }
    elaborator_.ranges[variable] = range;
    variables_.push_back(variable);
    scope_.bind(name.name, {SymbolicInteger{module_.indices().variable(variable)}});
  }
  return true;
}

/// The ranges that are written, or that the subscripts in the body have shown.
bool BinderElaboration::find_ranges() {
  bool sound = true;
  for (VariableId variable : variables_) {
    const BinderRange& range = elaborator_.ranges[variable];
    if (range.extent) {
      extents_.push_back(*range.extent);
      continue;
    }
    sound =
        refuse(Diagnostic(code::index_without_range, range.declared, fmt::format("index `{}` has no range", range.name),
                          "it never stands alone as a subscript")
                   .help(fmt::format("give it one: `{} < n`", range.name)));
  }
  return sound;
}

/// Whether the range of index k is the same for all values of the other indices.
bool BinderElaboration::has_constant_range(std::size_t k, const char* help) {
  const BinderName& name = expression_.names[k];
  for (VariableId variable : variables_) {
    if (!module_.indices().mentions(extents_[k], variable)) continue;
    return refuse(
        Diagnostic(code::ragged_tensor, name.span,
                   fmt::format("the range of `{}` depends on index `{}`", name.name, elaborator_.ranges[variable].name))
            .help(help));
  }
  return true;
}

Maybe BinderElaboration::tensor(const Value& body) {
  for (std::size_t k = 0; k < extents_.size(); ++k) {
    if (!has_constant_range(k, "a tensor has one shape; in a reduction such a range is fine")) return std::nullopt;
  }
  Maybe map = make_map(elaborator_, variables_, extents_, body, body_span_);
  if (map) {
    if (auto* dynamic = map->get_if<DynamicValue>()) module_.places().put(dynamic->node, expression_.span);
  }
  return map;
}

Maybe BinderElaboration::reduction(const Value& body) {
  const auto node = elaborator_.node_of(body, std::nullopt, body_span_);
  if (!node) return std::nullopt;
  const auto leaf = flatten(*node);
  if (!leaf) return std::nullopt;
  fold_.body = *leaf;
  element_ = module_[*leaf].type;
  const ir::Type type = module_.type(*leaf);
  if (!combines_numbers(type) || !find_operation()) return std::nullopt;
  if (!fold_.user_operation.valid() && (type.kind == TypeKind::tuple || !ir::is_numeric(type.scalar))) {
    return elaborator_.fail(code::type_mismatch, body_span_,
                            fmt::format("`{}` needs numbers, and this is `{}`", spelled_,
                                        ir::type_text(module_, element_)));
  }
  if (!elaborate_schedule() || !elaborate_otherwise()) return std::nullopt;
  const NodeId result = prefix_ ? module_.scan(fold_) : module_.reduce(fold_);
  module_.places().put(result, expression_.span);
  return Value{DynamicValue{result}};
}

/// The body over one index: several indices are one list of leaves, the last index fastest.
std::optional<NodeId> BinderElaboration::flatten(NodeId body) {
  fold_.extent = extents_[0];
  fold_.variable = variables_[0];
  if (variables_.size() == 1) return body;
  ir::IndexStore& indices = module_.indices();
  fold_.variable = module_.fresh_variable();
  const IndexId flat = indices.variable(fold_.variable);
  ir::Module::Substitution split;
  IndexId stride = indices.constant(1);
  for (std::size_t k = variables_.size(); k-- > 0;) {
    if (!has_constant_range(k, "nest the reductions: `sum i: sum j < i + 1: ...`")) return std::nullopt;
    IndexId position = indices.floor_div(flat, stride);
    if (k > 0) position = indices.floor_mod(position, extents_[k]);
    split.indices.variables[variables_[k]] = position;
    stride = indices.multiply(stride, extents_[k]);
  }
  fold_.extent = stride;
  return module_.substitute(body, split);
}

bool BinderElaboration::combines_numbers(const ir::Type& type) {
  bool scalars = type.kind == TypeKind::scalar;
  if (type.kind == TypeKind::tuple) {
    scalars = true;
    for (ir::TypeId part : type.parts) scalars = scalars && module_.types()[part].kind == TypeKind::scalar;
  }
  if (scalars) return true;
  return refuse(Diagnostic(code::type_mismatch, body_span_,
                           fmt::format("a reduction combines numbers or tuples of numbers, and this is `{}`",
                                       ir::type_text(module_, element_)))
                    .help("reduce element by element: `for j: sum i: a[i, j]`"));
}

bool BinderElaboration::find_operation() {
  const auto named = [&](Op op, const char* spelled) {
    fold_.operation = op;
    spelled_ = spelled;
    return true;
  };
  switch (expression_.binder) {
    case BinderKind::sum: return named(Op::add, "sum");
    case BinderKind::prod: return named(Op::mul, "prod");
    case BinderKind::min: return named(Op::min, "min");
    case BinderKind::max: return named(Op::max, "max");
    default: return find_written_operation();
  }
}

/// The operation of `reduce(op)` or `scan(op)`.
bool BinderElaboration::find_written_operation() {
  spelled_ = prefix_ ? "scan" : "reduce";
  const Maybe operation = elaborator_.elaborate(context_, expression_.operation);
  if (!operation) return false;
  const SourceSpan at = expr(expression_.operation).span;
  if (auto* builtin = operation->get_if<BuiltinValue>()) {
    const auto op = ir::op_named(builtin->name);
    if (op == Op::add || op == Op::mul || op == Op::min || op == Op::max) {
      fold_.operation = *op;
      return true;
    }
  }
  fold_.left = module_.fresh_variable();
  fold_.right = module_.fresh_variable();
  const Value left{DynamicValue{module_.operand(fold_.left, element_)}};
  const Value right{DynamicValue{module_.operand(fold_.right, element_)}};
  const Maybe combined = call(elaborator_, *operation, {left, right}, {body_span_, body_span_}, expression_, at);
  if (!combined) return false;
  ir::IndexSubstitution none;
  const auto fitted = elaborator_.fit(*combined, element_, none, false, at, "the result of the operation");
  if (!fitted) return false;
  // A function that only adds its operands becomes the addition, so that whatever holds for sums applies to it.
  if (const auto op = ir::plain_operation(module_, *fitted, fold_.left, fold_.right)) fold_.operation = *op;
  else fold_.user_operation = *fitted;
  return true;
}

/// The order of the reduction: the one after `by`, or the default.
bool BinderElaboration::elaborate_schedule() {
  fold_.schedule = module_.schedules().default_order();
  if (!expression_.schedule.valid()) return true;
  const Maybe value = elaborator_.elaborate(context_, expression_.schedule);
  if (!value) return false;
  const SourceSpan at = expr(expression_.schedule).span;
  const auto schedule = elaborator_.schedule_of(*value, at, false);
  if (!schedule) return false;
  fold_.schedule = *schedule;
  inline_product();
  return accumulator_fits(elaborator_, *schedule, fold_, spelled_, at) && quoted_tree_fits(at);
}

/// A fused order needs the factors of a product, so a call whose body is a product is inlined.
void BinderElaboration::inline_product() {
  if (module_[fold_.body].op != ir::Op::call) return;
  if (!module_.schedules().operations(fold_.schedule).contains(ir::ScheduleOp::fused)) return;
  ir::Function leaf;
  leaf.body = fold_.body;
  leaf.places = module_.places().current();
  fold_.body = ir::inline_calls(module_, leaf).body;
}

/// A quoted tree of another length fails for every run, if the length is known.
bool BinderElaboration::quoted_tree_fits(SourceSpan at) {
  const auto n = module_.indices().as_constant(fold_.extent);
  if (!n || *n < 1) return true;
  const ir::ScheduleNode head = module_.schedules()[fold_.schedule];
  if (head.op != ir::ScheduleOp::quoted) return true;
  const auto leaves = module_.schedules().trees().leaf_count(head.tree);
  if (leaves == *n) return true;
  return refuse(Diagnostic(code::quoted_tree_length, at,
                           fmt::format("the quoted tree has {} leaves, and {} are to be reduced", leaves, *n))
                    .help("a quoted tree is for one length alone; `seq` and `tree` are for every length"));
}

/// What a reduction of no elements gives: `else`.
bool BinderElaboration::elaborate_otherwise() {
  if (!expression_.otherwise.valid()) {
    if (module_.indices().as_constant(fold_.extent) != 0) return true;
    return refuse(Diagnostic(code::empty_reduction, expression_.span, "this reduction has no elements")
                      .help(fmt::format("say what an empty one gives: `{} i: ... else 0`", spelled_)));
  }
  const Maybe value = elaborator_.elaborate(context_, expression_.otherwise);
  if (!value) return false;
  ir::IndexSubstitution none;
  const SourceSpan at = expr(expression_.otherwise).span;
  const auto otherwise = elaborator_.fit(*value, element_, none, false, at, "what an empty reduction gives");
  if (!otherwise) return false;
  fold_.otherwise = *otherwise;
  if (!prefix_) return true;
  return refuse(Diagnostic(code::syntax, at, "a scan of nothing is an empty tensor"));
}

}  // namespace

Maybe elaborate_binder(Elaborator& elaborator, const Context& context, const Expr& expression) {
  return BinderElaboration(elaborator, context, expression).elaborate();
}

}  // namespace reckon::frontend
