// Functions: a result is exact if it is known to be rational (or a rational multiple of pi or ln 2), otherwise a node.
#include <algorithm>
#include <limits>
#include <optional>

#include "numerics/functions/table.h"
#include "numerics/reals/node.h"

namespace reckon::numerics {

namespace {

using F = RealFunction;

constexpr std::int64_t max_power = std::int64_t{1} << 20;  // bits of a power that is written out
constexpr long max_factorial = 10'000;                     // Gamma(n) is written out up to this n

mpq_class q(long a, long b = 1) { return {a, b}; }

/// The root of degree `n`, if it is rational. The argument is negative only if n is odd.
std::optional<mpq_class> rational_root(const mpq_class& value, unsigned long n) {
  mpq_class out;
  if (!mpz_root(out.get_num_mpz_t(), value.get_num_mpz_t(), n)) return std::nullopt;
  if (!mpz_root(out.get_den_mpz_t(), value.get_den_mpz_t(), n)) return std::nullopt;
  return out;
}

bool is_integer(const mpq_class& value) { return value.get_den() == 1; }

/// value^n, if the result is not too long to write out.
std::optional<Real> rational_power(const mpq_class& value, const mpz_class& n) {
  if (value == 1 || n == 0) return Real(1);
  if (value == -1) return Real(mpz_odd_p(n.get_mpz_t()) ? -1L : 1L);
  if (!n.fits_slong_p() || ::abs(n) > max_power) return std::nullopt;
  const auto times = static_cast<unsigned long>(mpz_class(::abs(n)).get_ui());
  const std::size_t longer = std::max(mpz_sizeinbase(value.get_num_mpz_t(), 2), mpz_sizeinbase(value.get_den_mpz_t(), 2));
  if (longer * times > static_cast<std::size_t>(2 * max_power)) return std::nullopt;
  mpq_class out;
  mpz_pow_ui(out.get_num_mpz_t(), value.get_num_mpz_t(), times);
  mpz_pow_ui(out.get_den_mpz_t(), value.get_den_mpz_t(), times);
  if (n < 0) out = 1 / out;
  return Real(out);
}

/// The factor, if the value is a rational multiple of the constant.
std::optional<mpq_class> multiple_of(F constant, const Real& x) {
  const Expression* expression = as_function(x, constant);
  if (!expression) return std::nullopt;
  return expression->a.rational();
}

/// sin(turn pi), if it is rational: then turn is a multiple of 1/6 (Niven's theorem).
std::optional<mpq_class> sine(mpq_class turn) {
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), turn.get_num_mpz_t(), turn.get_den_mpz_t());
  turn -= whole;  // in [0, 1); the sine's sign changes with every half turn
  std::optional<mpq_class> out;
  if (turn == 0) out = 0;
  if (turn == q(1, 6) || turn == q(5, 6)) out = q(1, 2);
  if (turn == q(1, 2)) out = 1;
  if (out && mpz_odd_p(whole.get_mpz_t())) *out = -*out;
  return out;
}

struct Angle {
  mpq_class value, turn;
};
const Angle arc_sines[] = {{q(1), q(1, 2)}, {q(1, 2), q(1, 6)}, {q(-1, 2), q(-1, 6)}, {q(-1), q(-1, 2)}};

Outcome result(Real& out, Real value) {
  out = std::move(value);
  return Outcome::defined;
}

/// Decides a > b, or a >= b if `closed`: the outcome is `defined` if that holds.
Outcome above(const Real& a, const Real& b, bool closed, Limit limit) {
  if (closed && b.is_zero() && (signs_of(a) & negative) == 0) return Outcome::defined;
  const auto order = compare(a, b, limit);
  if (!order) return Outcome::undecided;
  return *order > 0 || (closed && *order == 0) ? Outcome::defined : Outcome::undefined;
}

Outcome square_root(Real& out, const Real& x, Limit limit) {
  if (const Outcome domain = above(x, Real(), true, limit); domain != Outcome::defined) return domain;
  if (x.is_rational()) {
    if (const auto root = rational_root(x.rational(), 2)) return result(out, Real(*root));
  }
  if (const Expression* square = as_function(x, F::mul)) {
    if (identical(square->a, square->b)) return result(out, abs(square->a));
  }
  return result(out, make(F::sqrt, x, static_cast<Signs>(positive | (signs_of(x) & zero))));
}

Outcome exponential(Real& out, const Real& x, Limit limit) {
  if (x.is_zero()) return result(out, Real(1));
  if (small_integer(x) == 1) return result(out, Real::constant(F::e, 1));
  if (const auto factor = multiple_of(F::ln2, x)) return pow(out, Real(2), Real(*factor), limit);
  if (const Expression* logarithm = as_function(x, F::log)) return result(out, logarithm->a);
  return result(out, make(F::exp, x, positive));
}

