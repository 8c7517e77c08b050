// The arithmetic builder of the machine that runs the interpreter: every member is one operation, inlined, so
// that a loop over an array vectorises.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "numerics/builder.h"

namespace reckon::numerics {

struct NativeBuilder {
  using F64 = double;
  using I64 = std::uint64_t;
  using Bool = bool;

  static constexpr F64 f64_const(double value) { return value; }
  static constexpr F64 add(F64 a, F64 b) { return a + b; }
  static constexpr F64 sub(F64 a, F64 b) { return a - b; }
  static constexpr F64 mul(F64 a, F64 b) { return a * b; }
  static F64 fma(F64 a, F64 b, F64 c) { return std::fma(a, b, c); }
  static constexpr F64 div(F64 a, F64 b) { return a / b; }
  static F64 sqrt(F64 a) { return std::sqrt(a); }
  static constexpr F64 neg(F64 a) { return -a; }
  static constexpr Bool f_less(F64 a, F64 b) { return a < b; }
  static constexpr Bool is_nan(F64 a) { return a != a; }

  static constexpr I64 bits(F64 a) { return std::bit_cast<I64>(a); }
  static constexpr F64 from_bits(I64 a) { return std::bit_cast<F64>(a); }

  static constexpr I64 i64_const(std::uint64_t value) { return value; }
  static constexpr I64 iadd(I64 a, I64 b) { return a + b; }
  static constexpr I64 isub(I64 a, I64 b) { return a - b; }
  static constexpr I64 iand(I64 a, I64 b) { return a & b; }
  static constexpr I64 ior(I64 a, I64 b) { return a | b; }
  static constexpr I64 ixor(I64 a, I64 b) { return a ^ b; }
  static constexpr I64 shl(I64 a, int distance) { return a << distance; }
  static constexpr I64 lshr(I64 a, int distance) { return a >> distance; }
  static constexpr I64 ashr(I64 a, int distance) { return static_cast<I64>(static_cast<std::int64_t>(a) >> distance); }
  static constexpr Bool i_equal(I64 a, I64 b) { return a == b; }
  static constexpr Bool i_less_unsigned(I64 a, I64 b) { return a < b; }
  static constexpr Bool i_less_signed(I64 a, I64 b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  }

  static constexpr F64 select(Bool condition, F64 a, F64 b) { return condition ? a : b; }
  static constexpr I64 select(Bool condition, I64 a, I64 b) { return condition ? a : b; }
  static constexpr Bool both(Bool a, Bool b) { return a & b; }
};

static_assert(ArithmeticBuilder<NativeBuilder>);

}  // namespace reckon::numerics
