// Replaces a set of orders by one order, if all orders of the set give equivalent results under the semantics.
#include <algorithm>

#include "ir/bind.h"
#include "ir/op.h"
#include "ir/passes/bottom_up.h"

namespace reckon::ir {
namespace {

/// Whether, by the laws, all orders of the set give the same result for the operation, or equally valid ones.
bool is_resolved(Module& module, const Node& node, Laws laws, bool keep_limited) {
  const Reduction reduction = module.reduction_of(node);
  if (reduction.user) return false;
  const ScheduleOp op = module.schedules()[reduction.schedule].op;
  if (!is_set_of_orders(op)) return false;
  if (is_limited_set(op)) {
    // The prefixes of a scan are reduced by `any`, which includes them. A set without a tree for this length stays
    // here, and is refused later.
    if (keep_limited && node.op == Op::reduce) return false;
    const auto length = module.indices().as_constant(node.indices[0]);
    const auto head = module.schedules().head(reduction.schedule, length ? std::max<std::int64_t>(*length, 1) : 1);
    if (head.problem && head.problem->kind != ScheduleProblem::Kind::no_single_order) return false;
  }
  const bool in_place = op == ScheduleOp::any_tree;
  auto has = [&](Law associates, Law commutes) { return laws.has(associates) && (in_place || laws.has(commutes)); };
  if (laws.has(Law::any_order_encloses)) return true;
  switch (reduction.operation) {
    case Op::add: return has(Law::add_associates, Law::add_commutes);
    case Op::mul: return has(Law::mul_associates, Law::mul_commutes);
    default: return laws.has(Law::min_max_any_order);
  }
}

}  // namespace

Function resolve_orders(Module& module, const Function& function, Laws laws, bool keep_limited) {
  const ScheduleId tree = module.schedules().simple(ScheduleOp::tree);
  const PlacesGuard placing(module, function.places);
  Function out = function;
  out.body = BottomUp(module, [&](NodeId id, const Node& node, std::vector<NodeId> operands) {
               const bool folds = node.op == Op::reduce || node.op == Op::scan;
               if (folds && is_resolved(module, node, laws, keep_limited)) {
                 return module.rebuild(node, std::move(operands), tree);
               }
               return operands == node.operands ? id : module.rebuild(node, std::move(operands));
             }).run(function.body);
  return out;
}

}  // namespace reckon::ir
