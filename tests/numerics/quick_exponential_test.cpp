// exp and exp2 rounded to f16, the quick way: wherever it decides, the result is the f32 function's, rounded.
// `reckon_tests "[.exhaustive]"` tries all f32s, which takes 8 minutes of a core.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/native.h"
#include "numerics/native_single_builder.h"
#include "numerics/processor.h"
#include "tests/support/patterns32.h"

using namespace reckon::numerics;

namespace {

struct Bounds32 {
  std::vector<float> low, high;
};

[[gnu::always_inline]] inline void bounds_of(const QuickExponential& of, const float* __restrict x,
                                             float* __restrict low, float* __restrict high, std::size_t count) {
  NativeSingleBuilder b;
  for (std::size_t k = 0; k < count; ++k) {
    const auto bounds = quick_bounds(b, of, x[k]);
    low[k] = bounds.low;
    high[k] = bounds.high;
  }
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void bounds_with_avx2(const QuickExponential& of, const float* x, float* low, float* high,
                                                  std::size_t count) {
  if (of.of_e) bounds_of(of, x, low, high, count);  // each has a loop of its own
  else bounds_of(of, x, low, high, count);
}
#endif
void find_bounds(const QuickExponential& of, const std::vector<float>& x, Bounds32& out) {
  out.low.resize(x.size());
  out.high.resize(x.size());
#if defined(__x86_64__)
  if (has_avx2_and_fma()) return bounds_with_avx2(of, x.data(), out.low.data(), out.high.data(), x.size());
#endif
  bounds_of(of, x.data(), out.low.data(), out.high.data(), x.size());
}

struct Tally {
  std::uint64_t wrong = 0, undecided = 0, in_range = 0;
  float first_wrong = 0;
};

/// Compares for all x. `in_range` counts what is undecided of [-20, 0].
void compare(Function function, const std::vector<float>& x, const std::vector<float>& exact, Bounds32& bounds,
             Tally& tally) {
  find_bounds(quick_exponential(function == Function::exp), x, bounds);
  for (std::size_t k = 0; k < x.size(); ++k) {
    // Bounds that contain the result, and have one rounding, need no look at it.
    const std::uint16_t low = f32_to_f16(bounds.low[k]);
    if (low != f32_to_f16(bounds.high[k])) {
      ++tally.undecided;
      tally.in_range += x[k] >= -20 && x[k] <= 0 ? 1 : 0;
    } else if (low != f32_to_f16(exact[k])) {
      if (tally.wrong++ == 0) tally.first_wrong = x[k];
    }
  }
}

constexpr Function functions[] = {Function::exp, Function::exp2};

/// For one of `step` patterns.
void check_all(std::uint64_t step) {
  constexpr std::uint64_t block = 1 << 14;
  const auto [begin, end] = reckon::test::patterns32();
  for (const Function function : functions) {
    Tally tally;
    std::vector<float> x, exact;
    Bounds32 bounds;
    for (std::uint64_t first = begin; first < end; first += block * step) {
      x.clear();
      for (std::uint64_t k = first; k < std::min(end, first + block * step); k += step) {
        x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(k)));
      }
      exact.resize(x.size());
      elementary_array(function, Format::f32, x.data(), exact.data(), x.size());
      compare(function, x, exact, bounds, tally);
    }
    CAPTURE(static_cast<int>(function), tally.undecided, tally.in_range, tally.first_wrong);
    CHECK(tally.wrong == 0);
  }
}

Tally tally_of(Function function, const std::vector<float>& x) {
  Tally tally;
  Bounds32 bounds;
  std::vector<float> exact(x.size());
  elementary_array(function, Format::f32, x.data(), exact.data(), x.size());
  compare(function, x, exact, bounds, tally);
  return tally;
}

}  // namespace

TEST_CASE("exp and exp2 rounded to f16 are decided rightly, one argument in 997") { check_all(997); }

TEST_CASE("exp and exp2 rounded to f16 are decided rightly, all arguments", "[.exhaustive]") { check_all(1); }

TEST_CASE("exp and exp2 rounded to f16: few arguments are undecided") {
  std::vector<float> x;
  for (std::uint32_t k = 0; k <= 2'000'000; ++k) x.push_back(-20.0F * static_cast<float>(k) / 2e6F);
  for (const Function function : functions) {
    const Tally tally = tally_of(function, x);
    const double share = static_cast<double>(tally.in_range) / static_cast<double>(x.size());
    CAPTURE(static_cast<int>(function));
    CHECK(share < 7e-4);
    CHECK(tally.wrong == 0);
  }
}

TEST_CASE("exp and exp2 rounded to f16: 0 and what is far below are decided, NaNs and large results are not") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const Function function : functions) {
    CAPTURE(static_cast<int>(function));
    for (const float x : {0.0F, -0.0F, -infinity, -3e38F, -1e9F, -200.0F, 1e-30F, -1e-30F}) {
      CHECK(tally_of(function, {x}).undecided == 0);
    }
    for (const float x :
         {nan, -nan, infinity, 3e38F, 1e9F, 200.0F, quick_exponential(function == Function::exp).most}) {
      CHECK(tally_of(function, {x}).undecided == 1);
    }
  }
}
