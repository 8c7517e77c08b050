#include "codegen/place/single_use_reads.h"

#include <algorithm>

#include "codegen/placed_kernel.h"
#include "ir/op.h"
#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;

/// Calls `visit(element, parameter)` for each read of a parameter; the element is null if the read may be of any
/// element. Values that another kernel has computed into a buffer do not count as reads of this one.
template <class Visit>
void each_read(const ir::Module& module, const Planned& planned, const KernelBody& body, Visit&& visit) {
  for (const KernelBody& step : body.steps) each_read(module, planned, step, visit);
  if (body.placed && body.placed->first()) each_read(module, planned, *body.placed->first(), visit);
  if (!body.steps.empty() || body.nodes) return;
  const auto is_kept = [&](NodeId id) {
    const auto first = planned.places.lower_bound({id, {}});
    return id != body.node && first != planned.places.end() && first->first.node == id;
  };
  ir::walk(module, {body.node}, [&](NodeId id) {
    if (is_kept(id)) return ir::Walk::beside;
    const ir::Node& node = module[id];
    for (NodeId operand : node.operands) {
      if (module[operand].op == Op::parameter)
        visit(node.op == Op::element ? std::optional(id) : std::nullopt, operand);
    }
    return ir::Walk::below;
  });
}

bool has_all(const std::vector<ir::VariableId>& free, const KernelBody& fold, ir::VariableId leaf) {
  const auto is_there = [&](ir::VariableId variable) { return std::ranges::find(free, variable) != free.end(); };
  return is_there(leaf) && std::ranges::all_of(fold.space, is_there, &Binder::variable);
}

}  // namespace

std::map<NodeId, int> parameter_reads(const ir::Module& module, const Planned& planned) {
  std::map<NodeId, int> reads;
  for (const KernelBody& body : planned.bodies) {
    if (body.follows) continue;  // it reads other leaves than the kernel before
    each_read(module, planned, body, [&](const std::optional<NodeId>&, NodeId parameter) { ++reads[parameter]; });
  }
  return reads;
}

std::set<NodeId> single_use_reads(const ir::Module& module, const Planned& planned, const std::map<NodeId, int>& reads,
                                  const KernelBody& fold) {
  std::set<NodeId> out;
  if (fold.kind != KernelBody::Kind::fold) return out;
  each_read(module, planned, fold, [&](const std::optional<NodeId>& element, NodeId parameter) {
    if (!element || reads.at(parameter) != 1) return;
    if (has_all(module.free_variables(*element), fold, module[fold.node].variables[0])) out.insert(*element);
  });
  return out;
}

}  // namespace reckon::codegen
