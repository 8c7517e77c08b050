// Accumulators: fused products and compensated sums; and the nodes of arrangements.
#include <numeric>

#include "codegen/lower/lowering.h"
#include "ir/bind.h"
#include "layout/modes.h"

namespace reckon::codegen {

using ir::Op;
using ir::ScheduleOp;

namespace {

constexpr std::int64_t longest_open_run = 4096;

}  // namespace

Values Lowering::fold_arithmetic(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                                 const Lengths& lengths) {
  if (site.arithmetic != Arithmetic::plain) {
    fail(ir::schedule_diagnostic(module_, site.reduction.schedule, {ir::ScheduleProblem::Kind::nested_arithmetic},
                                 module_.span(site.id)));
    return zeros(site);
  }
  if (!code_.sums_exactly()) {
    if (node.op == ScheduleOp::rounded_once) return fold_exactly(site, nullptr, false, slice);
    if (node.op == ScheduleOp::binned) return fold_exactly(site, parameter(node.parameter, lengths), false, slice);
    if (node.op == ScheduleOp::fused && module_.schedules()[node.operands[0]].op == ScheduleOp::rounded_once) {
      return fold_exactly(site, nullptr, true, slice);
    }
  } else if (node.op == ScheduleOp::rounded_once || node.op == ScheduleOp::binned) {
    return fold_tree(site, slice);
  }
  const ir::ScheduleId inner =
      node.op == ScheduleOp::kahan ? module_.schedules().simple(ScheduleOp::seq) : node.operands[0];
  if (code_.sums_exactly()) return fold(site, inner, slice, lengths);
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
  list.size = i64(1);
  list.below = &site;
  const Values end = fold(within, inner, {&list, i64(0), i64(1), slice.length}, lengths);
  Values result = zeros(site);
  result[0] = node.op == ScheduleOp::kahan ? end[0] : operation(site, Op::add, {end[0], end[1]});
  return result;
}

Value Lowering::operation(const FoldSite& site, Op op, const Values& operands) {
  if (site.scalars[0] == ir::Scalar::number) {
    fail(site.id, "this reduction");
    return operands[0];
  }
  return b_.apply(op, site.scalars[0], site.scalars[0], operands, site.id, true);
}

bool Lowering::holds_leaves(const List& list) {
  switch (list.kind) {
    case List::Kind::leaves: return true;
    case List::Kind::arranged:
    case List::Kind::chosen: return holds_leaves(*list.parent.list);
    default: return false;
  }
}

Values Lowering::settled(const FoldSite& site, const Values& node) {
  if (!site.fuses || site.arithmetic == Arithmetic::neumaier || site.arithmetic == Arithmetic::kahan) return node;
  Values out = zeros(site);
  const auto product = known(node[2]);
  if (product == 0) {
    out[0] = node[0];
    return out;
  }
  Value rounded = operation(site, Op::mul, {node[0], node[1]});
  out[0] = product ? rounded : b_.select(node[2], rounded, node[0]);
  return out;
}

/// Nodes of a reduction that fuses, in and outside of `fused`.
Values Lowering::joined_products(const FoldSite& site, const Values& left, const Values& right) {
  Values out = zeros(site);
  Value left_value = settled(site, left)[0];
  if (site.arithmetic != Arithmetic::fused) {
    out[0] = operation(site, Op::add, {left_value, settled(site, right)[0]});
    return out;
  }
  const auto constant = [&](Value flag) -> std::optional<bool> {
    const auto fixed = known(flag);
    return fixed ? std::optional(*fixed != 0) : std::nullopt;
  };
  const auto right_is_product = constant(right[2]), left_is_product = constant(left[2]);
  Value absorbed_right = nullptr;
  if (right_is_product != false) absorbed_right = operation(site, Op::fma, {right[0], right[1], left_value});
  if (right_is_product == true) {
    out[0] = absorbed_right;
    return out;
  }
  Value otherwise = nullptr;
  if (left_is_product == true) {
    otherwise = operation(site, Op::fma, {left[0], left[1], right[0]});
  } else {
    otherwise = operation(site, Op::add, {left[0], right[0]});
    if (!left_is_product) {
      otherwise = b_.select(left[2], operation(site, Op::fma, {left[0], left[1], right[0]}), otherwise);
    }
  }
  out[0] = absorbed_right ? b_.select(right[2], absorbed_right, otherwise) : otherwise;
  return out;
}

Values Lowering::joined_compensated(const FoldSite& site, const Values& left, const Values& right) {
  auto plus = [&](Value x, Value y) { return operation(site, Op::add, {x, y}); };
  auto minus = [&](Value x, Value y) { return operation(site, Op::sub, {x, y}); };
  if (site.arithmetic == Arithmetic::kahan) {
    Value next = minus(right[0], left[1]);
    Value sum = plus(left[0], next);
    return {sum, minus(minus(sum, left[0]), next)};
  }
  // TwoSum (Knuth, TAOCP 2, 4.2.2).
  Value sum = plus(left[0], right[0]);
  Value part = minus(sum, left[0]);
  Value error = plus(minus(left[0], minus(sum, part)), minus(right[0], part));
  return {sum, plus(plus(left[1], right[1]), error)};
}

Value Lowering::arranged_position(const ir::Arrangement& arrangement, Value position, std::int64_t every) {
  using Modes = std::vector<ir::Arrangement::Mode>;
  // A common factor of the strides is multiplied by last, so that LLVM sees that vectors are aligned.
  auto offset = [&](const Modes& modes, Value rest, std::int64_t factor) {
    Value sum = i64(0);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      Value extent = i64(modes[k].extent);
      Value digit = k + 1 == modes.size() ? rest : b_.urem(rest, extent);
      sum = add(sum, multiply(digit, i64(modes[k].stride / factor)));
      if (k + 1 < modes.size()) rest = b_.udiv(rest, extent);
    }
    return sum;
  };
  const Modes within_run = arrangement.every(every);
  std::int64_t factor = arrangement.open ? arrangement.run_length() : 0;
  for (const Modes* modes : {&within_run, &arrangement.runs}) {
    for (const auto& mode : *modes) factor = std::gcd(factor, mode.stride);
  }
  factor = std::max<std::int64_t>(factor, 1);
  Value run = i64(arrangement.run_length());
  Value which = b_.udiv(position, run);
  Value within = b_.udiv(b_.urem(position, run), i64(every));
  Value start = arrangement.open ? multiply(which, i64(arrangement.run_length() / factor))
                                  : offset(arrangement.runs, which, factor);
  Value node = add(start, offset(within_run, within, factor));
  node = multiply(node, i64(factor));
  for (auto stage = arrangement.stages.rbegin(); stage != arrangement.stages.rend(); ++stage) {
    node = add(node, i64(stage->offset));
    if (const auto* swizzle = std::get_if<layout::Swizzle>(&stage->map)) {
      Value read = b_.bit_and(node, static_cast<std::uint64_t>(swizzle->read_mask()));
      const auto distance = static_cast<std::uint64_t>(std::abs(swizzle->shift));
      node = b_.bit_xor(node, swizzle->shift < 0 ? b_.shl(read, distance) : b_.lshr(read, distance));
      continue;
    }
    std::vector<ir::Arrangement::Mode> digits;
    for (const layout::Mode& mode : layout::leaf_modes(std::get<layout::Layout>(stage->map))) {
      digits.push_back({mode.extent, mode.stride});
    }
    node = offset(digits, node, 1);
  }
  return node;
}

/// The short last run of an open arrangement: those of its nodes that there are, in order.
Values Lowering::last_run(const FoldSite& site, const List& list, Value first, Value length) {
  const ir::Arrangement& arrangement = module_.schedules().arrangement(list.arrangement);
  const std::int64_t run = arrangement.run_length();
  if (run > longest_open_run) {
    fail(site.id, "an arrangement of runs of " + std::to_string(run) + " nodes");
    return zeros(site);
  }
  List chosen;
  chosen.kind = List::Kind::chosen;
  chosen.parent = list.parent.list->parent;  // the nodes before they were arranged
  chosen.size = i64(1);
  chosen.pointers = {stack_array(Type::index(), run)};
  const Values count = loop(i64(0), i64(run), i64(1), {i64(0)}, [&](Value c, const Values& found) {
    Value offset = b_.sub(arranged_position(arrangement, c), i64(0));
    when(b_.less(offset, length),
         [&] { b_.store(chosen.pointers[0], found[0], add(first, offset)); });
    return Values{b_.add(found[0], b_.extend(b_.less(offset, length)))};
  });
  return fold(site, list.schedule, {&chosen, i64(0), i64(1), count[0]}, list.lengths);
}

}  // namespace reckon::codegen
