// Kernels in which the threads of a block carry out a reduction together.
#include "codegen/lower/team/team.h"
#include "codegen/place/place.h"
#include "codegen/place/read_once.h"

namespace reckon::codegen {

using Spread = KernelBody::Spread;

namespace {

/// Threads of a multiprocessor, for which there are registers: as many as keep the memory busy. Two arrays at once need
/// twice the registers for what is under way, and half the threads (a dot product of 2 GiB on an H200: 471.5 us instead
/// of 476.2).
std::uint32_t resident_threads(std::size_t arrays) { return arrays < 2 ? 1024 : 512; }

}  // namespace

FoldSite Lowering::site_of(const KernelBody& body) {
  FoldSite site = site_of(body.node);
  if (body.fused) site.arithmetic = Arithmetic::fused;
  return site;
}

void Lowering::lower_by_blocks(const KernelBody& body, Kernel& kernel) {
  kernel.block_items = 1;
  function().threads = kernel.threads;
  if (!parameter_reads_) parameter_reads_ = parameter_reads(module_, planned_);
  read_once_ = read_once(module_, planned_, *parameter_reads_, body);
  const std::size_t arrays = body.spread == Spread::grid ? read_once_.size() : 1;
  const std::uint32_t blocks = body.blocks > 0 ? body.blocks : std::max(1U, resident_threads(arrays) / kernel.threads);
  function().blocks = blocks;
  Team team(*this, kernel.threads);
  switch (body.spread) {
    case Spread::grid: lower_over_grid(body, kernel, team); break;
    case Spread::columns: lower_columns(body, kernel, team); break;
    default:
      if (body.kind == KernelBody::Kind::rows) lower_rows(body, kernel, team);
      else lower_fold(body, kernel, team);
  }
  kernel.shared_bytes = team.shared_size();
  read_once_.clear();
}

/// The fold of a list of at least one, in every thread.
Values Lowering::whole_fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes, Team& team) {
  return whole(site, settled(site, team.fold(site, schedule, nodes, {})));
}

/// The fold, or what an empty one gives, in every thread.
Values Lowering::block_fold(const KernelBody& body, Team& team) {
  FoldSite site = site_of(body);
  site.cheap = site.cheap && !computes_elements_anew(body);
  Value length = index(site.node.indices[0]);
  List list;
  auto whole = [&] { return whole_fold(site, body.schedule, {{&list, i64(0), i64(1), length}, known(length)}, team); };
  Values values;
  if (known(length) && *known(length) > 0) {
    values = whole();
  } else {
    values = branch(b_.greater(length, i64(0)), whole, [&] { return empty_fold(site); });
  }
  team.release();
  team.reads_shared();
  return values;
}

void Lowering::lower_fold(const KernelBody& body, const Kernel& kernel, Team& team) {
  ptx_items(body, kernel, [&](Value item, Value) {
    store_by_first(team, kernel.output, item, block_fold(body, team));
    team.before_writing();
  });
}

void Lowering::store_by_first(const Team& team, std::uint32_t output, Value offset, const Values& values) {
  when(b_.equal(team.thread(), i64(0)), [&] {
    for (std::uint32_t k = 0; k < values.size(); ++k) store(output + k, offset, values[k]);
  });
}

}  // namespace reckon::codegen
