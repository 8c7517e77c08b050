#include "numerics/elementary.h"

#include <bit>

#include "numerics/mpfr_scope.h"

namespace reckon::numerics {

namespace {

/// MPFR's ternary value: the sign of (result - exact).
int evaluate(Function function, mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  switch (function) {
    case Function::exp: return mpfr_exp(result, x, rounding);
    case Function::exp2: return mpfr_exp2(result, x, rounding);
    case Function::log: return mpfr_log(result, x, rounding);
    case Function::log2: return mpfr_log2(result, x, rounding);
    case Function::sin: return mpfr_sin(result, x, rounding);
    case Function::cos: return mpfr_cos(result, x, rounding);
    case Function::sqrt: return mpfr_sqrt(result, x, rounding);
    case Function::rsqrt: return mpfr_rec_sqrt(result, x, rounding);
  }
  return 0;
}

}  // namespace

std::uint64_t mpfr_unary(Function function, std::uint64_t bits, Format format, Rounding rounding) {
  if (is_nan(bits, format)) return canonical_nan(format);
  // mpfr_rec_sqrt gives +inf for both zeros.
  if (function == Function::rsqrt && (bits & width_mask(format)) == sign_bit(format)) {
    return infinity_bits(format) | sign_bit(format);
  }
  MpfrNumber argument(53);
  mpfr_set_d(argument, widen(bits, format), MPFR_RNDN);

  // In the format's own exponent range MPFR overflows as the format does, and mpfr_subnormalize, told the
  // direction of the first rounding, shortens what is too small without rounding twice.
  const FormatExponentRange range(format);
  MpfrNumber result(traits(format).precision);
  const mpfr_rnd_t direction = mpfr_rounding(rounding);
  const int ternary = evaluate(function, result, argument, direction);
  mpfr_subnormalize(result, ternary, direction);
  return round_f64(mpfr_get_d(result, MPFR_RNDN), format);
}

double mpfr_unary_directed(Function function, double x, bool upward) {
  const Rounding rounding = upward ? Rounding::upward : Rounding::downward;
  return std::bit_cast<double>(mpfr_unary(function, std::bit_cast<std::uint64_t>(x), Format::f64, rounding));
}

}  // namespace reckon::numerics
