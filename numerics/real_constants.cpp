// Irrational constants times rationals, rounded.
#include <bit>

#include "numerics/elementary.h"
#include "numerics/mpfr_evaluate.h"
#include "numerics/mpfr_scope.h"

namespace reckon::numerics {

void mpfr_evaluate(RealConstant constant, mpfr_ptr result, mpfr_rnd_t rounding) {
  switch (constant) {
    case RealConstant::pi: mpfr_const_pi(result, rounding); return;
    case RealConstant::ln2: mpfr_const_log2(result, rounding); return;
    case RealConstant::e: {
      mpfr_set_ui(result, 1, MPFR_RNDN);
      mpfr_exp(result, result, rounding);
      return;
    }
    case RealConstant::log2e: {
      // log2(e) = 1 / ln 2, so the divisor is rounded in the opposite direction.
      MpfrNumber ln2(mpfr_get_prec(result));
      mpfr_const_log2(ln2, rounding == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD);
      mpfr_ui_div(result, 1, ln2, rounding);
      return;
    }
  }
}

namespace {

/// A bound of the constant from below or above, with about `precision` correct bits.
mpq_class bound(RealConstant constant, mpfr_prec_t precision, mpfr_rnd_t direction) {
  MpfrNumber value(precision);
  mpfr_evaluate(constant, value, direction);
  mpq_class exact;
  mpfr_get_q(exact.get_mpq_t(), value);
  return exact;
}

}  // namespace

std::uint64_t round_real(const mpq_class& scale, RealConstant constant, Format format, Rounding rounding) {
  if (sgn(scale) == 0) return 0;
  // Ziv's strategy: the enclosure is tightened until both endpoints round alike. This ends, because the product is
  // irrational and so is neither a value of the format nor a midpoint.
  for (mpfr_prec_t precision = 128;; precision *= 2) {
    const std::uint64_t from_below = round_rational(scale * bound(constant, precision, MPFR_RNDD), format, rounding);
    const std::uint64_t from_above = round_rational(scale * bound(constant, precision, MPFR_RNDU), format, rounding);
    if (from_below != from_above) continue;
    const bool is_negative_zero = from_below == sign_bit(format) && rounding == Rounding::nearest_even;
    return is_negative_zero ? 0 : from_below;
  }
}

std::pair<double, double> enclose_real(const mpq_class& scale, RealConstant constant) {
  return {std::bit_cast<double>(round_real(scale, constant, Format::f64, Rounding::downward)),
          std::bit_cast<double>(round_real(scale, constant, Format::f64, Rounding::upward))};
}

}  // namespace reckon::numerics
