// Reals in decimal, rounded to nearest; only certain digits are shown.
#include <fmt/format.h>

#include <cmath>

#include "numerics/decimal_upward.h"
#include "numerics/format.h"
#include "numerics/reals/node.h"

namespace reckon::numerics {

namespace {

constexpr double bits_of_digit = 3.3219280948873626;

/// A number rounded to so many digits: units * 10^(exponent - digits + 1), 10^(digits - 1) <= |units| < 10^digits.
struct Decimal {
  mpz_class units;
  long exponent = 0;
};

mpz_class small_power_of_ten(long n) {
  if (n > longest_shift / 4) throw std::bad_alloc();
  return power_of_ten(static_cast<unsigned long>(n));
}

/// mantissa * 2^exponent to the nearest integer (halves away from 0).
mpz_class nearest(const mpz_class& mantissa, long exponent) {
  mpz_class twice = ::abs(mantissa);
  if (exponent + 1 >= 0) mpz_mul_2exp(twice.get_mpz_t(), twice.get_mpz_t(), shift(exponent + 1));
  else mpz_fdiv_q_2exp(twice.get_mpz_t(), twice.get_mpz_t(), static_cast<mp_bitcnt_t>(-exponent - 1));
  const mpz_class out = (twice + 1) / 2;
  return sgn(mantissa) < 0 ? mpz_class(-out) : out;
}

std::string decimal_text(const Decimal& value, long digits, std::string_view after) {
  std::string text = mpz_class(::abs(value.units)).get_str();
  const std::string minus = sgn(value.units) < 0 ? "-" : "";
  const long exponent = value.exponent;
  if (exponent >= 0 && exponent < digits - 1) text.insert(static_cast<std::size_t>(exponent + 1), ".");
  else if (exponent < 0 && exponent >= -6) text = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + text;
  else if (exponent != digits - 1) {
    if (digits > 1) text.insert(1, ".");
    return fmt::format("{}{}{}e{}", minus, text, after, exponent);
  }
  return fmt::format("{}{}{}", minus, text, after);
}

/// log10 of |mantissa| 2^exponent, approximately.
double logarithm(const mpz_class& mantissa, long exponent) {
  long shift = 0;
  const double scaled = std::fabs(mpz_get_d_2exp(&shift, mantissa.get_mpz_t()));
  return (std::log2(scaled) + static_cast<double>(shift) + static_cast<double>(exponent)) / bits_of_digit;
}

/// Rounds the real; nothing if a ball of so many bits allows two answers.
std::optional<Decimal> rounded(const Real& a, long digits, long bits) {
  const auto range = ball_ends(a, 0, bits);
  if (!range || sgn(range->low) != sgn(range->high) || sgn(range->low) == 0) return std::nullopt;
  const mpz_class least = small_power_of_ten(digits - 1), over = 10 * least;
  long place = static_cast<long>(std::floor(logarithm(range->low, range->exponent)));
  for (int guess = 0; guess < 3; ++guess) {  // the place of the first digit, which may be off by one near powers of ten
    const auto units = ball_ends(a, digits - 1 - place, bits);
    if (!units) return std::nullopt;
    const mpz_class low = nearest(units->low, units->exponent);
    if (low != nearest(units->high, units->exponent)) return std::nullopt;
    if (::abs(low) == over) return Decimal{low / 10, place + 1};
    if (::abs(low) == least) {
      // 0.99996 rounded to four digits is 1.000, here as well as at the place below, but 0.99994 is 0.9999.
      const auto finer = ball_ends(a, digits - place, bits);
      if (!finer) return std::nullopt;
      const mpz_class from = nearest(finer->low, finer->exponent), to = nearest(finer->high, finer->exponent);
      if (::abs(from) >= over && ::abs(to) >= over) return Decimal{low, place};
      if (from != to) return std::nullopt;
      return Decimal{from, place - 1};
    }
    if (::abs(low) >= least && ::abs(low) < over) return Decimal{low, place};
    place += ::abs(low) < least ? -1 : 1;
  }
  return std::nullopt;
}

/// Rounds a rational; halves go away from 0.
Decimal rounded(const mpq_class& value, long digits) {
  const mpq_class size = ::abs(value);
  const auto shifted = [&size](long power) {
    return power >= 0 ? mpq_class(size * small_power_of_ten(power)) : mpq_class(size / small_power_of_ten(-power));
  };
  long place = static_cast<long>(std::floor(logarithm(size.get_num(), 0) - logarithm(size.get_den(), 0)));
  while (shifted(-place) < 1) --place;
  while (shifted(-place) >= 10) ++place;
  const mpq_class scaled = shifted(digits - 1 - place);
  mpz_class units = (2 * scaled.get_num() + scaled.get_den()) / (2 * scaled.get_den());
  if (units == small_power_of_ten(digits)) {
    units /= 10;
    ++place;
  }
  return {mpz_class(sgn(value) * units), place};
}

}  // namespace

RealText text(const Real& a, long digits, long limit) {
  if (a.is_rational()) return {rational_text(a.rational()), true, false};
  const auto needed = static_cast<long>(static_cast<double>(digits) * bits_of_digit) + 16;
  limit = std::max(limit, 2 * needed);
  std::optional<Decimal> found;
  for (long bits = needed; !found; bits = std::min(2 * bits, limit)) {
    found = rounded(a, digits, bits);
    if (bits >= limit) break;
  }
  if (found) return {decimal_text(*found, digits, "..."), false, false};
  const auto range = enclose(a, limit, limit);
  if (!range) return {fmt::format("a real beyond what {} bits can enclose", limit), false, true};
  // The value is a tie or 0, as far as it is known: show the nearest short decimal, and a bound on its error.
  const mpq_class middle = (range->first + range->second) / 2, radius = (range->second - range->first) / 2;
  std::string error = "0";
  if (radius != 0) {
    const double size = logarithm(radius.get_num(), 0) - logarithm(radius.get_den(), 0);
    error = fmt::format("1e{}", static_cast<long>(std::ceil(size)) + 1);
  }
  if (sgn(range->first) != sgn(range->second)) return {"0 +- " + error, false, true};
  return {decimal_text(rounded(middle, digits + 1), digits + 1, "") + " +- " + error, false, true};
}

}  // namespace reckon::numerics
