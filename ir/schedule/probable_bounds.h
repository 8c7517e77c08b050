// Bounds on the error of a sum that hold with a probability, under an assumption on rounding errors; and bounds for a
// unit roundoff that belongs to no format.
#pragma once

#include <gmpxx.h>

#include <cstdint>

namespace reckon::ir {

/// (1 + u)^rounds - 1, rounded upward, for any u of 0 or more.
mpq_class growth_by_unit(std::int64_t rounds, const mpq_class& u);

/// The factor in front of sum |leaf| that the error of a sum does not exceed with at least this probability (0 < p <
/// 1), if the relative errors of all roundings are independent random numbers of mean 0, none above u in magnitude.
/// `leaves` n, at most `rounds` k of which meet each leaf: exp(l sqrt(k) u + k u^2 / (1 - u)) - 1 with l = sqrt(2 ln(2
/// n / (1 - p))) / (1 - u), rounded upward. A leaf's factor stays below it with probability 1 - 2 exp(-l^2 (1 - u)^2 /
/// 2): Higham and Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41(5), 2019,
/// theorem 2.4; n leaves fail with at most n times the probability of one.
mpq_class probable_factor(std::int64_t leaves, std::int64_t rounds, const mpq_class& u, const mpq_class& probability);

}  // namespace reckon::ir
