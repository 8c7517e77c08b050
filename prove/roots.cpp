// Powers that are not integers, cube roots, and roots of squares and quotients.
#include <algorithm>

#include "ir/op.h"
#include "prove/functions.h"

namespace reckon::ir::normal {
namespace {

constexpr int largest_degree = 64;
constexpr std::size_t max_exponents = 6;

/// The root of a rational square.
std::optional<mpq_class> rational_root(const mpq_class& value) {
  if (value < 0 || !mpz_perfect_square_p(value.get_num_mpz_t()) || !mpz_perfect_square_p(value.get_den_mpz_t())) {
    return std::nullopt;
  }
  mpz_class above, below;
  mpz_sqrt(above.get_mpz_t(), value.get_num_mpz_t());
  mpz_sqrt(below.get_mpz_t(), value.get_den_mpz_t());
  return mpq_class(above, below);
}

}  // namespace

std::optional<int> root_degree(const TermStore& t, AtomId id) {
  const Atom& atom = t[id];
  if (atom.kind != AtomKind::function || static_cast<Op>(atom.attribute) != Op::pow) return std::nullopt;
  const auto exponent = t.as_constant(atom.parts[1]);
  if (!exponent || exponent->get_num() != 1 || exponent->get_den() > largest_degree) return std::nullopt;
  return static_cast<int>(exponent->get_den().get_si());
}

PolynomialId pow(Terms& t, PolynomialId base, PolynomialId exponent) {
  if (t.failed()) return t.zero();
  const auto constant_exponent = t.as_constant(exponent);
  if (constant_exponent && constant_exponent->get_den() == 1 && abs(*constant_exponent) <= largest_exponent) {
    return t.power(base, static_cast<int>(constant_exponent->get_num().get_si()));
  }
  // 1^a = 1, and 0^a = 0 for a > 0 (DLMF section 4.2(iv)).
  if (base == t.one()) return t.one();
  if (base == t.zero() && t.assumptions.is_positive(exponent, true)) return t.zero();
  if (t.assumptions.is_positive(base, true)) return t.exp(t.multiply(exponent, log(t, base)));
  if (constant_exponent && constant_exponent->get_den() <= largest_degree &&
      abs(constant_exponent->get_num()) <= largest_exponent) {
    // x^(p/q) is the q-th root to the power p: both are defined for x >= 0, and for x > 0 if p < 0.
    const int above = static_cast<int>(constant_exponent->get_num().get_si());
    const mpq_class part(1, constant_exponent->get_den());
    return t.power(part == mpq_class(1, 2) ? sqrt(t, base) : function(t, Op::pow, {base, t.constant(part)}), above);
  }
  return function(t, Op::pow, {base, exponent});
}

PolynomialId cbrt(Terms& t, PolynomialId a) {
  if (t.failed() || a == t.zero()) return t.zero();
  // The cube root is multiplicative for all reals, and the inverse of the cube.
  Monomial outside, rest;
  const std::vector<Term> terms = t[a];
  if (terms.size() > 1) {
    const mpq_class factor = t.lead(a).coefficient;
    if (factor != 1) return t.multiply(cbrt(t, t.constant(factor)), cbrt(t, t.scale(a, 1 / factor)));
    return function(t, Op::cbrt, {a});
  }
  PolynomialId out = t.one();
  if (const auto value = t.as_constant(a)) {
    mpz_class above, below;
    const bool exact = mpz_root(above.get_mpz_t(), value->get_num_mpz_t(), 3) &&
                       mpz_root(below.get_mpz_t(), value->get_den_mpz_t(), 3);
    if (exact) return t.constant(mpq_class(above, below));
    if (value->get_den() == 1) return function(t, Op::cbrt, {a});
    // cbrt(p / q) = cbrt(p q^2) / q.
    return t.scale(cbrt(t, t.constant(mpq_class(value->get_num() * value->get_den() * value->get_den()))),
                   mpq_class(1, value->get_den()));
  }
  const Monomial monomial = t[terms[0].monomial];
  if (terms[0].coefficient != 1) out = cbrt(t, t.constant(terms[0].coefficient));
  if (monomial.exponent.valid()) out = t.multiply(out, t.exp(t.scale(monomial.exponent, mpq_class(1, 3))));
  for (const Factor& factor : monomial.factors) {
    const Atom& atom = t[factor.atom];
    // The first power of a group is the sum of its terms.
    const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : t.power(factor.atom, 1);
    out = t.multiply(out, t.power(function(t, Op::cbrt, {inside}), factor.power));
  }
  return out;
}

PolynomialId rootn(Terms& t, PolynomialId a, PolynomialId n) {
  if (t.failed()) return t.zero();
  const auto degree = t.as_constant(n);
  if (!degree || *degree == 0 || degree->get_den() != 1) return function(t, Op::rootn, {a, n});
  if (*degree < 0) return t.inverse(rootn(t, a, t.constant(-*degree)));
  if (*degree == 3) return cbrt(t, a);
  const bool odd = mpz_odd_p(degree->get_num_mpz_t()) != 0;
  if (!odd || *degree == 1 || t.assumptions.is_positive(a, true)) return pow(t, a, t.constant(1 / *degree));
  return function(t, Op::rootn, {a, n});
}

PolynomialId common_exponent(Terms& t, PolynomialId a) {
  std::vector<PolynomialId> exponents;
  for (const Term& term : t[a]) {
    const Monomial& monomial = t[term.monomial];
    const PolynomialId exponent = monomial.exponent.valid() ? monomial.exponent : t.zero();
    if (std::find(exponents.begin(), exponents.end(), exponent) == exponents.end()) exponents.push_back(exponent);
  }
  if (exponents.size() < 2 || exponents.size() > max_exponents) return t.zero();
  std::optional<std::pair<std::size_t, PolynomialId>> best;
  PolynomialId taken = t.zero();
  for (PolynomialId exponent : exponents) {
    const PolynomialId rest = exponent == t.zero() ? a : t.multiply(a, t.exp(t.negate(exponent)));
    const std::pair candidate(t.shape(rest), rest);
    if (best && *best <= candidate) continue;
    best = candidate;
    taken = exponent;
  }
  return taken;
}

std::optional<PolynomialId> root_of_square(Terms& t, PolynomialId a) {
  // a^2 + 2 a b + b^2, scaled so that a^2 has the coefficient 1.
  const std::vector<Term> terms = t[a];
  if (terms.size() != 3) return std::nullopt;
  const auto root = [&](const Term& term, const mpq_class& over) -> std::optional<PolynomialId> {
    const auto coefficient = rational_root(term.coefficient / over);
    Monomial half = t[term.monomial];
    for (Factor& factor : half.factors) {
      if (factor.power % 2 != 0) return std::nullopt;
      factor.power /= 2;
    }
    if (!coefficient) return std::nullopt;
    if (half.exponent.valid()) half.exponent = t.scale(half.exponent, mpq_class(1, 2));
    return t.scale(t.simplify(std::move(half), 1), *coefficient);
  };
  for (std::size_t first = 0; first < terms.size(); ++first) {
    for (std::size_t second = first + 1; second < terms.size(); ++second) {
      const mpq_class size = terms[first].coefficient;
      if (size < 0) continue;
      const auto p = root(terms[first], size), q = root(terms[second], size);
      if (!p || !q) continue;
      for (const PolynomialId sum : {t.add(*p, *q), t.subtract(*p, *q)}) {
        if (t.multiply(sum, sum) == t.scale(a, 1 / size)) return t.multiply(sqrt_of_rational(t, size), sum);
      }
    }
  }
  return std::nullopt;
}

std::optional<Ratio> as_safe_ratio(Terms& t, PolynomialId a) {
  // c + d / G = N / G with N = c G + d. If N + k G is a positive number for some k > 0, N and G are not both negative:
  // a logarithm or root of the quotient can be taken of each. (1 + x) / (1 - x) is the case that matters.
  const std::vector<Term> terms = t[a];
  if (terms.size() != 2) return std::nullopt;
  for (const std::size_t k : {0, 1}) {
    const Monomial& monomial = t[terms[k].monomial];
    const Monomial& other = t[terms[1 - k].monomial];
    if (monomial.exponent.valid() || monomial.factors.size() != 1 || other.exponent.valid() || !other.factors.empty())
      continue;
    const Factor factor = monomial.factors[0];
    if (factor.power != -1) continue;
    const Atom atom = t[factor.atom];
    // N + k G = (c + k) G + d is a number if k = -c, and that is above 0 if c < 0 and d > 0. The group may stand for
    // -G.
    const PolynomialId below = atom.kind == AtomKind::group ? atom.parts[0] : t.power(factor.atom, 1);
    const int side = terms[k].coefficient > 0 ? 1 : -1;
    const mpq_class c = terms[1 - k].coefficient;
    if (c >= 0) continue;
    const PolynomialId signed_below = t.scale(below, side);
    return Ratio{t.add(t.scale(signed_below, c), t.constant(abs(terms[k].coefficient))), signed_below};
  }
  return std::nullopt;
}

}  // namespace reckon::ir::normal
