// Functions of f32 whose values are rounded once more: both operations become one (`apply_rounded`) where that is
// faster, and several that do not depend on each other become one, too.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "codegen/lower/circuits.h"

namespace reckon::codegen {

using ir::NodeId;
using ir::Op;
using ir::Scalar;

std::optional<NodeId> Circuits::rounded_function(NodeId id) const {
  if (module_[id].op != Op::convert) return std::nullopt;
  const NodeId function = module_[id].operands[0];
  const Op op = module_[function].op;
  const bool is_one = (op == Op::exp || op == Op::exp2) && module_.type(function).scalar == Scalar::f32;
  if (!is_one || !numbers_.applies_rounded_quickly(op, module_.type(id).scalar)) return std::nullopt;
  return function;
}

/// Notes the conversions among these operations that are emitted together with the function whose value they round, and
/// takes such functions out: those that no other operation uses. Whether there are any.
bool Circuits::find_rounded(std::vector<NodeId>& operations) {
  std::map<NodeId, int> uses;
  for (const NodeId at : operations) {
    if (const auto function = rounded_function(at)) uses.try_emplace(*function);
  }
  if (uses.empty()) return false;
  for (const NodeId at : operations) {
    for (const NodeId operand : module_[at].operands) {
      if (const auto use = uses.find(operand); use != uses.end()) ++use->second;
    }
  }
  std::set<NodeId> found;
  for (const NodeId at : operations) {
    const auto of = rounded_function(at);
    if (!of || uses[*of] != 1 || cached(*of) || place_of(*of)) continue;
    rounding_.insert(at);
    found.insert(*of);
  }
  std::erase_if(operations, [&](NodeId at) { return found.contains(at); });
  return !found.empty();
}

/// Emits the operations, which are ordered by their ids: in each stage first those that do not round, and then those
/// that do, all of which need only what stands before.
void Circuits::emit_in_stages(const std::vector<NodeId>& operations) {
  std::map<NodeId, std::size_t> stages;
  std::size_t last = 0;
  for (const NodeId at : operations) {
    const bool rounds = rounding_.contains(at);
    std::size_t& stage = stages[at];
    for (const NodeId operand : module_[rounds ? module_[at].operands[0] : at].operands) {
      const auto before = stages.find(operand);
      if (before != stages.end()) stage = std::max(stage, before->second + (rounding_.contains(operand) ? 1 : 0));
    }
    last = std::max(last, stage);
  }
  for (std::size_t stage = 0; stage <= last; ++stage) {
    std::map<std::tuple<const Scope*, Op, Scalar>, std::vector<NodeId>> together;
    for (const NodeId at : operations) {
      if (stages.at(at) != stage) continue;
      if (!rounding_.contains(at)) {
        emit_new(at);
        continue;
      }
      const Op function = module_[module_[at].operands[0]].op;
      together[{w_.owner(module_.free_variables(at)), function, module_.type(at).scalar}].push_back(at);
    }
    for (const NodeId at : operations) {  // not in the order of the map, which has pointers
      for (auto& [_, conversions] : together) {
        if (conversions.empty() || conversions.front() != at) continue;
        Scope* place = w_.owner(module_.free_variables(at));
        w_.within(*place, [&] {
          const kernel::OriginGuard of_node(b_, at);
          const Values values = emit_rounded(conversions);
          for (std::size_t k = 0; k < values.size(); ++k) place->nodes[conversions[k]] = {values[k]};
        });
      }
    }
  }
}

/// Conversions from one function of f32s to one type.
Values Circuits::emit_rounded(const std::vector<NodeId>& conversions) {
  const ir::Node function = module_[module_[conversions.front()].operands[0]];
  Values operands;
  for (const NodeId at : conversions) {
    operands.push_back(emit_new(module_[module_[at].operands[0]].operands[0])[0]);
  }
  w_.resume();
  return b_.apply_rounded(function.op, module_.type(conversions.front()).scalar, operands, conversions.front());
}

}  // namespace reckon::codegen
