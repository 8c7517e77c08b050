#include "codegen/read_once.h"

#include <algorithm>

#include "ir/visit.h"

namespace reckon::codegen {
namespace {

using ir::NodeId;
using ir::Op;

/// Calls `visit(element or null, parameter)` of what a kernel reads of parameters: elements, or what may be any of
/// them.
template <class Visit>
void each_read(const ir::Module& module, const KernelBody& body, Visit&& visit) {
  for (const KernelBody& step : body.steps) each_read(module, step, visit);
  if (!body.steps.empty() || body.nodes) return;
  ir::visit_nodes(module, {body.node}, [&](NodeId id) {
    const ir::Node& node = module[id];
    for (NodeId operand : node.operands) {
      if (module[operand].op != Op::parameter) continue;
      visit(node.op == Op::element ? std::optional(id) : std::nullopt, operand);
    }
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
    each_read(module, body, [&](const std::optional<NodeId>&, NodeId parameter) { ++reads[parameter]; });
  }
  return reads;
}

std::set<NodeId> read_once(const ir::Module& module, const std::map<NodeId, int>& reads, const KernelBody& fold) {
  std::set<NodeId> out;
  if (fold.kind != KernelBody::Kind::fold) return out;
  each_read(module, fold, [&](const std::optional<NodeId>& element, NodeId parameter) {
    if (!element || reads.at(parameter) != 1) return;
    if (has_all(module.free_variables(*element), fold, module[fold.node].variables[0])) out.insert(*element);
  });
  return out;
}

}  // namespace reckon::codegen
