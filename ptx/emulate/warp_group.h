// Products of warp groups: where their factors are, and what an operation needs besides its slots.
#pragma once

#include <cstdint>

#include "numerics/format.h"
#include "ptx/emulate/tensor_map.h"

namespace reckon::ptx {

/// A factor in shared memory, as a descriptor says (PTX ISA, "Matrix Descriptor"): `side` is a row of A or a column of
/// B, `leaf` runs along the sum. Bytes.
class Descriptor {
 public:
  Descriptor(std::uint64_t bits, int element_bytes, bool side_first)
      : start_((bits & 0x3fff) << 4),
        leading_((bits >> 16 & 0x3fff) << 4),
        stride_((bits >> 32 & 0x3fff) << 4),
        swizzle_(static_cast<int>(bits >> 62)),
        bytes_(static_cast<std::uint64_t>(element_bytes)),
        side_first_(side_first) {}

  std::uint64_t address(std::uint64_t side, std::uint64_t leaf) const {
    // The dimension whose elements are adjacent, and the other one.
    const std::uint64_t along = side_first_ ? side : leaf, across = side_first_ ? leaf : side;
    if (swizzle_ == 0) {
      // Core matrices: 8 rows of 16 bytes.
      const std::uint64_t run = 16 / bytes_, block = along / run;
      const std::uint64_t far =
          side_first_ ? block * stride_ + across / 8 * leading_ : block * leading_ + across / 8 * stride_;
      return start_ + far + across % 8 * 16 + along % run * bytes_;
    }
    const int kind = 4 - swizzle_;  // 3: 128 bytes, 2: 64, 1: 32
    const std::uint64_t width = std::uint64_t{16} << kind, run = width / bytes_;
    return swizzled(start_ + along / run * leading_ + across / 8 * stride_ + across % 8 * width + along % run * bytes_,
                    kind);
  }

 private:
  std::uint64_t start_, leading_, stride_;
  int swizzle_;
  std::uint64_t bytes_;
  bool side_first_;
};

/// Slots: of d, then of a (four registers, or the descriptor alone). b: the descriptor of B, c is unused; f: the
/// predicate that c is added. `target`: columns, then formats and flags.
struct GroupProduct {
  int columns = 8;
  numerics::Format operand{}, other{}, sums{};
  bool a_in_registers = false, a_side_first = false, b_side_first = false, negates_a = false, negates_b = false;
};
inline std::uint32_t packed(const GroupProduct& p) {
  return static_cast<std::uint32_t>(p.columns / 8 - 1) | static_cast<std::uint32_t>(p.operand) << 5 |
         static_cast<std::uint32_t>(p.other) << 9 | static_cast<std::uint32_t>(p.sums) << 13 |
         (p.a_in_registers ? 1u << 17 : 0) | (p.a_side_first ? 1u << 18 : 0) | (p.b_side_first ? 1u << 19 : 0) |
         (p.negates_a ? 1u << 20 : 0) | (p.negates_b ? 1u << 21 : 0);
}
inline GroupProduct unpacked_group(std::uint32_t word) {
  GroupProduct p;
  p.columns = (static_cast<int>(word & 31) + 1) * 8;
  p.operand = static_cast<numerics::Format>(word >> 5 & 15);
  p.other = static_cast<numerics::Format>(word >> 9 & 15);
  p.sums = static_cast<numerics::Format>(word >> 13 & 15);
  p.a_in_registers = (word >> 17 & 1) != 0;
  p.a_side_first = (word >> 18 & 1) != 0;
  p.b_side_first = (word >> 19 & 1) != 0;
  p.negates_a = (word >> 20 & 1) != 0;
  p.negates_b = (word >> 21 & 1) != 0;
  return p;
}

inline int operand_bytes(numerics::Format format) {
  return format == numerics::Format::tf32                                      ? 4
         : format == numerics::Format::f16 || format == numerics::Format::bf16 ? 2
                                                                               : 1;
}

}  // namespace reckon::ptx
