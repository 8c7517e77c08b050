// rootn: the special values of IEEE 754-2019, 9.2.1, as C23, F.10.4.9, has them; roundings decided by powers of
// rationals; and the algorithms of numerics/functions/ and functions64/ against MPFR. RECKON_TRIALS is how many random
// roots each gets.
#include <catch2/catch.hpp>

#include <limits>
#include <vector>

#include "numerics/arrays.h"
#include "numerics/functions/sided.h"
#include "numerics/functions64/quick.h"
#include "numerics/functions_of_f64.h"
#include "numerics/native_builder.h"
#include "reference.h"
#include "tests/support/long_run.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

constexpr BinaryFunction root = BinaryFunction::rootn;

mpq_class power(const mpq_class& value, unsigned long n) {
  mpq_class out;
  mpz_pow_ui(out.get_num_mpz_t(), value.get_num_mpz_t(), n);
  mpz_pow_ui(out.get_den_mpz_t(), value.get_den_mpz_t(), n);
  return out;
}

/// Whether `result` is x^(1/n), x > 0, rounded once: by the powers of the numbers beside it, without any root.
bool is_rounded(const mpq_class& x, int n, std::uint64_t result, Format format, Rounding rounding) {
  const std::uint64_t step = least(format);
  // The root compared with a number: the power with x. A negative degree turns the order around.
  const auto above = [&](const mpq_class& number) {
    if (number == 0) return 1;
    const mpq_class raised = power(number, static_cast<unsigned long>(std::abs(n)));
    return n > 0 ? cmp(x, raised) : cmp(1 / x, raised);
  };
  const auto value = [&](std::uint64_t bits) { return *exact_value(bits, format); };
  const bool first = result == 0, last = result >= largest_finite(format);
  if (is_infinite(result, format)) {  // an overflow, which only degrees of 1 and -1 have
    return above(value(largest_finite(format))) > 0 && rounding != Rounding::downward &&
           rounding != Rounding::toward_zero;
  }
  switch (rounding) {
    case Rounding::downward:
    case Rounding::toward_zero: return above(value(result)) >= 0 && (last || above(value(result + step)) < 0);
    case Rounding::upward:
      return (above(value(result)) <= 0 || (last && saturates(format))) && (first || above(value(result - step)) > 0);
    case Rounding::nearest_even: break;
  }
  const bool even = (result / step) % 2 == 0;
  if (!last) {
    const int side = above((value(result) + value(result + step)) / 2);
    if (side > 0 || (side == 0 && !even)) return false;
  }
  if (first) return true;
  const int side = above((value(result) + value(result - step)) / 2);
  return side > 0 || (side == 0 && even);
}

std::uint64_t pattern(double x) { return std::isnan(x) ? canonical_nan(Format::f64) : std::bit_cast<std::uint64_t>(x); }

/// rootn of f64 in every way that computes it.
void check_f64(double x, double n, std::uint64_t expected) {
  NativeBuilder b;
  const double in_three = elementary_f64<root>(b, x, n);
  const auto in_two = quick_f64<root>(b, x, n);
  double interpreted = 0;
  nearest_f64(root, &x, &n, &interpreted, 1);
  if (pattern(in_three) == expected && (!in_two.decided || pattern(in_two.value) == expected) &&
      pattern(interpreted) == expected)
    return;
  CAPTURE(x, n, in_three, in_two.value, interpreted);
  CHECK(pattern(in_three) == expected);
  if (in_two.decided) CHECK(pattern(in_two.value) == expected);
  CHECK(pattern(interpreted) == expected);
}

/// By the array function of the interpreter, for a format whose patterns have so many bits.
template <class Word>
std::uint64_t of_array(Format format, std::uint64_t x, std::uint64_t n) {
  const auto a = static_cast<Word>(x), b = static_cast<Word>(n);
  Word out{};
  elementary_array(root, format, &a, &b, &out, 1);
  return out;
}
std::uint64_t of_arrays(Format format, std::uint64_t x, std::uint64_t n) {
  switch (word_width(format)) {
    case 8: return of_array<std::uint8_t>(format, x, n);
    case 16: return of_array<std::uint16_t>(format, x, n);
    default: break;
  }
  if (format == Format::tf32) return of_array<std::uint32_t>(format, x, n);
  const float a = std::bit_cast<float>(static_cast<std::uint32_t>(x)),
              b = std::bit_cast<float>(static_cast<std::uint32_t>(n));
  float out = 0;
  elementary_array(root, format, &a, &b, &out, 1);
  return std::isnan(out) ? canonical_nan(format) : std::bit_cast<std::uint32_t>(out);
}

