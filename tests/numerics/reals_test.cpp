// Exact reals: against MPFR, which shares no code with Arb's functions, published digits, and identities.
#include "numerics/reals/real.h"

#include <mpfr.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/long_run.h"

using namespace reckon::numerics;
using F = RealFunction;

namespace {

constexpr long limit = 10'000;

mpq_class q(long a, long b = 1) {
  mpq_class value(a, b);
  value.canonicalize();
  return value;
}
Real real(long a, long b = 1) { return Real(q(a, b)); }
Real apply(F function, const Real& x) {
  Real out;
  REQUIRE(apply(function, out, x, limit) == Outcome::defined);
  return out;
}
Real over(const Real& a, const Real& b) {
  Real out;
  REQUIRE(div(out, a, b, limit) == Outcome::defined);
  return out;
}
Real power(const Real& a, const Real& b) {
  Real out;
  REQUIRE(pow(out, a, b, limit) == Outcome::defined);
  return out;
}
std::string shown(const Real& a, long digits = 20) { return text(a, digits, limit).text; }
Real root(long a) { return apply(F::sqrt, real(a)); }

/// An MPFR number of 2000 bits; every operation is rounded once, by far below what is compared.
class Reference {
 public:
  static constexpr mpfr_prec_t bits = 2000;
  Reference() { mpfr_init2(value_, bits); mpfr_set_zero(value_, 1); }
  explicit Reference(const mpq_class& value) : Reference() { mpfr_set_q(value_, value.get_mpq_t(), MPFR_RNDN); }
  Reference(const Reference& other) : Reference() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Reference& operator=(const Reference& other) { mpfr_set(value_, other.value_, MPFR_RNDN); return *this; }
  ~Reference() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  mpq_class rational() const { mpq_class out; mpfr_get_q(out.get_mpq_t(), value_); return out; }

 private:
  mpfr_t value_;
};

/// The expression's enclosure to 300 bits holds the reference, which may be off by 2^-slack of itself (or absolutely).
bool encloses(const Real& a, const Reference& reference, long slack) {
  const auto ends = enclose(a, 300, limit);
  if (!ends) return false;
  const mpq_class value = reference.rational();
  mpq_class error = std::max(mpq_class(::abs(value)), mpq_class(1));
  error >>= static_cast<mp_bitcnt_t>(slack);
  mpq_class width = ends->second - ends->first, most = ::abs(value);
  most >>= 290;
  return ends->first - error <= value && value <= ends->second + error && width <= most + error;
}

struct Row {
  const char* name;
  F function;
  int (*evaluate)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double low, high;  ///< arguments, inside the domain
};
const Row rows[] = {
    {"sqrt", F::sqrt, mpfr_sqrt, 0.01, 1e6},
    {"rsqrt", F::rsqrt, mpfr_rec_sqrt, 0.01, 1e6},
    {"cbrt", F::cbrt, mpfr_cbrt, -1e6, 1e6},
    {"exp", F::exp, mpfr_exp, -300, 300},
    {"exp2", F::exp2, mpfr_exp2, -300, 300},
    {"exp10", F::exp10, mpfr_exp10, -90, 90},
    {"expm1", F::expm1, mpfr_expm1, -2, 50},
    {"log", F::log, mpfr_log, 1e-6, 1e6},
    {"log2", F::log2, mpfr_log2, 1e-6, 1e6},
    {"log10", F::log10, mpfr_log10, 1e-6, 1e6},
    {"log1p", F::log1p, mpfr_log1p, -0.999, 1e6},
    {"sin", F::sin, mpfr_sin, -1e5, 1e5},
    {"cos", F::cos, mpfr_cos, -1e5, 1e5},
    {"tan", F::tan, mpfr_tan, -1e5, 1e5},
    {"asin", F::asin, mpfr_asin, -1, 1},
    {"acos", F::acos, mpfr_acos, -1, 1},
    {"atan", F::atan, mpfr_atan, -1e5, 1e5},
    {"sinh", F::sinh, mpfr_sinh, -100, 100},
    {"cosh", F::cosh, mpfr_cosh, -100, 100},
    {"tanh", F::tanh, mpfr_tanh, -20, 20},
    {"asinh", F::asinh, mpfr_asinh, -1e6, 1e6},
    {"acosh", F::acosh, mpfr_acosh, 1, 1e6},
    {"atanh", F::atanh, mpfr_atanh, -1, 1},
    {"erf", F::erf, mpfr_erf, -10, 10},
    {"erfc", F::erfc, mpfr_erfc, -10, 10},
    {"sinpi", F::sinpi, mpfr_sinpi, -1e5, 1e5},
    {"cospi", F::cospi, mpfr_cospi, -1e5, 1e5},
    {"tanpi", F::tanpi, mpfr_tanpi, -1e5, 1e5},
    {"gamma", F::gamma, mpfr_gamma, -30, 60},
    {"lgamma", F::lgamma,
     [](mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t way) {
       int sign = 0;
       return mpfr_lgamma(result, &sign, x, way);
     },
     -30, 1000},
};

/// Digits and exponent of d.ddd... 10^e, from either notation of text().
std::pair<std::string, long> digits_of(const std::string& shown) {
  std::string digits;
  long point = 0, exponent = 0;
  bool after = false, leading = true;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown.compare(i, 3, "...") == 0) {
      if (i + 3 < shown.size()) exponent = std::stol(shown.substr(i + 4));
      break;
    }
    if (shown[i] == '.') { after = true; continue; }
    if (shown[i] == '-') continue;
    if (leading && shown[i] == '0') { if (after) --point; continue; }
    leading = false;
    digits += shown[i];
    if (!after) ++point;
  }
  return {digits, exponent + point};
}

}  // namespace

