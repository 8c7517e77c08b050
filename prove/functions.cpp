// Operations of ops.def as forms. A function without a law that is used here is an atom over its operands.
#include "prove/functions.h"

#include <algorithm>

#include "ir/function_of.h"
#include "prove/conditions.h"
#include "prove/maxima.h"

namespace reckon::ir::normal {
namespace {

/// f(-x) = -f(x), for every x at which it is defined.
bool is_odd(Op op) {
  switch (op) {
    case Op::trunc:
    case Op::round: return true;
    default: break;
  }
  const auto function = function_of(op);
  // The sign of a sine is handled by angle(), together with the cosine.
  return function && numerics::is_odd(*function) && !numerics::is_periodic(*function);
}

PolynomialId half_turns(Terms& t, PolynomialId count) { return t.multiply(t.atom({.kind = AtomKind::pi}), count); }

/// The prime factors of a number below 1000, with their powers; the rest is the last entry.
std::vector<std::pair<mpz_class, int>> factorised(mpz_class value) {
  std::vector<std::pair<mpz_class, int>> out;
  for (unsigned long p = 2; p < 1000 && value > 1; ++p) {
    int power = 0;
    while (mpz_divisible_ui_p(value.get_mpz_t(), p)) {
      value /= p;
      ++power;
    }
    if (power > 0) out.push_back({mpz_class(p), power});
  }
  if (value > 1) out.push_back({value, 1});
  return out;
}

}  // namespace

PolynomialId function(Terms& t, Op op, std::vector<PolynomialId> operands) {
  if (t.failed()) return t.zero();
  if (is_odd(op)) {
    if (operands[0] == t.zero()) return t.zero();
    if (t.lead(operands[0]).coefficient < 0) return t.negate(function(t, op, {t.negate(operands[0])}));
  }
  return t.atom(
      {.kind = AtomKind::function, .attribute = static_cast<std::uint32_t>(op), .parts = std::move(operands)});
}

PolynomialId log_of_rational(Terms& t, const mpq_class& value) {
  PolynomialId out = t.zero();
  for (int side : {1, -1}) {
    for (const auto& [prime, power] : factorised(side > 0 ? value.get_num() : value.get_den())) {
      out = t.add(out, t.scale(function(t, Op::log, {t.constant(mpq_class(prime))}), side * power));
    }
  }
  return out;
}

PolynomialId log(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) return *value > 0 ? log_of_rational(t, *value) : t.fail();
  const std::vector<Term> terms = t[a];
  if (terms.size() > 1) {
    // A positive rational factor is taken out, so that the first coefficient is 1 or -1.
    const mpq_class size = abs(t.lead(a).coefficient);
    if (size != 1) return t.add(log_of_rational(t, size), log(t, t.scale(a, 1 / size)));
    if (const MonomialId common = t.assumptions.common_positive(a); common.valid()) {
      return t.add(log(t, t.monomial(common)), log(t, t.multiply(a, t.inverse(t.monomial(common)))));
    }
    if (const PolynomialId exponent = common_exponent(t, a); exponent != t.zero()) {
      return t.add(exponent, log(t, t.multiply(a, t.exp(t.negate(exponent)))));
    }
    if (const auto ratio = as_safe_ratio(t, a)) return t.subtract(log(t, ratio->above), log(t, ratio->below));
    if (const auto inverse = log_of_hyperbola(t, a)) return *inverse;
    return function(t, Op::log, {a});
  }
  // Positive factors are taken out; the rest is positive wherever the logarithm is defined.
  const Monomial monomial = t[terms[0].monomial];
  PolynomialId out = log_of_rational(t, abs(terms[0].coefficient));
  if (monomial.exponent.valid()) out = t.add(out, monomial.exponent);
  Monomial rest;
  for (const Factor& factor : monomial.factors) {
    const PolynomialId of = t.power(factor.atom, 1);
    const Atom& atom = t[factor.atom];
    const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : of;
    if (t.assumptions.is_positive(factor.atom, false))
      out = t.add(out, t.scale(function(t, Op::log, {inside}), factor.power));
    else rest.factors.push_back(factor);
  }
  const bool negative = terms[0].coefficient < 0;
  if (rest.factors.empty()) return negative ? t.fail() : out;
  if (rest.factors.size() == 1 && !negative && rest.factors[0].power % 2 != 0) {
    // log(x^k) for odd k: x is positive wherever this is defined. The first power of a group is the sum of its terms.
    const auto [id, power] = rest.factors[0];
    const Atom& atom = t[id];
    const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : t.power(id, 1);
    return t.add(out, t.scale(function(t, Op::log, {inside}), power));
  }
  return t.add(out, function(t, Op::log, {t.monomial(t.intern(std::move(rest)), negative ? -1 : 1)}));
}

