#include "codegen/place/buffer_reads.h"

#include <algorithm>
#include <set>

#include "codegen/placed_kernel.h"
#include "ir/op.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::NodeId;
using ir::Op;

const Place* BufferReads::place_of(NodeId id, const KernelBody& body) const {
  Occurrence occurrence{id, {}};
  for (ir::VariableId variable : module_.free_variables(id)) {
    const auto found = std::find_if(body.space.begin(), body.space.end(),
                                    [&](const Binder& binder) { return binder.variable == variable; });
    if (found == body.space.end()) return nullptr;
    occurrence.extents.push_back(found->extent);
  }
  const auto found = planned_.places.find(occurrence);
  return found == planned_.places.end() ? nullptr : &found->second;
}

/// Calls `read` for every value in a buffer that the body reads, and `compute` for every other node. The result is
/// false if one of them returns false.
bool BufferReads::walk(const KernelBody& body, const Read& read,
                       const std::function<bool(const ir::Node&)>& compute) const {
  std::vector<NodeId> pending{body.node};
  if (body.kind == KernelBody::Kind::fold) pending = module_[body.node].operands;
  std::set<NodeId> seen;
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) continue;
    const ir::Node node = module_[id];
    const bool is_element = node.op == Op::element;
    const NodeId kept = is_element ? node.operands[0] : id;
    if (const Place* place = place_of(kept, body); place && id != body.node) {
      std::vector<IndexId> subscripts;
      for (ir::VariableId variable : place->variables) subscripts.push_back(module_.indices().variable(variable));
      if (is_element) subscripts.insert(subscripts.end(), node.indices.begin(), node.indices.end());
      if (!read(*place, subscripts)) return false;
      continue;
    }
    if (is_element && module_[kept].op == Op::parameter) continue;
    if (!compute(node)) return false;
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
  return true;
}

bool BufferReads::each(const KernelBody& body, const Read& visit) const {
  return walk(body, visit,
              [](const ir::Node& node) { return node.op != Op::reduce && node.op != Op::scan && node.op != Op::get; });
}

bool BufferReads::computes(const KernelBody& body, const std::function<bool(Op)>& is_one) const {
  return !walk(
      body, [](const Place&, const auto&) { return true; }, [&](const ir::Node& node) { return !is_one(node.op); });
}

bool BufferReads::reads(const KernelBody& body, std::uint32_t buffer) const {
  if (!body.steps.empty()) {
    return std::ranges::any_of(body.steps, [&](const KernelBody& step) { return reads(step, buffer); });
  }
  if (body.placed && body.placed->reads(buffer)) return true;
  const KernelBody* first = body.placed ? body.placed->first() : nullptr;
  if (first != nullptr && reads(*first, buffer)) return true;
  return !each(body, [&](const Place& place, const auto&) { return place.buffer != buffer; });
}

bool BufferReads::needed_outside(std::uint32_t buffer, std::size_t begin, std::size_t end) const {
  const Buffer& description = planned_.plan.buffers[buffer];
  if (description.role == Buffer::Role::result || description.role == Buffer::Role::state) return true;
  for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
    if (k >= begin && k < end) continue;
    if (reads(planned_.bodies[k], buffer)) return true;
  }
  return false;
}

}  // namespace reckon::codegen
