// Sine and cosine by the addition theorems; sin^2 = 1 - cos^2 is a rule for single factors (polynomial.cpp).
#include "prove/angles.h"

#include <numeric>

#include "ir/op.h"
#include "prove/functions.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_terms = 4;  ///< an angle of more terms is not split
constexpr int largest_multiple = 8;
constexpr int largest_part = 12;

Angle plus(Terms& t, const Angle& a, const Angle& b) {
  return {t.add(t.multiply(a.sine, b.cosine), t.multiply(a.cosine, b.sine)),
          t.subtract(t.multiply(a.cosine, b.cosine), t.multiply(a.sine, b.sine))};
}

/// An angle that is an arcsine or arctangent, or half of one.
std::optional<Angle> angle_of_inverse(Terms& t, MonomialId id, const mpq_class& coefficient) {
  const Monomial& monomial = t[id];
  if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) return std::nullopt;
  const Atom atom = t[monomial.factors[0].atom];
  if (atom.kind != AtomKind::function || (coefficient != 1 && coefficient != mpq_class(1, 2))) return std::nullopt;
  // sin asin x = x and cos asin x = sqrt(1 - x^2); tan atan x = x and cos atan x = 1 / sqrt(1 + x^2): asin and atan lie
  // between -pi/2 and pi/2 (DLMF section 4.23(ii)).
  const PolynomialId x = atom.parts[0];
  const PolynomialId square = t.multiply(x, x);
  Angle whole;
  switch (static_cast<Op>(atom.attribute)) {
    case Op::asin: whole = {x, sqrt(t, t.subtract(t.one(), square))}; break;
    case Op::atan: {
      const PolynomialId cosine = t.inverse(sqrt(t, t.add(t.one(), square)));
      whole = {t.multiply(x, cosine), cosine};
      break;
    }
    default: return std::nullopt;
  }
  if (coefficient == 1) return whole;
  // cos(a/2) = sqrt((1 + cos a) / 2), which is not 0, and sin(a/2) = sin a / (2 cos(a/2)) (DLMF section 4.21(iii)).
  const PolynomialId cosine = sqrt(t, t.scale(t.add(t.one(), whole.cosine), mpq_class(1, 2)));
  return Angle{t.scale(t.multiply(whole.sine, t.inverse(cosine)), mpq_class(1, 2)), cosine};
}

std::optional<Angle> angle_of_half_arccosine(Terms& t, PolynomialId a) {
  // pi/4 - asin(x)/2, which is acos(x)/2 and lies between 0 and pi/2: cos = sqrt((1 + x) / 2), sin = sqrt((1 - x) / 2)
  // (DLMF section 4.21(iii)).
  const PolynomialId arcsine = t.scale(t.subtract(t.scale(t.atom({.kind = AtomKind::pi}), mpq_class(1, 4)), a), 2);
  if (t[arcsine].size() != 1) return std::nullopt;
  const Term term = t[arcsine].front();
  const Monomial& monomial = t[term.monomial];
  if (abs(term.coefficient) != 1 || monomial.exponent.valid() || monomial.factors.size() != 1) return std::nullopt;
  const Atom atom = t[monomial.factors[0].atom];
  if (monomial.factors[0].power != 1 || atom.kind != AtomKind::function ||
      static_cast<Op>(atom.attribute) != Op::asin) {
    return std::nullopt;
  }
  const PolynomialId x = t.scale(atom.parts[0], term.coefficient), half = t.constant(mpq_class(1, 2));
  return Angle{sqrt(t, t.multiply(half, t.subtract(t.one(), x))), sqrt(t, t.multiply(half, t.add(t.one(), x)))};
}

}  // namespace