std::uint64_t with_sign(std::uint64_t bits, Format format, bool negative) {
  return negative ? bits | sign_bit(format) : bits;
}

}  // namespace

TEST_CASE("rootn of zeros, infinities, negative numbers and NaNs is what IEEE 754 says") {
  for (const Format format : {Format::f64, Format::f32, Format::f16, Format::bf16, Format::tf32}) {
    const std::uint64_t nan = canonical_nan(format), infinity = infinity_bits(format), minus = sign_bit(format);
    const auto number = [&](double x) { return round_f64(x, format); };
    const auto check = [&](std::uint64_t x, double n, std::uint64_t expected) {
      CAPTURE(traits(format).name, widen(x, format), n);
      CHECK(mpfr_binary(root, x, number(n), format) == expected);
      if (format == Format::f64) check_f64(widen(x, format), n, expected);
      else CHECK(of_arrays(format, x, number(n)) == expected);
    };
    for (const bool negative : {false, true}) {
      const std::uint64_t sign = negative ? minus : 0;
      for (const double odd : {1.0, 3.0, 5.0, 7.0, 255.0}) {
        check(0 | sign, odd, 0 | sign);
        check(0 | sign, -odd, infinity | sign);
        check(infinity | sign, odd, infinity | sign);
        check(infinity | sign, -odd, 0 | sign);
        check(number(1) | sign, odd, number(1) | sign);
        check(number(1) | sign, -odd, number(1) | sign);
      }
      for (const double even : {2.0, 4.0, 6.0, 128.0, 1024.0}) {
        check(0 | sign, even, 0);
        check(0 | sign, -even, infinity);
        check(infinity | sign, even, negative ? nan : infinity);
        check(infinity | sign, -even, negative ? nan : 0);
        check(number(1) | sign, even, negative ? nan : number(1));
      }
    }
    for (const double degree : {0.0, -0.0, 0.5, 2.5, -1.5, 0x1p53 + 0, std::numeric_limits<double>::infinity()}) {
      if (degree == 0x1p53 && format == Format::f16) continue;
      for (const double x : {0.0, 1.0, -1.0, 8.0, std::numeric_limits<double>::infinity()})
        check(number(x), degree, nan);
    }
    check(nan, 3, nan);
    check(number(8), std::numeric_limits<double>::quiet_NaN(), nan);
    check(number(-32), 5, number(-2));
    check(number(32), -5, number(0.5));
    check(number(-32), 4, nan);
    check(number(16), -4, number(0.5));
  }
}

TEST_CASE("rootn is correctly rounded in every format and direction") {
  std::mt19937_64 random = random_stream(reckon::test::stream(151));
  const int trials = reckon::test::trials(120);
  for (const Format format : all_formats) {
    for (int trial = 0; trial < trials; ++trial) {
      const std::uint64_t x = (random() & storage_mask(format)) & ~sign_bit(format);
      const int size = trial % 3 == 0 ? 1 + static_cast<int>(random() % 3) : 2 + static_cast<int>(random() % 30),
                n = random() % 2 ? size : -size;
      const std::uint64_t degree = round_rational(n, format);
      if (!is_finite(x, format) || x == 0 || *exact_value(degree, format) != n) continue;
      for (const Rounding rounding : all_roundings) {
        const std::uint64_t result = mpfr_binary(root, x, degree, format, rounding);
        CAPTURE(traits(format).name, widen(x, format), n, static_cast<int>(rounding), result);
        REQUIRE(is_rounded(*exact_value(x, format), n, result, format, rounding));
        if (n % 2 == 0) continue;
        const Rounding turned = rounding == Rounding::upward     ? Rounding::downward
                                : rounding == Rounding::downward ? Rounding::upward
                                                                 : rounding;
        REQUIRE(mpfr_binary(root, x | sign_bit(format), degree, format, turned) == with_sign(result, format, true));
      }
    }
  }
}

