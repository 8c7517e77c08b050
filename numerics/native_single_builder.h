// f32 arithmetic of this machine for algorithms over a SingleBuilder (functions/quick_exponential.h): every member is
// one operation, so that a loop over an array vectorises.
#pragma once

#include <bit>
#include <cstdint>

#include "numerics/functions/quick_exponential.h"

namespace reckon::numerics {

struct NativeSingleBuilder {
  using F32 = float;
  using I32 = std::uint32_t;

  static constexpr F32 f32_const(float value) { return value; }
  static constexpr F32 add(F32 a, F32 b) { return a + b; }
  static constexpr F32 sub(F32 a, F32 b) { return a - b; }
  static constexpr F32 mul(F32 a, F32 b) { return a * b; }
  [[gnu::always_inline]] static F32 fma(F32 a, F32 b, F32 c) { return __builtin_fmaf(a, b, c); }
  static constexpr F32 lesser(F32 a, F32 b) { return a < b ? a : b; }
  static constexpr F32 greater(F32 a, F32 b) { return a > b ? a : b; }
  static constexpr I32 bits(F32 a) { return std::bit_cast<I32>(a); }
  static constexpr F32 from_bits(I32 a) { return std::bit_cast<F32>(a); }
  static constexpr I32 iadd(I32 a, I32 b) { return a + b; }
  static constexpr I32 shl(I32 a, int distance) { return a << distance; }
};

static_assert(SingleBuilder<NativeSingleBuilder>);

}  // namespace reckon::numerics
