// Operations of ops.def as forms. A function without a law that is used here is an atom over its operands.
#include <algorithm>

#include "ir/function_of.h"
#include "prove/terms.h"

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

PolynomialId Terms::function(Op op, std::vector<PolynomialId> operands) {
  if (failed_) return zero_;
  if (is_odd(op)) {
    if (operands[0] == zero_) return zero_;
    if (lead(operands[0]).coefficient < 0) return negate(function(op, {negate(operands[0])}));
  }
  return atom({.kind = AtomKind::function, .attribute = static_cast<std::uint32_t>(op), .parts = std::move(operands)});
}

bool Terms::is_positive(AtomId id, bool strictly) const {
  const Atom& atom = (*this)[id];
  switch (atom.kind) {
    case AtomKind::pi: return true;
    case AtomKind::element: return limits_.positive.contains(atom.attribute) || assumed_positive(id, strictly);
    case AtomKind::sum: {
      const bool counted = std::all_of(atom.indices.begin(), atom.indices.end(),
                                       [&](IndexId extent) { return indices_.as_constant(extent).value_or(0) > 0; });
      return (counted || !strictly) && is_positive(atom.parts[0], strictly);
    }
    case AtomKind::group:
    case AtomKind::product:
    case AtomKind::supremum: return is_positive(atom.parts[0], strictly);
    case AtomKind::index:
      // A dimension is a size, which is 0 or more.
      return !strictly && indices_[atom.indices[0]].op == IndexOp::dimension;
    case AtomKind::positive_part: return is_positive(atom.parts[0], strictly) || (!strictly && total(id));
    case AtomKind::maximum:
      return std::any_of(atom.parts.begin(), atom.parts.end(),
                         [&](PolynomialId part) { return is_positive(part, strictly); });
    case AtomKind::function: {
      const auto value = as_constant(atom.parts[0]);
      if (static_cast<Op>(atom.attribute) == Op::log) return value && *value > 1;
      return static_cast<Op>(atom.attribute) == Op::sqrt && is_positive(atom.parts[0], strictly);
    }
    default: return assumed_positive(id, strictly);
  }
}

bool Terms::is_positive(PolynomialId id, bool strictly) const {
  const auto [found, inserted] = positive_[strictly].try_emplace(id, false);
  if (!inserted) return found->second;
  const bool out = every_term_is_positive(id, strictly);
  positive_[strictly][id] = out;
  return out;
}

bool Terms::every_term_is_positive(PolynomialId id, bool strictly) const {
  // The sum is not below 0 if no term is, and above 0 if one of the terms is.
  bool any_above = false;
  for (const Term& term : (*this)[id]) {
    if (term.coefficient < 0) return false;
    bool above = true;
    for (const Factor& factor : (*this)[term.monomial].factors) {
      if (is_positive(factor.atom, true)) continue;
      above = false;
      if (factor.power % 2 != 0 && !is_positive(factor.atom, false)) return false;
    }
    any_above = any_above || above;
  }
  return !(*this)[id].empty() && (any_above || !strictly);
}

MonomialId Terms::common_positive(PolynomialId a) {
  const std::vector<Term>& terms = (*this)[a];
  std::map<AtomId, int> least;
  std::map<AtomId, std::size_t> occurrences;
  for (const Term& term : terms) {
    for (const Factor& factor : (*this)[term.monomial].factors) {
      if (!is_positive(factor.atom, false)) continue;
      auto [found, inserted] = least.try_emplace(factor.atom, factor.power);
      found->second = std::min(found->second, factor.power);
      ++occurrences[factor.atom];
    }
  }
  Monomial out;
  for (auto [atom, power] : least) {
    if (occurrences[atom] < terms.size()) power = std::min(power, 0);
    if (power != 0) out.factors.push_back({atom, power});
  }
  const PolynomialId exponent = (*this)[terms.front().monomial].exponent;
  const bool same =
      std::all_of(terms.begin(), terms.end(), [&](const Term& t) { return (*this)[t.monomial].exponent == exponent; });
  if (same) out.exponent = exponent;
  return out.factors.empty() && !out.exponent.valid() ? MonomialId{} : intern(std::move(out));
}

PolynomialId Terms::log_of_rational(const mpq_class& value) {
  PolynomialId out = zero_;
  for (int side : {1, -1}) {
    for (const auto& [prime, power] : factorised(side > 0 ? value.get_num() : value.get_den())) {
      out = add(out, scale(function(Op::log, {constant(mpq_class(prime))}), side * power));
    }
  }
  return out;
}

