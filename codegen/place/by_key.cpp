#include "codegen/place/by_key.h"

#include <algorithm>

#include "codegen/lower/numbers.h"
#include "ir/op.h"

namespace reckon::codegen {

namespace {

using ir::KeyedReduction;
using ir::NodeId;
using ir::Op;

/// Whether the order of the reduction is one of left folds, or one of integers, which all give the same.
bool has_order(const ir::Module& module, NodeId reduce, bool words) {
  const ir::ScheduleId schedule = module.reduction_of(reduce).schedule;
  if (!module.schedules().levels(schedule).empty()) return false;
  const ir::ScheduleOp op = module.schedules()[schedule].op;
  return op == ir::ScheduleOp::seq || (words && (op == ir::ScheduleOp::tree || op == ir::ScheduleOp::then));
}

std::optional<ByKey> by_key(ir::Module& module, const Planned& planned, const KernelBody& body, const Kernel& kernel,
                            const Numbers& code) {
  const bool one = body.kind == KernelBody::Kind::elements || body.kind == KernelBody::Kind::fold;
  if (!one || kernel.outputs != 1 || body.space.empty() || body.space.size() > 2) return std::nullopt;
  if (body.space.size() != kernel.items.size()) return std::nullopt;
  auto found = reduction_by_key(module, body.node, body.space);
  if (!found) return std::nullopt;
  const ir::Scalar scalar = module.type(body.node).scalar;
  const bool any = found->keyed.kind == KeyedReduction::Kind::any, words = any || ir::is_integer(scalar);
  const Buffer& output = planned.plan.buffers[kernel.output];
  const bool plain = !output.storage && (!output.words || words) && (!any || !code.has_undefined());
  if (!plain || !has_order(module, body.node, words) || (!words && !code.has_neutral_summand(scalar)))
    return std::nullopt;
  return found;
}

}  // namespace

std::optional<ByKey> reduction_by_key(ir::Module& module, NodeId reduce, const std::vector<Binder>& space) {
  const auto keyed = ir::keyed_reduction(module, reduce);
  if (!keyed || keyed->kind == KeyedReduction::Kind::state) return std::nullopt;
  const ir::Node node = module[reduce];
  const bool any = keyed->kind == KeyedReduction::Kind::any;
  if (!any && module.reduction_of(reduce).operation != Op::add) return std::nullopt;
  // What a reduction of nothing gives is what a leaf is that takes no part.
  if (module.reduction_of(reduce).has_otherwise && !any && node.operands.back() != keyed->absent) return std::nullopt;
  if (!module.indices().variables(node.indices[0]).empty()) return std::nullopt;
  const ir::Node& target = module[keyed->target];
  if (target.op != Op::index_value) return std::nullopt;
  const ir::VariableId variable = space[0].variable;
  const auto first =
      module.indices().as_constant(module.indices().subtract(target.indices[0], module.indices().variable(variable)));
  if (!first || *first < 0) return std::nullopt;
  ByKey out{reduce, *keyed, *first, true};
  for (const NodeId leaf : keyed->leaf) {
    for (const ir::VariableId free : module.free_variables(leaf)) out.leaf_first &= free == node.variables[0];
    if (!out.leaf_first && !ir::never_fails(module, leaf)) return std::nullopt;
  }
  return out;
}

void place_by_key(ir::Module& module, Planned& planned, const Numbers& code) {
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    if (auto found = by_key(module, planned, planned.bodies[k], planned.plan.kernels[k], code)) {
      planned.plan.kernels[k].whole = true;
      planned.bodies[k].by_key = std::make_shared<const ByKey>(std::move(*found));
    }
  }
}

}  // namespace reckon::codegen
