#include "ir/keyed_reduction.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::ir {

namespace {

bool is_integer_scalar(const Module& module, NodeId id) {
  return module.type(id).kind == TypeKind::scalar && is_integer(module.type(id).scalar);
}

/// The key and the target of a condition.
bool find_key(const Module& module, NodeId condition, VariableId leaf, KeyedReduction& out) {
  const Node& node = module[condition];
  if (node.op != Op::equal) return false;
  for (const std::size_t at : {0u, 1u}) {
    const NodeId key = node.operands[at], target = node.operands[1 - at];
    const std::vector<VariableId>&of_key = module.free_variables(key), &of_target = module.free_variables(target);
    if (of_key != std::vector<VariableId>{leaf} || of_target.empty() || module.depends_on(target, leaf)) continue;
    if (!is_integer_scalar(module, key) || !is_integer_scalar(module, target)) continue;
    out.key = key;
    out.target = target;
    return true;
  }
  return false;
}

bool is_rational(const Module& module, NodeId id, int value) {
  return module[id].op == Op::literal && module.literal_of(id).kind == Literal::Kind::rational &&
         module.literal_of(id).value == value;
}

/// `left`, or its part.
bool is_operand(const Module& module, NodeId id, VariableId of, std::optional<std::uint32_t> part) {
  const Node& node = module[id];
  if (!part) return node.op == Op::operand && node.variables[0] == of;
  return node.op == Op::get && node.attribute == *part && is_operand(module, node.operands[0], of, std::nullopt);
}

/// `left op right`, or of their parts.
bool joins(const Module& module, NodeId id, Op op, const Node& fold, std::optional<std::uint32_t> part) {
  const Node& node = module[id];
  if (node.op != op) return false;
  const auto sides = [&](VariableId first, VariableId second) {
    return is_operand(module, node.operands[0], first, part) && is_operand(module, node.operands[1], second, part);
  };
  return sides(fold.variables[1], fold.variables[2]) || sides(fold.variables[2], fold.variables[1]);
}

/// Whether the operation is that of a state whose last part says whether it takes part: (l and r, f; l; r).
bool leaves_out(const Module& module, NodeId operation, const Node& fold) {
  const Node& tuple = module[operation];
  if (tuple.op != Op::tuple || tuple.operands.size() < 2) return false;
  const auto last = static_cast<std::uint32_t>(tuple.operands.size() - 1);
  if (!joins(module, tuple.operands[last], Op::logical_or, fold, last)) return false;
  for (std::uint32_t k = 0; k < last; ++k) {
    const Node& both = module[tuple.operands[k]];
    if (both.op != Op::select || !joins(module, both.operands[0], Op::logical_and, fold, last)) return false;
    const Node& one = module[both.operands[2]];
    if (one.op != Op::select || !is_operand(module, one.operands[0], fold.variables[1], last) ||
        !is_operand(module, one.operands[1], fold.variables[1], k) ||
        !is_operand(module, one.operands[2], fold.variables[2], k)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<KeyedReduction> keyed_reduction(const Module& module, NodeId reduce) {
  const Node& node = module[reduce];
  if (node.op != Op::reduce) return std::nullopt;
  const Reduction& reduction = module.reduction_of(reduce);
  const NodeId body = node.operands[0];
  const Node& leaf = module[body];
  KeyedReduction out;
  if (!reduction.user) {
    const bool sum = reduction.operation == Op::add;
    if ((!sum && reduction.operation != Op::mul) || leaf.op != Op::select) return std::nullopt;
    if (!is_rational(module, leaf.operands[2], sum ? 0 : 1)) return std::nullopt;
    out.kind = KeyedReduction::Kind::plain;
    out.leaf = {leaf.operands[1]};
    out.absent = leaf.operands[2];
    return find_key(module, leaf.operands[0], node.variables[0], out) ? std::optional(out) : std::nullopt;
  }
  if (joins(module, node.operands[1], Op::logical_or, node, std::nullopt)) {
    out.kind = KeyedReduction::Kind::any;
    return find_key(module, body, node.variables[0], out) ? std::optional(out) : std::nullopt;
  }
  if (leaf.op != Op::tuple || !leaves_out(module, node.operands[1], node)) return std::nullopt;
  out.kind = KeyedReduction::Kind::state;
  out.leaf.assign(leaf.operands.begin(), leaf.operands.end() - 1);
  return find_key(module, leaf.operands.back(), node.variables[0], out) ? std::optional(out) : std::nullopt;
}

bool never_fails(const Module& module, NodeId scalar) {
  bool good = true;
  visit_nodes(module, {scalar}, [&](NodeId id) {
    const Op op = module[id].op;
    good &= op == Op::literal || op == Op::index_value || op == Op::index_condition || op == Op::element ||
            op == Op::parameter || (is_scalar_operation(op) && !divides_integers(op));
  });
  return good;
}

}  // namespace reckon::ir
