#include "numerics/decimal_upward.h"

#include <cstdlib>

namespace reckon::numerics {

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class out;
  mpz_ui_pow_ui(out.get_mpz_t(), 10, exponent);
  return out;
}

namespace {

/// value * 10^shift, rounded up.
mpz_class scaled_up(const mpq_class& value, long shift) {
  mpz_class numerator = value.get_num(), denominator = value.get_den(), out;
  (shift >= 0 ? numerator : denominator) *= power_of_ten(static_cast<unsigned long>(std::labs(shift)));
  mpz_cdiv_q(out.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  return out;
}

}  // namespace

std::string decimal_upward(const mpq_class& value, int digits) {
  if (value <= 0) return "0";
  // Estimate log10 to within one, then correct it, so that the significand has `digits` digits.
  const auto bits = static_cast<double>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
                    static_cast<double>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  long exponent = static_cast<long>(bits * 0.30103) - 2;
  mpz_class significand = scaled_up(value, digits - 1 - exponent);
  const mpz_class limit = power_of_ten(static_cast<unsigned long>(digits));
  while (significand >= limit) significand = scaled_up(value, digits - 1 - ++exponent);
  std::string text = significand.get_str();
  while (text.size() > 1 && text.back() == '0') text.pop_back();
  const auto count = static_cast<long>(text.size());
  if (exponent < -4 || exponent > 5) {
    if (count > 1) text.insert(1, ".");
    return text + "e" + std::to_string(exponent);
  }
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + text;
  if (count <= exponent + 1) return text + std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
  text.insert(static_cast<std::size_t>(exponent + 1), ".");
  return text;
}

}  // namespace reckon::numerics
