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
