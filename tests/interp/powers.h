// Powers as rational numbers.
#pragma once

#include <gmpxx.h>

namespace reckon::interp::testing {

/// 2^exponent.
inline mpq_class power_of_two(int exponent) {
  mpq_class out(1);
  if (exponent >= 0) mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return out;
}

}  // namespace reckon::interp::testing
