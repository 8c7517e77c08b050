// Field operations. Rationals stay rationals, and what an expression's form shows is used before the expression grows.
#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <new>

#include "numerics/reals/node.h"

namespace reckon::numerics {

namespace {

/// The parts of a dyadic number: mantissa times 2^exponent.
struct Dyadic {
  mpz_class mantissa;
  std::int64_t exponent = 0;
};

bool is_dyadic(const Real& a) { return !a.node() || a.node()->kind == RealNode::Kind::dyadic; }

Dyadic opened(const Real& a) {
  if (const DyadicNode* longer = as_dyadic(a)) return {longer->mantissa, longer->exponent};
  return {mpz_class(static_cast<long>(a.mantissa())), a.exponent()};
}

Real of_wide(Wide value, std::int64_t exponent) {
  if (value == 0) return {};
  const auto low = static_cast<std::uint64_t>(value);
  const int zeros = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(value >> 64));
  value >>= zeros;
  exponent += zeros;
  if (value == static_cast<std::int64_t>(value)) return Real::dyadic(static_cast<std::int64_t>(value), exponent);
  const bool below = value < 0;
  const auto magnitude = below ? -static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
  mpz_class out = static_cast<unsigned long>(magnitude >> 64);
  out <<= 64;
  out += static_cast<unsigned long>(magnitude);
  if (below) out = -out;
  return Real::dyadic(std::move(out), exponent);
}

Real add_dyadic(const Real& a, const Real& b, bool minus) {
  if (!a.node() && !b.node()) {
    const std::int64_t apart = static_cast<std::int64_t>(a.exponent()) - b.exponent();
    if (apart >= -62 && apart <= 62) {
      Wide x = a.mantissa(), y = b.mantissa();
      if (apart > 0) x <<= apart;
      else y <<= -apart;
      return of_wide(minus ? x - y : x + y, std::min(a.exponent(), b.exponent()));
    }
  }
  Dyadic x = opened(a);
  const Dyadic y = opened(b);
  if (x.exponent > y.exponent) {
    x.mantissa <<= shift(x.exponent - y.exponent);
    if (minus) x.mantissa -= y.mantissa;
    else x.mantissa += y.mantissa;
    return Real::dyadic(std::move(x.mantissa), y.exponent);
  }
  const mpz_class aligned = y.mantissa << shift(y.exponent - x.exponent);
  if (minus) x.mantissa -= aligned;
  else x.mantissa += aligned;
  return Real::dyadic(std::move(x.mantissa), x.exponent);
}

constexpr std::size_t longest_product = std::size_t{1} << 31;  // bits; repeated squaring soon exceeds it

void check_product(mpz_srcptr a, mpz_srcptr b) {
  if (mpz_sizeinbase(a, 2) + mpz_sizeinbase(b, 2) > longest_product) throw std::bad_alloc();
}

Real mul_dyadic(const Real& a, const Real& b) {
  if (!a.node() && !b.node()) {
    return of_wide(static_cast<Wide>(a.mantissa()) * b.mantissa(), static_cast<std::int64_t>(a.exponent()) + b.exponent());
  }
  Dyadic x = opened(a), y = opened(b);
  check_product(x.mantissa.get_mpz_t(), y.mantissa.get_mpz_t());
  x.mantissa *= y.mantissa;
  return Real::dyadic(std::move(x.mantissa), x.exponent + y.exponent);
}

const mpq_class& rational_of(const Real& a, mpq_class& temporary) {
  if (a.node() && a.node()->kind == RealNode::Kind::rational) return static_cast<const RationalNode*>(a.node())->value;
  temporary = a.rational();
  return temporary;
}

/// function(a, b) of rationals, which copies an operand only if it must.
Real of_rationals(const Real& a, const Real& b, void (*function)(mpq_ptr, mpq_srcptr, mpq_srcptr)) {
  mpq_class first, second, out;
  function(out.get_mpq_t(), rational_of(a, first).get_mpq_t(), rational_of(b, second).get_mpq_t());
  return Real(std::move(out));
}

constexpr Signs turned(Signs a) {
  return static_cast<Signs>((a & negative ? positive : 0) | (a & zero) | (a & positive ? negative : 0));
}
constexpr Signs sum_signs(Signs a, Signs b) {
  if (a == zero) return b;
  if (b == zero) return a;
  Signs out = static_cast<Signs>(((a | b) & negative) | ((a | b) & positive));
  const bool opposite = (a & negative && b & positive) || (a & positive && b & negative);
  if (opposite || (a & zero && b & zero)) out |= zero;
  return out;
}
constexpr Signs product_signs(Signs a, Signs b) {
  Signs out = (a | b) & zero;
  if ((a & positive && b & positive) || (a & negative && b & negative)) out |= positive;
  if ((a & positive && b & negative) || (a & negative && b & positive)) out |= negative;
  return out;
}

const Expression* constant_of(const Real& a) {
  const Expression* expression = as_expression(a);
  return expression && is_constant(expression->function) ? expression : nullptr;
}

}  // namespace

Real add(const Real& a, const Real& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (is_dyadic(a) && is_dyadic(b)) return add_dyadic(a, b, false);
  if (a.is_rational() && b.is_rational()) return of_rationals(a, b, mpq_add);
  const Expression *x = constant_of(a), *y = constant_of(b);
  if (x && y && x->function == y->function) return Real::constant(x->function, x->a.rational() + y->a.rational());
  return make(RealFunction::add, a, b, sum_signs(signs_of(a), signs_of(b)));
}

