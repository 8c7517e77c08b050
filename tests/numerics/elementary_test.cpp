// Elementary functions and real constants: against MPFR at a precision where rounding a second time is harmless.
#include <catch2/catch.hpp>

#include "numerics/elementary.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

struct Row {
  Function function;
  int (*evaluate)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  bool flat = false;  ///< comes exponentially close to a constant
};
constexpr Row rows[] = {
    {Function::exp, mpfr_exp},
    {Function::exp2, mpfr_exp2},
    {Function::exp10, mpfr_exp10},
    {Function::expm1, mpfr_expm1, true},
    {Function::log, mpfr_log},
    {Function::log2, mpfr_log2},
    {Function::log10, mpfr_log10},
    {Function::log1p, mpfr_log1p},
    {Function::sin, mpfr_sin},
    {Function::cos, mpfr_cos},
    {Function::tan, mpfr_tan},
    {Function::sinpi, mpfr_sinpi},
    {Function::cospi, mpfr_cospi},
    {Function::tanpi, mpfr_tanpi},
    {Function::asin, mpfr_asin},
    {Function::acos, mpfr_acos},
    {Function::atan, mpfr_atan},
    {Function::sinh, mpfr_sinh},
    {Function::cosh, mpfr_cosh},
    {Function::tanh, mpfr_tanh, true},
    {Function::asinh, mpfr_asinh},
    {Function::acosh, mpfr_acosh},
    {Function::atanh, mpfr_atanh},
    {Function::erf, mpfr_erf, true},
    {Function::erfc, mpfr_erfc, true},
    {Function::gamma, mpfr_gamma},
    {Function::lgamma,
     [](mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
       int sign = 0;
       return mpfr_lgamma(result, &sign, x, rounding);
     }},
    {Function::sqrt, mpfr_sqrt},
    {Function::rsqrt, mpfr_rec_sqrt},
    {Function::cbrt, mpfr_cbrt},
};
static_assert(std::size(rows) == function_count);

/// f to 2000 bits, as a rational that round_rational rounds. None of the arguments below gives a result that is closer
/// to a boundary without being exact.
class FromFar {
 public:
  FromFar(const Row& row, double x) {
    mpfr_t argument, result;
    mpfr_init2(argument, 53);
    mpfr_init2(result, 2000);
    mpfr_set_d(argument, x, MPFR_RNDN);
    row.evaluate(result, argument, MPFR_RNDN);
    number_ = mpfr_get_d(result, MPFR_RNDN);
    is_rational_ = mpfr_regular_p(result) != 0;
    if (is_rational_) mpfr_get_q(exact_.get_mpq_t(), result);
    mpfr_clear(argument);
    mpfr_clear(result);
  }

  std::uint64_t rounded(Format format, Rounding rounding) const {
    if (is_rational_) return round_rational(exact_, format, rounding);
    if (std::isnan(number_)) return canonical_nan(format);
    if (std::isinf(number_)) return pattern_of(number_, format);
    return std::signbit(number_) ? sign_bit(format) : 0;
  }

 private:
  double number_ = 0;  ///< what the value is if it is 0, infinite or a NaN
  bool is_rational_ = false;
  mpq_class exact_;
};

}  // namespace

TEST_CASE("MPFR keeps its exponent range per thread", "[numerics]") { REQUIRE(mpfr_buildopt_tls_p() != 0); }

TEST_CASE("elementary functions are correctly rounded in every format and direction", "[numerics]") {
  std::mt19937_64 random = random_stream(51);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  for (const Format format : all_formats) {
    for (const Row& row : rows) {
      const Function function = row.function;
      const int trials = traits(format).width == 8 ? 256 : 400;
      for (int trial = 0; trial < trials; ++trial) {
        // Arguments of moderate size, so that 2^x as a rational stays small; random patterns of f16 for all, and every one
        // of the 8-bit formats.
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        const double moderate = (unit - 0.5) * (trial % 2 == 0 ? 2.3 * traits(format).emax : 8);
        const std::uint64_t bits = traits(format).width == 8 ? static_cast<std::uint64_t>(trial)
                                   : format == Format::f16  ? random() & 0xffff
                                                            : round_f64(moderate, format);
        if (!is_finite(bits, format) || bits == sign_bit(format)) continue;
        const double x = widen(bits, format);
        if (std::fabs(x) > (function == Function::erf || function == Function::erfc ? 30 : 600) && row.flat) continue;
        if ((function == Function::exp || function == Function::exp2 || function == Function::exp10) && std::fabs(x) > 3000) continue;
        const FromFar value(row, x);
        for (const Rounding rounding : all_roundings) {
          const std::uint64_t expected = value.rounded(format, rounding);
          const std::uint64_t result = mpfr_unary(function, bits, format, rounding);
          if (result == expected) continue;
          CAPTURE(x, static_cast<int>(function), static_cast<int>(rounding), traits(format).name);
          REQUIRE(bit_digits(result, format) == bit_digits(expected, format));
        }
      }
    }
  }
  CHECK(mpfr_get_emin() == emin);
  CHECK(mpfr_get_emax() == emax);
}

