// Functions that jump: floor, trunc, round and remainders.
#include "ir/op.h"
#include "prove/functions.h"

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

bool has_whole_values(const TermStore& t, const Term& term) {
  const Monomial& monomial = t[term.monomial];
  if (term.coefficient.get_den() != 1 || monomial.exponent.valid()) return false;
  for (const Factor& factor : monomial.factors) {
    const Atom& atom = t[factor.atom];
    const Op op = static_cast<Op>(atom.attribute);
    const bool step = atom.kind == AtomKind::function && (op == Op::floor || op == Op::trunc || op == Op::round);
    const bool whole =
        atom.kind == AtomKind::index || atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero || step;
    if (!whole || factor.power < 0) return false;
  }
  return true;
}

}  // namespace

PolynomialId step_function(Terms& t, Op op, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) return t.constant(mpq_class(whole_of(op, *value)));
  // floor(k + x) = k + floor(x) for whole k; what is whole stays under each.
  PolynomialId whole = t.zero();
  for (const Term& term : std::vector<Term>(t[a])) {
    if (has_whole_values(t, term)) whole = t.add(whole, t.monomial(term.monomial, term.coefficient));
  }
  const PolynomialId rest = t.subtract(a, whole);
  if (rest == t.zero()) return a;
  if (op == Op::floor && whole != t.zero()) return t.add(whole, step_function(t, op, rest));
  return function(t, op, {a});
}

PolynomialId remainder(Terms& t, PolynomialId a, PolynomialId b) {
  if (t.failed()) return t.zero();
  if (b == t.zero()) return t.fail();
  if (a == t.zero()) return t.zero();
  const auto above = t.as_constant(a), below = t.as_constant(b);
  if (above && below) return t.constant(*above - *below * mpq_class(whole_of(Op::trunc, *above / *below)));
  // a - b trunc(a / b): odd in a, even in b; what is a remainder by b already stays.
  if (t.lead(b).coefficient < 0) return remainder(t, a, t.negate(b));
  if (t.lead(a).coefficient < 0) return t.negate(remainder(t, t.negate(a), b));
  if (t[a].size() == 1 && t[a].front().coefficient == 1) {
    const Monomial& monomial = t[t[a].front().monomial];
    if (!monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1) {
      const Atom& atom = t[monomial.factors[0].atom];
      if (atom.kind == AtomKind::function && static_cast<Op>(atom.attribute) == Op::rem && atom.parts[1] == b) return a;
    }
  }
  return function(t, Op::rem, {a, b});
}

}  // namespace reckon::ir::normal
