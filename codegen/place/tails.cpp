#include "codegen/place/tails.h"

#include "codegen/place/buffer_reads.h"

namespace reckon::codegen {
namespace {

/// Whether the elements are over the kernel's space, and read its results at their own place alone.
bool are_of_own_place(ir::Module& module, const BufferReads& reads, const KernelBody& kernel, std::uint32_t results,
                      const KernelBody& body) {
  const bool is_plain = body.kind == KernelBody::Kind::elements && !body.placed && !body.joined;
  if (!is_plain || body.space.size() != kernel.space.size()) return false;
  for (std::size_t d = 0; d < body.space.size(); ++d) {
    if (body.space[d].extent != kernel.space[d].extent) return false;
  }
  return reads.each(body, [&](const Place& place, const std::vector<ir::IndexId>& subscripts) {
    if (place.buffer != results) return true;
    if (subscripts.size() != body.space.size()) return false;
    for (std::size_t d = 0; d < subscripts.size(); ++d) {
      if (subscripts[d] != module.indices().variable(body.space[d].variable)) return false;
    }
    return true;
  });
}

}  // namespace

std::optional<std::size_t> elements_of_results(ir::Module& module, const Planned& planned, std::size_t k) {
  const Kernel& kernel = planned.plan.kernels[k];
  if (kernel.outputs != 1 || planned.plan.buffers[kernel.output].role != Buffer::Role::intermediate)
    return std::nullopt;
  const BufferReads reads(module, planned);
  std::optional<std::size_t> out;
  for (std::size_t j = 0; j < planned.bodies.size(); ++j) {
    if (j == k || !reads.reads(planned.bodies[j], kernel.output)) continue;
    const bool is_one = j > k && are_of_own_place(module, reads, planned.bodies[k], kernel.output, planned.bodies[j]);
    if (out || !is_one || planned.plan.kernels[j].loop != kernel.loop) return std::nullopt;
    out = j;
  }
  return out;
}

void remove_kernel(ir::Module& module, Planned& planned, std::size_t k) {
  std::vector<Kernel>& kernels = planned.plan.kernels;
  // The buffer stays, with no elements, to keep the buffers' numbers.
  planned.plan.buffers[kernels[k].output].extents = {module.indices().constant(0)};
  planned.bodies.erase(planned.bodies.begin() + static_cast<std::ptrdiff_t>(k));
  kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(k));
}

void add_tails_to_joins(ir::Module& module, Planned& planned) {
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    const KernelBody& join = planned.bodies[k];
    if (join.kind != KernelBody::Kind::fold || !join.nodes || join.placed || join.space.empty()) continue;
    const auto tail = elements_of_results(module, planned, k);
    if (!tail) continue;
    planned.bodies[*tail].joined = std::make_shared<JoinedNodes>(join, planned.plan.kernels[k].output);
    remove_kernel(module, planned, k--);
  }
}

std::shared_ptr<FoldKernel> FoldKernel::with(const KernelBody& fold, std::uint32_t results, Tail tail) const {
  std::shared_ptr<FoldKernel> out = copy();
  if (out->tails_.empty()) {
    out->fold_ = fold;
    out->fold_.placed.reset();
    out->results_ = results;
  }
  out->tails_.push_back(std::move(tail));
  return out;
}

void add_tails_to_folds(ir::Module& module, Planned& planned) {
  std::vector<Kernel>& kernels = planned.plan.kernels;
  for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
    const auto fold = std::dynamic_pointer_cast<const FoldKernel>(planned.bodies[k].placed);
    const auto tail = fold ? elements_of_results(module, planned, k) : std::nullopt;
    if (!tail) continue;
    KernelBody& body = planned.bodies[*tail];
    body.placed = fold->with(planned.bodies[k], kernels[k].output, {body.node, body.space, kernels[*tail].output});
    body.schedule = planned.bodies[k].schedule;
    body.decision = planned.bodies[k].decision;
    kernels[*tail].items = kernels[k].items;
    kernels[*tail].threads = kernels[k].threads;
    // The kernel of the tail comes later, and may have a tail itself; kernel k is another one then.
    remove_kernel(module, planned, k--);
  }
}

}  // namespace reckon::codegen