PolynomialId Terms::log(PolynomialId a) {
  if (failed_) return zero_;
  if (const auto value = as_constant(a)) return *value > 0 ? log_of_rational(*value) : fail();
  const std::vector<Term> terms = (*this)[a];
  if (terms.size() > 1) {
    // A positive rational factor is taken out, so that the first coefficient is 1 or -1.
    const mpq_class size = abs(lead(a).coefficient);
    if (size != 1) return add(log_of_rational(size), log(scale(a, 1 / size)));
    if (const MonomialId common = common_positive(a); common.valid()) {
      return add(log(monomial(common)), log(multiply(a, inverse(monomial(common)))));
    }
    if (const PolynomialId exponent = common_exponent(a); exponent != zero_) {
      return add(exponent, log(multiply(a, exp(negate(exponent)))));
    }
    if (const auto ratio = as_safe_ratio(a)) return subtract(log(ratio->above), log(ratio->below));
    if (const auto inverse = log_of_hyperbola(a)) return *inverse;
    return function(Op::log, {a});
  }
  // Positive factors are taken out; the rest is positive wherever the logarithm is defined.
  const Monomial monomial = (*this)[terms[0].monomial];
  PolynomialId out = log_of_rational(abs(terms[0].coefficient));
  if (monomial.exponent.valid()) out = add(out, monomial.exponent);
  Monomial rest;
  for (const Factor& factor : monomial.factors) {
    const PolynomialId of = power(factor.atom, 1);
    const Atom& atom = (*this)[factor.atom];
    const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : of;
    if (is_positive(factor.atom, false)) out = add(out, scale(function(Op::log, {inside}), factor.power));
    else rest.factors.push_back(factor);
  }
  const bool negative = terms[0].coefficient < 0;
  if (rest.factors.empty()) return negative ? fail() : out;
  if (rest.factors.size() == 1 && !negative && rest.factors[0].power % 2 != 0) {
    // log(x^k) for odd k: x is positive wherever this is defined. The first power of a group is the sum of its terms.
    const auto [id, power] = rest.factors[0];
    const Atom& atom = (*this)[id];
    const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : this->power(id, 1);
    return add(out, scale(function(Op::log, {inside}), power));
  }
  return add(out, function(Op::log, {this->monomial(intern(std::move(rest)), negative ? -1 : 1)}));
}

PolynomialId Terms::sqrt_of_rational(const mpq_class& value) {
  // sqrt(p / q) = sqrt(p q) / q.
  PolynomialId out = constant(mpq_class(1) / value.get_den());
  for (const auto& [prime, power] : factorised(value.get_num() * value.get_den())) {
    mpz_class whole;
    mpz_pow_ui(whole.get_mpz_t(), prime.get_mpz_t(), static_cast<unsigned long>(power / 2));
    out = scale(out, mpq_class(whole));
    if (power % 2 == 0) continue;
    if (mpz_perfect_square_p(prime.get_mpz_t())) {
      mpz_class root;
      mpz_sqrt(root.get_mpz_t(), prime.get_mpz_t());
      out = scale(out, mpq_class(root));
    } else {
      out = multiply(out, function(Op::sqrt, {constant(mpq_class(prime))}));
    }
  }
  return out;
}

PolynomialId Terms::sqrt(PolynomialId a) {
  if (failed_) return zero_;
  if (a == zero_) return zero_;
  if (const auto value = as_constant(a)) return *value > 0 ? sqrt_of_rational(*value) : fail();
  const std::vector<Term> terms = (*this)[a];
  if (terms.size() > 1) {
    const mpq_class size = abs(lead(a).coefficient);
    if (size != 1) return multiply(sqrt_of_rational(size), sqrt(scale(a, 1 / size)));
    if (const MonomialId common = common_positive(a); common.valid()) {
      return multiply(sqrt(monomial(common)), sqrt(multiply(a, inverse(monomial(common)))));
    }
    if (const auto root = root_of_square(a)) return apply(Op::abs, {*root});
    if (const PolynomialId exponent = common_exponent(a); exponent != zero_) {
      return multiply(exp(scale(exponent, mpq_class(1, 2))), sqrt(multiply(a, exp(negate(exponent)))));
    }
    if (const auto ratio = as_safe_ratio(a)) {
      return multiply(inverse(ratio->below), sqrt(multiply(ratio->above, ratio->below)));
    }
    return function(Op::sqrt, {a});
  }
  const Monomial monomial = (*this)[terms[0].monomial];
  PolynomialId out = sqrt_of_rational(abs(terms[0].coefficient));
  if (monomial.exponent.valid()) out = multiply(out, exp(scale(monomial.exponent, mpq_class(1, 2))));
  Monomial rest;
  bool square = true;
  for (const Factor& factor : monomial.factors) {
    const Atom& atom = (*this)[factor.atom];
    if (is_positive(factor.atom, false)) {
      const int whole = static_cast<int>(floor_quotient(factor.power, 2));
      out = multiply(out, power(factor.atom, whole));
      const PolynomialId inside = atom.kind == AtomKind::group ? atom.parts[0] : power(factor.atom, 1);
      if (factor.power - 2 * whole) {
        // The first power of a group is the sum of its terms.
        out = multiply(out, function(Op::sqrt, {inside}));
      }
    } else {
      rest.factors.push_back(factor);
      square = square && factor.power % 2 == 0;
    }
  }
  const bool negative = terms[0].coefficient < 0;
  if (rest.factors.empty()) return negative ? fail() : out;
  if (square && !negative) {
    for (Factor& factor : rest.factors) factor.power /= 2;
    return multiply(out, apply(Op::abs, {simplify(std::move(rest), 1)}));
  }
  return multiply(out, function(Op::sqrt, {this->monomial(intern(std::move(rest)), negative ? -1 : 1)}));
}

