// exp and exp2 of f32, rounded once more to bf16 or f16, in f32 arithmetic alone: bounds of the f32 result that nearly
// always have one rounding. The functions themselves (exponential.h) need f64, which GPUs have less of.
//
// What is enclosed is R, the f32 function's result: the real one, rounded to nearest. If low <= R <= high, and the
// format T has the same T(low) and T(high), that is T(R), since rounding is monotone: whatever R's own rounding did,
// and also where R lies on a midpoint of T. Otherwise the argument is undecided, and the exact code decides.
//
// Method. With k the integer nearest to x / ln 2, and r = x - k ln 2, v = 2^k p(r), where p is the polynomial of degree
// 5 that has the least relative error, 2^-23.7, for |r| <= ln(2) / 2, times a little less than 1. The bounds are v
// times constants, which are rounded to f32 as R is: bounds of the real result stay bounds. For bf16, v is 2^16 times
// as large until then, so that results below 2^-126 come out right, too.
//
// Errors of v: that of p; k times 2^-29, which is by how much the f32 nearest to ln 2 is too large; and roundings,
// 2^-23 at most. So v / e^x - 1 is between -0x1.5p-21 and 0x1.5p-23 for bf16, and v / 2^x - 1 between -0x1.7p-22 and
// -0x1.ap-25; they were measured on all arguments. That no argument is decided wrongly is tested with all 2^32 of them
// (tests/numerics/quick_exponential_test.cpp).
//
// Arguments at the ends: `least` takes the place of all below it, -inf too, which have the result 0. `most`, one that
// is undecided, takes the place of all above it, and of NaNs.
#pragma once

#include <concepts>
#include <cstdint>

#include "numerics/elementary.h"
#include "numerics/format.h"

namespace reckon::numerics {

/// Arithmetic on f32 and on its patterns: numbers as they are, or code that computes them.
template <class B>
concept SingleBuilder = requires(B& b, typename B::F32 f, typename B::I32 i) {
  { b.f32_const(1.0F) } -> std::same_as<typename B::F32>;
  { b.add(f, f) } -> std::same_as<typename B::F32>;
  { b.sub(f, f) } -> std::same_as<typename B::F32>;
  { b.mul(f, f) } -> std::same_as<typename B::F32>;
  { b.fma(f, f, f) } -> std::same_as<typename B::F32>;
  { b.lesser(f, f) } -> std::same_as<typename B::F32>;  // of a NaN and a number: the number
  { b.greater(f, f) } -> std::same_as<typename B::F32>;
  { b.bits(f) } -> std::same_as<typename B::I32>;
  { b.from_bits(i) } -> std::same_as<typename B::F32>;
  { b.iadd(i, i) } -> std::same_as<typename B::I32>;
  { b.shl(i, 1) } -> std::same_as<typename B::I32>;
};

constexpr bool has_quick_exponential(Function function, Format format) {
  return (function == Function::exp || function == Function::exp2) && (format == Format::bf16 || format == Format::f16);
}

struct QuickExponential {
  bool of_e = false;
  float least = 0, most = 0;
  float shifter = 0;  ///< 1.5 * 2^23, and by how much the exponent of v is too large
  float coefficients[6]{};
  float to_low = 1, to_high = 1;  ///< the bounds' quotients by v
};

/// For a function and a format that have one.
constexpr QuickExponential quick_exponential(Function function, Format format) {
  const bool narrow = format == Format::f16;
  if (function == Function::exp) {
    QuickExponential out{true,
                         narrow ? -18.5F : -93.6F,
                         narrow ? 0x1.5ff05ep3F : 0x1.3351fcp6F,
                         narrow ? 0x1.8p23F : 0x1.80002p23F,
                         {0x1.fffffap-1F, 0x1.ffffeep-1F, 0x1.fffd12p-2F, 0x1.555a12p-3F, 0x1.575ef2p-5F,
                          0x1.0fe5bcp-7F}};
    out.to_low = narrow ? 1 : 0x1.fffffap-17F;
    out.to_high = narrow ? 0x1.000008p0F : 0x1.00000cp-16F;
    return out;
  }
  QuickExponential out{false,
                       narrow ? -26.0F : -135.0F,
                       narrow ? 0x1.fccaap3F : 0x1.bb8af4p6F,
                       narrow ? 0x1.8p23F : 0x1.80002p23F,
                       {0x1.fffffcp-1F, 0x1.62e424p-1F, 0x1.ebf912p-3F, 0x1.c6b6ep-5F, 0x1.3d0c4ep-7F, 0x1.5c08ep-10F}};
  out.to_low = narrow ? 1 : 0x1p-16F;
  out.to_high = narrow ? 0x1.000006p0F : 0x1.000006p-16F;
  return out;
}

template <SingleBuilder B>
struct SingleBounds {
  typename B::F32 low, high;
};

/// Bounds of the f32 function's result, if T decides by them; otherwise they have two roundings.
template <SingleBuilder B>
[[gnu::always_inline]] inline SingleBounds<B> quick_bounds(B& b, const QuickExponential& of, typename B::F32 argument) {
  const auto x = b.greater(b.lesser(argument, b.f32_const(of.most)), b.f32_const(of.least));
  const auto shifter = b.f32_const(of.shifter);
  const auto shifted = of.of_e ? b.fma(x, b.f32_const(0x1.715476p+0F), shifter) : b.add(x, shifter);
  const auto k = b.sub(shifted, shifter);
  const auto r = of.of_e ? b.fma(k, b.f32_const(-0x1.62e43p-1F), x) : b.sub(x, k);
  auto p = b.f32_const(of.coefficients[5]);
  for (int power = 4; power >= 0; --power) p = b.fma(p, r, b.f32_const(of.coefficients[power]));
  // The shift keeps k's low 9 bits, and drops the shifter's own pattern above them.
  const auto v = b.from_bits(b.iadd(b.bits(p), b.shl(b.bits(shifted), 23)));
  const auto low = of.to_low == 1 ? v : b.mul(v, b.f32_const(of.to_low));
  return {low, b.mul(v, b.f32_const(of.to_high))};
}

}  // namespace reckon::numerics
