// Conditions as the numbers 0 and 1, and `select`.
#include <algorithm>

#include "prove/terms.h"

namespace reckon::ir::normal {

bool Terms::is_integral(PolynomialId id) const {
  for (const Term& term : (*this)[id]) {
    const Monomial& monomial = (*this)[term.monomial];
    if (term.coefficient.get_den() != 1 || monomial.exponent.valid()) return false;
    for (const Factor& factor : monomial.factors) {
      if (factor.power < 0 || (*this)[factor.atom].kind != AtomKind::index) return false;
    }
  }
  return true;
}

PolynomialId Terms::positive(PolynomialId a) {
  if (failed_) return zero_;
  if (const auto value = as_constant(a)) return *value > 0 ? one_ : zero_;
  if (follows(a, true)) return one_;
  if (follows(negate(a), false)) return zero_;
  // For integers, a > 0 is not (1 - a > 0): the one is used whose leading coefficient (not the constant's) is above 0.
  const MonomialId nothing = (*this)[one_].front().monomial;
  if (is_integral(a)) {
    Accumulator varying;
    for (const Term& term : (*this)[a]) {
      if (term.monomial != nothing) varying[term.monomial] = term.coefficient;
    }
    if (lead(intern(std::move(varying))).coefficient < 0) {
      return subtract(one_, atom({.kind = AtomKind::positive, .parts = {subtract(one_, a)}}));
    }
    return atom({.kind = AtomKind::positive, .parts = {a}});
  }
  return atom({.kind = AtomKind::positive, .parts = {scale(a, 1 / abs(lead(a).coefficient))}});
}

PolynomialId Terms::is_zero(PolynomialId a) {
  if (failed_) return zero_;
  if (const auto value = as_constant(a)) return *value == 0 ? one_ : zero_;
  if (follows(a, true) || follows(negate(a), true)) return zero_;
  if (follows(a, false) && follows(negate(a), false)) return one_;
  return atom({.kind = AtomKind::is_zero, .parts = {scale(a, 1 / lead(a).coefficient)}});
}

PolynomialId Terms::select(PolynomialId condition, PolynomialId a, PolynomialId b) {
  if (failed_) return zero_;
  if (condition == one_ || a == b) return a;
  if (condition == zero_) return b;
  // Of a condition and its negation, the one without a constant term is used.
  const MonomialId nothing = (*this)[one_].front().monomial;
  if ((*this)[condition].front().monomial == nothing) {
    return select(subtract(one_, condition), b, a);
  }
  // select(x > y, x, y) is max(x, y); select(x > y, y, x) is min(x, y).
  if ((*this)[condition].size() == 1) {
    const Term& term = (*this)[condition].front();
    const Monomial& monomial = (*this)[term.monomial];
    if (term.coefficient == 1 && !monomial.exponent.valid() && monomial.factors.size() == 1 &&
        (*this)[monomial.factors[0].atom].kind == AtomKind::positive) {
      const PolynomialId tested = (*this)[monomial.factors[0].atom].parts[0];
      const PolynomialId difference = subtract(a, b);
      // A maximum evaluates both sides, a select only one, so both must always have a value.
      if (total(a) && total(b) && difference != zero_) {
        const mpq_class ratio = (*this)[difference].front().coefficient / (*this)[tested].front().coefficient;
        if (difference == scale(tested, ratio)) {
          return ratio > 0 ? maximum({a, b}) : negate(maximum({negate(a), negate(b)}));
        }
      }
    }
  }
  if (total(condition) && total(a) && total(b)) return add(b, multiply(condition, subtract(a, b)));
  return atom({.kind = AtomKind::select, .parts = {condition, a, b}});
}

}  // namespace reckon::ir::normal