TEST_CASE("rootn of f32 and narrower formats is MPFR's, rounded to nearest, down and up") {
  std::mt19937_64 random = random_stream(reckon::test::stream(152));
  const int trials = reckon::test::trials(30'000);
  NativeBuilder b;
  for (int trial = 0; trial < trials; ++trial) {
    float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    auto n = static_cast<float>(1 + random() % 40);
    switch (trial % 6) {
      case 1: {  // a power, and its neighbours
        const double base =
            static_cast<double>(1 + random() % 200) * std::ldexp(1.0, static_cast<int>(random() % 40) - 20);
        n = static_cast<float>(1 + random() % 16);
        x = static_cast<float>(std::pow(base, n));
        if (random() % 2) x = std::nextafterf(x, random() % 2 ? 0 : HUGE_VALF);
        break;
      }
      case 2: n = static_cast<float>(1 + random() % 400); break;
      case 3:
        n = std::floor(std::ldexp(1 + static_cast<float>(random() % 4096) / 4096, static_cast<int>(random() % 53)));
        break;
      case 4:
        x = static_cast<float>(1 + (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) *
                                       std::ldexp(1.0, -static_cast<int>(random() % 23)));
        break;
      case 5:
        x = std::ldexp(1.0f, static_cast<int>(random() % 277) - 149), n = static_cast<float>(1 + random() % 160);
        break;
      default: break;
    }
    if (random() % 2) n = -n;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), degree = std::bit_cast<std::uint32_t>(n);
    const std::uint64_t expected = mpfr_binary(root, bits, degree, Format::f32);
    if (of_arrays(Format::f32, bits, degree) != expected) {
      CAPTURE(x, n);
      REQUIRE(of_arrays(Format::f32, bits, degree) == expected);
    }
    if (!std::isfinite(x) || x == 0 || is_nan(expected, Format::f32)) continue;
    const double value = sided(b, root, static_cast<double>(x), static_cast<double>(n));
    for (const Rounding rounding : {Rounding::downward, Rounding::upward}) {
      const std::uint64_t end = mpfr_binary(root, bits, degree, Format::f32, rounding);
      if (round_rational(mpq_class(value), Format::f32, rounding) == end) continue;
      CAPTURE(x, n, value, static_cast<int>(rounding));
      REQUIRE(round_rational(mpq_class(value), Format::f32, rounding) == end);
    }
  }
  for (const Format format : narrow_formats) {
    for (const double n : {1.0, -1.0, 2.0, -2.0, 3.0, 4.0, -4.0, 6.0, 5.0, -7.0, 12.0, 16.0}) {
      const std::uint64_t degree = round_f64(n, format);
      if (*exact_value(degree, format) != n) continue;
      const std::uint64_t step = word_width(format) == 8 ? 1 : 1 + random() % 7;
      for (std::uint64_t x = 0; x <= width_mask(format); x += step) {
        const std::uint64_t expected = mpfr_binary(root, x, degree, format);
        if (of_arrays(format, x, degree) == expected) continue;
        CAPTURE(traits(format).name, x, n);
        REQUIRE(of_arrays(format, x, degree) == expected);
      }
    }
  }
}

TEST_CASE("rootn of f64 is MPFR's") {
  std::mt19937_64 random = random_stream(reckon::test::stream(153));
  const int trials = reckon::test::trials(8'000);
  for (int trial = 0; trial < trials; ++trial) {
    double x = std::bit_cast<double>(random()), n = static_cast<double>(1 + random() % 40);
    switch (trial % 6) {
      case 1: {
        const auto base = static_cast<double>(1 + random() % 2000);
        n = static_cast<double>(1 + random() % 34);
        x = std::pow(base, n) * std::ldexp(1.0, static_cast<int>(n) * (static_cast<int>(random() % 9) - 4));
        if (random() % 2) x = std::nextafter(x, random() % 2 ? 0 : HUGE_VAL);
        break;
      }
      case 2: n = static_cast<double>(1 + random() % 3000); break;
      case 3: n = static_cast<double>(1 + (random() >> (11 + random() % 53))); break;
      case 4:
        x = 1 +
            (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * std::ldexp(1.0, -static_cast<int>(random() % 52));
        break;
      case 5: x = std::ldexp(static_cast<double>(1 + random() % 8), static_cast<int>(random() % 2090) - 1074); break;
      default: break;
    }
    if (random() % 2) n = -n;
    if (random() % 4 == 0) x = -x;
    check_f64(x, n, mpfr_binary(root, std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(n), Format::f64));
  }
}
