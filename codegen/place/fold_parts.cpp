#include "codegen/place/fold_parts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codegen/place/place.h"

namespace reckon::codegen {

using ir::IndexId;
using ir::NodeId;

FoldParts::FoldParts(ir::Module& module, Planned& planned, std::size_t k)
    : module_(module), planned_(planned), k_(k), whole_(module[planned.bodies[k].node]) {
  reduction_ = module_.reduction_of(whole_);
  module_.open(whole_);
}

ir::Module::Fold FoldParts::like_whole() const {
  ir::Module::Fold fold;
  fold.operation = reduction_.operation;
  if (reduction_.user) {
    fold.user_operation = whole_.operands[1];
    fold.left = whole_.variables[1];
    fold.right = whole_.variables[2];
  }
  return fold;
}

NodeId FoldParts::part(ir::VariableId variable, IndexId leaf, IndexId length, ir::ScheduleId order) {
  ir::Module::Fold fold = like_whole();
  fold.variable = variable;
  fold.extent = length;
  fold.body = module_.substitute(whole_.operands[0], {{.variables = {{whole_.variables[0], leaf}}}, {}, {}});
  fold.schedule = order;
  return spanned(module_.reduce(fold));
}

NodeId FoldParts::spanned(NodeId reduce) {
  module_.places().put(reduce, module_.span(planned_.bodies[k_].node));
  return reduce;
}

KernelBody& FoldParts::kernel_before(std::string_view suffix, NodeId kept, NodeId reduce, std::vector<Binder> space) {
  Plan& plan = planned_.plan;
  std::vector<IndexId> kept_extents = module_[kept].indices;
  if (space.empty()) kept_extents.clear();
  const std::vector<ir::Scalar> scalars = scalars_of(module_, module_[reduce].type);
  const std::uint32_t buffer =
      add_buffers(planned_, scalars, kept_extents, plan.buffers[plan.kernels[k_].output].words);
  planned_.places[{kept, {}}] = {buffer, {}};
  KernelBody body{KernelBody::Kind::fold, reduce, std::move(space), false};
  body.vector = planned_.bodies[k_].vector;
  add_kernel_before(planned_, k_, suffix, buffer, scalars.size(), std::move(body));
  return planned_.bodies[k_++];
}

void FoldParts::join(ir::Module::Fold fold) {
  if (reduction_.has_otherwise) fold.otherwise = whole_.operands.back();
  planned_.bodies[k_].node = spanned(module_.reduce(fold));
  planned_.bodies[k_].follows = true;
}

}  // namespace reckon::codegen
