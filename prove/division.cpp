// Division: 1/p for a p of several terms is a power of a group, an atom that stands for p. Before, p is divided by the
// common factors of its terms, by a power of e, and by the coefficient of its first term.
#include "prove/division.h"

#include <algorithm>

namespace reckon::ir::normal {
namespace {

MonomialId leading(const TermStore& t, PolynomialId group) {
  // The term of highest degree; powers of e count less than factors, and then the term that was made last.
  const auto degree = [&](MonomialId id) {
    int out = 0;
    for (const Factor& factor : t[id].factors) out += factor.power;
    return out;
  };
  MonomialId best;
  for (const Term& term : t[group]) {
    if (!best.valid()) {
      best = term.monomial;
      continue;
    }
    const int a = degree(term.monomial), b = degree(best);
    const bool a_e = t[term.monomial].exponent.valid(), b_e = t[best].exponent.valid();
    if (a > b || (a == b && (a_e > b_e || (a_e == b_e && best < term.monomial)))) best = term.monomial;
  }
  return best;
}

std::optional<MonomialId> quotient(Terms& t, MonomialId dividend, MonomialId divisor, AtomId except) {
  Monomial out = t[dividend];
  for (const Factor& factor : t[divisor].factors) {
    auto found = std::find_if(out.factors.begin(), out.factors.end(),
                              [&](const Factor& each) { return each.atom == factor.atom; });
    if (found == out.factors.end() || found->atom == except || found->power < factor.power) return std::nullopt;
    found->power -= factor.power;
    if (found->power == 0) out.factors.erase(found);
  }
  const PolynomialId exponent = t[divisor].exponent;
  if (exponent.valid()) {
    if (!out.exponent.valid()) return std::nullopt;
    // e^a is divided by e^b if every coefficient of a has the sign of b's, and is at least as large in absolute value.
    std::map<MonomialId, mpq_class> has;
    for (const Term& term : t[out.exponent]) has[term.monomial] = term.coefficient;
    for (const Term& term : t[exponent]) {
      auto found = has.find(term.monomial);
      if (found == has.end() || sgn(found->second) != sgn(term.coefficient) ||
          abs(found->second) < abs(term.coefficient)) {
        return std::nullopt;
      }
    }
    out.exponent = t.subtract(out.exponent, exponent);
    if (out.exponent == t.zero()) out.exponent = {};
  }
  return t.intern(std::move(out));
}

bool reduce_once(Terms& t, Accumulator& terms) {
  if (!t.step(static_cast<std::int64_t>(terms.size() / 8))) return false;
  for (const auto& [monomial, coefficient] : terms) {
    const std::vector<Factor>& factors = t[monomial].factors;
    for (const Factor& factor : factors) {
      if (factor.power > 0 || t[factor.atom].kind != AtomKind::group) continue;
      const PolynomialId group = t[factor.atom].parts[0];
      const MonomialId lead = leading(t, group);
      const auto rest = quotient(t, monomial, lead, factor.atom);
      if (!rest) continue;
      if (!t.step(20)) return false;
      // lead / group = (group - the other terms) / group.
      mpq_class lead_coefficient;
      Accumulator following;
      for (const Term& term : t[group]) {
        if (term.monomial == lead) lead_coefficient = term.coefficient;
        else following[term.monomial] = term.coefficient;
      }
      const AtomId atom = factor.atom;
      const mpq_class scaled = coefficient / lead_coefficient;
      terms.erase(monomial);
      const PolynomialId quotient_part = t.monomial(*rest);
      // The product is made without `reduce`, which is running already.
      Monomial raised = t[*rest];
      for (std::size_t k = 0; k < raised.factors.size(); ++k) {
        if (raised.factors[k].atom != atom) continue;
        if (++raised.factors[k].power == 0)
          raised.factors.erase(raised.factors.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
      t.accumulate(terms, t.simplify(std::move(raised), 1), scaled);
      t.accumulate(terms, t.multiply(quotient_part, t.intern(std::move(following))), -scaled);
      return true;
    }
  }
  return false;
}

}  // namespace

PolynomialId Terms::inverse(PolynomialId a) {
  if (failed()) return zero();
  const std::vector<Term> terms = (*this)[a];
  if (terms.empty()) return fail();  // 1/0
  if (terms.size() == 1) {
    Monomial out = (*this)[terms[0].monomial];
    if (out.exponent.valid()) out.exponent = negate(out.exponent);
    for (Factor& factor : out.factors) factor.power = -factor.power;
    return simplify(std::move(out), 1 / terms[0].coefficient);
  }
  // The common factors of all terms: the least power of each atom, 0 if a term does not have it.
  std::map<AtomId, int> least;
  std::map<AtomId, std::size_t> occurrences;
  std::vector<PolynomialId> exponents;
  for (const Term& term : terms) {
    const Monomial& monomial = (*this)[term.monomial];
    for (const Factor& factor : monomial.factors) {
      auto [found, inserted] = least.try_emplace(factor.atom, factor.power);
      found->second = std::min(found->second, factor.power);
      ++occurrences[factor.atom];
    }
    const PolynomialId exponent = monomial.exponent.valid() ? monomial.exponent : zero();
    if (std::find(exponents.begin(), exponents.end(), exponent) == exponents.end()) exponents.push_back(exponent);
  }
  Monomial common;
  for (auto [atom, power] : least) {
    if (occurrences[atom] < terms.size()) power = std::min(power, 0);
    if (power != 0) common.factors.push_back({atom, -power});
  }
  if (!common.factors.empty()) {
    const PolynomialId rest = simplify(common, 1);  // 1 / the common factors
    return multiply(rest, inverse(multiply(a, rest)));
  }
  // p is divided by one of its powers of e, so that it becomes 1: the one whose quotient was made first.
  constexpr std::size_t max_choices = 6;
  PolynomialId best, taken;
  mpq_class lead;
  for (std::size_t k = 0; k < exponents.size() && k < max_choices; ++k) {
    PolynomialId each = exponents[k] == zero() ? a : multiply(a, exp(negate(exponents[k])));
    if (failed() || (*this)[each].empty()) return fail();
    const mpq_class first = this->lead(each).coefficient;
    each = scale(each, 1 / first);
    if (best.valid() && best < each) continue;
    best = each;
    taken = exponents[k];
    lead = first;
  }
  if ((*this)[best].size() == 1) return multiply(exp(negate(taken)), scale(inverse(best), 1 / lead));
  const PolynomialId group = power(intern(Atom{.kind = AtomKind::group, .parts = {best}}), -1);
  return multiply(exp(negate(taken)), scale(group, 1 / lead));
}

void reduce(Terms& t, Accumulator& terms) {
  while (!t.failed() && reduce_once(t, terms)) {
  }
}

PolynomialId cleared(Terms& t, PolynomialId a) {
  constexpr int max_rounds = 24;
  for (int round = 0; round < max_rounds && !t.failed() && a != t.zero(); ++round) {
    // The least power of every atom in a denominator.
    std::map<AtomId, int> least;
    for (const Term& term : t[a]) {
      for (const Factor& factor : t[term.monomial].factors) {
        if (factor.power < 0) least[factor.atom] = std::min(least[factor.atom], factor.power);
      }
    }
    if (least.empty()) break;
    // Groups come first, one by one, because the forms that they stand for may contain other atoms.
    const auto group = std::find_if(least.begin(), least.end(),
                                    [&](const auto& each) { return t[each.first].kind == AtomKind::group; });
    const auto [atom, power] = group != least.end() ? *group : *least.begin();
    Accumulator out;
    for (const Term& term : std::vector<Term>(t[a])) {
      // The product is made factor by factor here: `multiply` would divide again.
      Monomial monomial = t[term.monomial];
      int of_atom = -power;
      std::erase_if(monomial.factors, [&](const Factor& each) {
        if (each.atom != atom) return false;
        of_atom += each.power;
        return true;
      });
      const PolynomialId rest = t.monomial(t.intern(std::move(monomial)), term.coefficient);
      PolynomialId whole = t.one();
      if (t[atom].kind == AtomKind::group) {
        for (int k = 0; k < of_atom; ++k) whole = t.multiply(whole, t[atom].parts[0]);
      } else {
        whole = t.power(atom, of_atom);
      }
      t.accumulate(out, t.multiply(rest, whole), 1);
    }
    a = t.intern(std::move(out));
  }
  return a;
}

bool same_where_defined(Terms& t, PolynomialId a, PolynomialId b) {
  if (t.failed()) return false;
  if (a == b) return true;
  const PolynomialId difference = cleared(t, t.subtract(a, b));
  return !t.failed() && difference == t.zero();
}

}  // namespace reckon::ir::normal
