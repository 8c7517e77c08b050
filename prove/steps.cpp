// Functions that jump: floor, trunc, round and remainders.
#include "ir/op.h"
#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

mpz_class floor_of(const mpq_class& value) {
  mpz_class out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

mpz_class whole_of(Op op, const mpq_class& value) {
  if (op == Op::floor) return floor_of(value);
  if (op == Op::trunc) return value < 0 ? mpz_class(-floor_of(-value)) : floor_of(value);
  const mpz_class up = floor_of(value + mpq_class(1, 2));  // ties to even
  const bool tie = mpq_class(up) - value == mpq_class(1, 2);
  return tie && mpz_odd_p(up.get_mpz_t()) ? mpz_class(up - 1) : up;
}

}  // namespace

bool Terms::has_whole_values(const Term& term) const {
  const Monomial& monomial = (*this)[term.monomial];
  if (term.coefficient.get_den() != 1 || monomial.exponent.valid()) return false;
  for (const Factor& factor : monomial.factors) {
    const Atom& atom = (*this)[factor.atom];
    const Op op = static_cast<Op>(atom.attribute);
    const bool step = atom.kind == AtomKind::function && (op == Op::floor || op == Op::trunc || op == Op::round);
    const bool whole =
        atom.kind == AtomKind::index || atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero || step;
    if (!whole || factor.power < 0) return false;
  }
  return true;
}

PolynomialId Terms::step_function(Op op, PolynomialId a) {
  if (failed_) return zero_;
  if (const auto value = as_constant(a)) return constant(mpq_class(whole_of(op, *value)));
  // floor(k + x) = k + floor(x) for whole k; what is whole stays under each.
  PolynomialId whole = zero_;
  for (const Term& term : std::vector<Term>((*this)[a])) {
    if (has_whole_values(term)) whole = add(whole, monomial(term.monomial, term.coefficient));
  }
  const PolynomialId rest = subtract(a, whole);
  if (rest == zero_) return a;
  if (op == Op::floor && whole != zero_) return add(whole, step_function(op, rest));
  return function(op, {a});
}

PolynomialId Terms::remainder(PolynomialId a, PolynomialId b) {
  if (failed_) return zero_;
  if (b == zero_) return fail();
  if (a == zero_) return zero_;
  const auto above = as_constant(a), below = as_constant(b);
  if (above && below) return constant(*above - *below * mpq_class(whole_of(Op::trunc, *above / *below)));
  // a - b trunc(a / b): odd in a, even in b; what is a remainder by b already stays.
  if (lead(b).coefficient < 0) return remainder(a, negate(b));
  if (lead(a).coefficient < 0) return negate(remainder(negate(a), b));
  if ((*this)[a].size() == 1 && (*this)[a].front().coefficient == 1) {
    const Monomial& monomial = (*this)[(*this)[a].front().monomial];
    if (!monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1) {
      const Atom& atom = (*this)[monomial.factors[0].atom];
      if (atom.kind == AtomKind::function && static_cast<Op>(atom.attribute) == Op::rem && atom.parts[1] == b) return a;
    }
  }
  return function(Op::rem, {a, b});
}

}  // namespace reckon::ir::normal
