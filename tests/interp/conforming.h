// Implementations that obey a profile, made up at random: true values by Arb, roundings by GMP rationals. Nothing here
// is shared with interp/accept.
#pragma once

#include <arb.h>
#include <mpfr.h>

#include <optional>
#include <random>

#include "numerics/elementary.h"
#include "tests/interp/arb_reference.h"

namespace reckon::interp::testing {

/// A random choice at every step, of what WGSL's text allows. A result that may be anything is empty.
class Conforming {
 public:
  using Result = std::optional<double>;
  using Op = ir::Op;

  Conforming(numerics::Format format, std::mt19937_64& random) : format_(format), random_(random) {
    const auto traits = numerics::traits(format);
    precision_ = traits.precision;
    min_exponent_ = traits.emin;
    largest_ = numerics::widen(numerics::largest_finite(format), format);
    min_normal_ = std::ldexp(1.0, traits.emin);
    half_ = format == numerics::Format::f16;
  }

  double largest() const { return largest_; }
  double min_normal() const { return min_normal_; }
  bool coin() { return (random_() & 1) != 0; }

  /// A number of the format next to a real.
  double either_side(const mpq_class& x) {
    return round(x, coin() ? numerics::Rounding::downward : numerics::Rounding::upward);
  }
  /// Subnormal numbers may count as 0.
  double maybe_flushed(double x) { return std::fabs(x) < min_normal_ && coin() ? 0 : x; }

  /// One of its two neighbours, flushed or not.
  Result rounded(const mpq_class& x) { return finished(either_side(x)); }

  Result ulps(const mpq_class& x, const mpq_class& n) { return within(x, n * ulp(x)); }
  Result absolute(const mpq_class& x, const mpq_class& error) { return within(x, error); }

  // The operations.
  Result add(double a, double b) { return rounded(q(in(a)) + q(in(b))); }
  Result sub(double a, double b) { return rounded(q(in(a)) - q(in(b))); }
  Result mul(double a, double b) { return rounded(q(in(a)) * q(in(b))); }
  Result div(double a, double b) {
    a = in(a), b = in(b);
    const double far = half_ ? 0x1p14 : 0x1p126;
    if (std::fabs(b) < min_normal_ || std::fabs(b) > far) return std::nullopt;
    return ulps(q(a) / q(b), mpq_class(5, 2));
  }
  Result fma(double a, double b, double c) {
    if (coin()) return rounded(q(in(a)) * q(in(b)) + q(in(c)));
    const Result product = mul(a, b);
    return product ? add(*product, c) : product;
  }
  Result rem(double a, double b) {
    const Result quotient = div(a, b);
    if (!quotient) return quotient;
    const Result whole = rounded(q(std::trunc(in(*quotient))));
    const Result product = whole ? mul(b, *whole) : whole;
    return product ? sub(a, *product) : product;
  }
  Result chosen(double a, double b, bool greater) {
    a = in(a), b = in(b);
    const bool both = std::fabs(a) < min_normal_ && std::fabs(b) < min_normal_;
    if (both) return finished(coin() ? a : b);
    return finished(greater ? std::max(a, b) : std::min(a, b));
  }
  Result clamp(double x, double low, double high) {
    if (coin()) {
      const Result above = chosen(x, low, true);
      return chosen(*above, high, false);
    }
    x = in(x), low = in(low), high = in(high);
    return finished(std::max(std::min(x, low), std::min(std::max(x, low), high)));
  }
  Result whole(Op op, double x) {
    x = in(x);
    switch (op) {
      case Op::floor: return finished(std::floor(x));
      case Op::ceil: return finished(std::ceil(x));
      case Op::trunc: return finished(std::trunc(x));
      case Op::round: return finished(std::nearbyint(x));
      case Op::sign: return finished(x > 0 ? 1 : (x < 0 ? -1 : 0));
      case Op::abs: return finished(std::fabs(x));
      default: return finished(-x);
    }
  }
  Result rsqrt(double x) {
    x = in(x);
    if (x <= 0) return std::nullopt;
    return ulps(real(Op::rsqrt, x), 2);
  }
  Result sqrt(double x) {
    const Result root = rsqrt(x);
    return root ? div(1, *root) : root;
  }
  Result exp(Op op, double x) {
    x = in(x);
    if (std::fabs(x) > 2000) return x > 0 ? Result{} : ulps(mpq_class(0), (half_ ? 1 : 3) + 2 * abs(q(x)));
    return ulps(real(op, x), (half_ ? 1 : 3) + 2 * abs(q(x)));
  }
  Result log(Op op, double x) {
    x = in(x);
    if (x <= 0) return std::nullopt;
    const mpq_class value = x == 1 ? mpq_class(0) : real(op, x);
    return x >= 0.5 && x <= 2 ? absolute(value, q(half_ ? 0x1p-7 : 0x1p-21)) : ulps(value, 3);
  }
  Result pow(double x, double y) {
    const Result exponent = log(Op::log2, x);
    const Result product = exponent ? mul(y, *exponent) : exponent;
    return product ? exp(Op::exp2, *product) : product;
  }
  Result wave(Op op, double x) {
    x = in(x);
    if (std::fabs(x) > (half_ ? 3.140625 : 0x1.921fb6p1)) return std::nullopt;
    return absolute(x == 0 ? mpq_class(op == Op::cos ? 1 : 0) : real(op, x), q(half_ ? 0x1p-7 : 0x1p-11));
  }
  Result tan(double x) {
    const Result sine = wave(Op::sin, x), cosine = wave(Op::cos, x);
    return sine && cosine ? div(*sine, *cosine) : Result{};
  }
  Result atan(double x) {
    x = in(x);
    return ulps(x == 0 ? mpq_class(0) : real(Op::atan, x), half_ ? 5 : 4096);
  }
  Result atan2(double y, double x) {
    y = in(y), x = in(x);
    const double far = half_ ? 0x1p14 : 0x1p126;
    if (std::fabs(y) < min_normal_ || std::fabs(x) < min_normal_ || std::fabs(x) > far) return std::nullopt;
    return ulps(real(Op::atan2, y, x), half_ ? 5 : 4096);
  }
  Result halves(bool sum, double x) {
    const Result a = exp(Op::exp, x), minus = whole(Op::neg, x);
    const Result b = minus ? exp(Op::exp, *minus) : minus;
    if (!a || !b) return std::nullopt;
    const Result both = sum ? add(*a, *b) : sub(*a, *b);
    return both ? mul(*both, 0.5) : both;
  }
  Result tanh(double x) {
    if (coin()) return absolute(in(x) == 0 ? mpq_class(0) : real(Op::tanh, in(x)), mpq_class(1, 100000));
    const Result a = halves(false, x), b = halves(true, x);
    return a && b ? div(*a, *b) : Result{};
  }
  Result asinh(double x) {
    const Result square = mul(x, x);
    const Result more = square ? add(*square, 1) : square;
    const Result root = more ? sqrt(*more) : more;
    const Result sum = root ? add(x, *root) : root;
    return sum ? log(Op::log, *sum) : sum;
  }
  Result acos(double x) {
    if (coin()) {
      x = in(x);
      if (std::fabs(x) > 1) return std::nullopt;
      return absolute(x == 1 ? mpq_class(0) : real(Op::acos, x),
                      half_ ? mpq_class(391, 100000) : mpq_class(677, 10000000));
    }
    const Result square = mul(x, x);
    const Result less = square ? sub(1, *square) : square;
    const Result root = less ? sqrt(*less) : less;
    return root ? atan2(*root, x) : root;
  }

