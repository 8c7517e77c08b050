// Reductions and scans: their operation, their order, and `sum`, `prod`, `min` and `max`, which of tensors and tuples are
// the reductions of their numbers, one by one.
#include <fmt/format.h>

#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/quoted_tree_length.h"
#include "diagnostics/codes/ragged_tensor.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/records.h"
#include "frontend/reduction.h"
#include "frontend/schedules.h"
#include "ir/op.h"
#include "ir/passes/passes.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::NodeId;
using ir::Op;
using ir::Scalar;
using ir::TypeId;
using ir::TypeKind;
using ir::VariableId;

std::vector<VariableId> fresh_variables(ir::Module& module, std::size_t count) {
  std::vector<VariableId> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(module.fresh_variable());
  return out;
}

std::vector<IndexId> subscripts_of(ir::Module& module, const std::vector<VariableId>& variables) {
  std::vector<IndexId> out;
  for (const VariableId variable : variables) out.push_back(module.indices().variable(variable));
  return out;
}

NodeId number_at(ir::Module& module, NodeId node, const std::vector<IndexId>& subscripts) {
  return subscripts.empty() ? node : module.element(node, subscripts);
}

Value joined(ir::Module& module, const std::vector<NodeId>& parts, bool is_tuple) {
  return {DynamicValue{is_tuple ? module.tuple(parts) : parts[0]}};
}

NodeId zeros_like(ir::Module& module, NodeId node) {
  const ir::Type type = module.type(node);
  const NodeId zero = type.scalar == Scalar::boolean
                          ? module.literal({.kind = ir::Literal::Kind::boolean}, Scalar::boolean)
                          : module.rational(0, type.scalar);
  if (type.extents.empty()) return zero;
  return module.map(fresh_variables(module, type.extents.size()), type.extents, zero);
}

NodeId tensor_of(ir::Module& module, const std::vector<VariableId>& variables, const std::vector<IndexId>& extents,
                 NodeId node) {
  const ir::Type type = module.type(node);
  if (type.kind == TypeKind::scalar) return module.map(variables, extents, node);
  // All scans first, so that each is evaluated once, and then their transpose.
  std::vector<VariableId> all = variables;
  all.push_back(module.fresh_variable());
  std::vector<IndexId> all_extents = extents, turned_extents = type.extents;
  all_extents.push_back(type.extents[0]);
  turned_extents.insert(turned_extents.end(), extents.begin(), extents.end());
  const NodeId scans = module.map(all, all_extents, module.element(node, {module.indices().variable(all.back())}));
  std::vector<VariableId> turned = fresh_variables(module, all.size());
  std::vector<IndexId> subscripts = subscripts_of(module, turned);
  std::rotate(subscripts.begin(), subscripts.begin() + 1, subscripts.end());
  return module.map(std::move(turned), std::move(turned_extents), module.element(scans, std::move(subscripts)));
}

Maybe ReductionElaboration::elaborate() {
  parts_ = parts_of(module_, leaves_.body);
  if (binder_.start.valid()) return find_operation() ? folded() : std::nullopt;
  if (!find_operation() || !combines_numbers() || !elaborate_schedule() || !elaborate_otherwise()) return std::nullopt;
  // A leaf that takes no part is 0 for `sum` and 1 for `prod`; `min` and `max` have no such number in every format.
  const bool has_neutral = operation_ == Op::add || operation_ == Op::mul;
  if (operation_ && (has_neutral || !leaves_.guard)) return numbers_one_by_one();
  bool numbers = !leaves_.guard;
  for (const NodeId part : parts_) numbers = numbers && module_.type(part).kind == TypeKind::scalar;
  return numbers ? state_of_numbers() : state_of_parts();
}

std::shared_ptr<const Record> ReductionElaboration::record() const {
  const auto* circuit = user_operation_ ? user_operation_->get_if<CircuitValue>() : nullptr;
  return circuit != nullptr ? record_of_result(elaborator_, *circuit) : leaves_.record;
}

