// Sine and cosine by the addition theorems; sin^2 = 1 - cos^2 is a rule for single factors (polynomial.cpp).
#include <numeric>

#include "ir/op.h"
#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_terms = 4;  ///< an angle of more terms is not split
constexpr int largest_multiple = 8;
constexpr int largest_part = 12;

}  // namespace

Terms::Angle Terms::angle_of_term(MonomialId monomial, const mpq_class& coefficient) {
  if (coefficient < 0) {
    const Angle mirrored = angle_of_term(monomial, -coefficient);
    return {negate(mirrored.sine), mirrored.cosine};
  }
  mpq_class unit = coefficient;
  int multiple = 1;
  int& part = angle_parts_.try_emplace(facts(monomial).shape, 0).first->second;
  if (coefficient.get_den() <= largest_part) {
    const int own = static_cast<int>(coefficient.get_den().get_si());
    angles_differ_ = angles_differ_ || (part != 0 && part != own);
    if (const int common = std::lcm(std::max(part, 1), own); common <= largest_part) part = common;
  }
  if (const mpq_class count = coefficient * part;
      angles_refined_ && part > 0 && count.get_den() == 1 && count <= largest_multiple) {
    multiple = static_cast<int>(count.get_num().get_si());
    unit = mpq_class(1, part);
  } else if (coefficient.get_num() <= largest_multiple) {
    multiple = static_cast<int>(coefficient.get_num().get_si());
    unit = mpq_class(1) / coefficient.get_den();
  }
  const PolynomialId one_unit = this->monomial(monomial, unit);
  const auto inverse = angle_of_inverse(monomial, unit);
  const Angle base = inverse ? *inverse : Angle{function(Op::sin, {one_unit}), function(Op::cos, {one_unit})};
  Angle out = base;
  for (int k = 1; k < multiple && !failed_; ++k) {
    out = plus(out, base);
  }
  return out;
}

Terms::Angle Terms::plus(const Angle& a, const Angle& b) {
  return {add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine)),
          subtract(multiply(a.cosine, b.cosine), multiply(a.sine, b.sine))};
}

bool Terms::refine_angles() {
  if (angles_refined_ || !angles_differ_) return false;
  revisited_.clear();
  return angles_refined_ = true;
}

std::optional<Terms::Angle> Terms::angle_of_inverse(MonomialId id, const mpq_class& coefficient) {
  const Monomial& monomial = (*this)[id];
  if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) return std::nullopt;
  const Atom atom = (*this)[monomial.factors[0].atom];
  if (atom.kind != AtomKind::function || (coefficient != 1 && coefficient != mpq_class(1, 2))) return std::nullopt;
  // sin asin x = x and cos asin x = sqrt(1 - x^2); tan atan x = x and cos atan x = 1 / sqrt(1 + x^2): asin and atan lie
  // between -pi/2 and pi/2 (DLMF section 4.23(ii)).
  const PolynomialId x = atom.parts[0];
  const PolynomialId square = multiply(x, x);
  Angle whole;
  switch (static_cast<Op>(atom.attribute)) {
    case Op::asin: whole = {x, sqrt(subtract(one_, square))}; break;
    case Op::atan: {
      const PolynomialId cosine = inverse(sqrt(add(one_, square)));
      whole = {multiply(x, cosine), cosine};
      break;
    }
    default: return std::nullopt;
  }
  if (coefficient == 1) return whole;
  // cos(a/2) = sqrt((1 + cos a) / 2), which is not 0, and sin(a/2) = sin a / (2 cos(a/2)) (DLMF section 4.21(iii)).
  const PolynomialId cosine = sqrt(scale(add(one_, whole.cosine), mpq_class(1, 2)));
  return Angle{scale(multiply(whole.sine, inverse(cosine)), mpq_class(1, 2)), cosine};
}

