// Conditions as the numbers 0 and 1, and `select`.
#include "prove/conditions.h"

#include <algorithm>

#include "prove/maxima.h"

namespace reckon::ir::normal {

bool is_integral(const TermStore& t, PolynomialId id) {
  for (const Term& term : t[id]) {
    const Monomial& monomial = t[term.monomial];
    if (term.coefficient.get_den() != 1 || monomial.exponent.valid()) return false;
    for (const Factor& factor : monomial.factors) {
      if (factor.power < 0 || t[factor.atom].kind != AtomKind::index) return false;
    }
  }
  return true;
}

PolynomialId positive(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) return *value > 0 ? t.one() : t.zero();
  if (t.assumptions.follows(a, true)) return t.one();
  if (t.assumptions.follows(t.negate(a), false)) return t.zero();
  // For integers, a > 0 is not (1 - a > 0): the one is used whose leading coefficient (not the constant's) is above 0.
  const MonomialId nothing = t[t.one()].front().monomial;
  if (is_integral(t, a)) {
    Accumulator varying;
    for (const Term& term : t[a]) {
      if (term.monomial != nothing) varying[term.monomial] = term.coefficient;
    }
    if (t.lead(t.intern(std::move(varying))).coefficient < 0) {
      return t.subtract(t.one(), t.atom({.kind = AtomKind::positive, .parts = {t.subtract(t.one(), a)}}));
    }
    return t.atom({.kind = AtomKind::positive, .parts = {a}});
  }
  return t.atom({.kind = AtomKind::positive, .parts = {t.scale(a, 1 / abs(t.lead(a).coefficient))}});
}

PolynomialId is_zero(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) return *value == 0 ? t.one() : t.zero();
  if (t.assumptions.follows(a, true) || t.assumptions.follows(t.negate(a), true)) return t.zero();
  if (t.assumptions.follows(a, false) && t.assumptions.follows(t.negate(a), false)) return t.one();
  return t.atom({.kind = AtomKind::is_zero, .parts = {t.scale(a, 1 / t.lead(a).coefficient)}});
}

PolynomialId select(Terms& t, PolynomialId condition, PolynomialId a, PolynomialId b) {
  if (t.failed()) return t.zero();
  if (condition == t.one() || a == b) return a;
  if (condition == t.zero()) return b;
  // Of a condition and its negation, the one without a constant term is used.
  const MonomialId nothing = t[t.one()].front().monomial;
  if (t[condition].front().monomial == nothing) {
    return select(t, t.subtract(t.one(), condition), b, a);
  }
  // select(x > y, x, y) is max(x, y); select(x > y, y, x) is min(x, y).
  if (t[condition].size() == 1) {
    const Term& term = t[condition].front();
    const Monomial& monomial = t[term.monomial];
    if (term.coefficient == 1 && !monomial.exponent.valid() && monomial.factors.size() == 1 &&
        t[monomial.factors[0].atom].kind == AtomKind::positive) {
      const PolynomialId tested = t[monomial.factors[0].atom].parts[0];
      const PolynomialId difference = t.subtract(a, b);
      // A maximum evaluates both sides, a select only one, so both must always have a value.
      if (t.total(a) && t.total(b) && difference != t.zero()) {
        const mpq_class ratio = t[difference].front().coefficient / t[tested].front().coefficient;
        if (difference == t.scale(tested, ratio)) {
          return ratio > 0 ? maximum(t, {a, b}) : t.negate(maximum(t, {t.negate(a), t.negate(b)}));
        }
      }
    }
  }
  if (t.total(condition) && t.total(a) && t.total(b)) return t.add(b, t.multiply(condition, t.subtract(a, b)));
  return t.atom({.kind = AtomKind::select, .parts = {condition, a, b}});
}

}  // namespace reckon::ir::normal
