// MPFR's resources under C++'s scopes. Private to this folder.
#pragma once

#include <mpfr.h>

#include "numerics/format.h"

namespace reckon::numerics {

/// MPFR keeps the constants that it has computed (log 2, pi) per thread; this frees them when the thread ends.
struct MpfrThread {
  ~MpfrThread() { mpfr_free_cache(); }
};

/// One MPFR number, freed at the end of its scope.
class MpfrNumber {
 public:
  explicit MpfrNumber(mpfr_prec_t precision) {
    static thread_local const MpfrThread thread;
    (void)thread;
    mpfr_init2(value_, precision);
  }
  MpfrNumber(const MpfrNumber&) = delete;
  MpfrNumber& operator=(const MpfrNumber&) = delete;
  ~MpfrNumber() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

/// Gives this thread's MPFR the exponent range of a format, subnormals included, and puts the old one back.
class FormatExponentRange {
 public:
  explicit FormatExponentRange(Format format) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    // MPFR's significands lie in [1/2, 1): its exponents are IEEE's plus one. See mpfr_subnormalize.
    mpfr_set_emin(traits(format).emin - traits(format).precision + 2);
    mpfr_set_emax(traits(format).emax + 1);
  }
  FormatExponentRange(const FormatExponentRange&) = delete;
  FormatExponentRange& operator=(const FormatExponentRange&) = delete;
  ~FormatExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }

 private:
  mpfr_exp_t emin_;
  mpfr_exp_t emax_;
};

constexpr mpfr_rnd_t mpfr_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even: return MPFR_RNDN;
    case Rounding::toward_zero: return MPFR_RNDZ;
    case Rounding::upward: return MPFR_RNDU;
    case Rounding::downward: return MPFR_RNDD;
  }
  return MPFR_RNDN;
}

}  // namespace reckon::numerics
