#include "kernel/cost.h"

#include <algorithm>
#include <cmath>

#include "kernel/cost_walk.h"

namespace reckon::kernel {

std::optional<Cost> cost_of(const Program& program, std::size_t function, LaunchShape shape,
                            std::span<const CostArgument> arguments, const Gpu& gpu, const CostOptions& options) {
  if (shape.blocks < 1 || shape.threads < 1 || shape.threads > max_block_threads) return std::nullopt;
  CostWalk walk(program, function, shape, arguments, gpu, options);
  auto cost = walk.run();
  if (cost || !walk.is_too_long()) return cost;
  const CostOptions fewer{.blocks = 3, .rounds = 8, .work = options.work};
  return CostWalk(program, function, shape, arguments, gpu, fewer).run();
}

Occupancy occupancy_of(const Cost& cost, const Gpu& gpu) {
  Occupancy out{gpu.blocks, 0, Resident::blocks};
  const auto at_most = [&](std::int64_t blocks, Resident by) {
    if (blocks < out.blocks) out = {blocks, 0, by};
  };
  // Registers are given to whole warps.
  const std::int64_t warps = (cost.shape.threads + threads_of_a_warp - 1) / threads_of_a_warp;
  at_most(gpu.threads / (warps * threads_of_a_warp), Resident::threads);
  at_most(gpu.shared_bytes / (cost.shared_bytes + gpu.shared_bytes_of_system), Resident::shared_memory);
  out.blocks = std::max<std::int64_t>(out.blocks, 1);
  out.threads = static_cast<double>(out.blocks * warps * threads_of_a_warp) / static_cast<double>(gpu.threads);
  return out;
}

std::string_view spelling(Limit limit) {
  static constexpr std::string_view spellings[] = {"memory", "shared memory", "issue", "latency"};
  return spellings[static_cast<std::size_t>(limit)];
}

Bounds bounds_of(const Cost& cost, const Gpu& gpu) {
  const auto blocks = static_cast<double>(cost.shape.blocks);
  const double busy = std::min(blocks, static_cast<double>(gpu.multiprocessors));
  const Counts& counts = cost.counts;
  Bounds out;
  const auto cycles = [&](double count) { return count / gpu.clock_hertz; };
  out.seconds[0] = (cost.memory.read + cost.memory.written) / gpu.memory_bytes_per_second;
  const Counts::Traffic& shared = counts.of(Space::shared);
  out.seconds[1] = cycles((shared.read + shared.written) / (busy * gpu.shared_bytes_per_cycle));
  out.seconds[2] = cycles(std::max({cost.warp_instructions / (busy * gpu.warp_instructions_per_cycle),
                                    counts.of(Unit::f32) / (busy * gpu.fma.f32),
                                    counts.of(Unit::f64) / (busy * gpu.fma.f64)}));
  if (const double rate = gpu.f64_tensor_operations_per_second; rate > 0) {
    // Two operations for each fma; as large a part of the chip is busy.
    const double seconds = 2 * counts.of(Unit::mma_f64) / rate * gpu.multiprocessors / busy;
    out.seconds[2] = std::max(out.seconds[2], seconds);
  }
  const auto resident = static_cast<double>(occupancy_of(cost, gpu).blocks * gpu.multiprocessors);
  out.seconds[3] = cycles(cost.longest.cycles * std::ceil(blocks / resident));
  out.binding = static_cast<Limit>(std::max_element(out.seconds.begin(), out.seconds.end()) - out.seconds.begin());
  return out;
}

}  // namespace reckon::kernel