bool ReductionElaboration::find_operation() {
  const auto named = [&](Op op, const char* spelled) {
    operation_ = op;
    spelled_ = spelled;
    return true;
  };
  switch (binder_.binder) {
    case BinderKind::sum: return named(Op::add, "sum");
    case BinderKind::prod: return named(Op::mul, "prod");
    case BinderKind::min: return named(Op::min, "min");
    case BinderKind::max: return named(Op::max, "max");
    default: break;
  }
  spelled_ = prefix_ ? "scan" : binder_.binder == BinderKind::fold ? "fold" : "reduce";
  user_operation_ = elaborator_.elaborate(context_, binder_.operation);
  if (!user_operation_) return false;
  if (auto* builtin = user_operation_->get_if<BuiltinValue>(); builtin && !binder_.start.valid()) {
    const auto op = ir::op_named(builtin->name);
    if (op == Op::add || op == Op::mul || op == Op::min || op == Op::max) operation_ = op;
  }
  return true;
}

/// The leaves: numbers, tensors of one shape, tuples of these; of `sum` and its like without bools.
bool ReductionElaboration::combines_numbers() {
  const auto refused = [&](const std::string& message, const char* help) {
    Diagnostic diagnostic(code::type_mismatch, leaves_.span, message);
    if (help != nullptr) diagnostic.helps.emplace_back(help);
    return refuse(std::move(diagnostic));
  };
  for (const NodeId part : parts_) {
    const ir::Type& each = module_.type(part);
    const std::string text = ir::type_text(module_, module_[leaves_.body].type);
    if (each.kind == TypeKind::tuple) {
      return refused(fmt::format("a reduction combines numbers, tensors and tuples of them, and this is `{}`", text),
                     "make one tuple of the parts of all tuples");
    }
    if (operation_ && !ir::is_numeric(each.scalar)) {
      return refused(fmt::format("`{}` needs numbers, and this is `{}`", spelled_, text), nullptr);
    }
    for (const IndexId extent : each.extents) {
      if (!module_.indices().mentions(extent, leaves_.variable)) continue;
      return refuse(Diagnostic(code::ragged_tensor, leaves_.span, "the tensors that are combined have different extents",
                               fmt::format("`{}` depends on the index", elaborator_.index_text(extent)))
                        .help("a tensor has one shape; pad the rows with `select`, or reduce each row"));
    }
  }
  return true;
}

/// The order of the reduction: the one after `by`, or the default.
bool ReductionElaboration::elaborate_schedule() {
  schedule_ = module_.schedules().default_order();
  if (!binder_.schedule.valid()) return true;
  const Maybe value = elaborator_.elaborate(context_, binder_.schedule);
  if (!value) return false;
  const auto schedule = elaborator_.schedule_of(*value, expr(binder_.schedule).span, false);
  if (!schedule) return false;
  schedule_ = *schedule;
  return true;
}

/// What a reduction of no elements gives: `else`.
bool ReductionElaboration::elaborate_otherwise() {
  if (!binder_.otherwise.valid()) {
    const bool has_neutral = operation_ == Op::add || operation_ == Op::mul;
    if (leaves_.guard && !has_neutral) {
      return refuse(Diagnostic(code::empty_reduction, binder_.span,
                               "it is not said what this reduction gives if no leaf takes part",
                               "`where` may be true for none")
                        .help(fmt::format("say it with `else`: `{} i where ...: ... else 0`", spelled_)));
    }
    if (leaves_.guard || module_.indices().as_constant(leaves_.extent) != 0) return true;
    return refuse(Diagnostic(code::empty_reduction, binder_.span, "this reduction has no elements")
                      .help(fmt::format("say what an empty one gives: `{} i: ... else 0`", spelled_)));
  }
  const Maybe value = elaborator_.elaborate(context_, binder_.otherwise);
  if (!value) return false;
  ir::IndexSubstitution none;
  const SourceSpan at = expr(binder_.otherwise).span;
  otherwise_ =
      elaborator_.fit(*value, module_[leaves_.body].type, none, false, at, "what an empty reduction gives");
  if (!otherwise_) return false;
  others_ = parts_of(module_, *otherwise_);
  if (!prefix_) return true;
  return refuse(Diagnostic(code::syntax, at, "a scan of nothing is an empty tensor"));
}

