// Inverse functions: arcsines and arctangents of values that have a closed form, and logarithms that are inverse
// hyperbolic functions (DLMF sections 4.23, 4.24 and 4.37).
#include <cmath>

#include "ir/op.h"
#include "prove/functions.h"

namespace reckon::ir::normal {
namespace {

std::optional<PolynomialId> arctangent_of_rational(Terms& t, const mpq_class& value) {
  // atan(a/b) is the argument of the Gaussian integer b + a i, so it is a sum of those of its prime factors: c + d i
  // with c^2 + d^2 a prime and c > d > 0, 1 + i (pi/4), and quarter turns. (Machin's formula, Todd, "A problem on arc
  // tangent relations", 1949.) A comparison with floats tells which quarter turns.
  const mpz_class a = value.get_num(), b = value.get_den();
  if (abs(a) > 100000 || b > 100000) return std::nullopt;
  mpz_class norm = a * a + b * b;
  PolynomialId out = t.zero();
  double argument = std::atan2(a.get_d(), b.get_d());
  if (mpz_even_p(norm.get_mpz_t())) norm /= 2;  // once: a and b have nothing in common
  const double quarter = std::atan(1.0);
  const bool odd = mpz_class(a * a + b * b) != norm;
  for (unsigned long prime = 5; norm > 1; prime += 4) {
    if (prime > 2000 && norm > prime) return std::nullopt;
    int power = 0;
    while (mpz_divisible_ui_p(norm.get_mpz_t(), prime)) {
      norm /= prime;
      ++power;
    }
    if (power == 0) continue;
    long c = 0, d = 1;
    for (; d * d < static_cast<long>(prime); ++d) {
      c = std::lround(std::sqrt(static_cast<double>(prime) - static_cast<double>(d * d)));
      if (c * c + d * d == static_cast<long>(prime)) break;
    }
    // (b + a i) (c - d i) is a multiple of the prime if c + d i divides b + a i; otherwise c - d i divides it.
    const mpz_class real = b * c + a * d;
    const int side = mpz_divisible_ui_p(real.get_mpz_t(), prime) ? power : -power;
    const PolynomialId unit = t.atom({.kind = AtomKind::function,
                                      .attribute = static_cast<std::uint32_t>(Op::atan),
                                      .parts = {t.constant(mpq_class(d, c))}});
    out = t.add(out, t.scale(unit, side));
    argument -= side * std::atan2(static_cast<double>(d), static_cast<double>(c));
  }
  const double eighths = argument / quarter;
  const long rest = std::lround(eighths);
  if (std::abs(eighths - static_cast<double>(rest)) > 1e-6 || (rest % 2 != 0) != odd) return std::nullopt;
  return t.add(out, t.scale(t.atom({.kind = AtomKind::pi}), mpq_class(rest, 4)));
}

}  // namespace

PolynomialId arcsine(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  // sin(t pi) for a t from 0 to 1/2 that has a closed form: asin of it is t pi.
  const PolynomialId pi = t.atom({.kind = AtomKind::pi});
  for (const mpq_class& turns : {mpq_class(1, 12), mpq_class(1, 8), mpq_class(1, 6), mpq_class(1, 4), mpq_class(1, 3),
                                 mpq_class(3, 8), mpq_class(5, 12), mpq_class(1, 2)}) {
    const PolynomialId sine = angle_of_pi(t, turns)->sine;
    if (a == sine) return t.scale(pi, turns);
    if (a == t.negate(sine)) return t.scale(pi, -turns);
  }
  return function(t, Op::asin, {a});
}

PolynomialId arctangent(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) {
    if (const auto sum = arctangent_of_rational(t, *value)) return *sum;
    return function(t, Op::atan, {a});
  }
  const PolynomialId pi = t.atom({.kind = AtomKind::pi});
  // tan(t pi): sqrt(3) / 3, sqrt(3), 2 -+ sqrt(3), sqrt(2) -+ 1.
  const PolynomialId two = sqrt_of_rational(t, 2), three = sqrt_of_rational(t, 3);
  const std::pair<PolynomialId, mpq_class> known[] = {
      {t.scale(three, mpq_class(1, 3)), {1, 6}},   {three, {1, 3}},
      {t.subtract(t.constant(2), three), {1, 12}}, {t.add(t.constant(2), three), {5, 12}},
      {t.subtract(two, t.one()), {1, 8}},          {t.add(two, t.one()), {3, 8}},
  };
  for (const auto& [tangent, turns] : known) {
    if (a == tangent) return t.scale(pi, turns);
    if (a == t.negate(tangent)) return t.scale(pi, -turns);
  }
  // atan(1/x) = pi/2 - atan(x) for x > 0 and -pi/2 - atan(x) for x < 0, where x cannot be 0: a quotient, or a power of
  // e.
  if (t[a].size() == 1) {
    const Term term = t[a].front();
    const Monomial& monomial = t[term.monomial];
    const bool divided =
        std::all_of(monomial.factors.begin(), monomial.factors.end(), [](const Factor& f) { return f.power < 0; });
    const PolynomialId upside_down = divided ? t.inverse(a) : a;
    const bool turns = divided && (!monomial.factors.empty() ||
                                   std::pair(t.shape(upside_down), upside_down) < std::pair(t.shape(a), a));
    if (turns) {
      const PolynomialId sign =
          t.assumptions.is_positive(upside_down, true) ? t.one() : apply(t, Op::sign, {upside_down});
      return t.subtract(t.scale(t.multiply(pi, sign), mpq_class(1, 2)), arctangent(t, upside_down));
    }
  }
  return function(t, Op::atan, {a});
}

std::optional<PolynomialId> log_of_hyperbola(Terms& t, PolynomialId a) {
  // log(r + sqrt(r^2 + 1)) = asinh r; log(r + sqrt(r^2 - 1)) = acosh r and log(r - sqrt(r^2 - 1)) = -acosh r, where r
  // >= 1: for r <= -1 the logarithms have no value.
  for (const Term& term : std::vector<Term>(t[a])) {
    const Monomial& monomial = t[term.monomial];
    if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) continue;
    const Atom atom = t[monomial.factors[0].atom];
    if (atom.kind != AtomKind::function || static_cast<Op>(atom.attribute) != Op::sqrt) continue;
    const mpq_class size = term.coefficient;
    const PolynomialId rest = t.subtract(a, t.monomial(term.monomial, size));
    // The factor |c| of the root: log(|c| (r +- sqrt(q))).
    const PolynomialId r = t.scale(rest, 1 / abs(size));
    const auto apart = t.as_constant(t.subtract(atom.parts[0], t.multiply(r, r)));
    if (!apart || (*apart != 1 && *apart != -1) || (*apart == 1 && size < 0)) continue;
    const PolynomialId inverse = function(t, *apart == 1 ? Op::asinh : Op::acosh, {r});
    return t.add(log_of_rational(t, abs(size)), size > 0 ? inverse : t.negate(inverse));
  }
  return std::nullopt;
}

}  // namespace reckon::ir::normal
