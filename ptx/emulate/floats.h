// Floating-point numbers as instructions take and give them: subnormals that are flushed, NaNs in the one form that the
// ISA states, 16-bit numbers as f32, and other directions of rounding.
#pragma once

#include <bit>
#include <cfenv>
#include <cstdint>

#include "numerics/native.h"
#include "ptx/module.h"

namespace reckon::ptx {

// The NaNs that come out of arithmetic (PTX ISA 9.0, 9.7.3 and 9.7.4; of f64 the ISA leaves the bits open).
inline constexpr std::uint32_t nan_of_f32 = 0x7fffffffu;
inline constexpr std::uint16_t nan_of_half = 0x7fff;  ///< f16 and bf16
inline constexpr std::uint64_t nan_of_f64 = 0x7ff8000000000000u;

[[gnu::always_inline]] inline float canonical(float x) { return x != x ? std::bit_cast<float>(nan_of_f32) : x; }
[[gnu::always_inline]] inline double canonical(double x) { return x != x ? std::bit_cast<double>(nan_of_f64) : x; }

/// A subnormal becomes a zero of its sign.
[[gnu::always_inline]] inline float flushed(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

/// f16 and bf16 by their patterns.
template <numerics::Format format>
struct Half {
  static float wide(std::uint16_t bits) { return numerics::Pattern<format>::to_f32(bits); }
  static std::uint16_t narrow(float value) {
    return value != value ? nan_of_half : numerics::Pattern<format>::from_f32(value);
  }
  static constexpr std::uint16_t exponent = format == numerics::Format::f16 ? 0x7c00 : 0x7f80;
  static std::uint16_t flush(std::uint16_t bits) { return (bits & exponent) == 0 ? bits & 0x8000 : bits; }
  static bool is_nan(std::uint16_t bits) { return (bits & 0x7fff) > exponent; }
};

/// A number of its own in a register: not a pair, and no 8-bit format.
constexpr bool is_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::tf32 || type == Type::f32 || type == Type::f64;
}

/// What is computed does not move out of a scope with another rounding: it lies between two clobbers of memory, from
/// which operands are read and to which results are written.
class RoundingScope {
 public:
  explicit RoundingScope(int mode) : before_(std::fegetround()) {
    std::fesetround(mode);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    std::fesetround(before_);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int before_;
};

}  // namespace reckon::ptx
