// Kernels in which the threads of a block carry out a reduction together.
#include "codegen/lower/block/kernels.h"

#include <algorithm>

#include "codegen/lower/block/columns.h"
#include "codegen/lower/block/grid.h"
#include "codegen/lower/block/rows.h"
#include "codegen/place/single_use_reads.h"

namespace reckon::codegen {

using Spread = KernelBody::Spread;

namespace {

/// Threads of a multiprocessor, for which there are registers: as many as keep the memory busy. Two arrays at once need
/// twice the registers for what is under way, and half the threads (a dot product of 2 GiB on an H200: 471.5 us instead
/// of 476.2).
std::uint32_t resident_threads(std::size_t arrays) { return arrays < 2 ? 1024 : 512; }

}  // namespace

BlockKernels::BlockKernels(Folds& folds, Items& items, KeptValues& kept)
    : folds_(folds), items_(items), kept_(kept), w_(folds.writer()) {}

void BlockKernels::lower(const KernelBody& body, Kernel& kernel) {
  ir::Module& module = w_.module();
  Circuits& circuits = folds_.circuits();
  kernel.block_items = 1;
  w_.function().threads = kernel.threads;
  if (!parameter_reads_) parameter_reads_ = parameter_reads(module, w_.planned());
  const auto once = single_use_reads(module, w_.planned(), *parameter_reads_, body);
  circuits.set_read_once(once);
  const std::size_t arrays = body.spread == Spread::grid ? once.size() : 1;
  const std::uint32_t blocks = body.blocks > 0 ? body.blocks : std::max(1U, resident_threads(arrays) / kernel.threads);
  w_.function().blocks = blocks;
  BlockReducer reducer(folds_, kernel.threads);
  switch (body.spread) {
    case Spread::grid: GridReduction(folds_, items_, body, kernel, reducer).lower(); break;
    case Spread::columns: ColumnReduction(folds_, items_, body, kernel, reducer).lower(); break;
    default:
      if (body.kind == KernelBody::Kind::rows) RowSteps(folds_, items_, kept_, body, kernel, reducer).lower();
      else lower_fold(body, kernel, reducer);
  }
  kernel.shared_bytes = reducer.shared_size();
  circuits.set_read_once({});
}

void BlockKernels::lower_fold(const KernelBody& body, const Kernel& kernel, BlockReducer& reducer) {
  items_.of_ptx(body, kernel, [&](Value item, Value) {
    reducer.store_by_first(kernel.output, item, reducer.fold_of_leaves(folds_.joins().site_of(body), body.schedule));
    reducer.before_writing();
  });
}

}  // namespace reckon::codegen
