// FPSan's embedding of bit patterns, straight from its description (Triton): what the published figures are
// computed from. Nothing is shared with numerics/fpsan.h.
#pragma once

#include <bit>
#include <cstdint>

namespace reckon::algebra {

struct Embedding {
  int width;
  std::uint64_t one;  ///< the pattern of 1.0

  std::uint64_t mask() const { return (std::uint64_t{1} << (width - 1)) - 1; }
  static std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t x = 2 - odd;
    for (int k = 0; k < 6; ++k) x *= 2 - odd * x;
    return x;
  }
  std::uint64_t factor() const { return 0xE3F789 & mask(); }
  int shift() const { return std::countr_zero(one); }
  std::uint64_t unit() const {
    std::uint64_t t = one * factor() & mask();
    t ^= t >> shift();
    return inverse(t) & mask();
  }

  std::uint64_t embed(std::uint64_t pattern) const {
    const bool negative = pattern >> (width - 1) & 1;
    std::uint64_t y = pattern * factor() & mask();
    y ^= y >> shift();
    const std::uint64_t low = y * (negative ? 0 - unit() : unit()) & mask();
    return (std::uint64_t{negative} << (width - 1)) | low;
  }
  std::uint64_t unembed(std::uint64_t payload) const {
    const bool negative = payload >> (width - 1) & 1;
    std::uint64_t w = payload * inverse(negative ? 0 - unit() : unit()) & mask();
    for (int k = shift(); k < width; k *= 2) w ^= w >> k;
    return (std::uint64_t{negative} << (width - 1)) | (w * inverse(factor()) & mask());
  }
};

inline constexpr Embedding embedding_f32{32, 0x3f800000}, embedding_f16{16, 0x3c00}, embedding_bf16{16, 0x3f80},
    embedding_f64{64, 0x3ff0000000000000};

}  // namespace reckon::algebra