TEST_CASE("special cases of elementary functions", "[numerics]") {
  for (const Format format : all_formats) {
    if (saturates(format)) continue;
    const std::uint64_t infinity = infinity_bits(format);
    const std::uint64_t minus = sign_bit(format);
    const std::uint64_t nan = canonical_nan(format);
    const std::uint64_t one = round_f64(1.0, format);
    for (const Row& row : rows) CHECK(mpfr_unary(row.function, nan | minus | least(format), format) == nan);
    CHECK(mpfr_unary(Function::exp, infinity, format) == infinity);
    CHECK(mpfr_unary(Function::exp, infinity | minus, format) == 0);
    CHECK(mpfr_unary(Function::exp, largest_finite(format), format) == infinity);
    CHECK(mpfr_unary(Function::exp, largest_finite(format), format, Rounding::downward) == largest_finite(format));
    CHECK(mpfr_unary(Function::exp, largest_finite(format) | minus, format) == 0);
    CHECK(mpfr_unary(Function::exp, largest_finite(format) | minus, format, Rounding::upward) == least(format));
    CHECK(mpfr_unary(Function::exp, 0, format) == one);
    CHECK(mpfr_unary(Function::exp2, round_f64(3.0, format), format) == round_f64(8.0, format));
    CHECK(mpfr_unary(Function::log, 0, format) == (infinity | minus));
    CHECK(mpfr_unary(Function::log, minus, format) == (infinity | minus));
    CHECK(mpfr_unary(Function::log, one | minus, format) == nan);
    CHECK(mpfr_unary(Function::log, one, format) == 0);
    CHECK(mpfr_unary(Function::log2, round_f64(8.0, format), format) == round_f64(3.0, format));
    CHECK(mpfr_unary(Function::sin, minus, format) == minus);
    CHECK(mpfr_unary(Function::sin, infinity, format) == nan);
    CHECK(mpfr_unary(Function::sin, least(format), format) == least(format));
    CHECK(mpfr_unary(Function::sin, least(format), format, Rounding::downward) == 0);
    CHECK(mpfr_unary(Function::cos, 0, format) == one);
    CHECK(mpfr_unary(Function::sqrt, minus, format) == minus);
    CHECK(mpfr_unary(Function::sqrt, one | minus, format) == nan);
    CHECK(mpfr_unary(Function::rsqrt, 0, format) == infinity);
    CHECK(mpfr_unary(Function::rsqrt, minus, format) == (infinity | minus));
    CHECK(mpfr_unary(Function::rsqrt, infinity, format) == 0);
  }
  // OFP8 and the Microscaling Formats: what is infinite or overflows saturates. Where there is no NaN, a result that would
  // be one is the largest number.
  for (const auto& [format, largest] : {std::pair{Format::f8e4m3, 0x7eu}, {Format::f8e5m2, 0x7bu}, {Format::f6e3m2, 0x1fu}, {Format::f6e2m3, 0x1fu}, {Format::f4e2m1, 0x07u}}) {
    const std::uint64_t nan = canonical_nan(format), one = round_f64(1.0, format), minus = sign_bit(format);
    for (const Rounding rounding : all_roundings) {
      CHECK(mpfr_unary(Function::exp, largest, format, rounding) == largest);
      CHECK(mpfr_unary(Function::log, 0, format, rounding) == (largest | minus));
      CHECK(mpfr_unary(Function::rsqrt, 0, format, rounding) == largest);
      CHECK(mpfr_unary(Function::rsqrt, minus, format, rounding) == (largest | minus));
      CHECK(mpfr_unary(Function::atanh, one, format, rounding) == largest);
      CHECK(mpfr_binary(BinaryFunction::pow, 0, one | minus, format, rounding) == largest);
      CHECK(mpfr_binary(BinaryFunction::hypot, largest, largest, format, rounding) == largest);
    }
    if (!without_nan(format)) CHECK(mpfr_unary(Function::exp, largest | minus, format) == 0);
    CHECK(mpfr_unary(Function::log, one | minus, format) == nan);
    if (!without_nan(format)) CHECK(mpfr_unary(Function::exp, nan | minus, format) == nan);
  }
  CHECK(mpfr_unary(Function::exp, infinity_bits(Format::f8e5m2), Format::f8e5m2) == 0x7b);
  CHECK(mpfr_unary(Function::sin, infinity_bits(Format::f8e5m2), Format::f8e5m2) == canonical_nan(Format::f8e5m2));

  // IEEE 754-2019, 9.2.1.
  for (const Format format : all_formats) {
    if (saturates(format)) continue;
    const std::uint64_t infinity = infinity_bits(format), minus = sign_bit(format), nan = canonical_nan(format);
    auto number = [&](double x) { return round_f64(x, format); };
    for (const std::uint64_t any : {nan, infinity, minus, number(-3)}) {
      CHECK(mpfr_binary(BinaryFunction::pow, any, 0, format) == number(1));
      CHECK(mpfr_binary(BinaryFunction::pow, number(1), any, format) == number(1));
      CHECK(mpfr_binary(BinaryFunction::hypot, infinity | minus, any, format) == infinity);
    }
    CHECK(mpfr_binary(BinaryFunction::pow, number(-2), number(3), format) == number(-8));
    CHECK(mpfr_binary(BinaryFunction::pow, number(-2), number(0.5), format) == nan);
    CHECK(mpfr_binary(BinaryFunction::pow, minus, number(-3), format) == (infinity | minus));
    CHECK(mpfr_binary(BinaryFunction::hypot, number(3), number(-4), format) == number(5));
    CHECK(mpfr_binary(BinaryFunction::atan2, minus, number(1), format) == minus);
    CHECK(mpfr_binary(BinaryFunction::atan2, 0, number(-1), format) == round_real(1, RealConstant::pi, format));
    CHECK(mpfr_unary(Function::tan, minus, format) == minus);
    CHECK(mpfr_unary(Function::asin, number(2), format) == nan);
    CHECK(mpfr_unary(Function::atanh, number(1), format) == infinity);
    CHECK(mpfr_unary(Function::acosh, number(0.5), format) == nan);
    CHECK(mpfr_unary(Function::log1p, number(-1), format) == (infinity | minus));
    CHECK(mpfr_unary(Function::expm1, infinity | minus, format) == number(-1));
    CHECK(mpfr_unary(Function::cbrt, number(-27), format) == number(-3));
    // IEEE 754-2019, 9.2.1.
    CHECK(mpfr_unary(Function::sinpi, number(2), format) == 0);
    CHECK(mpfr_unary(Function::sinpi, number(-3), format) == minus);
    CHECK(mpfr_unary(Function::sinpi, infinity, format) == nan);
    CHECK(mpfr_unary(Function::cospi, number(0.5), format) == 0);
    CHECK(mpfr_unary(Function::cospi, number(-1.5), format) == 0);
    CHECK(mpfr_unary(Function::cospi, number(1), format) == number(-1));
    CHECK(mpfr_unary(Function::tanpi, number(2), format) == 0);
    CHECK(mpfr_unary(Function::tanpi, number(3), format) == minus);
    CHECK(mpfr_unary(Function::tanpi, number(-2), format) == minus);
    CHECK(mpfr_unary(Function::tanpi, number(-1), format) == 0);
    CHECK(mpfr_unary(Function::tanpi, number(0.5), format) == infinity);
    CHECK(mpfr_unary(Function::tanpi, number(1.5), format) == (infinity | minus));
    CHECK(mpfr_unary(Function::tanpi, number(0.25), format) == number(1));
    // C23, F.10.5.
    CHECK(mpfr_unary(Function::erfc, infinity, format) == 0);
    CHECK(mpfr_unary(Function::erfc, infinity | minus, format) == number(2));
    CHECK(mpfr_unary(Function::gamma, 0, format) == infinity);
    CHECK(mpfr_unary(Function::gamma, minus, format) == (infinity | minus));
    CHECK(mpfr_unary(Function::gamma, number(-1), format) == nan);
    CHECK(mpfr_unary(Function::gamma, infinity | minus, format) == nan);
    CHECK(mpfr_unary(Function::gamma, infinity, format) == infinity);
    CHECK(mpfr_unary(Function::gamma, number(5), format) == number(24));
    CHECK(mpfr_unary(Function::lgamma, minus, format) == infinity);
    CHECK(mpfr_unary(Function::lgamma, number(-2), format) == infinity);
    CHECK(mpfr_unary(Function::lgamma, infinity | minus, format) == infinity);
    CHECK(mpfr_unary(Function::lgamma, number(1), format) == 0);
    CHECK(mpfr_unary(Function::lgamma, number(2), format) == 0);
  }
  for (const Function flat : {Function::tanh, Function::erf}) {
    const auto x = std::bit_cast<std::uint64_t>(5000.0), one = std::bit_cast<std::uint64_t>(1.0);
    CHECK(mpfr_unary(flat, x, Format::f64) == one);
    CHECK(mpfr_unary(flat, x, Format::f64, Rounding::upward) == one);
    CHECK(mpfr_unary(flat, x, Format::f64, Rounding::downward) == one - 1);
  }
  // A subnormal result of the largest f64 reduction.
  CHECK(mpfr_unary(Function::sin, std::bit_cast<std::uint64_t>(1.7976931348623157e308), Format::f64) ==
        std::bit_cast<std::uint64_t>(0.004961954789184062));
}

