// exp and exp2 rounded to bf16 from a guess: whatever an instruction gives that is as near as the PTX ISA says, the
// result is the f32 function's, rounded, or undecided. `reckon_tests "[.exhaustive]"` tries all f32s.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/functions/guessed_exponential.h"
#include "numerics/native.h"
#include "tests/support/patterns32.h"

using namespace reckon::numerics;

namespace {

/// Guesses that are as far off as they may be: `side` is -1, 0 or 1.
struct NativeGuessBuilder {
  using F32 = float;
  using I32 = std::uint32_t;

  int side = 0;

  static F32 f32_const(float value) { return value; }
  static F32 mul(F32 a, F32 b) { return a * b; }
  static F32 fma(F32 a, F32 b, F32 c) { return std::fmaf(a, b, c); }
  static F32 lesser_or_nan(F32 a, F32 b) { return std::isnan(a) || a < b ? a : b; }
  static F32 greater_or_nan(F32 a, F32 b) { return std::isnan(a) || a > b ? a : b; }
  F32 exp2_guess(F32 t) const {
    if (t < -126) return 0;
    if (!(t < 128)) return std::isnan(t) ? t : std::numeric_limits<float>::infinity();
    const double real = std::exp2(static_cast<double>(t)), bound = real * (1 + side * 0x1p-22);
    const auto nearest = static_cast<float>(bound);
    // The last one within the bound.
    if (side > 0 && nearest > bound) return std::nextafter(nearest, 0.0F);
    if (side < 0 && nearest < bound) return std::nextafter(nearest, 3e38F);
    return nearest;
  }
};
static_assert(GuessBuilder<NativeGuessBuilder>);

struct Tally {
  std::uint64_t wrong = 0, undecided = 0, all = 0;
  float first_wrong = 0;
};

/// What the code does with a guess (codegen/scalars/quick_exponential.cpp).
void compare(const GuessedExponential& of, float x, float exact, Tally& tally) {
  for (const int side : {-1, 0, 1}) {
    NativeGuessBuilder b{side};
    const float v = guess(b, of, x);
    const auto pattern = std::bit_cast<std::uint32_t>(v);
    ++tally.all;
    if (is_near_midpoint(pattern) || (pattern == 0 && !(x <= of.zero))) {
      ++tally.undecided;
    } else if (f32_to_bf16(v) != f32_to_bf16(exact)) {
      if (tally.wrong++ == 0) tally.first_wrong = x;
    }
  }
}

Tally tally_of(bool of_e, const std::vector<float>& x) {
  std::vector<float> exact(x.size());
  elementary_array(of_e ? Function::exp : Function::exp2, Format::f32, x.data(), exact.data(), x.size());
  Tally tally;
  for (std::size_t k = 0; k < x.size(); ++k) compare(guessed_exponential(of_e), x[k], exact[k], tally);
  return tally;
}

/// For one of `step` patterns.
void check_all(std::uint64_t step) {
  constexpr std::uint64_t block = 1 << 14;
  const auto [begin, end] = reckon::test::patterns32();
  for (const bool of_e : {false, true}) {
    std::uint64_t wrong = 0;
    float first_wrong = 0;
    std::vector<float> x;
    for (std::uint64_t first = begin; first < end; first += block * step) {
      x.clear();
      for (std::uint64_t k = first; k < std::min(end, first + block * step); k += step) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(k)));
      }
      const Tally tally = tally_of(of_e, x);
      if (wrong == 0 && tally.wrong > 0) first_wrong = tally.first_wrong;
      wrong += tally.wrong;
    }
    CAPTURE(of_e, first_wrong);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("exp and exp2 rounded to bf16 from a guess are decided rightly, one argument in 997") { check_all(997); }

TEST_CASE("exp and exp2 rounded to bf16 from a guess are decided rightly, all arguments", "[.exhaustive]") {
  check_all(1);
}

TEST_CASE("exp and exp2 rounded to bf16 from a guess: few arguments are undecided") {
  std::vector<float> x;
  for (std::uint32_t k = 0; k <= 2'000'000; ++k) x.push_back(-20.0F * static_cast<float>(k) / 2e6F);
  for (const bool of_e : {false, true}) {
    const Tally tally = tally_of(of_e, x);
    CAPTURE(of_e, tally.first_wrong);
    CHECK(static_cast<double>(tally.undecided) / static_cast<double>(tally.all) < 2.2e-4);
    CHECK(tally.wrong == 0);
  }
}

TEST_CASE("exp and exp2 rounded to bf16 from a guess: the ends, 0 and NaNs are decided, small results are not") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const bool of_e : {false, true}) {
    CAPTURE(of_e);
    for (const float x : {0.0F, -0.0F, -infinity, -3e38F, -200.0F, -140.0F, 1e-30F, -1e-30F, 88.7229F, 130.0F, 1e9F,
                          3e38F, infinity, nan, -nan}) {
      CAPTURE(x);
      const Tally tally = tally_of(of_e, {x});
      CHECK((tally.undecided == 0 && tally.wrong == 0));
    }
    const float least_normal = of_e ? -87.34F : -126.0F;
    for (const float x : {std::nextafter(least_normal, -200.0F), least_normal - 3, least_normal - 5}) {
      CHECK(tally_of(of_e, {x}).undecided == 3);
    }
  }
}
