#include "ptx/emulate/heap.h"

#include <fmt/format.h>

namespace reckon::ptx {

void allocate_in_heap(const Operation& operation, Warp& warp, Mask on) {
  const Call& call = warp.machine().kernel().calls[operation.extra];
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    const std::uint64_t bytes = warp.at<std::uint64_t>(call.arguments[0])[lane];
    const std::uint64_t address = warp.machine().memory().allocate_in_heap(bytes);
    warp.at<std::uint64_t>(call.results[0])[lane] = address;
    if (address != 0) ++warp.machine().progress;
  }
}

void free_in_heap(const Operation& operation, Warp& warp, Mask on) {
  const Call& call = warp.machine().kernel().calls[operation.extra];
  for (; on != 0; on &= on - 1) {
    const std::uint64_t address = warp.at<std::uint64_t>(call.arguments[0])[std::countr_zero(on)];
    if (address == 0) continue;
    if (warp.machine().memory().free_in_heap(address)) {
      ++warp.machine().progress;
      continue;
    }
    warp.machine().fault(operation, warp,
                         fmt::format("frees 0x{:x}, which `malloc` did not give or which was freed before", address));
    return;
  }
}

}  // namespace reckon::ptx