TEST_CASE("directed results are the neighbours of the true value", "[numerics]") {
  for (const double x : {0.1, 1.0, -700.5, 2.0, 0.75}) {
    const double below = mpfr_unary_directed(Function::exp, x, false);
    const double above = mpfr_unary_directed(Function::exp, x, true);
    CHECK(std::nextafter(below, HUGE_VAL) == above);
  }
  CHECK(mpfr_unary_directed(Function::sqrt, 4.0, false) == 2.0);
  CHECK(mpfr_unary_directed(Function::sqrt, 4.0, true) == 2.0);
  CHECK(mpfr_unary_directed(Function::exp, 710.0, false) == 1.7976931348623157e308);
  CHECK(mpfr_unary_directed(Function::exp, 710.0, true) == HUGE_VAL);
  CHECK(mpfr_unary_directed(Function::exp, -800.0, true) == 5e-324);
}

TEST_CASE("real constants", "[numerics]") {
  CHECK(round_real(1, RealConstant::pi, Format::f64) == 0x400921fb54442d18);
  CHECK(round_real(1, RealConstant::e, Format::f64) == 0x4005bf0a8b145769);
  CHECK(round_real(1, RealConstant::ln2, Format::f64) == 0x3fe62e42fefa39ef);
  CHECK(round_real(1, RealConstant::log2e, Format::f64) == 0x3ff71547652b82fe);
  CHECK(round_real(1, RealConstant::log2e, Format::f32) == 0x3fb8aa3b);
  CHECK(round_real(1, RealConstant::pi, Format::f32) == 0x40490fdb);
  CHECK(round_real(1, RealConstant::ln2, Format::f16) == 0x398c);
  CHECK(round_real(1, RealConstant::e, Format::bf16) == 0x402e);
  CHECK(round_real(mpq_class(-1, 2), RealConstant::pi, Format::f64) == 0xbff921fb54442d18);
  CHECK(round_real(0, RealConstant::pi, Format::f64) == 0);
  mpz_class huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 1000);
  CHECK(round_real(mpq_class(huge), RealConstant::e, Format::f64) == infinity_bits(Format::f64));
  CHECK(round_real(mpq_class(-1, huge), RealConstant::e, Format::f64) == 0);

  // 1/pi rounded up to 200 bits: the product exceeds 1 by less than 2^-197, which the first precision cannot see.
  mpfr_t reciprocal;
  mpfr_init2(reciprocal, 200);
  mpfr_const_pi(reciprocal, MPFR_RNDD);
  mpfr_ui_div(reciprocal, 1, reciprocal, MPFR_RNDU);
  mpq_class scale;
  mpfr_get_q(scale.get_mpq_t(), reciprocal);
  mpfr_clear(reciprocal);
  const auto [low, high] = enclose_real(scale, RealConstant::pi);
  CHECK(std::nextafter(low, HUGE_VAL) == high);
  CHECK(low == 1.0);

  std::mt19937_64 random = random_stream(52);
  for (const RealConstant constant : {RealConstant::pi, RealConstant::e, RealConstant::ln2, RealConstant::log2e}) {
    for (int trial = 0; trial < 200; ++trial) {
      const long numerator = static_cast<long>(random() >> 1) * (trial % 2 == 0 ? 1 : -1);
      mpq_class factor(numerator, static_cast<unsigned long>(random() | 1));
      factor.canonicalize();
      const auto [below, above] = enclose_real(factor, constant);
      REQUIRE(std::nextafter(below, HUGE_VAL) == above);
      const double nearest = widen(round_real(factor, constant, Format::f64), Format::f64);
      REQUIRE((nearest == below || nearest == above));
    }
    const auto [zero_below, zero_above] = enclose_real(0, constant);
    CHECK((zero_below == 0.0 && zero_above == 0.0));
  }
}