PolynomialId sqrt_of_rational(Terms& t, const mpq_class& value) {
  // sqrt(p / q) = sqrt(p q) / q.
  PolynomialId out = t.constant(mpq_class(1) / value.get_den());
  for (const auto& [prime, power] : factorised(value.get_num() * value.get_den())) {
    mpz_class whole;
    mpz_pow_ui(whole.get_mpz_t(), prime.get_mpz_t(), static_cast<unsigned long>(power / 2));
    out = t.scale(out, mpq_class(whole));
    if (power % 2 == 0) continue;
    if (mpz_perfect_square_p(prime.get_mpz_t())) {
      mpz_class root;
      mpz_sqrt(root.get_mpz_t(), prime.get_mpz_t());
      out = t.scale(out, mpq_class(root));
    } else {
      out = t.multiply(out, function(t, Op::sqrt, {t.constant(mpq_class(prime))}));
    }
  }
  return out;
}

PolynomialId sqrt(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (a == t.zero()) return t.zero();
  if (const auto value = t.as_constant(a)) return *value > 0 ? sqrt_of_rational(t, *value) : t.fail();
  const std::vector<Term> terms = t[a];
  if (terms.size() > 1) {
    const mpq_class size = abs(t.lead(a).coefficient);
    if (size != 1) return t.multiply(sqrt_of_rational(t, size), sqrt(t, t.scale(a, 1 / size)));
    if (const MonomialId common = t.assumptions.common_positive(a); common.valid()) {
      return t.multiply(sqrt(t, t.monomial(common)), sqrt(t, t.multiply(a, t.inverse(t.monomial(common)))));
    }
    if (const auto root = root_of_square(t, a)) return apply(t, Op::abs, {*root});
    if (const PolynomialId exponent = common_exponent(t, a); exponent != t.zero()) {
      return t.multiply(t.exp(t.scale(exponent, mpq_class(1, 2))), sqrt(t, t.multiply(a, t.exp(t.negate(exponent)))));
    }
    if (const auto ratio = as_safe_ratio(t, a)) {
      return t.multiply(t.inverse(ratio->below), sqrt(t, t.multiply(ratio->above, ratio->below)));
    }
    return function(t, Op::sqrt, {a});
  }
  const Monomial monomial = t[terms[0].monomial];
  PolynomialId out = sqrt_of_rational(t, abs(terms[0].coefficient));
  if (monomial.exponent.valid()) out = t.multiply(out, t.exp(t.scale(monomial.exponent, mpq_class(1, 2))));
  Monomial rest;
  bool square = true;
  for (const Factor& factor : monomial.factors) {
    const Atom& atom = t[factor.atom];
    if (t.assumptions.is_positive(factor.atom, false)) {
      const int whole = static_cast<int>(floor_quotient(factor.power, 2));
      out = t.multiply(out, t.power(factor.atom, whole));
      const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : t.power(factor.atom, 1);
      if (factor.power - 2 * whole) {
        // The first power of a group is the sum of its terms.
        out = t.multiply(out, function(t, Op::sqrt, {inside}));
      }
    } else {
      rest.factors.push_back(factor);
      square = square && factor.power % 2 == 0;
    }
  }
  const bool negative = terms[0].coefficient < 0;
  if (rest.factors.empty()) return negative ? t.fail() : out;
  if (square && !negative) {
    for (Factor& factor : rest.factors) factor.power /= 2;
    return t.multiply(out, apply(t, Op::abs, {t.simplify(std::move(rest), 1)}));
  }
  return t.multiply(out, function(t, Op::sqrt, {t.monomial(t.intern(std::move(rest)), negative ? -1 : 1)}));
}