std::optional<Angle> angle_of_pi(Terms& t, const mpq_class& turns) {
  // Multiples of pi/8 and pi/12, by pi/2, pi/4, pi/6 and pi/8: sin(pi/8) = cos(pi/8) (sqrt(2) - 1).
  const PolynomialId half = t.constant(mpq_class(1, 2));
  const auto times = [&](const Angle& unit, long count) {
    Angle out{t.zero(), t.one()};
    for (long k = 0; k < count; ++k) out = plus(t, out, unit);
    return out;
  };
  const auto modulo = [](const mpz_class& value, unsigned long divisor) {
    return static_cast<long>(mpz_fdiv_ui(value.get_mpz_t(), divisor));
  };
  const auto root = [&](long value) { return sqrt_of_rational(t, mpq_class(value)); };
  const Angle quarter{t.multiply(root(2), half), t.multiply(root(2), half)};
  const mpq_class eighths = turns * 8, twelfths = turns * 12;
  if (eighths.get_den() == 1) {
    const long count = modulo(eighths.get_num(), 16);
    Angle out = times(quarter, count / 2);
    if (count % 2) {
      const PolynomialId cosine = sqrt(t, t.scale(t.add(t.constant(2), root(2)), mpq_class(1, 4)));
      out = plus(t, out, {t.multiply(cosine, t.subtract(root(2), t.one())), cosine});
    }
    return out;
  }
  if (twelfths.get_den() == 1) {
    const long count = modulo(twelfths.get_num(), 24), of_quarters = count % 2;
    const Angle sixth{half, t.multiply(root(3), half)};
    return plus(t, times(quarter, of_quarters), times(sixth, ((count - 3 * of_quarters) / 2 + 12) % 12));
  }
  return std::nullopt;
}

Angle Angles::of_term(MonomialId monomial, const mpq_class& coefficient) {
  if (coefficient < 0) {
    const Angle mirrored = of_term(monomial, -coefficient);
    return {t_.negate(mirrored.sine), mirrored.cosine};
  }
  mpq_class unit = coefficient;
  int multiple = 1;
  int& part = parts_.try_emplace(t_.shape(monomial), 0).first->second;
  if (coefficient.get_den() <= largest_part) {
    const int own = static_cast<int>(coefficient.get_den().get_si());
    differ_ = differ_ || (part != 0 && part != own);
    if (const int common = std::lcm(std::max(part, 1), own); common <= largest_part) part = common;
  }
  if (const mpq_class count = coefficient * part;
      refined_ && part > 0 && count.get_den() == 1 && count <= largest_multiple) {
    multiple = static_cast<int>(count.get_num().get_si());
    unit = mpq_class(1, part);
  } else if (coefficient.get_num() <= largest_multiple) {
    multiple = static_cast<int>(coefficient.get_num().get_si());
    unit = mpq_class(1) / coefficient.get_den();
  }
  const PolynomialId one_unit = t_.monomial(monomial, unit);
  const auto inverse = angle_of_inverse(t_, monomial, unit);
  const Angle base = inverse ? *inverse : Angle{function(t_, Op::sin, {one_unit}), function(t_, Op::cos, {one_unit})};
  Angle out = base;
  for (int k = 1; k < multiple && !t_.failed(); ++k) {
    out = plus(t_, out, base);
  }
  return out;
}

bool Angles::refine() {
  if (refined_ || !differ_) return false;
  t_.revision.made.clear();
  return refined_ = true;
}

Angle Angles::of(PolynomialId a) {
  if (t_.failed()) return {t_.zero(), t_.zero()};
  const std::vector<Term> terms = t_[a];
  if (terms.size() > max_terms) {
    if (terms.front().coefficient < 0) {
      const Angle mirrored = of(t_.negate(a));
      return {t_.negate(mirrored.sine), mirrored.cosine};
    }
    return {function(t_, Op::sin, {a}), function(t_, Op::cos, {a})};
  }
  if (const auto half = angle_of_half_arccosine(t_, a)) return *half;
  Angle out{t_.zero(), t_.one()};
  for (const Term& term : terms) {
    const Monomial& monomial = t_[term.monomial];
    const bool of_pi = !monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1 &&
                       t_[monomial.factors[0].atom].kind == AtomKind::pi;
    std::optional<Angle> known;
    if (of_pi) known = angle_of_pi(t_, term.coefficient);
    out = plus(t_, out, known ? *known : of_term(term.monomial, term.coefficient));
  }
  return out;
}

}  // namespace reckon::ir::normal
