// Endpoints with any precision in bits, by MPFR. Exponents have MPFR's own range, so nothing underflows in practice.
#pragma once

#include "interp/algebra/interval_endpoints.h"

namespace reckon::interp {

struct WideEndpoints : numerics::intervals::NativeSelections<numerics::WideFloat> {
  mpfr_prec_t precision = 53;

  WideEndpoints() = default;
  explicit WideEndpoints(mpfr_prec_t bits) : precision(bits) {}

  End add(Toward side, const End& a, const End& b) const {
    End sum = rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_add(out, a.get(), b.get(), way); });
    return sum.is_nan() ? unbounded(side) : sum;
  }
  End mul(Toward side, const End& a, const End& b) const {
    if (a.is_zero() || b.is_zero()) return 0;
    return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_mul(out, a.get(), b.get(), way); });
  }
  /// b is not 0; a / inf is its limit 0, and inf / inf is whatever the signs allow.
  End div(Toward side, const End& a, const End& b) const {
    if (a.is_zero()) return 0;
    if (!a.is_finite() && !b.is_finite()) {
      const bool negative = (a < 0) != (b < 0);
      return negative == (side == Toward::below) ? unbounded(side) : End(0);
    }
    return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_div(out, a.get(), b.get(), way); });
  }
  End fma(Toward side, const End& a, const End& b, const End& c) const {
    if (a.is_zero() || b.is_zero())
      return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_set(out, c.get(), way); });
    End sum = rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_fma(out, a.get(), b.get(), c.get(), way); });
    return sum.is_nan() ? unbounded(side) : sum;
  }
  End sqrt(Toward side, const End& a) const { return function(numerics::Function::sqrt, side, a); }
  End function(numerics::Function f, Toward side, const End& x) const {
    return numerics::wide_function(f, precision, side, x);
  }
  End function(numerics::BinaryFunction f, Toward side, const End& x, const End& y) const {
    return numerics::wide_function(f, precision, side, x, y);
  }
  numerics::intervals::Interval<End> gamma_range(numerics::Function f,
                                                 const numerics::intervals::Interval<End>& x) const {
    return numerics::intervals::gamma_range(f, precision, x);
  }
  numerics::intervals::Interval<End> digamma_range(const numerics::intervals::Interval<End>& x) const {
    return numerics::intervals::digamma_range(precision, x);
  }
  /// x * 2^k; k is an integer or infinite. A k that is too large for MPFR only moves x away from 0, or towards it.
  End scaled(Toward side, const End& x, const End& k) const {
    if (x.is_zero()) return x;
    if (mpfr_fits_slong_p(k.get(), MPFR_RNDN)) {
      const long power = mpfr_get_si(k.get(), MPFR_RNDN);
      return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_mul_2si(out, x.get(), power, way); });
    }
    const bool outward = (x < 0) == (side == Toward::below);
    return k < 0 ? (outward ? x : End(0)) : (outward ? unbounded(side) : x);
  }
  /// The remainder of two numbers of this precision has this precision, too.
  End remainder(const End& a, const End& b) const {
    return rounded(Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_fmod(out, a.get(), b.get(), way); });
  }
  End rational(Toward side, const mpq_class& value) const {
    return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_set_q(out, value.get_mpq_t(), way); });
  }
  End real(Toward side, const mpq_class& scale, numerics::RealConstant constant) const {
    return numerics::wide_real(scale, constant, precision, side);
  }
  End pi_above() const { return real(Toward::above, 1, numerics::RealConstant::pi); }
  End number(Toward side, double value) const {
    return rounded(side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_set_d(out, value, way); });
  }

  End floor(const End& x) const { return whole(x, MPFR_RNDD); }
  End ceil(const End& x) const { return whole(x, MPFR_RNDU); }
  End trunc(const End& x) const { return whole(x, MPFR_RNDZ); }
  End round(const End& x) const { return whole(x, MPFR_RNDN); }
  static bool is_finite(const End& x) { return x.is_finite(); }
  static bool is_odd(const End& x) { return x.is_odd(); }
  /// Beyond 2^131072, the digits of pi would take too long to compute; the answer is then the whole range.
  static bool has_many_turns(const numerics::intervals::Interval<End>& x, const End& width) {
    const auto is_far = [](const End& end) { return !end.is_zero() && mpfr_get_exp(end.get()) >= (1 << 17); };
    return width >= End(7) || is_far(x.low) || is_far(x.high);
  }
  static End plain(const End& x) { return x.is_zero() ? End(0) : x; }
  End all_integers_below() const {
    return rounded(Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_set_ui_2exp(out, 1, precision - 1, way); });
  }

  static mpq_class exact(const End& x) { return x.rational(); }
  std::string decimal(Toward side, const End& x) const { return x.decimal(precision, side); }
  static std::string hexadecimal(const End& x) { return x.hexadecimal(); }

 private:
  End rounded(Toward side, auto&& compute) const { return End::rounded(precision, side, compute); }
  End whole(const End& x, mpfr_rnd_t rounding) const {
    return rounded(Toward::below, [&](mpfr_ptr out, mpfr_rnd_t) { mpfr_rint(out, x.get(), rounding); });
  }
  static End unbounded(Toward side) { return side == Toward::below ? -directed::infinity : directed::infinity; }
};

}  // namespace reckon::interp