PolynomialId apply(Terms& t, Op op, const std::vector<PolynomialId>& x) {
  if (t.failed()) return t.zero();
  const auto half = mpq_class(1, 2);
  const auto ln2 = [&] { return log_of_rational(t, 2); };
  switch (op) {
    case Op::add: return t.add(x[0], x[1]);
    case Op::sub: return t.subtract(x[0], x[1]);
    case Op::mul: return t.multiply(x[0], x[1]);
    case Op::div: return t.multiply(x[0], t.inverse(x[1]));
    case Op::neg: return t.negate(x[0]);
    case Op::fma: return t.add(t.multiply(x[0], x[1]), x[2]);
    case Op::exp: return t.exp(x[0]);
    case Op::exp2: return t.exp(t.multiply(x[0], ln2()));
    case Op::exp10: return t.exp(t.multiply(x[0], log_of_rational(t, 10)));
    // By an exponent that is no integer it has no value.
    case Op::ldexp: return t.multiply(x[0], t.exp(t.multiply(x[1], ln2())));
    case Op::expm1: return t.subtract(t.exp(x[0]), t.one());
    case Op::log: return log(t, x[0]);
    case Op::log2: return t.multiply(log(t, x[0]), t.inverse(ln2()));
    case Op::log10: return t.multiply(log(t, x[0]), t.inverse(log_of_rational(t, 10)));
    case Op::log1p: return log(t, t.add(t.one(), x[0]));
    case Op::sqrt: return sqrt(t, x[0]);
    case Op::rsqrt: return t.inverse(sqrt(t, x[0]));
    case Op::hypot: return sqrt(t, t.add(t.multiply(x[0], x[0]), t.multiply(x[1], x[1])));
    case Op::sin: return t.angles.of(x[0]).sine;
    case Op::cos: return t.angles.of(x[0]).cosine;
    case Op::tan: return t.multiply(t.angles.of(x[0]).sine, t.inverse(t.angles.of(x[0]).cosine));
    case Op::sinpi: return t.angles.of(half_turns(t, x[0])).sine;
    case Op::cospi: return t.angles.of(half_turns(t, x[0])).cosine;
    case Op::tanpi: {
      const Angle angle = t.angles.of(half_turns(t, x[0]));
      return t.multiply(angle.sine, t.inverse(angle.cosine));
    }
    case Op::erfc: return t.subtract(t.one(), function(t, Op::erf, x));
    case Op::sinh: return t.scale(t.subtract(t.exp(x[0]), t.exp(t.negate(x[0]))), half);
    case Op::cosh: return t.scale(t.add(t.exp(x[0]), t.exp(t.negate(x[0]))), half);
    case Op::tanh: {
      const PolynomialId square = t.exp(t.scale(x[0], 2));
      return t.multiply(t.subtract(square, t.one()), t.inverse(t.add(square, t.one())));
    }
    case Op::pow: return pow(t, x[0], x[1]);
    case Op::rootn: return rootn(t, x[0], x[1]);
    case Op::cbrt: return cbrt(t, x[0]);
    case Op::asin: return arcsine(t, x[0]);
    case Op::acos: return t.subtract(t.scale(t.atom({.kind = AtomKind::pi}), half), arcsine(t, x[0]));
    case Op::atan: return arctangent(t, x[0]);
    case Op::atan2:
      // The angle of (x, y) for x > 0 (DLMF section 4.23, phases).
      if (t.assumptions.is_positive(x[1], true)) return arctangent(t, t.multiply(x[0], t.inverse(x[1])));
      return function(t, op, x);
    case Op::atanh:
      // 1 + x and 1 - x are above 0 wherever this is defined (DLMF section 4.37(iv)).
      return t.scale(t.subtract(log(t, t.add(t.one(), x[0])), log(t, t.subtract(t.one(), x[0]))), half);
    case Op::rem: return remainder(t, x[0], x[1]);
    case Op::floor:
    case Op::trunc:
    case Op::round: return step_function(t, op, x[0]);
    case Op::max:
    case Op::maxnum: return maximum(t, {x[0], x[1]});
    case Op::min:
    case Op::minnum: return t.negate(maximum(t, {t.negate(x[0]), t.negate(x[1])}));
    case Op::clamp: return apply(t, Op::min, {maximum(t, {x[0], x[1]}), x[2]});
    case Op::abs: return maximum(t, {x[0], t.negate(x[0])});
    case Op::sign: return t.subtract(positive(t, x[0]), positive(t, t.negate(x[0])));
    case Op::copysign:
      return t.multiply(apply(t, Op::abs, {x[0]}), t.subtract(t.one(), t.scale(positive(t, t.negate(x[1])), 2)));
    case Op::ceil: return t.negate(step_function(t, Op::floor, t.negate(x[0])));
    case Op::less: return positive(t, t.subtract(x[1], x[0]));
    case Op::less_equal: return t.subtract(t.one(), positive(t, t.subtract(x[0], x[1])));
    case Op::equal: return is_zero(t, t.subtract(x[0], x[1]));
    case Op::not_equal: return t.subtract(t.one(), is_zero(t, t.subtract(x[0], x[1])));
    case Op::logical_and: return t.multiply(x[0], x[1]);
    case Op::logical_or: return t.subtract(t.add(x[0], x[1]), t.multiply(x[0], x[1]));
    case Op::logical_not: return t.subtract(t.one(), x[0]);
    case Op::select: return select(t, x[0], x[1], x[2]);
    case Op::convert: return x[0];
    default: return function(t, op, x);
  }
}

}  // namespace reckon::ir::normal