TEST_CASE("every function of a real agrees with MPFR, and its decimals are MPFR's") {
  std::mt19937_64 random(1);
  for (const Row& row : rows) {
    INFO(row.name);
    std::uniform_real_distribution<double> draw(row.low, row.high);
    for (std::size_t trial = 0; trial < reckon::test::trials<std::size_t>(40); ++trial) {
      const double x = draw(random);
      INFO(x);
      Reference reference{mpq_class(x)};
      const Real value = apply(row.function, Real(mpq_class(x)));
      row.evaluate(reference.get(), reference.get(), MPFR_RNDN);
      CHECK(encloses(value, reference, 1990));
      const long digits = 1 + static_cast<long>(random() % 60);
      mpfr_exp_t exponent = 0;
      char* expected = mpfr_get_str(nullptr, &exponent, 10, static_cast<std::size_t>(digits) + (digits == 1), reference.get(), MPFR_RNDN);
      std::string text = expected;
      mpfr_free_str(expected);
      if (text[0] == '-') text.erase(0, 1);
      if (digits == 1) continue;  // MPFR gives two at least
      if (value.is_rational()) continue;
      const auto [got, place] = digits_of(shown(value, digits));
      CHECK(got == text);
      CHECK(place == exponent);
      CHECK((shown(value, digits)[0] == '-') == (mpfr_sgn(reference.get()) < 0));
    }
  }
}

TEST_CASE("functions of two reals agree with MPFR in every quadrant") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> draw(-20, 20);
  for (std::size_t trial = 0; trial < reckon::test::trials<std::size_t>(100); ++trial) {
    const double a = draw(random), b = draw(random);
    Reference x{mpq_class(a)}, y{mpq_class(b)}, expected;
    Real out;
    REQUIRE(atan2(out, Real(mpq_class(a)), Real(mpq_class(b)), limit) == Outcome::defined);
    mpfr_atan2(expected.get(), x.get(), y.get(), MPFR_RNDN);
    CHECK(encloses(out, expected, 1990));
    REQUIRE(hypot(out, Real(mpq_class(a)), Real(mpq_class(b)), limit) == Outcome::defined);
    mpfr_hypot(expected.get(), x.get(), y.get(), MPFR_RNDN);
    CHECK(encloses(out, expected, 1990));
    REQUIRE(pow(out, abs(Real(mpq_class(a))), Real(mpq_class(b)), limit) == Outcome::defined);
    mpfr_abs(x.get(), x.get(), MPFR_RNDN);
    mpfr_pow(expected.get(), x.get(), y.get(), MPFR_RNDN);
    CHECK(encloses(out, expected, 1900));
  }
}