Real sub(const Real& a, const Real& b) {
  if (b.is_zero()) return a;
  if (is_dyadic(a) && is_dyadic(b)) return add_dyadic(a, b, true);
  if (a.is_rational() && b.is_rational()) return of_rationals(a, b, mpq_sub);
  if (a.is_zero()) return neg(b);
  const Expression *x = constant_of(a), *y = constant_of(b);
  if (x && y && x->function == y->function) return Real::constant(x->function, x->a.rational() - y->a.rational());
  if (identical(a, b)) return {};
  return make(RealFunction::sub, a, b, sum_signs(signs_of(a), turned(signs_of(b))));
}

Real neg(const Real& a) {
  if (!a.node()) {
    if (a.mantissa() != INT64_MIN) return Real::dyadic(-a.mantissa(), a.exponent());
    return Real::dyadic(-mpz_class(static_cast<long>(a.mantissa())), a.exponent());
  }
  if (a.is_rational()) return Real(mpq_class(-a.rational()));
  const Expression* x = as_expression(a);
  if (is_constant(x->function)) return Real::constant(x->function, -x->a.rational());
  if (x->function == RealFunction::neg) return x->a;
  if (x->function == RealFunction::sub) return sub(x->b, x->a);
  return make(RealFunction::neg, a, turned(signs_of(a)));
}

Real mul(const Real& a, const Real& b) {
  if (a.is_zero() || b.is_zero()) return {};
  if (is_dyadic(a) && is_dyadic(b)) return mul_dyadic(a, b);
  if (a.is_rational() && b.is_rational()) {
    return of_rationals(a, b, [](mpq_ptr out, mpq_srcptr x, mpq_srcptr y) {
      check_product(mpq_numref(x), mpq_numref(y));
      check_product(mpq_denref(x), mpq_denref(y));
      mpq_mul(out, x, y);
    });
  }
  if (a.is_rational() || b.is_rational()) {
    const Real& factor = a.is_rational() ? a : b;
    const Real& other = a.is_rational() ? b : a;
    if (small_integer(factor) == 1) return other;
    if (small_integer(factor) == -1) return neg(other);
    if (const Expression* x = constant_of(other)) return Real::constant(x->function, x->a.rational() * factor.rational());
    return make(RealFunction::mul, a, b, product_signs(signs_of(a), signs_of(b)));
  }
  if (identical(a, b)) {
    if (const Expression* root = as_function(a, RealFunction::sqrt)) return root->a;
    return make(RealFunction::mul, a, b, static_cast<Signs>(positive | (signs_of(a) & zero)));
  }
  return make(RealFunction::mul, a, b, product_signs(signs_of(a), signs_of(b)));
}

Outcome div(Real& out, const Real& a, const Real& b, Limit limit) {
  if (b.is_zero()) return Outcome::undefined;
  if (b.is_rational()) {
    if (const auto power = power_of_two(b)) out = mul(a, Real::dyadic(1, -*power));
    else if (a.is_rational()) out = of_rationals(a, b, mpq_div);
    else out = mul(a, Real(mpq_class(1 / b.rational())));
    return Outcome::defined;
  }
  if ((signs_of(b) & zero) != 0 && !sign(b, limit)) return Outcome::undecided;
  const Expression *x = constant_of(a), *y = constant_of(b);
  if (a.is_zero()) out = Real();
  else if (identical(a, b)) out = Real(1);
  else if (x && y && x->function == y->function) out = Real(mpq_class(x->a.rational() / y->a.rational()));
  else out = make(RealFunction::div, a, b, product_signs(signs_of(a), signs_of(b)));
  return Outcome::defined;
}

void accumulate(Real& total, const Real& term) {
  auto* longer = const_cast<DyadicNode*>(as_dyadic(total));
  const bool alone = longer && longer->references.load(std::memory_order_acquire) == 1;
  if (!alone || term.node() || term.is_zero() || term.exponent() < longer->exponent) {
    total = add(total, term);
    return;
  }
  // The term is added to the total's digits. The exponent stays; the last digit stays odd unless the term starts there.
  mpz_class& mantissa = longer->mantissa;
  const mpz_class aligned = mpz_class(static_cast<long>(term.mantissa())) << shift(term.exponent() - longer->exponent);
  mantissa += aligned;
  if (mpz_odd_p(mantissa.get_mpz_t()) && !mantissa.fits_slong_p()) return;
  total = Real::dyadic(mpz_class(mantissa), longer->exponent);
}

Real abs(const Real& a) {
  const Signs signs = signs_of(a);
  if ((signs & negative) == 0) return a;
  if ((signs & positive) == 0) return neg(a);
  constexpr long glance = 128;  // if the sign shows early, the expression is smaller; it is not needed
  if (const auto known = sign(a, glance)) return *known < 0 ? neg(a) : a;
  return make(RealFunction::abs, a, static_cast<Signs>(positive | (signs & zero)));
}

Real min(const Real& a, const Real& b) {
  constexpr long glance = 128;
  if (const auto order = compare(a, b, glance)) return *order > 0 ? b : a;
  const Signs x = signs_of(a), y = signs_of(b);
  const bool below = x == negative || y == negative;
  return make(RealFunction::min, a, b, below ? negative : static_cast<Signs>(x | y));
}

Real max(const Real& a, const Real& b) {
  constexpr long glance = 128;
  if (const auto order = compare(a, b, glance)) return *order < 0 ? b : a;
  const Signs x = signs_of(a), y = signs_of(b);
  const bool above = x == positive || y == positive;
  return make(RealFunction::max, a, b, above ? positive : static_cast<Signs>(x | y));
}

}  // namespace reckon::numerics
