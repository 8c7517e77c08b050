// Kernels in which the threads of a block carry out a reduction together.
#include "codegen/lower/team/kernels.h"

#include <algorithm>

#include "codegen/lower/team/columns.h"
#include "codegen/lower/team/grid.h"
#include "codegen/lower/team/rows.h"
#include "codegen/place/read_once.h"

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
  const auto once = read_once(module, w_.planned(), *parameter_reads_, body);
  circuits.set_read_once(once);
  const std::size_t arrays = body.spread == Spread::grid ? once.size() : 1;
  const std::uint32_t blocks = body.blocks > 0 ? body.blocks : std::max(1U, resident_threads(arrays) / kernel.threads);
  w_.function().blocks = blocks;
  Team team(folds_, kernel.threads);
  switch (body.spread) {
    case Spread::grid: GridReduction(folds_, items_, body, kernel, team).lower(); break;
    case Spread::columns: ColumnReduction(folds_, items_, body, kernel, team).lower(); break;
    default:
      if (body.kind == KernelBody::Kind::rows) RowSteps(folds_, items_, kept_, body, kernel, team).lower();
      else lower_fold(body, kernel, team);
  }
  kernel.shared_bytes = team.shared_size();
  circuits.set_read_once({});
}

void BlockKernels::lower_fold(const KernelBody& body, const Kernel& kernel, Team& team) {
  items_.of_ptx(body, kernel, [&](Value item, Value) {
    team.store_by_first(kernel.output, item, team.fold_of_leaves(folds_.joins().site_of(body), body.schedule));
    team.before_writing();
  });
}

}  // namespace reckon::codegen