TEST_CASE("random expressions have MPFR's value and sign") {
  std::mt19937_64 random(3);
  std::size_t rationals = 0, reals = 0;
  for (std::size_t trial = 0; trial < reckon::test::trials<std::size_t>(300); ++trial) {
    std::vector<Real> values;
    std::vector<Reference> references;
    for (int i = 0; i < 4; ++i) {
      const mpq_class leaf = q(static_cast<long>(random() % 41) - 20, 1 + static_cast<long>(random() % 9));
      values.emplace_back(leaf);
      references.emplace_back(leaf);
    }
    for (int step = 0; step < 12; ++step) {
      const std::size_t i = random() % values.size(), j = random() % values.size();
      const Real a = values[i], b = values[j];
      const Reference x = references[i], y = references[j];
      // Not near 0 by cancellation alone, which the reference cannot tell from 0, nor large: exponentials nest.
      const bool moderate = std::fabs(mpfr_get_d(x.get(), MPFR_RNDN)) < 50;
      const bool clear = std::fabs(mpfr_get_d(y.get(), MPFR_RNDN)) > 1e-3;
      Reference z;
      Real c;
      switch (random() % 12) {
        case 0: c = add(a, b); mpfr_add(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 1: c = sub(a, b); mpfr_sub(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 2: c = mul(a, b); mpfr_mul(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 3: c = neg(a); mpfr_neg(z.get(), x.get(), MPFR_RNDN); break;
        case 4: c = abs(a); mpfr_abs(z.get(), x.get(), MPFR_RNDN); break;
        case 5: c = min(a, b); mpfr_min(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 6: c = max(a, b); mpfr_max(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 7: if (!clear) continue; c = over(a, b); mpfr_div(z.get(), x.get(), y.get(), MPFR_RNDN); break;
        case 8: if (!moderate) continue; c = apply(F::exp, a); mpfr_exp(z.get(), x.get(), MPFR_RNDN); break;
        case 9: if (!clear) continue; c = apply(F::sqrt, abs(b)); mpfr_abs(z.get(), y.get(), MPFR_RNDN); mpfr_sqrt(z.get(), z.get(), MPFR_RNDN); break;
        case 10: if (!moderate) continue; c = apply(F::sin, a); mpfr_sin(z.get(), x.get(), MPFR_RNDN); break;
        default: if (!clear) continue; c = apply(F::log, abs(b)); mpfr_abs(z.get(), y.get(), MPFR_RNDN); mpfr_log(z.get(), z.get(), MPFR_RNDN); break;
      }
      const double size = std::fabs(mpfr_get_d(z.get(), MPFR_RNDN));
      INFO("trial " << trial << " step " << step << " reference " << mpfr_get_d(z.get(), MPFR_RNDN) << " value " << shown(c));
      if (size > 1e30) continue;
      CHECK(encloses(c, z, 1500));
      ++(c.is_rational() ? rationals : reals);
      if (size > 1e-300) {
        const auto side = sign(c, limit);
        REQUIRE(side);
        CHECK(*side == (mpfr_sgn(z.get()) > 0 ? 1 : -1));
        mpz_class below;
        mpfr_get_z(below.get_mpz_t(), z.get(), MPFR_RNDD);
        Reference gap;
        mpfr_frac(gap.get(), z.get(), MPFR_RNDN);
        const double fraction = std::fabs(mpfr_get_d(gap.get(), MPFR_RNDN));
        if (fraction > 1e-9 && fraction < 1 - 1e-9) CHECK(floor(c, limit) == below);
      }
      values.push_back(c);
      references.push_back(z);
    }
  }
  CHECK(rationals > 100);
  CHECK(reals > 100);
}

TEST_CASE("constants have their published digits") {
  // OEIS A000796, A001113, A002162, A007525.
  CHECK(shown(Real::constant(F::pi, 1), 50) == "3.1415926535897932384626433832795028841971693993751...");
  CHECK(shown(Real::constant(F::e, 1), 50) == "2.7182818284590452353602874713526624977572470937000...");
  CHECK(shown(Real::constant(F::ln2, 1), 50) == "0.69314718055994530941723212145817656807550013436026...");
  CHECK(shown(Real::constant(F::log2e, 1), 40) == "1.442695040888963407359924681001892137427...");
  // The famous end of pi's first thousand decimals.
  CHECK(shown(Real::constant(F::pi, 1), 1001).substr(992) == "2164201989...");
  CHECK(shown(Real::constant(F::pi, q(-1, 1'000'000'000)), 5) == "-3.1416...e-9");
  CHECK(shown(Real::constant(F::pi, 1'000'000'000), 10) == "3141592654...");
  CHECK(shown(Real::constant(F::pi, 1'000'000'000), 9) == "3.14159265...e9");
  // Next to a power of ten: 1 - exp(-40) = 0.9999999999999999957516... and 1 + exp(-40).
  const Real little = apply(F::exp, real(-40));
  CHECK(shown(sub(real(1), little), 16) == "1.000000000000000...");
  CHECK(shown(sub(real(1), little), 17) == "1.0000000000000000...");
  CHECK(shown(sub(real(1), little), 18) == "0.999999999999999996...");
  CHECK(shown(sub(real(1), little), 19) == "0.9999999999999999958...");
  CHECK(shown(add(real(1), little), 18) == "1.00000000000000000...");
  CHECK(shown(add(real(1), little), 19) == "1.000000000000000004...");
  // Euler's and Hermite's near integer: twelve nines, then a 2.
  const Real near = apply(F::exp, mul(Real::constant(F::pi, 1), root(163)));
  CHECK(shown(near, 31) == "262537412640768743.9999999999993...");
  CHECK(floor(near, limit) == mpz_class("262537412640768743"));
  CHECK(round_to_even(near, limit) == mpz_class("262537412640768744"));
}

TEST_CASE("results that are rational are rationals") {
  const Real pi = Real::constant(F::pi, 1), one = real(1);
  const auto check = [](const Real& value, const mpq_class& expected) {
    REQUIRE(value.is_rational());
    CHECK(value.rational() == expected);
  };
  for (F function : {F::sin, F::tan, F::asin, F::atan, F::sinh, F::tanh, F::asinh, F::atanh, F::erf, F::expm1, F::log1p, F::cbrt, F::sqrt}) {
    check(apply(function, Real()), 0);
  }
  for (F function : {F::cos, F::cosh, F::exp, F::exp2}) check(apply(function, Real()), 1);
  for (F function : {F::log, F::log2, F::log10, F::acosh, F::acos}) check(apply(function, one), 0);
  check(apply(F::sqrt, real(9, 4)), q(3, 2));
  check(apply(F::sinpi, real(7)), 0);
  check(apply(F::sinpi, real(-1, 2)), -1);
  check(apply(F::sinpi, real(5, 6)), q(1, 2));
  check(apply(F::cospi, real(2, 3)), q(-1, 2));
  check(apply(F::cospi, real(3, 2)), 0);
  check(apply(F::tanpi, real(3, 4)), -1);
  check(apply(F::tanpi, real(5)), 0);
  check(apply(F::erfc, Real()), 1);
  check(apply(F::gamma, real(6)), 120);
  check(apply(F::lgamma, real(2)), 0);
  check(apply(F::rsqrt, real(9, 4)), q(2, 3));
  check(apply(F::cbrt, real(-27, 8)), q(-3, 2));
  check(apply(F::exp2, real(-3)), q(1, 8));
  check(apply(F::log2, real(1, 1024)), -10);
  check(apply(F::log10, real(1, 1000)), -3);
  check(apply(F::log10, real(100000)), 5);
  check(apply(F::exp10, real(6)), 1000000);
  check(apply(F::exp10, apply(F::log10, real(7))), 7);
  check(power(real(-2, 3), real(3)), q(-8, 27));
  check(power(real(-2, 3), real(-2)), q(9, 4));
  check(power(real(8, 27), real(2, 3)), q(4, 9));
  check(power(Real(), real(5, 2)), 0);
  check(power(Real(), Real()), 1);
  check(power(pi, Real()), 1);
  for (long k = -12; k <= 12; ++k) {  // sin(k pi/6) doubled, from the unit circle's hexagon
    const long sines[] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1};
    const long doubled = sines[(k + 12) % 12];
    const Real value = apply(F::sin, Real::constant(F::pi, q(k, 6)));
    CHECK(value.is_rational() == (doubled != 9));
    if (doubled != 9) check(value, q(doubled, 2));
  }
  check(apply(F::cos, pi), -1);
  check(apply(F::cos, Real::constant(F::pi, q(1, 3))), q(1, 2));
  check(apply(F::tan, Real::constant(F::pi, q(-5, 4))), -1);
  check(over(apply(F::acos, real(-1)), pi), 1);
  check(over(apply(F::acos, real(-1, 2)), pi), q(2, 3));
  check(over(apply(F::asin, real(1, 2)), pi), q(1, 6));
  check(over(apply(F::atan, one), pi), q(1, 4));
  check(over(apply(F::log, real(32)), apply(F::log, real(4))), q(5, 2));
  check(apply(F::exp, mul(real(-2), apply(F::log, real(2)))), q(1, 4));
  check(apply(F::log, apply(F::exp, real(5, 7))), q(5, 7));
  check(apply(F::exp, apply(F::log, real(5, 7))), q(5, 7));
  check(apply(F::log, apply(F::exp, one)), 1);
  check(mul(root(2), root(2)), 2);
  check(sub(add(pi, pi), mul(real(2), pi)), 0);
  check(sub(apply(F::exp, real(1, 3)), apply(F::exp, real(1, 3))), 0);
  check(sub(add(root(2), root(3)), add(root(3), root(2))), 0);
  Real out;
  REQUIRE(hypot(out, real(3), real(-4), limit) == Outcome::defined);
  check(out, 5);
  REQUIRE(atan2(out, Real(), real(2), limit) == Outcome::defined);
  check(out, 0);
  REQUIRE(atan2(out, Real(), real(-2), limit) == Outcome::defined);
  check(over(out, pi), 1);
}

TEST_CASE("what lies outside a domain is undefined, also where a ball must tell") {
  Real out;
  const Real below = neg(apply(F::exp, real(-50))), pi = Real::constant(F::pi, 1);
  for (F function : {F::sqrt, F::rsqrt, F::log, F::log2, F::acosh}) {
    CHECK(apply(function, out, below, limit) == Outcome::undefined);
  }
  for (F function : {F::rsqrt, F::log, F::log2, F::log10}) CHECK(apply(function, out, Real(), limit) == Outcome::undefined);
  for (F function : {F::asin, F::acos, F::atanh}) {
    CHECK(apply(function, out, sub(real(1), below), limit) == Outcome::undefined);
    CHECK(apply(function, out, sub(below, real(1)), limit) == Outcome::undefined);
    CHECK(apply(function, out, add(real(1), below), limit) == Outcome::defined);
  }
  CHECK(apply(F::atanh, out, real(-1), limit) == Outcome::undefined);
  CHECK(apply(F::log1p, out, real(-1), limit) == Outcome::undefined);
  CHECK(apply(F::log1p, out, neg(pi), limit) == Outcome::undefined);
  CHECK(apply(F::acosh, out, add(real(1), below), limit) == Outcome::undefined);
  CHECK(apply(F::tan, out, Real::constant(F::pi, q(7, 2)), limit) == Outcome::undefined);
  CHECK(div(out, pi, Real(), limit) == Outcome::undefined);
  CHECK(pow(out, Real(), real(-1), limit) == Outcome::undefined);
  CHECK(pow(out, Real(), neg(pi), limit) == Outcome::undefined);
  CHECK(pow(out, real(-8), real(1, 3), limit) == Outcome::undefined);
  CHECK(pow(out, neg(pi), real(1, 2), limit) == Outcome::undefined);
  CHECK(pow(out, neg(pi), pi, limit) == Outcome::undefined);
  CHECK(pow(out, neg(pi), real(-3), limit) == Outcome::defined);
  CHECK(sign(out, limit) == -1);
  CHECK(atan2(out, Real(), Real(), limit) == Outcome::undefined);
}

TEST_CASE("what no precision tells apart is refused, and what a high one does is not") {
  const Real product = mul(root(2), root(3)), six = root(6), nothing = sub(product, six), one = apply(F::exp, nothing);
  Real out;
  CHECK(!compare(product, six, limit));
  CHECK(!identical(product, six));
  CHECK(!sign(nothing, limit));
  CHECK(!floor(mul(product, six), limit));
  CHECK(!round_to_even(over(mul(product, six), real(4)), limit));
  CHECK(shown(nothing).starts_with("0 +- 1e-30"));
  CHECK(shown(mul(product, six)) == "6.0000000000000000000...");
  CHECK(text(over(mul(product, six), real(4)), 1, limit).text.starts_with("1.5 +- 1e-30"));
  CHECK(text(nothing, 20, limit).doubtful);
  // A ball whose midpoint is 0.
  const auto cancelled = enclose(mul(nothing, mul(nothing, nothing)), 10, limit);
  REQUIRE(cancelled);
  CHECK(cancelled->first <= 0);
  CHECK(cancelled->second >= 0);
  CHECK(cancelled->second - cancelled->first < q(1, 1'000'000));
  for (F function : {F::sqrt, F::rsqrt, F::log, F::log2}) CHECK(apply(function, out, nothing, limit) == Outcome::undecided);
  for (F function : {F::asin, F::acos, F::acosh, F::atanh}) CHECK(apply(function, out, one, limit) == Outcome::undecided);
  CHECK(apply(F::log1p, out, neg(one), limit) == Outcome::undecided);
  CHECK(apply(F::tan, out, add(nothing, Real::constant(F::pi, q(1, 2))), limit) == Outcome::undecided);
  CHECK(div(out, six, nothing, limit) == Outcome::undecided);
  CHECK(pow(out, nothing, Real::constant(F::pi, 1), limit) == Outcome::undecided);
  CHECK(pow(out, nothing, real(-1), limit) == Outcome::undecided);
  CHECK(pow(out, real(-2), mul(product, six), limit) == Outcome::undecided);  // 64, if one knew that
  CHECK(atan2(out, nothing, real(-1), limit) == Outcome::undecided);
  // Continuous functions need no decision.
  CHECK(shown(max(product, six), 5) == "2.4495...");
  CHECK(shown(apply(F::cbrt, add(abs(nothing), real(8))), 5) == "2.0000...");
  CHECK(enclose(apply(F::cbrt, nothing), 10, limit)->second > 0);
  CHECK(apply(F::sqrt, out, mul(nothing, nothing), limit) == Outcome::defined);
  CHECK(atan2(out, nothing, real(1), limit) == Outcome::defined);
  // A sum of positive numbers is positive without looking.
  CHECK(div(out, six, add(abs(nothing), one), limit) == Outcome::defined);

  // pi cut off after 9000 bits differs from pi in the 9001st or so.
  const Real pi = Real::constant(F::pi, 1);
  const auto digits = floor(mul(pi, Real::dyadic(1, 9000)), 12'000);
  REQUIRE(digits);
  const Real cut = Real::dyadic(*digits, -9000);
  CHECK(compare(pi, cut, limit) == 1);
  CHECK(compare(cut, pi, limit) == -1);
  CHECK(!compare(pi, cut, 8000));
}

TEST_CASE("sums and products of rationals are GMP's") {
  std::mt19937_64 random(4);
  const auto draw = [&]() -> mpq_class {
    const auto mantissa = static_cast<long>(random() >> (random() % 64)) * (random() & 1 ? 1 : -1);
    mpq_class out(mantissa);
    switch (random() % 4) {
      case 0: return out;
      case 1: out <<= random() % 2200; return out;
      case 2: out >>= random() % 2200; return out;
      default: return out / q(1 + static_cast<long>(random() % 100));
    }
  };
  mpq_class total = 0;
  Real running;
  for (std::size_t trial = 0; trial < reckon::test::trials<std::size_t>(20'000); ++trial) {
    const mpq_class a = draw(), b = draw();
    const Real x(a), y(b);
    REQUIRE(x.rational() == a);
    REQUIRE(add(x, y).rational() == a + b);
    REQUIRE(sub(x, y).rational() == a - b);
    REQUIRE(mul(x, y).rational() == a * b);
    REQUIRE(neg(x).rational() == -a);
    REQUIRE(compare(x, y, limit) == (a < b ? -1 : a > b ? 1 : 0));
    if (b != 0) REQUIRE(over(x, y).rational() == a / b);
    mpz_class below;
    mpz_fdiv_q(below.get_mpz_t(), a.get_num_mpz_t(), a.get_den_mpz_t());
    REQUIRE(floor(x, limit) == below);
    // Equal values look equal, whatever they are sums of.
    REQUIRE(identical(sub(add(x, y), y), x));
    if (trial % 3 == 0) {
      total = 0;
      running = Real();
    }
    const Real before = running;
    const mpq_class kept = total;
    accumulate(running, x);
    total += a;
    REQUIRE(running.rational() == total);
    REQUIRE(before.rational() == kept);
    accumulate(running, y);
    total += b;
    REQUIRE(running.rational() == total);
  }
}

TEST_CASE("a sum of a million square roots neither overflows the stack nor loses a digit") {
  constexpr long n = 1'000'000;
  Real sum;
  for (long k = 1; k <= n; ++k) accumulate(sum, root(k));
  // Euler and Maclaurin: 2/3 n^(3/2) + n^(1/2)/2 + zeta(-1/2) + n^(-1/2)/24 - ..., zeta(-1/2) = -0.20788622497735...
  const auto ends = enclose(sum, 100, limit);
  REQUIRE(ends);
  const double expected = 2e9 / 3 + 500 - 0.2078862249773545 + 1e-3 / 24;
  CHECK(std::fabs(mpq_class(ends->first).get_d() - expected) < 1e-6);
  CHECK(sign(sum, limit) == 1);

  // Shared operands: 2^100000 times the square root of 2, one node a step.
  Real doubled = root(2);
  for (int i = 0; i < 100'000; ++i) doubled = add(doubled, doubled);
  CHECK(shown(over(doubled, Real::dyadic(1, 100'000)), 10) == "1.414213562...");
}

TEST_CASE("a thousand digits are MPFR's") {
  const auto digits = [](auto&& compute) {
    mpfr_t value;
    mpfr_init2(value, 4000);
    compute(value);
    mpfr_exp_t exponent = 0;
    char* text = mpfr_get_str(nullptr, &exponent, 10, 1000, value, MPFR_RNDN);
    std::string result(text);
    mpfr_free_str(text);
    mpfr_clear(value);
    return result.insert(1, ".") + "...";
  };
  CHECK(shown(apply(F::exp, real(1)), 1000) == digits([](mpfr_t value) {
          mpfr_set_ui(value, 1, MPFR_RNDN);
          mpfr_exp(value, value, MPFR_RNDN);
        }));
  CHECK(shown(Real::constant(F::pi, 1), 1000) == digits([](mpfr_t value) { mpfr_const_pi(value, MPFR_RNDN); }));
}

TEST_CASE("threads may share expressions") {
  const Real shared = sub(apply(F::exp, root(2)), apply(F::log, Real::constant(F::pi, 1)));
  const std::string expected = shown(mul(shared, root(3)), 500);
  std::vector<std::string> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      for (long digits : {20, 100, 500}) {
        Real three;  // no macro of Catch's in here: they are for one thread
        if (apply(F::sqrt, three, Real(3), limit) != Outcome::defined) return;
        found[i] = text(mul(shared, three), digits, limit).text;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found) CHECK(text == expected);
}
