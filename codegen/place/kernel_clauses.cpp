#include "codegen/place/kernel_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/place/place.h"
#include "codegen/placed_kernel.h"
#include "codegen/strategies/strategy.h"

namespace reckon::codegen {

using ir::KernelClauses;

bool is_block(std::int64_t threads) { return threads >= 1 && threads <= max_block_threads && threads % warp == 0; }

Diagnostic no_room_in_shared_memory(SourceSpan place, std::int64_t bytes, std::int64_t most) {
  return ir::unmet(place, fmt::format("two stages take {} bytes of shared memory, and a block has {}", bytes, most),
                   "a smaller depth or a smaller tile takes less");
}

namespace {

/// The error if a multiprocessor, which has `most` threads at a time, has no room for so many blocks of these threads.
std::optional<Diagnostic> too_many_resident(const KernelClauses::Blocks& blocks, std::int64_t threads,
                                            std::int64_t most) {
  const std::int64_t resident = blocks.count * threads;
  if (resident <= most) return std::nullopt;
  return ir::unmet(blocks.span,
                   fmt::format("{} blocks of {} threads are {}, more than a multiprocessor has", blocks.count, threads,
                               resident),
                   fmt::format("it has {} at most", most));
}

/// The kernels that clauses may be about, those of tiles first.
std::vector<std::size_t> heads_of(const Planned& planned) {
  std::vector<std::size_t> out;
  for (const ClauseSet set : {ClauseSet::tiles, ClauseSet::blocks}) {
    if (set == ClauseSet::blocks && planned.clauses.needs_tile()) break;
    for (std::size_t k = 0; k < planned.bodies.size(); ++k) {
      const KernelBody& body = planned.bodies[k];
      if (!body.follows && body.placed && body.placed->clauses() == set) out.push_back(k);
    }
  }
  return out;
}

SourceSpan span_of(const ir::Module& module, const KernelBody& body) {
  for (const KernelBody& step : body.steps) {
    if (step.kind == KernelBody::Kind::fold) return module.span(step.node);
  }
  return module.span(body.node);
}

Diagnostic several(const ir::Module& module, const Planned& planned, const std::vector<std::size_t>& heads) {
  const KernelClauses& clauses = planned.clauses;
  Diagnostic out =
      ir::unmet(clauses.span(), fmt::format("the circuit has {} kernels that this could be about", heads.size()),
                "make a circuit of one of them, and a kernel of that");
  for (std::size_t k : heads) out.secondary.push_back({span_of(module, planned.bodies[k]), "one of them"});
  return out;
}

/// The error for clauses that are about no kernel of any strategy.
Diagnostic no_kernel(const ir::Module& module, const Planned& planned) {
  for (const auto& strategy : strategies()) {
    if (auto problem = strategy->missing(module, planned)) return *std::move(problem);
  }
  return ir::unmet(planned.clauses.span(), "no kernel of the circuit shares work within a block",
                   "threads are stated for rows, single reductions and matrix products (docs/kernels.md)");
}

}  // namespace

std::optional<Diagnostic> PlacedKernel::obey(const KernelClauses& clauses, KernelBody& body, Kernel& kernel) const {
  if (this->clauses() != ClauseSet::blocks) return std::nullopt;
  const auto count = clauses.threads ? clauses.threads->count : 0;
  if (count > 0 && !std::has_single_bit(static_cast<std::uint64_t>(count))) {
    return ir::unmet(clauses.threads->span, fmt::format("{} threads do not share a row evenly", count),
                     "a power of two does: 32, 64, 128, 256, 512, 1024");
  }
  if (count > 0) kernel.threads = static_cast<std::uint32_t>(count);
  if (clauses.blocks) body.blocks = static_cast<std::uint32_t>(clauses.blocks->count);
  return std::nullopt;
}

std::optional<Diagnostic> refused_clause(const KernelClauses& clauses) {
  const auto& [tile, values, threads, blocks] = clauses;
  if (values && values->rows.count * values->columns.count > max_registers) {
    return ir::unmet(values->span,
                     fmt::format("a thread has {} registers, and {} outputs do not fit in them", max_registers,
                                 values->rows.count * values->columns.count),
                     "for example `values(8, 8)`, or `values(16, 8)`");
  }
  if (threads && !is_block(threads->count)) {
    return ir::unmet(threads->span, fmt::format("no block has {} threads", threads->count),
                     "they come in warps of 32, and a block has 1024 at most: 32, 64, 96, ..., 1024");
  }
  if (blocks && blocks->count > max_resident_blocks) {
    return ir::unmet(blocks->span, fmt::format("no multiprocessor has {} blocks at a time", blocks->count),
                     fmt::format("it has 1 to {} of them", max_resident_blocks));
  }
  std::int64_t count = threads ? threads->count : 0;
  if (tile && values) {
    const std::int64_t down = tile->rows / values->rows.count, across = tile->columns / values->columns.count;
    count = down * across;
    if (!is_block(count)) {
      return ir::unmet(tile->span, fmt::format("its {} x {} parts would be those of {} threads", down, across, count),
                       "a block has a multiple of 32 threads, and 1024 at most: another `tile`, or other `values`");
    }
  }
  return blocks ? too_many_resident(*blocks, count, max_resident_threads) : std::nullopt;
}

std::optional<Diagnostic> apply_clauses(const ir::Module& module, Planned& planned) {
  const KernelClauses& clauses = planned.clauses;
  if (clauses.empty()) return std::nullopt;
  const std::vector<std::size_t> heads = heads_of(planned);
  if (heads.size() > 1) return several(module, planned, heads);
  if (planned.refused) return planned.refused;
  if (heads.empty()) return no_kernel(module, planned);
  KernelBody& body = planned.bodies[heads[0]];
  Kernel& kernel = planned.plan.kernels[heads[0]];
  if (auto problem = body.placed->obey(clauses, body, kernel)) return problem;
  return clauses.blocks ? too_many_resident(*clauses.blocks, kernel.threads, planned.gpu->threads) : std::nullopt;
}

std::optional<Diagnostic> shared_memory_problem(const Planned& planned) {
  for (const Kernel& kernel : planned.plan.kernels) {
    if (kernel.shared_bytes <= planned.gpu->max_shared_bytes()) continue;
    return no_room_in_shared_memory(planned.clauses.span(), kernel.shared_bytes, planned.gpu->max_shared_bytes());
  }
  return std::nullopt;
}

}  // namespace reckon::codegen