std::optional<Terms::Angle> Terms::angle_of_half_arccosine(PolynomialId a) {
  // pi/4 - asin(x)/2, which is acos(x)/2 and lies between 0 and pi/2: cos = sqrt((1 + x) / 2), sin = sqrt((1 - x) / 2)
  // (DLMF section 4.21(iii)).
  const PolynomialId arcsine = scale(subtract(scale(atom({.kind = AtomKind::pi}), mpq_class(1, 4)), a), 2);
  if ((*this)[arcsine].size() != 1) return std::nullopt;
  const Term term = (*this)[arcsine].front();
  const Monomial& monomial = (*this)[term.monomial];
  if (abs(term.coefficient) != 1 || monomial.exponent.valid() || monomial.factors.size() != 1) return std::nullopt;
  const Atom atom = (*this)[monomial.factors[0].atom];
  if (monomial.factors[0].power != 1 || atom.kind != AtomKind::function ||
      static_cast<Op>(atom.attribute) != Op::asin) {
    return std::nullopt;
  }
  const PolynomialId x = scale(atom.parts[0], term.coefficient), half = constant(mpq_class(1, 2));
  return Angle{sqrt(multiply(half, subtract(one_, x))), sqrt(multiply(half, add(one_, x)))};
}

std::optional<Terms::Angle> Terms::angle_of_pi(mpq_class turns) {
  // Multiples of pi/8 and pi/12, by pi/2, pi/4, pi/6 and pi/8: sin(pi/8) = cos(pi/8) (sqrt(2) - 1).
  const PolynomialId half = constant(mpq_class(1, 2));
  const auto times = [&](const Angle& unit, long count) {
    Angle out{zero_, one_};
    for (long k = 0; k < count; ++k) out = plus(out, unit);
    return out;
  };
  const auto modulo = [](const mpz_class& value, unsigned long divisor) {
    return static_cast<long>(mpz_fdiv_ui(value.get_mpz_t(), divisor));
  };
  const auto root = [&](long value) { return sqrt_of_rational(mpq_class(value)); };
  const Angle quarter{multiply(root(2), half), multiply(root(2), half)};
  const mpq_class eighths = turns * 8, twelfths = turns * 12;
  if (eighths.get_den() == 1) {
    const long count = modulo(eighths.get_num(), 16);
    Angle out = times(quarter, count / 2);
    if (count % 2) {
      const PolynomialId cosine = sqrt(scale(add(constant(2), root(2)), mpq_class(1, 4)));
      out = plus(out, {multiply(cosine, subtract(root(2), one_)), cosine});
    }
    return out;
  }
  if (twelfths.get_den() == 1) {
    const long count = modulo(twelfths.get_num(), 24), of_quarters = count % 2;
    const Angle sixth{half, multiply(root(3), half)};
    return plus(times(quarter, of_quarters), times(sixth, ((count - 3 * of_quarters) / 2 + 12) % 12));
  }
  return std::nullopt;
}

Terms::Angle Terms::angle(PolynomialId a) {
  if (failed_) return {zero_, zero_};
  const std::vector<Term> terms = (*this)[a];
  if (terms.size() > max_terms) {
    if (terms.front().coefficient < 0) {
      const Angle mirrored = angle(negate(a));
      return {negate(mirrored.sine), mirrored.cosine};
    }
    return {function(Op::sin, {a}), function(Op::cos, {a})};
  }
  if (const auto half = angle_of_half_arccosine(a)) return *half;
  Angle out{zero_, one_};
  for (const Term& term : terms) {
    const Monomial& monomial = (*this)[term.monomial];
    const bool of_pi = !monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1 &&
                       (*this)[monomial.factors[0].atom].kind == AtomKind::pi;
    std::optional<Angle> known;
    if (of_pi) known = angle_of_pi(term.coefficient);
    out = plus(out, known ? *known : angle_of_term(term.monomial, term.coefficient));
  }
  return out;
}

}  // namespace reckon::ir::normal