Outcome exponential_of_two(Real& out, const Real& x) {
  const auto power = small_integer(x);
  if (power && *power >= -max_power && *power <= max_power) return result(out, Real::dyadic(1, *power));
  if (const Expression* logarithm = as_function(x, F::log2)) return result(out, logarithm->a);
  return result(out, make(F::exp2, x, positive));
}

Outcome exponential_of_ten(Real& out, const Real& x) {
  if (const auto power = small_integer(x)) {
    if (auto exact = rational_power(q(10), mpz_class(static_cast<long>(*power)))) return result(out, std::move(*exact));
  }
  if (const Expression* logarithm = as_function(x, F::log10)) return result(out, logarithm->a);
  return result(out, make(F::exp10, x, positive));
}

/// k, if the value is 10^k.
std::optional<long> exponent_of_ten(const Real& x) {
  if (!x.is_rational()) return std::nullopt;
  const mpq_class value = x.rational();
  const bool below = value.get_num() == 1;
  if (!below && !is_integer(value)) return std::nullopt;
  const mpz_class& size = below ? value.get_den() : value.get_num();
  if (size < 1) return std::nullopt;
  const std::size_t digits = mpz_sizeinbase(size.get_mpz_t(), 10);  // or one more
  for (std::size_t k = digits - std::min<std::size_t>(digits, 2); k < digits; ++k) {
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, k);
    if (power == size) return below ? -static_cast<long>(k) : static_cast<long>(k);
  }
  return std::nullopt;
}

/// log, log2 or log10.
Outcome logarithm(F function, Real& out, const Real& x, Limit limit) {
  if (const Outcome domain = above(x, Real(), false, limit); domain != Outcome::defined) return domain;
  if (function == F::log10) {
    if (const auto power = exponent_of_ten(x)) return result(out, Real(*power));
  } else if (const auto power = power_of_two(x)) {
    return result(out, function == F::log ? Real::constant(F::ln2, q(*power)) : Real(static_cast<long>(*power)));
  }
  const F inverse = function == F::log ? F::exp : function == F::log2 ? F::exp2 : F::exp10;
  if (const Expression* exponent = as_function(x, inverse)) return result(out, exponent->a);
  if (function == F::log && multiple_of(F::e, x) == mpq_class(1)) return result(out, Real(1));
  Signs signs = any_sign;
  if (x.is_rational()) signs = signs_of(cmp(x.rational(), 1));
  return result(out, make(function, x, signs));
}

/// sin, cos or tan.
Outcome circular(F function, Real& out, const Real& x, Limit limit) {
  if (x.is_zero()) return result(out, Real(function == F::cos ? 1L : 0L));
  if (const auto turn = multiple_of(F::pi, x)) {
    if (function != F::tan) {
      const auto exact = sine(function == F::sin ? *turn : mpq_class(*turn + q(1, 2)));
      if (exact) return result(out, Real(*exact));
    } else {
      const mpq_class doubled = 2 * *turn, fourfold = 4 * *turn;
      if (is_integer(doubled)) {
        if (mpz_odd_p(doubled.get_num_mpz_t())) return Outcome::undefined;
        return result(out, Real());
      }
      if (is_integer(fourfold)) {
        mpz_class quarter;
        mpz_fdiv_r_ui(quarter.get_mpz_t(), fourfold.get_num_mpz_t(), 4);
        return result(out, Real(quarter == 1 ? 1L : -1L));
      }
    }
  } else if (function == F::tan && !x.is_rational()) {
    // A rational other than 0 is not a pole and has no rational tangent: pi is irrational, and Lindemann's theorem.
    if (!sign(make(F::cos, x, any_sign), limit)) return Outcome::undecided;
  }
  return result(out, make(function, x, any_sign));
}

/// sinpi, cospi or tanpi.
Outcome circular_of_pi(F function, Real& out, const Real& x, Limit limit) {
  if (x.is_rational()) {
    const F of_angle = function == F::sinpi ? F::sin : function == F::cospi ? F::cos : F::tan;
    Real value;
    const Outcome outcome = circular(of_angle, value, Real::constant(F::pi, x.rational()), limit);
    if (outcome != Outcome::defined) return outcome;
    if (value.is_rational()) return result(out, std::move(value));
  } else if (function == F::tanpi && !sign(make(F::cospi, x, any_sign), limit)) {
    return Outcome::undecided;  // perhaps a pole
  }
  return result(out, make(function, x, any_sign));
}

