// Schedule terms that say how nodes are kept: `fused`, `neumaier`, `kahan`, `rounded_once`, `binned`, `mma`.
#include "codegen/lower/folds.h"
#include "ir/bind.h"

namespace reckon::codegen {

using ir::Op;
using ir::ScheduleOp;

Values Folds::fold_arithmetic(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                              const Lengths& lengths) {
  if (site.arithmetic != Arithmetic::plain) {
    w_.fail(ir::schedule_diagnostic(module_, site.reduction.schedule, {ir::ScheduleProblem::Kind::nested_arithmetic},
                                    module_.span(site.id)));
    return joins_.zeros(site);
  }
  if (!numbers_.sums_exactly()) {
    if (node.op == ScheduleOp::rounded_once) return sums_.fold(site, nullptr, false, slice);
    if (node.op == ScheduleOp::mma) return tensor_cores_.fold(site, *node.mma->unit(), slice);
    if (node.op == ScheduleOp::binned) return sums_.fold(site, w_.parameter(node.parameter, lengths), false, slice);
    if (node.op == ScheduleOp::fused && module_.schedules()[node.operands[0]].op == ScheduleOp::rounded_once) {
      return sums_.fold(site, nullptr, true, slice);
    }
  } else if (node.op == ScheduleOp::rounded_once || node.op == ScheduleOp::binned || node.op == ScheduleOp::mma) {
    return trees_.fold_tree(site, slice);
  }
  const ir::ScheduleId inner =
      node.op == ScheduleOp::kahan ? module_.schedules().simple(ScheduleOp::seq) : node.operands[0];
  if (numbers_.sums_exactly()) return fold(site, inner, slice, lengths);
  FoldSite within = site;
  if (node.op == ScheduleOp::fused) {
    within.arithmetic = Arithmetic::fused;
    return fold(within, inner, slice, lengths);
  }
  within.arithmetic = node.op == ScheduleOp::kahan ? Arithmetic::kahan : Arithmetic::neumaier;
  within.state = {site.state[0], site.state[0]};
  List list;
  list.kind = List::Kind::compensated;
  list.parent = slice;
  list.size = w_.i64(1);
  list.below = &site;
  const Values end = fold(within, inner, {&list, w_.i64(0), w_.i64(1), slice.length}, lengths);
  Values result = joins_.zeros(site);
  if (node.op == ScheduleOp::kahan) {
    result[0] = end[0];
    return result;
  }
  const Value sum = joins_.operation(site, Op::add, {end[0], end[1]});
  // The compensation is no node of the tree, so adding it does not change which node the sum is.
  w_.resume();
  result[0] = b_.node(site.id, sum, end[0], b_.neutral(site.scalars[0]));
  return result;
}

}  // namespace reckon::codegen
