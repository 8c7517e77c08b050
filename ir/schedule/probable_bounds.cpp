#include "ir/schedule/probable_bounds.h"

#include <cmath>

namespace reckon::ir {
namespace {

constexpr double margin = 1e-9;  ///< more than what the functions below may be off, relatively

/// x >= 0 rounded up to about 160 significant bits.
mpq_class upward(const mpq_class& x) {
  const long bits =
      static_cast<long>(mpz_sizeinbase(x.get_num_mpz_t(), 2)) - static_cast<long>(mpz_sizeinbase(x.get_den_mpz_t(), 2));
  const long shift = 160 - bits;
  mpq_class scaled = x;
  if (shift >= 0) mpq_mul_2exp(scaled.get_mpq_t(), scaled.get_mpq_t(), static_cast<mp_bitcnt_t>(shift));
  else mpq_div_2exp(scaled.get_mpq_t(), scaled.get_mpq_t(), static_cast<mp_bitcnt_t>(-shift));
  mpz_class whole;
  mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  mpq_class out(whole);
  if (shift >= 0) mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(shift));
  else mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-shift));
  return out;
}

}  // namespace

mpq_class growth_by_unit(std::int64_t rounds, const mpq_class& u) {
  // With g = (1 + u)^k - 1, twice as many rounds give 2 g + g^2, and one more gives g + u + g u.
  if (rounds <= 0) return 0;
  const mpq_class half = growth_by_unit(rounds / 2, u);
  mpq_class out = upward(2 * half + half * half);
  if (rounds % 2 == 1) out = upward(out + u + out * u);
  return out;
}

mpq_class probable_factor(std::int64_t leaves, std::int64_t rounds, const mpq_class& u, const mpq_class& probability) {
  if (rounds <= 0) return 0;
  const double unit = u.get_d() * (1 + margin), failure = mpq_class(1 - probability).get_d() * (1 - margin);
  const double k = static_cast<double>(rounds), n = static_cast<double>(leaves);
  const double lambda = std::sqrt(2 * std::log(2 * n / failure)) / (1 - unit);
  const double exponent = (lambda * std::sqrt(k) * unit + k * unit * unit / (1 - unit)) * (1 + margin);
  const double factor = std::expm1(exponent) * (1 + margin);
  // What is certain is probable, too.
  const mpq_class certain = growth_by_unit(rounds, u);
  return std::isfinite(factor) && mpq_class(factor) < certain ? mpq_class(factor) : certain;
}

}  // namespace reckon::ir
