// The description of a tensor that copies by boxes read (CUtensorMap, 128 bytes). Its bits on a chip are not published:
// this is the emulator's own, which its driver encodes (ptx/driver/).
#pragma once

#include <cstdint>

namespace reckon::ptx {

struct TensorMap {
  static constexpr std::uint32_t mark = 0x52434b4d;

  std::uint32_t magic = mark;
  std::uint8_t element_bytes = 0;
  std::uint8_t rank = 0;
  std::uint8_t swizzle = 0;  ///< 0: none; 1, 2, 3: of 32, 64 and 128 bytes
  std::uint64_t address = 0;
  std::uint64_t strides[4] = {};  ///< in bytes, from the second dimension on
  std::uint32_t extents[5] = {};
  std::uint16_t box[5] = {};
};
static_assert(sizeof(TensorMap) <= 128);

/// Where a byte of a box lies in shared memory: 16-byte units of each group of 8 rows change places (CUDA Driver API,
/// CUtensorMapSwizzle). The kinds are those of TensorMap.
constexpr std::uint64_t swizzled(std::uint64_t address, int kind) {
  const std::uint64_t mask = kind == 0 ? 0 : (std::uint64_t{1} << kind) - 1;
  return address ^ (address >> 7 & mask) << 4;
}

}  // namespace reckon::ptx
