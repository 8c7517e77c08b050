#include "numerics/wide_float.h"

#include <algorithm>
#include <cmath>

#include "numerics/mpfr_evaluate.h"
#include "numerics/mpfr_scope.h"

namespace reckon::numerics {

WideFloat::WideFloat(double value) {
  mpfr_init2(value_, 53);
  mpfr_set_d(value_, value, MPFR_RNDN);
}

WideFloat::WideFloat(const WideFloat& other) {
  mpfr_init2(value_, mpfr_get_prec(other.value_));
  mpfr_set(value_, other.value_, MPFR_RNDN);
}

WideFloat::WideFloat(WideFloat&& other) noexcept {
  mpfr_init2(value_, MPFR_PREC_MIN);
  mpfr_swap(value_, other.value_);
}

WideFloat& WideFloat::operator=(const WideFloat& other) {
  if (this == &other) return *this;
  mpfr_set_prec(value_, mpfr_get_prec(other.value_));
  mpfr_set(value_, other.value_, MPFR_RNDN);
  return *this;
}

WideFloat& WideFloat::operator=(WideFloat&& other) noexcept {
  mpfr_swap(value_, other.value_);
  return *this;
}

bool WideFloat::is_odd() const {
  if (!is_finite() || is_zero() || mpfr_integer_p(value_) == 0) return false;
  // The lowest bit that can be set has weight 2^(exponent - precision).
  if (mpfr_get_exp(value_) > mpfr_get_prec(value_)) return false;
  mpz_class whole;
  mpfr_get_z(whole.get_mpz_t(), value_, MPFR_RNDN);
  return mpz_odd_p(whole.get_mpz_t()) != 0;
}

mpq_class WideFloat::rational() const {
  mpq_class out;
  mpfr_get_q(out.get_mpq_t(), value_);
  return out;
}

WideFloat WideFloat::operator-() const {
  WideFloat out(*this);
  mpfr_neg(out.value_, out.value_, MPFR_RNDN);
  return out;
}

std::string WideFloat::decimal(mpfr_prec_t precision, Toward side) const {
  if (mpfr_inf_p(value_)) return mpfr_sgn(value_) < 0 ? "-inf" : "inf";
  if (is_zero()) return "0";
  // Enough digits to tell neighbours apart: 1 + ceil(p log10 2).
  const auto digits = static_cast<std::size_t>(std::ceil(static_cast<double>(precision) * 0.30103)) + 1;
  mpfr_exp_t exponent = 0;
  char* text = mpfr_get_str(nullptr, &exponent, 10, digits, value_, mpfr_toward(side));
  std::string mantissa = text;
  mpfr_free_str(text);
  std::string out;
  if (mantissa[0] == '-') {
    out = "-";
    mantissa.erase(0, 1);
  }
  mantissa.erase(std::max<std::size_t>(mantissa.find_last_not_of('0') + 1, 1));
  const auto count = static_cast<mpfr_exp_t>(mantissa.size());
  if (exponent > -5 && exponent <= 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent), '0') + mantissa;
  if (exponent > 0 && exponent <= 16) {
    if (count <= exponent) return out + mantissa + std::string(static_cast<std::size_t>(exponent - count), '0');
    const auto point = static_cast<std::size_t>(exponent);
    return out + mantissa.substr(0, point) + "." + mantissa.substr(point);
  }
  out += mantissa.substr(0, 1);
  if (count > 1) out += "." + mantissa.substr(1);
  return out + "e" + std::to_string(exponent - 1);
}

std::string WideFloat::hexadecimal() const {
  if (mpfr_inf_p(value_)) return mpfr_sgn(value_) < 0 ? "-inf" : "inf";
  if (is_zero()) return "0x0p+0";
  char* text = nullptr;
  mpfr_asprintf(&text, "%Ra", value_);
  std::string out = text;
  mpfr_free_str(text);
  return out;
}

