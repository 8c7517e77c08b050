// exp of a double as an unevaluated sum near + error with a proven error bound, so that its rounding in any direction
// is known except for one argument in about 2^15.
//
// x = k ln2 / 256 + r, |r| <= ln2/512 + 2^-60 < 2^-9.52, and exp x = 2^(k / 256) exp r (the table-driven method: Tang,
// "Table-driven implementation of the exponential function in IEEE floating-point arithmetic", ACM TOMS 15(2), 1989).
// For |x| <= 700, |k| < 2^18:
//   * k * ln2_high is exact (ln2_high has 34 bits), and so is x - k * ln2_high: a multiple of 2^-62 below 2^-9;
//     where k = 0 it is x. k * ln2_low is below 2^-25 and loses 2^-78, ln2's third part is below 2^-97 * 2^18 = 2^-79.
//     TwoSum makes r = r_high + r_low of the difference without error.
//   * exp r - 1 = r_high + p + r_low (1 + r_high), p = r_high^2 (1/2 + ... + r_high^4 / 720): left out are
//     r^7 / 5040 < 2^-78.9 and r_low r^2 < 2^-81; p < 2^-20.03 has three roundings of relative 2^-53 and what is left
//     of the rest, together below 2^-71.3.
//   * 2^(j / 256) is table.high + table.low to 2^-106; products and sums with it are exact (fma, Fast2Sum) or lose less
//     than 2^-104.
// All in all less than 2 (2^-71.3 + 2^-77 + ...) < 2^-70 before scaling by a power of 2, where the result lies
// in [0.99, 2.01); `undecided` asks for 2^-68.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace reckon::interp::interval_exp {

struct Table {
  double high[256], low[256];  ///< 2^(j / 256) = high + low
  double ln2_high, ln2_low;    ///< ln2 / 256; the first part has 34 bits
};

/// The table, computed once by MPFR.
const Table& table();

struct Result {
  double near, error;      ///< exp x = (near + error) * 2^exponent, within 2^-68 of it before the scaling; |error| is
                           ///< at most half the spacing at `near`
  std::int64_t exponent;   ///< in the upper bits: the number to be added to a double's pattern
  std::int64_t undecided;  ///< not 0: x is beyond 700, or the sign of `error` is not certain
};

[[gnu::always_inline]] inline Result evaluate(const Table& table, double x) {
  constexpr double magic = 0x1.8p+52;  // adding it rounds to an integer, which is in the low bits
  const double shifted = x * 0x1.71547652b82fep+8 + magic;
  const double k = shifted - magic;
  const auto bits = std::bit_cast<std::int64_t>(shifted);
  const std::int64_t j = bits & 255;

  const double first = std::fma(-k, table.ln2_high, x);
  const double second = k * table.ln2_low;
  const double r = first - second;
  const double part = r - first;
  const double r_low = (first - (r - part)) - (second + part);

  const double rest = std::fma(r, std::fma(r, std::fma(r, std::fma(r, 1.0 / 720, 1.0 / 120), 1.0 / 24), 1.0 / 6), 0.5);
  const double p = r * r * rest;
  const double s = r + p;
  const double s_low = ((r - s) + p) + std::fma(r_low, r, r_low);

  const double t = table.high[j], t_low = table.low[j];
  const double product = t * s;
  const double product_error = std::fma(t, s, -product);
  const double sum = t + product;
  const double sum_error = (t - sum) + product;
  const double low = sum_error + (product_error + std::fma(t, s_low, std::fma(t_low, s, t_low)));
  const double near = sum + low;
  const double error = (sum - near) + low;
  const auto certain = static_cast<std::int64_t>((std::fabs(error) > 0x1p-68) & (std::fabs(x) <= 700));
  return {near, error, static_cast<std::int64_t>(static_cast<std::uint64_t>(bits & ~std::int64_t{255}) << 44), certain ^ 1};
}

[[gnu::always_inline]] inline double scaled(double value, std::int64_t exponent) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(exponent));
}

}  // namespace reckon::interp::interval_exp