  static mpq_class q(double x) { return mpq_class(x); }

  /// f(x), so closely that no rounding can tell: 300 bits. For results that are irrational or have few bits.
  mpq_class real(Op op, double x, double y = 0) const {
    const Ball ball = at_point(op, Ball(x), Ball(y), Ball(), 400);
    mpfr_t middle;
    mpfr_init2(middle, 300);
    arf_get_mpfr(middle, arb_midref(ball.get()), MPFR_RNDN);
    mpq_class out;
    if (mpfr_zero_p(middle)) out = 0;
    else mpfr_get_q(out.get_mpq_t(), middle);
    mpfr_clear(middle);
    return out;
  }

 private:
  double round(const mpq_class& x, numerics::Rounding way) const {
    return numerics::widen(numerics::round_rational(x, format_, way), format_) + 0.0;
  }
  double in(double x) { return maybe_flushed(x); }
  Result finished(double x) {
    if (!(std::fabs(x) <= largest_)) return std::nullopt;
    return maybe_flushed(x) + 0.0;
  }

  /// WGSL's: between the numbers of the format around a real; flushed subnormal ones count as 0.
  mpq_class ulp(const mpq_class& x) const {
    const mpq_class size = abs(x);
    if (size < q(min_normal_)) return q(min_normal_);
    if (size > q(largest_)) return q(std::ldexp(1.0, std::ilogb(largest_) - precision_ + 1));
    const mpq_class low = q(round(size, numerics::Rounding::downward)),
                    high = q(round(size, numerics::Rounding::upward));
    if (low != high) return high - low;
    const double at = low.get_d();
    const int exponent = std::ilogb(at) - (std::ldexp(1.0, std::ilogb(at)) == at ? 1 : 0);
    return q(std::ldexp(1.0, std::max(exponent, min_exponent_) - precision_ + 1));
  }

  /// Some number of the format that is not farther away; most often as far as possible.
  Result within(const mpq_class& x, const mpq_class& error) {
    mpq_class low = x - error, high = x + error;
    switch (random_() % 4) {
      case 0: low = high; break;
      case 1: high = low; break;
      default: {
        const mpq_class share = q(static_cast<double>(random_() >> 11) * 0x1p-53);
        low = high = low + share * (high - low);
      }
    }
    const double inside = round(low, low > x ? numerics::Rounding::downward : numerics::Rounding::upward);
    if (abs(q(std::clamp(inside, -1e300, 1e300)) - x) > error) return rounded(x);  // none there: a neighbour has to do
    return finished(inside);
  }

  numerics::Format format_;
  std::mt19937_64& random_;
  int precision_, min_exponent_;
  double largest_, min_normal_;
  bool half_;
};

}  // namespace reckon::interp::testing
