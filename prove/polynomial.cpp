// The ring: sums, products and powers of polynomials, and the rules for single factors.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "ir/op.h"
#include "prove/division.h"
#include "prove/functions.h"
#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

/// The quotient towards minus infinity, if it is small.
std::optional<int> small_floor(const mpq_class& value) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  if (abs(floor) > largest_exponent) return std::nullopt;
  return static_cast<int>(floor.get_si());
}

}  // namespace

Terms::Terms(Module& module, Limits limits_)
    : TermStore(module.indices(), limits_.steps), limits(std::move(limits_)), module_(module) {}

VariableId Terms::fresh(IndexId extent) {
  const VariableId out = module_.fresh_variable();
  extents_[out] = extent;
  return out;
}

std::optional<IndexId> Terms::extent_of(VariableId variable) const {
  const auto found = extents_.find(variable);
  return found == extents_.end() ? std::nullopt : std::optional(found->second);
}

PolynomialId Terms::constant(const mpq_class& value) { return scale(one(), value); }

PolynomialId Terms::monomial(MonomialId id, const mpq_class& coefficient) {
  return intern(Accumulator{{id, coefficient}});
}

PolynomialId Terms::scale(PolynomialId a, const mpq_class& factor) {
  if (factor == 1) return a;
  Accumulator out;
  accumulate(out, a, factor);
  return intern(std::move(out));
}

PolynomialId Terms::combine(PolynomialId a, PolynomialId b, const mpq_class& factor) {
  if (failed()) return zero();
  Accumulator out;
  accumulate(out, a, 1);
  accumulate(out, b, factor);
  reduce(*this, out);
  return intern(std::move(out));
}

PolynomialId Terms::add(const std::vector<std::pair<PolynomialId, int>>& parts) {
  if (failed()) return zero();
  Accumulator out;
  for (const auto& [part, factor] : parts) {
    step(static_cast<std::int64_t>((*this)[part].size()));
    accumulate(out, part, factor);
  }
  reduce(*this, out);
  return intern(std::move(out));
}

PolynomialId Terms::multiply(PolynomialId a, PolynomialId b) {
  if (failed()) return zero();
  if (a == one()) return b;
  if (b == one()) return a;
  if (too_deep()) return fail();
  const Deeper deeper(*this);
  Accumulator out;
  for (std::size_t i = 0; i < (*this)[a].size(); ++i) {
    for (std::size_t j = 0; j < (*this)[b].size(); ++j) {
      if (!step()) break;
      const Term& x = (*this)[a][i];
      const Term& y = (*this)[b][j];
      const Monomial& m = (*this)[x.monomial];
      const Monomial& n = (*this)[y.monomial];
      Monomial joined;
      joined.exponent = !m.exponent.valid()  ? n.exponent
                        : n.exponent.valid() ? add(m.exponent, n.exponent)
                                             : m.exponent;
      auto p = m.factors.begin(), q = n.factors.begin();
      while (p != m.factors.end() || q != n.factors.end()) {
        if (q == n.factors.end() || (p != m.factors.end() && p->atom < q->atom)) {
          joined.factors.push_back(*p++);
        } else if (p == m.factors.end() || q->atom < p->atom) {
          joined.factors.push_back(*q++);
        } else {
          if (p->power + q->power != 0) joined.factors.push_back({p->atom, p->power + q->power});
          ++p, ++q;
        }
      }
      accumulate(out, simplify(std::move(joined), x.coefficient * y.coefficient), 1);
    }
  }
  reduce(*this, out);
  return intern(std::move(out));
}

PolynomialId Terms::power(PolynomialId a, int exponent) {
  if (exponent < 0) return power(inverse(a), -exponent);
  if (exponent > largest_exponent) return fail();
  PolynomialId out = one();
  for (int bit = 1 << 6; bit > 0; bit >>= 1) {
    out = multiply(out, out);
    if (exponent & bit) out = multiply(out, a);
  }
  return out;
}

PolynomialId Terms::power(AtomId atom, int exponent) {
  if (failed() || exponent == 0) return one();
  return simplify({{}, {{atom, exponent}}}, 1);
}

PolynomialId Terms::exp(PolynomialId a) {
  if (failed()) return zero();
  return simplify({a, {}}, 1);
}

