// The evidence for compiled rsqrt: 1 / sqrt(x) in f64 has two roundings, so the true value is within two units of its
// last place. Arguments whose result is that near to a rounding boundary of f32, f16 or bf16 are few, and MPFR says
// that they are rounded to the right side. f16 and bf16 arguments are among the f32 ones.
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "numerics/elementary.h"

namespace reckon::numerics {

TEST_CASE("rounding 1 / sqrt(x) in f64 once more is correct for every f32") {
  // Significands of both parities of the exponent: the others differ by powers of 4, by which every step scales
  // exactly, and no result is subnormal.
  int wrong = 0, near = 0;
  for (std::uint32_t bits = 0x3f800000; bits < 0x40800000; ++bits) {
    const double root = 1.0 / std::sqrt(static_cast<double>(std::bit_cast<float>(bits)));
    const auto pattern = std::bit_cast<std::uint64_t>(root);
    for (const Format format : {Format::f32, Format::f16, Format::bf16}) {
      const int dropped = 53 - traits(format).precision;
      const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
      const std::uint64_t rest = pattern & (2 * half - 1);
      if (rest <= half - 4 || rest >= half + 4) continue;
      ++near;
      // The true value by MPFR in f64, rounded to either side of the boundary.
      const double below = std::bit_cast<double>(
          mpfr_unary(Function::rsqrt, round_f64(static_cast<double>(std::bit_cast<float>(bits)), Format::f64),
                     Format::f64, Rounding::downward));
      const bool truly_above = (std::bit_cast<std::uint64_t>(below) & (2 * half - 1)) >= half;
      wrong += rest == half || truly_above != (rest > half);
    }
  }
  CHECK(near > 0);
  CHECK(wrong == 0);
}

}  // namespace reckon::numerics