/// gamma or lgamma.
Outcome of_gamma(F function, Real& out, const Real& x, Limit limit) {
  const auto side = sign(x, limit);
  if (x.is_rational()) {
    const mpq_class value = x.rational();
    if (is_integer(value)) {
      if (value <= 0) return Outcome::undefined;
      if (value <= max_factorial) {
        mpz_class factorial;
        mpz_fac_ui(factorial.get_mpz_t(), value.get_num().get_ui() - 1);
        return function == F::gamma ? result(out, Real(mpq_class(factorial)))
                                    : logarithm(F::log, out, Real(mpq_class(factorial)), limit);
      }
    }
  } else if (!side || (*side < 0 && !sign(make(F::sinpi, x, any_sign), limit))) {
    return Outcome::undecided;  // perhaps a pole
  }
  return result(out, make(function, x, function == F::gamma && *side > 0 ? positive : any_sign));
}

/// asin or acos.
Outcome arc(F function, Real& out, const Real& x, Limit limit) {
  Outcome domain = above(x, Real(-1), true, limit);
  if (domain == Outcome::defined) domain = above(Real(1), x, true, limit);
  if (domain != Outcome::defined) return domain;
  if (x.is_rational()) {
    const mpq_class value = x.rational();
    if (value == 0) return result(out, function == F::asin ? Real() : Real::constant(F::pi, q(1, 2)));
    for (const Angle& angle : arc_sines) {
      if (value != angle.value) continue;
      return result(out, Real::constant(F::pi, function == F::asin ? angle.turn : mpq_class(q(1, 2) - angle.turn)));
    }
  }
  return result(out, make(function, x, function == F::asin ? signs_of(x) : static_cast<Signs>(zero | positive)));
}

Outcome arc_tangent(Real& out, const Real& x) {
  if (const auto whole = small_integer(x); whole && *whole >= -1 && *whole <= 1) {
    return result(out, Real::constant(F::pi, q(*whole, 4)));
  }
  return result(out, make(F::atan, x, signs_of(x)));
}

constexpr Function function_of(F function) {
  switch (function) {
#define RECKON_FUNCTION(name) \
  case F::name: return Function::name;
#include "numerics/functions.def"
    default: return Function::sqrt;
  }
}

/// Applies what the function's row says: its domain, its rational point, and the signs of its range.
Outcome by_row(F function, Real& out, const Real& x, Limit limit) {
  const FunctionTraits& row = traits(function_of(function));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Outcome domain = Outcome::defined;
  if (row.domain.low != -infinity) domain = above(x, Real(mpq_class(row.domain.low)), !row.domain.low_open, limit);
  if (domain == Outcome::defined && row.domain.high != infinity)
    domain = above(Real(mpq_class(row.domain.high)), x, !row.domain.high_open, limit);
  if (domain != Outcome::defined) return domain;
  if (x.is_rational() && x.rational() == row.known_at) return result(out, Real(mpq_class(row.known)));
  Signs signs = any_sign;
  if (keeps_sign(row.function)) signs = signs_of(x);
  else if (row.range.low > 0 || (row.range.low == 0 && row.range.low_open)) signs = positive;
  else if (row.range.low == 0) signs = static_cast<Signs>(zero | positive);
  return result(out, make(function, x, signs));
}

}  // namespace

Outcome apply(RealFunction function, Real& out, const Real& given, Limit limit) {
  const Real x = given;  // a copy, since `out` may be the same object
  switch (function) {
    case F::sqrt: return square_root(out, x, limit);
    case F::rsqrt: {
      if (const Outcome domain = above(x, Real(), false, limit); domain != Outcome::defined) return domain;
      if (x.is_rational()) {
        if (const auto root = rational_root(x.rational(), 2)) return result(out, Real(mpq_class(1 / *root)));
      }
      return result(out, make(F::rsqrt, x, positive));
    }
    case F::cbrt:
      if (x.is_rational()) {
        if (const auto root = rational_root(x.rational(), 3)) return result(out, Real(*root));
      }
      return by_row(F::cbrt, out, x, limit);
    case F::exp: return exponential(out, x, limit);
    case F::exp2: return exponential_of_two(out, x);
    case F::exp10: return exponential_of_ten(out, x);
    case F::log:
    case F::log2:
    case F::log10: return logarithm(function, out, x, limit);
    case F::sin:
    case F::cos:
    case F::tan: return circular(function, out, x, limit);
    case F::sinpi:
    case F::cospi:
    case F::tanpi: return circular_of_pi(function, out, x, limit);
    case F::gamma:
    case F::lgamma: return of_gamma(function, out, x, limit);
    case F::asin:
    case F::acos: return arc(function, out, x, limit);
    case F::atan: return arc_tangent(out, x);
    default: return by_row(function, out, x, limit);
  }
}

