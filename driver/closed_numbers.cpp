#include "driver/closed_numbers.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"

namespace reckon::driver {

using ir::NodeId;
using ir::Op;
using ir::Scalar;

namespace {

bool is_number(const ir::Module& module, NodeId id) {
  return module.type(id).kind == ir::TypeKind::scalar && module.type(id).scalar == Scalar::number;
}

/// Whether a literal may stand for the node: a conversion or a comparison of numbers.
bool meets_format(const ir::Module& module, const ir::Node& node) {
  const bool meets =
      node.op == Op::convert || (is_scalar_operation(node.op) && ir::traits(node.op).result == ir::ResultRule::truth);
  return meets && std::ranges::all_of(node.operands, [&](NodeId operand) {
           return is_number(module, operand) && is_closed(module, operand);
         });
}

}  // namespace

bool is_closed(const ir::Module& module, NodeId node) {
  const auto other = [&](NodeId id) { return module[id].op != Op::literal && !is_scalar_operation(module[id].op); };
  return !ir::find_node(module, {node}, other);
}

Expected<ir::Function> with_closed_numbers(ir::Module& module, const ir::Function& function, const Traits& traits) {
  const ClosedNumbers* numbers = traits.closed_numbers;
  if (numbers == nullptr) return function;
  if (!ir::find_node(module, {function.body}, [&](NodeId id) { return meets_format(module, module[id]); }))
    return function;
  const ir::PlacesGuard placing(module, function.places);
  std::optional<Diagnostic> problem;
  ir::Function out = function;
  out.body = module.rewrite(function.body, [&](const ir::Node& node, std::vector<NodeId> operands) {
    const NodeId id = module.rebuild(node, std::move(operands));
    if (problem || !meets_format(module, module[id])) return id;
    if (module[id].op != Op::convert) {
      const auto truth = numbers->truth(module, id);
      if (!truth) return problem = truth.error(), id;
      ir::Literal literal;
      literal.kind = ir::Literal::Kind::boolean;
      literal.bits = *truth;
      return module.literal(literal, Scalar::boolean);
    }
    const Scalar format = module.type(id).scalar;
    const auto number = numbers->number(module, module[id].operands[0], format);
    if (!number) return problem = number.error(), id;
    // An enclosure of the rational need not hold the number then: the semantics computes it by itself.
    if (traits.encloses && !number->separated) return id;
    return module.rational(number->value, format);
  });
  if (problem) return *problem;
  return out;
}

}  // namespace reckon::driver