PolynomialId Terms::simplify(Monomial monomial, const mpq_class& coefficient) {
  if (failed()) return zero();
  if (too_deep()) return fail();
  const Deeper deeper(*this);
  PolynomialId beside = one();
  const auto times = [&](PolynomialId factor) { beside = multiply(beside, factor); };

  // exp(c log a) is a^floor(c) exp((c - floor(c)) log a), because a is above 0 wherever it has a logarithm.
  if (monomial.exponent.valid()) {
    const std::vector<Term> terms = (*this)[monomial.exponent];
    Accumulator left;
    std::vector<PolynomialId> roots;  // whose square roots are multiplied
    bool changed = false;
    for (const Term& term : terms) {
      const Monomial& of = (*this)[term.monomial];
      mpq_class rest = term.coefficient;
      if (!of.exponent.valid() && of.factors.size() == 1 && of.factors[0].power == 1) {
        const Atom& atom = (*this)[of.factors[0].atom];
        const bool logarithm = atom.kind == AtomKind::function && static_cast<Op>(atom.attribute) == Op::log;
        if (const auto whole = small_floor(rest); logarithm && whole && *whole != 0) {
          const PolynomialId base = atom.parts[0];
          rest -= *whole;
          changed = true;
          times(power(base, *whole));
        }
        if (logarithm && rest == mpq_class(1, 2)) {
          roots.push_back(atom.parts[0]);
          rest = 0;
          changed = true;
        }
        // e to asinh(x) is x + sqrt(x^2 + 1), to acosh(x) x + sqrt(x^2 - 1) (DLMF section 4.37(iv)).
        const bool asinh = atom.kind == AtomKind::function && static_cast<Op>(atom.attribute) == Op::asinh;
        const bool acosh = atom.kind == AtomKind::function && static_cast<Op>(atom.attribute) == Op::acosh;
        if ((asinh || acosh) && rest.get_den() == 1 && abs(rest) <= 8) {
          const PolynomialId of = atom.parts[0];
          const PolynomialId root = sqrt(*this, add(multiply(of, of), constant(asinh ? 1 : -1)));
          const int count = static_cast<int>(rest.get_num().get_si());
          times(power(count > 0 ? add(of, root) : asinh ? subtract(root, of) : subtract(of, root), std::abs(count)));
          rest = 0;
          changed = true;
        }
      }
      if (rest != 0) left[term.monomial] = rest;
    }
    if (changed) monomial.exponent = intern(std::move(left));
    if (!roots.empty()) {
      PolynomialId product = one();
      for (PolynomialId each : roots) product = multiply(product, each);
      times(sqrt(*this, product));
    }
    if ((*this)[monomial.exponent].empty()) monomial.exponent = {};
  }

  std::vector<Factor> kept;
  for (Factor factor : monomial.factors) {
    const Atom atom = (*this)[factor.atom];
    const bool is_function = atom.kind == AtomKind::function;
    if (atom.kind == AtomKind::group && factor.power > 0) {
      times(power(atom.parts[0], factor.power));
    } else if ((atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero) && factor.power > 1) {
      kept.push_back({factor.atom, 1});  // the atom is 0 or 1
    } else if (is_function && static_cast<Op>(atom.attribute) == Op::sin && factor.power >= 2) {
      const PolynomialId cosine = angles.of(atom.parts[0]).cosine;
      times(power(subtract(one(), multiply(cosine, cosine)), factor.power / 2));
      if (factor.power % 2) kept.push_back({factor.atom, 1});
    } else if (is_function && static_cast<Op>(atom.attribute) == Op::sqrt && (factor.power >= 2 || factor.power < 0)) {
      const int whole = static_cast<int>(floor_quotient(factor.power, 2));
      times(power(atom.parts[0], whole));
      if (factor.power - 2 * whole) kept.push_back({factor.atom, 1});
    } else if (is_function && static_cast<Op>(atom.attribute) == Op::cbrt && (factor.power >= 3 || factor.power < 0)) {
      const int whole = static_cast<int>(floor_quotient(factor.power, 3));
      times(power(atom.parts[0], whole));
      if (factor.power - 3 * whole) kept.push_back({factor.atom, factor.power - 3 * whole});
    } else if (is_function && static_cast<Op>(atom.attribute) == Op::pow && root_degree(*this, factor.atom)) {
      // The q-th root of x to the power k: x^(k // q) is taken out, and common factors of the rest and q are cancelled.
      const int degree = *root_degree(*this, factor.atom);
      const int whole = static_cast<int>(floor_quotient(factor.power, degree)), rest = factor.power - whole * degree;
      if (whole != 0) times(power(atom.parts[0], whole));
      const int shared = std::gcd(rest, degree);
      if (rest != 0 && shared == 1) kept.push_back({factor.atom, rest});
      if (rest != 0 && shared > 1)
        times(pow(*this, atom.parts[0], constant(mpq_class(rest / shared, degree / shared))));
    } else if (atom.kind == AtomKind::positive_part && factor.power > 1 && factor.power <= 4 &&
               (*this)[atom.parts[0]].size() <= 6) {
      // ramp(p)^2 = p ramp(p).
      times(power(atom.parts[0], factor.power - 1));
      kept.push_back({factor.atom, 1});
    } else {
      kept.push_back(factor);
    }
  }
  monomial.factors = std::move(kept);
  const PolynomialId alone = this->monomial(intern(std::move(monomial)), coefficient);
  const PolynomialId out = beside == one() ? alone : multiply(alone, beside);
  return failed() ? zero() : out;
}

}  // namespace reckon::ir::normal
