// Operations on points by Arb (F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic",
// IEEE Transactions on Computers 66, 2017): balls that hold the true value. Nothing here is shared with our own code.
#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include "ir/module.h"
#include "ir/op.h"

namespace reckon::interp::testing {

class Ball {
 public:
  explicit Ball(double value = 0) {
    arb_init(value_);
    arb_set_d(value_, value);
  }
  Ball(const Ball& other) {
    arb_init(value_);
    arb_set(value_, other.value_);
  }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }
  arb_ptr get() { return value_; }
  arb_srcptr get() const { return value_; }
  bool finite() const { return arb_is_finite(value_) != 0; }

  // Certain comparisons with a double, which may be infinite.
  bool below(double x) const { return x > 0 && std::isinf(x) ? true : arb_lt(value_, Ball(x).value_) != 0; }
  bool above(double x) const { return x < 0 && std::isinf(x) ? true : arb_gt(value_, Ball(x).value_) != 0; }
  bool at_least(double x) const { return x < 0 && std::isinf(x) ? true : arb_ge(value_, Ball(x).value_) != 0; }
  bool at_most(double x) const { return x > 0 && std::isinf(x) ? true : arb_le(value_, Ball(x).value_) != 0; }

 private:
  arb_t value_;
};

/// op at a point; not finite where the operation is not defined there, or where the ball is too wide to know.
inline Ball at_point(ir::Op op, const Ball& a, const Ball& b, const Ball& c, slong precision) {
  Ball out, scratch;
  const arb_ptr r = out.get();
  const arb_srcptr x = a.get(), y = b.get();
  using enum ir::Op;
  switch (op) {
    case add: arb_add(r, x, y, precision); break;
    case sub: arb_sub(r, x, y, precision); break;
    case mul: arb_mul(r, x, y, precision); break;
    case div: arb_div(r, x, y, precision); break;
    case fma: arb_mul(scratch.get(), x, y, precision), arb_add(r, scratch.get(), c.get(), precision); break;
    case neg: arb_neg(r, x); break;
    case abs: arb_abs(r, x); break;
    case sqrt: arb_sqrt(r, x, precision); break;
    case rsqrt: arb_rsqrt(r, x, precision); break;
    case exp: arb_exp(r, x, precision); break;
    case exp2: arb_set_ui(r, 2), arb_pow(r, r, x, precision); break;
    case exp10: arb_set_ui(r, 10), arb_pow(r, r, x, precision); break;
    case log: arb_log(r, x, precision); break;
    case log2: arb_log_base_ui(r, x, 2, precision); break;
    case log10: arb_log_base_ui(r, x, 10, precision); break;
    case sin: arb_sin(r, x, precision); break;
    case cos: arb_cos(r, x, precision); break;
    case tan: arb_tan(r, x, precision); break;
    case sinpi: arb_sin_pi(r, x, precision); break;
    case cospi: arb_cos_pi(r, x, precision); break;
    case tanpi: arb_tan_pi(r, x, precision); break;
    case asin: arb_asin(r, x, precision); break;
    case acos: arb_acos(r, x, precision); break;
    case atan: arb_atan(r, x, precision); break;
    case sinh: arb_sinh(r, x, precision); break;
    case cosh: arb_cosh(r, x, precision); break;
    case tanh: arb_tanh(r, x, precision); break;
    case asinh: arb_asinh(r, x, precision); break;
    case acosh: arb_acosh(r, x, precision); break;
    case atanh: arb_atanh(r, x, precision); break;
    case erf: arb_hypgeom_erf(r, x, precision); break;
    case erfc: arb_hypgeom_erfc(r, x, precision); break;
    case gamma: arb_gamma(r, x, precision); break;
    case lgamma:
      arb_gamma(scratch.get(), x, precision);
      arb_abs(scratch.get(), scratch.get());
      arb_log(r, scratch.get(), precision);
      break;
    case expm1: arb_expm1(r, x, precision); break;
    case log1p: arb_log1p(r, x, precision); break;
    case cbrt:
      if (arb_is_zero(x)) break;
      arb_abs(r, x);
      arb_root_ui(r, r, 3, precision);
      arb_sgn(scratch.get(), x);
      arb_mul(r, r, scratch.get(), precision);
      break;
    case atan2:
      if (arb_contains_zero(x) && arb_contains_zero(y)) arb_indeterminate(r);
      else arb_atan2(r, x, y, precision);
      break;
    case pow: arb_pow(r, x, y, precision); break;
    case hypot: arb_hypot(r, x, y, precision); break;
    case min: arb_min(r, x, y, precision); break;
    case max: arb_max(r, x, y, precision); break;
    case floor: arb_floor(r, x, precision); break;
    case ceil: arb_ceil(r, x, precision); break;
    case rem: {  // x - y trunc(x / y)
      arb_div(scratch.get(), x, y, precision);
      const bool negative = arb_is_negative(scratch.get()) != 0;
      arb_abs(scratch.get(), scratch.get());
      arb_floor(scratch.get(), scratch.get(), precision);
      if (negative) arb_neg(scratch.get(), scratch.get());
      arb_mul(scratch.get(), scratch.get(), y, precision);
      arb_sub(r, x, scratch.get(), precision);
      break;
    }
    default: arb_indeterminate(r);
  }
  return out;
}

}  // namespace reckon::interp::testing