/// The node with the bodies of circuits in place of their calls.
NodeId ReductionElaboration::inlined(NodeId node) {
  ir::Function whole;
  whole.body = node;
  whole.places = module_.places().current();
  return ir::inline_calls(module_, whole).body;
}

/// Whether the order can carry out the reduction. A fused order needs the factors of a product, so a call whose body is a
/// product is inlined. A quoted tree of another length fails for every run, if the length is known.
bool ReductionElaboration::fits(ir::Module::Fold& fold) {
  if (!binder_.schedule.valid()) return true;
  const SourceSpan at = expr(binder_.schedule).span;
  if (module_[fold.body].op == Op::call && module_.schedules().absorbs_products(schedule_)) {
    fold.body = inlined(fold.body);
  }
  if (!accumulator_fits(elaborator_, schedule_, fold, spelled_, at)) return false;
  const auto resolved = tensor_cores_of(elaborator_, fold.schedule, fold, at);
  if (!resolved) return false;
  fold.schedule = *resolved;
  const auto n = module_.indices().as_constant(fold.extent);
  const ir::ScheduleNode head = module_.schedules()[schedule_];
  if (!n || *n < 1 || head.op != ir::ScheduleOp::quoted) return true;
  const auto leaves = module_.schedules().trees().leaf_count(head.tree);
  if (leaves == *n) return true;
  return refuse(Diagnostic(code::quoted_tree_length, at,
                           fmt::format("the quoted tree has {} leaves, and {} are to be reduced", leaves, *n))
                    .help("a quoted tree is for one length alone; `seq` and `tree` are for every length"));
}

// ------------------------------------------------------------------------------------------- sum, prod, min and max

Maybe ReductionElaboration::numbers_one_by_one() {
  std::vector<NodeId> results;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const ir::Type type = module_.type(parts_[k]);
    const std::vector<VariableId> variables = fresh_variables(module_, type.extents.size());
    const std::vector<IndexId> subscripts = subscripts_of(module_, variables);
    const auto other = otherwise_ ? std::optional(number_at(module_, others_[k], subscripts)) : std::nullopt;
    const auto reduced = plain(number_at(module_, parts_[k], subscripts), other);
    if (!reduced) return std::nullopt;
    results.push_back(variables.empty() ? *reduced : tensor_of(module_, variables, type.extents, *reduced));
  }
  return joined(module_, results, module_.type(leaves_.body).kind == TypeKind::tuple);
}

std::optional<NodeId> ReductionElaboration::plain(NodeId body, std::optional<NodeId> otherwise) {
  ir::Module::Fold fold = empty_fold();
  fold.operation = *operation_;
  fold.body = body;
  if (otherwise) fold.otherwise = *otherwise;
  if (!leaves_.guard) return fits(fold) ? std::optional(make(fold)) : std::nullopt;
  const NodeId absent = module_.rational(*operation_ == Op::add ? 0 : 1, module_.type(body).scalar);
  fold.body = module_.apply(Op::select, {*leaves_.guard, body, absent});
  fold.otherwise = absent;
  if (!fits(fold)) return std::nullopt;
  const NodeId reduced = make(fold);
  if (!otherwise || *otherwise == absent) return reduced;
  return module_.apply(Op::select, {any_takes_part(), reduced, *otherwise});
}

NodeId ReductionElaboration::any_takes_part() {
  ir::Module::Fold any = empty_fold();
  any.body = *leaves_.guard;
  any.schedule = module_.schedules().default_order();
  any.left = module_.fresh_variable();
  any.right = module_.fresh_variable();
  const TypeId truth = module_[any.body].type;
  any.user_operation =
      module_.apply(Op::logical_or, {module_.operand(any.left, truth), module_.operand(any.right, truth)});
  any.otherwise = zeros_like(module_, any.body);
  return make(any);
}

Maybe elaborate_reduction(Elaborator& elaborator, const Context& context, const Expr& binder, const Leaves& leaves) {
  ReductionElaboration reduction(elaborator, context, binder, leaves);
  Maybe out = reduction.elaborate();
  if (out) out->record = reduction.record();
  return out;
}

}  // namespace reckon::frontend
