// Binary floating-point numbers of any precision, through MPFR: one value each, every operation rounded once, downward
// or upward, to a precision that the caller names. Exponents have MPFR's own range (about 2^62), so there are no
// subnormals. A result that overflows even that is rounded as an endpoint is: to the largest number, or to infinity.
#pragma once

#include <gmpxx.h>
#include <mpfr.h>

#include <string>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// The side of the exact value on which a rounded one may lie.
enum class Toward : std::uint8_t { below, above };
constexpr Toward opposite(Toward side) { return side == Toward::below ? Toward::above : Toward::below; }
constexpr mpfr_rnd_t mpfr_toward(Toward side) { return side == Toward::below ? MPFR_RNDD : MPFR_RNDU; }

class WideFloat {
 public:
  WideFloat(double value = 0);  // NOLINT: a double is a wide float, exactly
  WideFloat(const WideFloat& other);
  WideFloat(WideFloat&& other) noexcept;
  WideFloat& operator=(const WideFloat& other);
  WideFloat& operator=(WideFloat&& other) noexcept;
  ~WideFloat() { mpfr_clear(value_); }

  /// Runs compute(result, rounding) once, with `precision` bits.
  template <class Compute>
  static WideFloat rounded(mpfr_prec_t precision, Toward side, Compute&& compute) {
    WideFloat out(precision, 0);
    compute(static_cast<mpfr_ptr>(out.value_), mpfr_toward(side));
    return out;
  }

  mpfr_srcptr get() const { return value_; }
  bool is_finite() const { return mpfr_number_p(value_) != 0; }
  bool is_nan() const { return mpfr_nan_p(value_) != 0; }
  bool is_zero() const { return mpfr_zero_p(value_) != 0; }
  bool is_odd() const;  ///< whether it is an odd integer
  mpq_class rational() const;  ///< only for a finite value

  WideFloat operator-() const;
  friend bool operator==(const WideFloat& a, const WideFloat& b) { return mpfr_equal_p(a.value_, b.value_) != 0; }
  friend bool operator<(const WideFloat& a, const WideFloat& b) { return mpfr_less_p(a.value_, b.value_) != 0; }
  friend bool operator>(const WideFloat& a, const WideFloat& b) { return b < a; }
  friend bool operator<=(const WideFloat& a, const WideFloat& b) { return mpfr_lessequal_p(a.value_, b.value_) != 0; }
  friend bool operator>=(const WideFloat& a, const WideFloat& b) { return b <= a; }

  /// Decimal digits on the given side of the value, as many as `precision` bits need; `inf`, `-inf`.
  std::string decimal(mpfr_prec_t precision, Toward side) const;
  /// `0x1.8p+0`, exact.
  std::string hexadecimal() const;

 private:
  WideFloat(mpfr_prec_t precision, int) { mpfr_init2(value_, precision); }
  mpfr_t value_;
};

/// f(x), and f(x, y), rounded once. Where f is not defined the result is a NaN.
WideFloat wide_function(Function function, mpfr_prec_t precision, Toward side, const WideFloat& x);
WideFloat wide_function(BinaryFunction function, mpfr_prec_t precision, Toward side, const WideFloat& x,
                        const WideFloat& y);
/// scale times the constant, rounded once.
WideFloat wide_real(const mpq_class& scale, RealConstant constant, mpfr_prec_t precision, Toward side);

/// floor(x / (pi / 2)), exactly; x finite. The time grows with x's exponent.
mpz_class quadrant(const WideFloat& x);
mpz_class quadrant(double x);
/// floor(2x) modulo 4; x finite.
std::uint64_t half_turns_modulo_4(const WideFloat& x);

}  // namespace reckon::numerics