Outcome pow(Real& out, const Real& base, const Real& power, Limit limit) {
  const Real a = base, b = power;
  if (b.is_zero() || small_integer(a) == 1) return result(out, Real(1));
  if (b.is_rational()) {
    const mpq_class exponent = b.rational();
    if (small_integer(b) == 1) return result(out, a);
    if (a.is_zero()) return exponent < 0 ? Outcome::undefined : result(out, Real());
    if (is_integer(exponent)) {
      if (a.is_rational()) {
        if (auto exact = rational_power(a.rational(), exponent.get_num())) return result(out, std::move(*exact));
      } else if (exponent < 0 && (signs_of(a) & zero) != 0 && !sign(a, limit)) {
        return Outcome::undecided;
      }
      if (exponent == 2) return result(out, mul(a, a));
      const bool even = mpz_even_p(exponent.get_num_mpz_t()) != 0;
      const Signs signs = signs_of(a);
      return result(out, make(F::pow, a, b, even ? static_cast<Signs>(positive | (signs & zero)) : signs));
    }
    if (exponent == q(1, 2)) return square_root(out, a, limit);
    if (const Outcome domain = above(a, Real(), false, limit); domain != Outcome::defined) return domain;
    if (a.is_rational() && exponent.get_den() <= 64) {
      const auto root = rational_root(a.rational(), exponent.get_den().get_ui());
      if (root) {
        if (auto exact = rational_power(*root, exponent.get_num())) return result(out, std::move(*exact));
      }
    }
  } else if (a.is_zero()) {
    const auto side = sign(b, limit);
    if (!side) return Outcome::undecided;
    return *side < 0 ? Outcome::undefined : result(out, Real());
  } else if (const Outcome domain = above(a, Real(), false, limit); domain != Outcome::defined) {
    if (domain == Outcome::undecided) return domain;
    // The base is negative. The exponent may be an integer although its form does not show it.
    const auto below = floor(b, limit);
    return below && compare(b, Real(mpq_class(*below)), limit) ? domain : Outcome::undecided;
  }
  if (multiple_of(F::e, a) == mpq_class(1)) return exponential(out, b, limit);
  if (small_integer(a) == 2) return exponential_of_two(out, b);
  return result(out, make(F::pow, a, b, positive));
}

Outcome rootn(Real& out, const Real& base, const Real& degree, Limit limit) {
  const Real a = base;
  const auto n = small_integer(degree);
  if (!n || *n == 0) return Outcome::undefined;
  const auto size = static_cast<unsigned long>(std::abs(*n));
  const bool odd = size % 2 != 0;
  Signs signs = signs_of(a);
  if (!odd) {
    if (const Outcome domain = above(a, Real(), *n > 0, limit); domain != Outcome::defined) return domain;
    signs = *n > 0 ? static_cast<Signs>(positive | (signs & zero)) : positive;
  } else if (*n < 0) {
    if (a.is_zero()) return Outcome::undefined;
    if ((signs & zero) != 0 && !sign(a, limit)) return Outcome::undecided;
  }
  Real root = size == 1 ? a : Real();
  if (size > 1 && !a.is_zero()) {
    std::optional<mpq_class> exact;
    if (a.is_rational()) exact = rational_root(a.rational(), size);
    root = exact ? Real(*exact) : make(F::rootn, a, Real(static_cast<long>(size)), signs);
  }
  return *n > 0 ? result(out, std::move(root)) : div(out, Real(1), root, limit);
}

Outcome hypot(Real& out, const Real& a, const Real& b, Limit limit) {
  return square_root(out, add(mul(a, a), mul(b, b)), limit);
}

Outcome atan2(Real& out, const Real& given_y, const Real& given_x, Limit limit) {
  const Real y = given_y, x = given_x;
  const auto side = sign(x, limit);
  if (side && *side > 0) {
    Real quotient;
    const Outcome divided = div(quotient, y, x, limit);
    return divided == Outcome::defined ? arc_tangent(out, quotient) : divided;
  }
  // Left of the origin, the angle jumps by 2 pi where y changes its sign.
  const auto height = sign(y, limit);
  if (!height) return Outcome::undecided;
  if (*height == 0) {
    if (!side) return Outcome::undecided;
    return *side == 0 ? Outcome::undefined : result(out, Real::constant(F::pi, 1));
  }
  Real quotient, part;
  const Outcome divided = div(quotient, x, y, limit);
  if (divided != Outcome::defined) return divided;
  arc_tangent(part, quotient);
  return result(out, sub(Real::constant(F::pi, q(*height, 2)), part));
}

}  // namespace reckon::numerics
