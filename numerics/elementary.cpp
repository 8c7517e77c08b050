#include "numerics/elementary.h"

#include <bit>

#include "numerics/mpfr_evaluate.h"
#include "numerics/mpfr_scope.h"

namespace reckon::numerics {

namespace {

/// MPFR's function under the name that the table of functions uses.
int mpfr_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) { return mpfr_rec_sqrt(result, x, rounding); }
int mpfr_lgamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  int sign_of_gamma = 0;
  return ::mpfr_lgamma(result, &sign_of_gamma, x, rounding);
}
/// IEEE 754-2019, 9.2.1; a NaN for an n that is no degree.
int mpfr_rootn(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr n, mpfr_rnd_t rounding) {
  if (mpfr_integer_p(n) && !mpfr_zero_p(n) && mpfr_get_exp(n) <= 53)
    return mpfr_rootn_si(result, x, mpfr_get_si(n, MPFR_RNDN), rounding);
  mpfr_set_nan(result);
  return 0;
}

}  // namespace

int mpfr_evaluate(Function function, mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  switch (function) {
#define RECKON_FUNCTION(name) \
  case Function::name: return mpfr_##name(result, x, rounding);
#include "numerics/functions.def"
    case Function::sqrt: return mpfr_sqrt(result, x, rounding);
  }
  return 0;
}

int mpfr_evaluate(BinaryFunction function, mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding) {
  switch (function) {
#define RECKON_FUNCTION_OF_TWO(name) \
  case BinaryFunction::name: return mpfr_##name(result, x, y, rounding);
#include "numerics/functions.def"
  }
  return 0;
}

namespace {

/// `compute(result, direction)` returns MPFR's ternary value. In the format's own exponent range MPFR overflows as the
/// format does. mpfr_subnormalize, given the direction of the first rounding, shortens a subnormal result without
/// rounding twice.
template <class Compute>
std::uint64_t rounded(Format format, Rounding rounding, Compute&& compute) {
  const FormatExponentRange range(format);
  MpfrNumber result(traits(format).precision);
  const mpfr_rnd_t direction = mpfr_rounding(rounding);
  const int ternary = compute(static_cast<mpfr_ptr>(result), direction);
  mpfr_subnormalize(result, ternary, direction);
  return round_f64(mpfr_get_d(result, MPFR_RNDN), format);
}

}  // namespace

std::uint64_t mpfr_unary(Function function, std::uint64_t bits, Format format, Rounding rounding) {
  if (is_nan(bits, format)) return canonical_nan(format);
  // mpfr_rec_sqrt gives +inf for both zeros.
  if (function == Function::rsqrt && (bits & width_mask(format)) == sign_bit(format)) {
    return overflow_bits(format) | sign_bit(format);
  }
  MpfrNumber argument(53);
  mpfr_set_d(argument, widen(bits, format), MPFR_RNDN);

  return rounded(format, rounding, [&](mpfr_ptr result, mpfr_rnd_t direction) {
    return mpfr_evaluate(function, result, argument, direction);
  });
}

std::uint64_t mpfr_binary(BinaryFunction function, std::uint64_t x, std::uint64_t y, Format format,
                          Rounding rounding) {
  MpfrNumber first(53), second(53);
  mpfr_set_d(first, widen(x, format), MPFR_RNDN);
  mpfr_set_d(second, widen(y, format), MPFR_RNDN);
  return rounded(format, rounding, [&](mpfr_ptr result, mpfr_rnd_t direction) {
    return mpfr_evaluate(function, result, first, second, direction);
  });
}

std::uint64_t mpfr_fma(std::uint64_t x, std::uint64_t y, std::uint64_t z, Format format, Rounding rounding) {
  MpfrNumber first(53), second(53), addend(53);
  mpfr_set_d(first, widen(x, format), MPFR_RNDN);
  mpfr_set_d(second, widen(y, format), MPFR_RNDN);
  mpfr_set_d(addend, widen(z, format), MPFR_RNDN);
  return rounded(format, rounding, [&](mpfr_ptr result, mpfr_rnd_t direction) {
    return ::mpfr_fma(result, first, second, addend, direction);
  });
}

double mpfr_nearest(Function function, double x) {
  return std::bit_cast<double>(mpfr_unary(function, std::bit_cast<std::uint64_t>(x), Format::f64));
}

double mpfr_nearest(BinaryFunction function, double x, double y) {
  return std::bit_cast<double>(
      mpfr_binary(function, std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y), Format::f64));
}

double mpfr_unary_directed(Function function, double x, bool upward) {
  const Rounding rounding = upward ? Rounding::upward : Rounding::downward;
  return std::bit_cast<double>(mpfr_unary(function, std::bit_cast<std::uint64_t>(x), Format::f64, rounding));
}

}  // namespace reckon::numerics
