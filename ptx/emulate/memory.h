// The memory of the device: allocations with guarded ends, and what the checks know of each of their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace reckon::ptx {

/// Where addresses of the generic space that are no global memory begin. Each window is 2^40 bytes long.
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 40;
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 40;
inline constexpr std::uint64_t param_window = std::uint64_t{3} << 40;
/// Functions have addresses, too: one for each 16 bytes.
inline constexpr std::uint64_t function_window = std::uint64_t{4} << 40;
constexpr std::uint64_t address_of_function(std::uint32_t number) {
  return function_window + 16 * std::uint64_t{number};
}
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 40;

/// Whether so many bytes at the offset lie within `size`.
constexpr bool fits(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return bytes <= size && offset <= size - bytes;
}
constexpr bool is_in_window(std::uint64_t address, std::uint64_t window) { return address - window < window_bytes; }

/// An access that a later one may conflict with.
struct Touch {
  std::uint32_t block = 0;  ///< + 1; 0: none
  std::uint32_t time = 0;   ///< of the block's clock
  std::uint32_t what = 0;   ///< the operation in the upper 24 bits, the warp in the lower 8
};

/// The last accesses of a granule, some bytes of global memory: `write`, and of the reads since then the first and the
/// last one that no earlier read is ordered before.
struct Cell {
  Touch write, read, other_read;
};

struct Allocation {
  static constexpr std::uint64_t page_bytes = 4096;

  std::uint64_t base = 0, bytes = 0;
  std::string name;          ///< what messages call it
  bool is_constant = false;  ///< cannot be stored to
  enum class Heap : std::uint8_t { none, used, freed } heap{};  ///< what a kernel has allocated, and given back
  std::vector<std::uint8_t> data;
  std::vector<std::uint32_t> tags;             ///< of the bytes, where values are followed (ptx/shadow/shadow.h)
  std::vector<std::uint8_t> unwritten;         ///< a bit for each byte that nothing was written to; empty: none
  std::vector<std::unique_ptr<Cell[]>> cells;  ///< a page of granules each, made when they are needed

  std::uint64_t end() const { return base + bytes; }
  void mark_written(std::uint64_t offset, std::uint64_t count) {
    if (unwritten.empty()) return;
    for (std::uint64_t k = offset; k < offset + count; ++k)
      unwritten[k >> 3] &= static_cast<std::uint8_t>(~(1u << (k & 7)));
  }
  bool is_unwritten(std::uint64_t offset, std::uint64_t count) const {
    if (unwritten.empty()) return false;
    for (std::uint64_t k = offset; k < offset + count; ++k) {
      if ((unwritten[k >> 3] >> (k & 7) & 1) != 0) return true;
    }
    return false;
  }
};

class Memory {
 public:
  /// New memory at a multiple of 256, with room between it and every other allocation. `written`: reading it is no
  /// mistake.
  Allocation& allocate(std::uint64_t bytes, std::string name, bool written);
  /// False if nothing begins there.
  bool release(std::uint64_t base);
  /// `malloc` and `free` of kernels. The address, or 0 where the heap is full; false if `malloc` did not give it, or it
  /// has been given back.
  std::uint64_t allocate_in_heap(std::uint64_t bytes);
  bool free_in_heap(std::uint64_t base);
  /// Whether a `malloc` has got 0 because the heap was full. On a GPU, other threads may be the ones that get 0.
  bool heap_was_full() const { return heap_was_full_; }
  /// The allocation that an address is in; an address at its end counts if nothing begins there. Null if there is none.
  Allocation* find(std::uint64_t address);
  /// For messages: the allocation whose end or beginning is nearest.
  const Allocation* nearest(std::uint64_t address) const;
  std::uint64_t bytes() const { return bytes_; }
  /// Forgets the accesses of earlier launches, which are ordered before all later ones.
  void begin_launch();

 private:
  std::map<std::uint64_t, Allocation> allocations_;
  std::uint64_t next_ = std::uint64_t{0x7f00} << 32;
  std::uint64_t bytes_ = 0, heap_bytes_ = 0;
  bool heap_was_full_ = false;
};

}  // namespace reckon::ptx
