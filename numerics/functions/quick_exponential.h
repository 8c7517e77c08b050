// exp and exp2 of f32, rounded once more to f16, in f32 arithmetic alone: bounds of the f32 result that nearly always
// have one rounding. The functions themselves (exponential.h) need f64, which GPUs have less of. (Of bf16, which has
// fewer digits, a guess suffices: guessed_exponential.h.)
//
// What is enclosed is R, the f32 function's result: the real one, rounded to nearest. If low <= R <= high, and both
// have the same rounding to f16, that is R's, since rounding is monotone: whatever R's own rounding did, and also where
// R lies on a midpoint. Otherwise the argument is undecided, and the exact code decides.
//
// Method. With k the integer nearest to x / ln 2, and r = x - k ln 2, v = 2^k p(r), where p is the polynomial of degree
// 5 that has the least relative error, 2^-23.7, for |r| <= ln(2) / 2, times a little less than 1. The lower bound is v,
// and the upper one v times a constant, which is rounded to f32 as R is: bounds of the real result stay bounds.
//
// Errors of v: that of p; k times 2^-29, which is by how much the f32 nearest to ln 2 is too large; and roundings,
// 2^-23 at most. That no argument is decided wrongly is tested with all 2^32 of them
// (tests/numerics/quick_exponential_test.cpp).
//
// Arguments at the ends: `least` takes the place of all below it, -inf too, which have the result 0. `most`, one that
// is undecided, takes the place of all above it, and of NaNs.
#pragma once

#include <concepts>
#include <cstdint>

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

struct QuickExponential {
  bool of_e = false;
  float least = 0, most = 0;
  float coefficients[6]{};
  float to_high = 1;  ///< the upper bound's quotient by v, which is the lower one
};

constexpr QuickExponential quick_exponential(bool of_e) {
  if (of_e) {
    return {true,
            -18.5F,
            0x1.5ff05ep3F,
            {0x1.fffffap-1F, 0x1.ffffeep-1F, 0x1.fffd12p-2F, 0x1.555a12p-3F, 0x1.575ef2p-5F, 0x1.0fe5bcp-7F},
            0x1.000008p0F};
  }
  return {false,
          -26.0F,
          0x1.fccaap3F,
          {0x1.fffffcp-1F, 0x1.62e424p-1F, 0x1.ebf912p-3F, 0x1.c6b6ep-5F, 0x1.3d0c4ep-7F, 0x1.5c08ep-10F},
          0x1.000006p0F};
}

template <SingleBuilder B>
struct SingleBounds {
  typename B::F32 low, high;
};

/// Bounds of the f32 function's result, if T decides by them; otherwise they have two roundings.
template <SingleBuilder B>
[[gnu::always_inline]] inline SingleBounds<B> quick_bounds(B& b, const QuickExponential& of, typename B::F32 argument) {
  const auto x = b.greater(b.lesser(argument, b.f32_const(of.most)), b.f32_const(of.least));
  const auto shifter = b.f32_const(0x1.8p23F);
  const auto shifted = of.of_e ? b.fma(x, b.f32_const(0x1.715476p+0F), shifter) : b.add(x, shifter);
  const auto k = b.sub(shifted, shifter);
  const auto r = of.of_e ? b.fma(k, b.f32_const(-0x1.62e43p-1F), x) : b.sub(x, k);
  auto p = b.f32_const(of.coefficients[5]);
  for (int power = 4; power >= 0; --power) p = b.fma(p, r, b.f32_const(of.coefficients[power]));
  // The shift keeps k's low 9 bits, and drops the shifter's own pattern above them.
  const auto v = b.from_bits(b.iadd(b.bits(p), b.shl(b.bits(shifted), 23)));
  return {v, b.mul(v, b.f32_const(of.to_high))};
}

}  // namespace reckon::numerics
