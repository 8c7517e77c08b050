// exp and exp2 of f32, rounded once more to bf16, from what an instruction gives that is nearly 2^t (ex2.approx.ftz.f32
// of GPUs). The result does not depend on the instruction's last bits: where they could decide, the argument is
// undecided, and the exact code decides.
//
// What is asked for is R, the f32 function's result (the real one, rounded to nearest), rounded to bf16. The guess v is
// an f32 near R. If no midpoint of two neighbours of bf16 lies between them, nor is one of the two, both have the same
// rounding. Midpoints of normal numbers have the pattern 0x8000 in their lower half, so that v is decided if its own is
// more than `distance` away from that.
//
// How far v is from R, in units of the last place of f32, for results of 2^-126 and more: the instruction's relative
// error is 2^-22 at most (PTX ISA, "ex2"; on an H200 at most 2^-22.7, measured on all arguments), which is 4 units; R's
// rounding is half a unit. For exp, t is x / ln 2, rounded, and v is multiplied by 1 + (x - t ln 2), with ln 2 as the
// sum of two f32s: these operations add less than one unit. `distance` is 6.
//
// Below 2^-126 the instruction gives 0. So v = 0 is undecided unless the argument is at most `zero`, of which the
// result is 0: less than half of the least bf16. NaNs give NaNs. Above the greatest bf16 the guess of exp2 is infinite
// where R is; arguments of exp are bounded, so that its correction stays finite: `most` has the result infinity.
#pragma once

#include <concepts>
#include <cstdint>

namespace reckon::numerics {

/// Arithmetic on f32 and its patterns: numbers as they are, or code that computes them. `exp2_guess` gives nearly 2^t:
/// within a relative error of 2^-22 if that is a normal number, 0 if it is less, infinity from 2^128 on.
template <class B>
concept GuessBuilder = requires(B& b, typename B::F32 f, typename B::I32 i) {
  { b.f32_const(1.0F) } -> std::same_as<typename B::F32>;
  { b.mul(f, f) } -> std::same_as<typename B::F32>;
  { b.fma(f, f, f) } -> std::same_as<typename B::F32>;
  { b.lesser_or_nan(f, f) } -> std::same_as<typename B::F32>;
  { b.greater_or_nan(f, f) } -> std::same_as<typename B::F32>;
  { b.exp2_guess(f) } -> std::same_as<typename B::F32>;
};

struct GuessedExponential {
  bool of_e = false;
  float zero = 0;                                             ///< the result of arguments up to this one is 0
  static constexpr float least = -110, most = 0x1.62e3d8p6F;  ///< bounds of exp's arguments
  static constexpr std::uint32_t distance = 6;
};

constexpr GuessedExponential guessed_exponential(bool of_e) {
  return of_e ? GuessedExponential{true, -93} : GuessedExponential{false, -134};
}

/// The guess v.
template <GuessBuilder B>
[[gnu::always_inline]] inline typename B::F32 guess(B& b, const GuessedExponential& of, typename B::F32 argument) {
  if (!of.of_e) return b.exp2_guess(argument);
  const auto x = b.greater_or_nan(b.lesser_or_nan(argument, b.f32_const(of.most)), b.f32_const(of.least));
  const auto t = b.mul(x, b.f32_const(0x1.715476p+0F));
  auto rest = b.fma(t, b.f32_const(-0x1.62e43p-1F), x);
  rest = b.fma(t, b.f32_const(0x1.05c61p-29F), rest);
  const auto v = b.exp2_guess(t);
  return b.fma(v, rest, v);
}

/// v may have another rounding than R if the lower half of its pattern, plus `offset` and without a carry, is at most
/// `undecided_to`. Two lower halves can be added to at once, in one word: the carry of one makes the other one greater
/// by 1, for which `undecided_to` leaves room. So the least of many such sums says whether one of the numbers is
/// undecided.
struct GuessTest {
  static constexpr std::uint32_t offset = 0x8000 + GuessedExponential::distance;
  static constexpr std::uint32_t undecided_to = 2 * GuessedExponential::distance + 1;
};
constexpr bool is_near_midpoint(std::uint32_t pattern) {
  return ((pattern + GuessTest::offset) & 0xffff) <= GuessTest::undecided_to;
}

}  // namespace reckon::numerics