WideFloat wide_function(Function function, mpfr_prec_t precision, Toward side, const WideFloat& x) {
  return WideFloat::rounded(precision, side, [&](mpfr_ptr out, mpfr_rnd_t rounding) {
    mpfr_evaluate(function, out, x.get(), rounding);
  });
}

WideFloat wide_function(BinaryFunction function, mpfr_prec_t precision, Toward side, const WideFloat& x,
                        const WideFloat& y) {
  return WideFloat::rounded(precision, side, [&](mpfr_ptr out, mpfr_rnd_t rounding) {
    mpfr_evaluate(function, out, x.get(), y.get(), rounding);
  });
}

WideFloat wide_real(const mpq_class& scale, RealConstant constant, mpfr_prec_t precision, Toward side) {
  if (sgn(scale) == 0) return 0;
  // As in round_real: the enclosure is tightened until both endpoints round alike, which they must for an irrational.
  for (mpfr_prec_t working = precision + 64;; working *= 2) {
    const auto from = [&](mpfr_rnd_t direction) {
      return WideFloat::rounded(precision, side, [&](mpfr_ptr out, mpfr_rnd_t rounding) {
        MpfrNumber value(working);
        mpfr_evaluate(constant, value, direction);
        mpq_class exact;
        mpfr_get_q(exact.get_mpq_t(), value);
        exact *= scale;
        mpfr_set_q(out, exact.get_mpq_t(), rounding);
      });
    };
    WideFloat low = from(MPFR_RNDD);
    if (low == from(MPFR_RNDU)) return low;
  }
}

mpz_class quadrant(const WideFloat& x) {
  if (x.is_zero()) return 0;
  // 2 x / pi is irrational, so the two bounds agree on its floor once they are close enough.
  const mpfr_exp_t magnitude = std::max<mpfr_exp_t>(mpfr_get_exp(x.get()), 0);
  for (mpfr_prec_t working = magnitude + 64;; working *= 2) {
    const auto bound = [&](mpfr_rnd_t direction) {
      // The divisor is rounded so that the quotient is rounded in the direction that `direction` asks for.
      const bool larger = (direction == MPFR_RNDU) == (mpfr_sgn(x.get()) > 0);
      MpfrNumber half_pi(working), quotient(working);
      mpfr_const_pi(half_pi, larger ? MPFR_RNDD : MPFR_RNDU);
      mpfr_div_2ui(half_pi, half_pi, 1, MPFR_RNDN);
      mpfr_div(quotient, x.get(), half_pi, direction);
      mpz_class out;
      mpfr_get_z(out.get_mpz_t(), quotient, MPFR_RNDD);
      return out;
    };
    mpz_class low = bound(MPFR_RNDD);
    if (low == bound(MPFR_RNDU)) return low;
  }
}

std::uint64_t half_turns_modulo_4(const WideFloat& x) {
  // From there on 2x is a multiple of 4.
  if (x.is_zero() || mpfr_get_exp(x.get()) > mpfr_get_prec(x.get()) + 1) return 0;
  const auto twice = WideFloat::rounded(mpfr_get_prec(x.get()), Toward::below,
                                        [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_mul_2ui(out, x.get(), 1, way); });
  mpz_class whole;
  mpfr_get_z(whole.get_mpz_t(), twice.get(), MPFR_RNDD);
  return mpz_fdiv_ui(whole.get_mpz_t(), 4);
}

mpz_class quadrant(double x) {
  if (std::fabs(x) < 0x1p+20) {
    // Two roundings of relative 2^-53 each, so an error below 2^-31 for |quotient| < 2^20.
    const double quotient = x * 0x1.45f306dc9c883p-1;
    const double whole = std::floor(quotient);
    if (quotient - whole > 0x1p-30 && quotient - whole < 1 - 0x1p-30) return mpz_class(whole);
  }
  return quadrant(WideFloat(x));
}

}  // namespace reckon::numerics