PolynomialId Terms::apply(Op op, const std::vector<PolynomialId>& x) {
  if (failed_) return zero_;
  const auto half = mpq_class(1, 2);
  const auto ln2 = [&] { return log_of_rational(2); };
  switch (op) {
    case Op::add: return add(x[0], x[1]);
    case Op::sub: return subtract(x[0], x[1]);
    case Op::mul: return multiply(x[0], x[1]);
    case Op::div: return multiply(x[0], inverse(x[1]));
    case Op::neg: return negate(x[0]);
    case Op::fma: return add(multiply(x[0], x[1]), x[2]);
    case Op::exp: return exp(x[0]);
    case Op::exp2: return exp(multiply(x[0], ln2()));
    case Op::exp10: return exp(multiply(x[0], log_of_rational(10)));
    case Op::expm1: return subtract(exp(x[0]), one_);
    case Op::log: return log(x[0]);
    case Op::log2: return multiply(log(x[0]), inverse(ln2()));
    case Op::log10: return multiply(log(x[0]), inverse(log_of_rational(10)));
    case Op::log1p: return log(add(one_, x[0]));
    case Op::sqrt: return sqrt(x[0]);
    case Op::rsqrt: return inverse(sqrt(x[0]));
    case Op::hypot: return sqrt(add(multiply(x[0], x[0]), multiply(x[1], x[1])));
    case Op::sin: return angle(x[0]).sine;
    case Op::cos: return angle(x[0]).cosine;
    case Op::tan: return multiply(angle(x[0]).sine, inverse(angle(x[0]).cosine));
    case Op::sinh: return scale(subtract(exp(x[0]), exp(negate(x[0]))), half);
    case Op::cosh: return scale(add(exp(x[0]), exp(negate(x[0]))), half);
    case Op::tanh: {
      const PolynomialId square = exp(scale(x[0], 2));
      return multiply(subtract(square, one_), inverse(add(square, one_)));
    }
    case Op::pow: return pow(x[0], x[1]);
    case Op::cbrt: return cbrt(x[0]);
    case Op::asin: return arcsine(x[0]);
    case Op::acos: return subtract(scale(atom({.kind = AtomKind::pi}), half), arcsine(x[0]));
    case Op::atan: return arctangent(x[0]);
    case Op::atan2:
      // The angle of (x, y) for x > 0 (DLMF section 4.23, phases).
      if (is_positive(x[1], true)) return arctangent(multiply(x[0], inverse(x[1])));
      return function(op, x);
    case Op::atanh:
      // 1 + x and 1 - x are above 0 wherever this is defined (DLMF section 4.37(iv)).
      return scale(subtract(log(add(one_, x[0])), log(subtract(one_, x[0]))), half);
    case Op::rem: return remainder(x[0], x[1]);
    case Op::floor:
    case Op::trunc:
    case Op::round: return step_function(op, x[0]);
    case Op::max:
    case Op::maxnum: return maximum({x[0], x[1]});
    case Op::min:
    case Op::minnum: return negate(maximum({negate(x[0]), negate(x[1])}));
    case Op::clamp: return apply(Op::min, {maximum({x[0], x[1]}), x[2]});
    case Op::abs: return maximum({x[0], negate(x[0])});
    case Op::sign: return subtract(positive(x[0]), positive(negate(x[0])));
    case Op::copysign: return multiply(apply(Op::abs, {x[0]}), subtract(one_, scale(positive(negate(x[1])), 2)));
    case Op::ceil: return negate(step_function(Op::floor, negate(x[0])));
    case Op::less: return positive(subtract(x[1], x[0]));
    case Op::less_equal: return subtract(one_, positive(subtract(x[0], x[1])));
    case Op::equal: return is_zero(subtract(x[0], x[1]));
    case Op::not_equal: return subtract(one_, is_zero(subtract(x[0], x[1])));
    case Op::logical_and: return multiply(x[0], x[1]);
    case Op::logical_or: return subtract(add(x[0], x[1]), multiply(x[0], x[1]));
    case Op::logical_not: return subtract(one_, x[0]);
    case Op::select: return select(x[0], x[1], x[2]);
    case Op::convert: return x[0];
    default: return function(op, x);
  }
}

}  // namespace reckon::ir::normal
