#include <algorithm>

#include "codegen/compile.h"
#include "kernel/gpu.h"

namespace reckon::codegen {
namespace {

constexpr auto warp_size = static_cast<unsigned>(kernel::threads_of_a_warp);
/// Blocks per multiprocessor: eight of 256 threads fill it, and a few rounds of them even out differences.
constexpr std::int64_t block_rounds = 32;
/// The limit of a grid's first dimension. The outputs of so many tiles would not fit in any memory.
constexpr std::int64_t max_blocks = (std::int64_t{1} << 31) - 1;

}  // namespace

kernel::LaunchShape launch_shape(const Kernel& kernel, std::int64_t items, int multiprocessors, int max_threads) {
  if (items <= 0) return {};
  const std::int64_t processors = std::max(multiprocessors, 1);
  if (kernel.block_items > 0) {
    const std::int64_t blocks = (items - 1) / kernel.block_items + 1;
    const std::int64_t most = kernel.one_item ? max_blocks : processors * kernel.most_blocks();
    return {static_cast<unsigned>(std::min(blocks, most)), kernel.threads};
  }
  // The number of threads is rounded to whole warps, whatever was asked for.
  const unsigned allowed = std::max(static_cast<unsigned>(std::max(max_threads, 0)) / warp_size, 1u) * warp_size;
  unsigned threads = std::min((std::max(kernel.threads, 1u) + warp_size - 1) / warp_size * warp_size, allowed);
  while (threads >= 2 * warp_size && items / threads < processors) threads = threads / 2 / warp_size * warp_size;
  const std::int64_t blocks = (items - 1) / threads + 1;
  return {static_cast<unsigned>(std::min(blocks, processors * block_rounds)), threads};
}

}  // namespace reckon::codegen
