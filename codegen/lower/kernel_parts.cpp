#include "codegen/lower/kernel_parts.h"

#include <algorithm>

#include "codegen/place/single_use_reads.h"

namespace reckon::codegen {

KernelParts::KernelParts(Folds& folds, Items& items, KeptValues& kept) : folds_(folds), items_(items), kept_(kept) {}

std::set<ir::NodeId> KernelParts::read_once(const KernelBody& body) {
  const ir::Module& module = folds_.writer().module();
  const Planned& planned = folds_.writer().planned();
  if (!parameter_reads_) parameter_reads_ = parameter_reads(module, planned);
  return single_use_reads(module, planned, *parameter_reads_, body);
}

Values KernelParts::made_of(std::uint32_t results, const Values& values, const std::vector<Tail>& tails) {
  if (tails.empty()) return values;
  Circuits& circuits = folds_.circuits();
  Values out = values;
  kept_.of_step(results).value = values;
  for (const Tail& tail : tails) {
    out = {circuits.scalar(tail.node)};
    kept_.of_step(tail.output).value = out;
  }
  kept_.clear();
  circuits.writer().resume();
  return out;
}

void KernelParts::store(const FoldKernel& placed, const Kernel& kernel, Value element, const Values& coordinates,
                        const Values& values) {
  Scope scope;
  for (const Tail& tail : placed.tails()) {
    for (std::size_t d = 0; d < tail.space.size(); ++d)
      scope.variables.push_back({tail.space[d].variable, tail.space[d].extent, coordinates[d]});
  }
  const Values made =
      folds_.writer().in_scope(scope, [&] { return made_of(placed.results(), values, placed.tails()); });
  for (std::uint32_t part = 0; part < made.size(); ++part)
    folds_.circuits().store(kernel.output + part, element, made[part]);
}

void KernelParts::write_blocks(const KernelBody& body, Kernel& kernel, FunctionRef<void(BlockReducer& reducer)> write,
                               std::uint32_t resident) {
  kernel.block_items = 1;
  kernel::Function& function = folds_.writer().function();
  function.threads = kernel.threads;
  function.blocks = body.blocks > 0 ? body.blocks : std::max(1U, resident / kernel.threads);
  folds_.circuits().set_read_once(read_once(body));
  BlockReducer reducer(folds_, kernel.threads);
  write(reducer);
  kernel.shared_bytes = reducer.shared_size();
  folds_.circuits().set_read_once({});
}

}  // namespace reckon::codegen
