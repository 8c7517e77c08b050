#include "numerics/decimal_upward.h"

#include <cstdlib>

namespace reckon::numerics {

mpz_class power_of_ten(unsigned long exponent) {
  mpz_class out;
  mpz_ui_pow_ui(out.get_mpz_t(), 10, exponent);
  return out;
}

namespace {

/// value * 10^shift, rounded.
mpz_class scaled(const mpq_class& value, long shift, bool up) {
  mpz_class numerator = value.get_num(), denominator = value.get_den(), out;
  (shift >= 0 ? numerator : denominator) *= power_of_ten(static_cast<unsigned long>(std::labs(shift)));
  (up ? mpz_cdiv_q : mpz_fdiv_q)(out.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  return out;
}

std::string decimal(const mpq_class& value, int digits, bool up) {
  if (value <= 0) return "0";
  // Estimate log10 to within one, then correct it, so that the significand has `digits` digits.
  const auto bits = static_cast<double>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
                    static_cast<double>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  long exponent = static_cast<long>(bits * 0.30103) - 2;
  mpz_class significand = scaled(value, digits - 1 - exponent, up);
  const mpz_class limit = power_of_ten(static_cast<unsigned long>(digits));
  while (significand >= limit) significand = scaled(value, digits - 1 - ++exponent, up);
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

}  // namespace

std::string decimal_upward(const mpq_class& value, int digits) { return decimal(value, digits, true); }
std::string decimal_downward(const mpq_class& value, int digits) { return decimal(value, digits, false); }

}  // namespace reckon::numerics
