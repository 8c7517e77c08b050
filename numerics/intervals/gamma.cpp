#include "numerics/intervals/gamma.h"

#include <algorithm>
#include <limits>

#include "numerics/mpfr_evaluate.h"
#include "numerics/mpfr_scope.h"

namespace reckon::numerics::intervals {

namespace {

constexpr mpfr_exp_t largest_exponent = 1 << 16;
constexpr double infinity = std::numeric_limits<double>::infinity();

WideFloat floor_of(const WideFloat& x) {
  if (!x.is_finite()) return x;
  return WideFloat::rounded(mpfr_get_prec(x.get()), Toward::below,
                            [&](mpfr_ptr out, mpfr_rnd_t) { mpfr_rint_floor(out, x.get(), MPFR_RNDN); });
}
/// x + 1, exactly; x is an integer.
WideFloat successor(const WideFloat& x) {
  const auto bits = std::max<mpfr_prec_t>(mpfr_get_prec(x.get()), x.is_zero() ? 1 : mpfr_get_exp(x.get())) + 1;
  return WideFloat::rounded(bits, Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_add_ui(out, x.get(), 1, way); });
}
bool is_pole(const WideFloat& x) { return x <= WideFloat(0) && x.is_finite() && floor_of(x) == x; }

/// The sign of digamma, which MPFR rounds correctly; x is no pole.
int slope(const WideFloat& x) {
  MpfrNumber out(32);
  mpfr_digamma(out, x.get(), MPFR_RNDN);
  return mpfr_sgn(static_cast<mpfr_srcptr>(out));
}

/// The function on one branch, which is valleys, or the hills of gamma between every second pair of poles.
class Branch {
 public:
  /// `left` is the pole to the left, or 0.
  Branch(Function function, mpfr_prec_t precision, WideFloat left)
      : function_(function), precision_(precision), left_(std::move(left)) {
    hill_ = function == Function::gamma && left_ < WideFloat(0) && left_.is_odd();
  }

  /// The range over [low, high], of which each end is a pole, infinite, or within the branch.
  Interval<WideFloat> range(const WideFloat& low, const WideFloat& high) const {
    const bool falls = is_pole(low) || slope(low) < 0;
    const bool rises = is_pole(high) || !high.is_finite() || slope(high) > 0;
    const Toward outer = hill_ ? Toward::below : Toward::above, inner = opposite(outer);
    const WideFloat a = value(outer, low), b = value(outer, high);
    const WideFloat far = (a < b) == hill_ ? a : b;
    const WideFloat near = falls && rises ? extreme(inner) : value(inner, falls ? high : low);
    return hill_ ? Interval<WideFloat>{far, near} : Interval<WideFloat>{near, far};
  }

 private:
  WideFloat value(Toward side, const WideFloat& x) const {
    if (is_pole(x) || !x.is_finite()) return WideFloat(hill_ ? -infinity : infinity);
    return wide_function(function_, precision_, side, x);
  }

  /// A bound of the extreme value. digamma changes its sign in a bracket around x of the width w: by convexity,
  /// log |Gamma| is there at least log |Gamma(x)| - w |digamma(x)|, and w is chosen so that w digamma(x), some w^2, is far
  /// below the precision. For gamma, e^-d >= 1 - d.
  WideFloat extreme(Toward side) const {
    const mpfr_prec_t halvings = precision_ / 2 + 24;
    const mpfr_exp_t size = left_.is_zero() ? 1 : mpfr_get_exp(left_.get());
    const mpfr_prec_t bits = std::max<mpfr_prec_t>(size, 2) + halvings + 8;
    // The least value above 0 is at 1.4616...
    WideFloat low = left_.is_zero() ? WideFloat(1) : left_, high = left_.is_zero() ? WideFloat(2) : successor(left_);
    const auto middle = [&] {
      return WideFloat::rounded(bits, Toward::below, [&](mpfr_ptr out, mpfr_rnd_t way) {
        mpfr_add(out, low.get(), high.get(), way);
        mpfr_div_2ui(out, out, 1, way);
      });
    };
    for (mpfr_prec_t k = 0; k < halvings; ++k) {
      const WideFloat at = middle();
      (slope(at) < 0 ? low : high) = at;
    }
    const WideFloat at = middle();
    MpfrNumber lower(64);  // how much lower log |Gamma| may be
    mpfr_digamma(lower, at.get(), MPFR_RNDA);
    mpfr_abs(lower, lower, MPFR_RNDU);
    mpfr_div_2ui(lower, lower, static_cast<unsigned long>(halvings), MPFR_RNDU);
    return WideFloat::rounded(precision_, side, [&](mpfr_ptr out, mpfr_rnd_t way) {
      MpfrNumber wide(precision_ + 64);
      mpfr_evaluate(function_, wide, at.get(), way);
      if (function_ == Function::gamma) {
        MpfrNumber factor(precision_ + 64);
        mpfr_ui_sub(factor, 1, lower, MPFR_RNDD);
        mpfr_mul(wide, wide, factor, way);  // toward 0 for both signs
      } else {
        mpfr_sub(wide, wide, lower, way);
      }
      mpfr_set(out, wide, way);
    });
  }

  Function function_;
  mpfr_prec_t precision_;
  WideFloat left_;
  bool hill_ = false;
};

}  // namespace

Interval<WideFloat> gamma_range(Function function, mpfr_prec_t precision, const Interval<WideFloat>& x) {
  const WideFloat zero(0);
  // Farther from 0, a number of one branch would have too many bits.
  if (x.low < zero && x.low.is_finite() && mpfr_get_exp(x.low.get()) > largest_exponent) return {-infinity, infinity};
  const auto branch = [&](const WideFloat& left) {
    return Branch(function, precision, left < zero ? left : zero);
  };
  const WideFloat floor_of_low = floor_of(x.low);
  const bool from_below = !x.low.is_finite();
  const WideFloat next_pole = from_below ? x.low : successor(floor_of_low);
  const bool splits = x.low < zero && (from_below || (next_pole <= zero && next_pole < x.high));
  if (!splits) return branch(floor_of_low).range(x.low, x.high);
  if (function == Function::gamma) return {-infinity, infinity};  // a pole inside, with values of both signs beside it
  if (from_below) return {-infinity, infinity};
  WideFloat least = branch(floor_of_low).range(x.low, next_pole).low;
  const auto lower = [&](const WideFloat& bound) {
    if (bound < least) least = bound;
  };
  // Of the branches that lie within x, the leftmost has the least value.
  const WideFloat second = successor(next_pole);
  if (second <= zero && second <= x.high) lower(branch(next_pole).range(next_pole, second).low);
  const WideFloat floor_of_high = floor_of(x.high);
  const WideFloat last_pole = floor_of_high < zero ? floor_of_high : zero;
  if (last_pole < x.high) lower(branch(last_pole).range(last_pole, x.high).low);
  return {least, infinity};
}

Interval<WideFloat> digamma_range(mpfr_prec_t precision, const Interval<WideFloat>& x) {
  const WideFloat zero(0);
  const WideFloat last = x.high < zero ? floor_of(x.high) : zero;
  if (!x.low.is_finite() || x.low <= last) return {-infinity, infinity};
  const auto at = [&](Toward side, const WideFloat& end) {
    return WideFloat::rounded(precision, side, [&](mpfr_ptr out, mpfr_rnd_t way) { mpfr_digamma(out, end.get(), way); });
  };
  return {at(Toward::below, x.low), at(Toward::above, x.high)};
}

}  // namespace reckon::numerics::intervals
