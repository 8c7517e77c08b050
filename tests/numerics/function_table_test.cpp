// The table of the elementary functions (numerics/functions/table.h) against MPFR to 400 bits, at points all over each
// domain: nothing of what a row says is taken from another row.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/functions/table.h"
#include "numerics/mpfr_evaluate.h"
#include "reference.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;

namespace {

constexpr mpfr_prec_t bits = 400;

class Far {
 public:
  Far() { mpfr_init2(value_, bits); }
  Far(double x) : Far() { mpfr_set_d(value_, x, MPFR_RNDN); }  // NOLINT: a number
  Far(const Far& other) : Far() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Far& operator=(const Far& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Far() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double number() const { return mpfr_get_d(value_, MPFR_RNDN); }
  bool is_nan() const { return mpfr_nan_p(value_) != 0; }
  bool is_finite() const { return mpfr_number_p(value_) != 0; }
  friend int compare(const Far& a, const Far& b) { return mpfr_cmp(a.value_, b.value_); }

 private:
  mpfr_t value_;
};

/// Numbers as MPFR has them, for a table's formulas.
struct FarNumbers {
  using Value = Far;
  template <class Operation, class... X>
  static Far by(Operation&& operation, const X&... x) {
    Far out;
    operation(out.get(), x.get()..., MPFR_RNDN);
    return out;
  }
  static Far number(float value) { return Far(static_cast<double>(value)); }
  static Far real(RealConstant constant) {
    Far out;
    mpfr_evaluate(constant, out.get(), MPFR_RNDD);
    return out;
  }
  static Far apply(Function f, const Far& a) {
    Far out;
    mpfr_evaluate(f, out.get(), a.get(), MPFR_RNDN);
    return out;
  }
  static Far digamma(const Far& a) { return by(mpfr_digamma, a); }
  static Far neg(const Far& a) { return by(mpfr_neg, a); }
  static Far square(const Far& a) { return by(mpfr_sqr, a); }
  static Far root(const Far& a) { return by(mpfr_sqrt, a); }
  static Far add(const Far& a, const Far& b) { return by(mpfr_add, a, b); }
  static Far sub(const Far& a, const Far& b) { return by(mpfr_sub, a, b); }
  static Far mul(const Far& a, const Far& b) { return by(mpfr_mul, a, b); }
  static Far div(const Far& a, const Far& b) { return by(mpfr_div, a, b); }
  static Far hypot(const Far& a, const Far& b) { return by(mpfr_hypot, a, b); }
};

Far value(Function f, const Far& x) { return FarNumbers::apply(f, x); }

Function at(int k) { return static_cast<Function>(k); }

bool inside(const Domain& domain, double x) { return x > domain.low && x < domain.high; }

/// Ascending points of all sizes strictly inside the domain; where it ends, they come close to the end.
std::vector<double> points(Function f, std::mt19937_64& random) {
  const Domain& domain = traits(f).domain;
  std::vector<double> out;
  for (int k = 0; k < 400; ++k) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const double size = std::ldexp(0.5 + unit / 2, static_cast<int>(random() % 46) - 40);
    for (const double x : {size, -size, domain.low + size, domain.high - size}) {
      if (std::isfinite(x) && inside(domain, x)) out.push_back(x);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// |a - b| is at most 2^-slack of the larger one, or of 1.
bool near(const Far& a, const Far& b, long slack) {
  Far distance = FarNumbers::sub(a, b), size = FarNumbers::by(mpfr_abs, a);
  mpfr_abs(distance.get(), distance.get(), MPFR_RNDN);
  if (compare(size, Far(1)) < 0) size = Far(1);
  mpfr_mul_2si(size.get(), size.get(), -slack, MPFR_RNDN);
  return compare(distance, size) <= 0;
}

}  // namespace

TEST_CASE("a function has values on the domain of its row and nowhere else", "[numerics]") {
  std::mt19937_64 random = random_stream(211);
  for (int k = 0; k < function_count; ++k) {
    const Domain& domain = traits(at(k)).domain;
    CAPTURE(k);
    for (const double x : points(at(k), random)) CHECK(value(at(k), x).is_finite());
    for (const auto& [end, open, away] :
         {std::tuple{domain.low, domain.low_open, -1}, {domain.high, domain.high_open, 1}}) {
      if (!std::isfinite(end)) continue;
      const Far there = value(at(k), static_cast<double>(end));
      CHECK((open ? mpfr_inf_p(there.get()) != 0 : there.is_finite()));
      for (const double beyond : {0x1p-30, 0.3, 5.0})
        CHECK(value(at(k), static_cast<double>(end) + away * beyond).is_nan());
    }
  }
}

TEST_CASE("a function stays within the range of its row and comes close to its ends", "[numerics]") {
  std::mt19937_64 random = random_stream(212);
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    CAPTURE(k);
    const Far unit = row.range_of_pi ? FarNumbers::real(RealConstant::pi) : Far(1);
    const Far low = FarNumbers::mul(FarNumbers::number(row.range.low), unit);
    const Far high = FarNumbers::mul(FarNumbers::number(row.range.high), unit);
    std::vector<double> all = points(at(k), random);
    // A finite end that is no value is a limit at infinity or at an end of the domain.
    for (const double far : {-0x1p100, -700.0, -40.0, 40.0, 700.0, 0x1p100}) {
      if (inside(row.domain, far) && !holds_pole(row.poles, far, far)) all.push_back(far);
    }
    for (const double end : {row.domain.low, row.domain.high, 0.0f, row.known_at}) {
      if (defined_on(at(k), end, end) && std::isfinite(end)) all.push_back(end);
    }
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double x : all) {
      const Far y = value(at(k), x);
      CHECK(compare(y, low) >= 0);
      // pi rounded down, and limits that 400 bits do not tell from values, may be passed by a rounding.
      CHECK((compare(y, high) <= 0 || near(y, high, 390)));
      least = std::min(least, y.number());
      most = std::max(most, y.number());
    }
    if (low.is_finite()) CHECK(std::fabs(least - low.number()) < 0.01);
    else CHECK(least < -6);
    if (high.is_finite()) CHECK(std::fabs(most - high.number()) < 0.01);
    else CHECK(most > 6);
  }
}

TEST_CASE("a function goes the way of its row", "[numerics]") {
  std::mt19937_64 random = random_stream(213);
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    const double quarter = row.half_turns ? 0.5 : std::acos(0.0);
    CAPTURE(k);
    const std::vector<double> all = points(at(k), random);
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double x = all[i - 1], y = all[i];
      if (x == y || std::fabs(x) > 16 || std::fabs(y) > 16) continue;  // beyond, erf and tanh are 1 to 400 bits
      const int order = compare(value(at(k), y), value(at(k), x));
      const double turns = std::floor(x / quarter);
      switch (row.shape) {
        case Shape::increasing: CHECK(order > 0); break;
        case Shape::decreasing: CHECK(order < 0); break;
        case Shape::valley:
          if (y <= 0) CHECK(order < 0);
          if (x >= 0) CHECK(order > 0);
          break;
        case Shape::valleys: {
          if (x < 0 && std::floor(x) != std::floor(y)) break;  // a pole lies between
          const int sign = mpfr_sgn(value(at(k), x).get());
          const int away = row.function == Function::gamma ? order * sign : order;
          if (mpfr_sgn(FarNumbers::digamma(y).get()) < 0) CHECK(away < 0);
          if (mpfr_sgn(FarNumbers::digamma(x).get()) > 0) CHECK(away > 0);
          break;
        }
        case Shape::branches:
          if (std::floor((x / quarter + 1) / 2) == std::floor((y / quarter + 1) / 2)) CHECK(order > 0);
          break;
        case Shape::sinusoid: {
          if (turns != std::floor(y / quarter)) break;
          const int from_peak = ((static_cast<int>(turns) - static_cast<int>(row.peak)) % 4 + 4) % 4;
          CHECK((from_peak < 2 ? order < 0 : order > 0));
          break;
        }
      }
    }
  }
}

TEST_CASE("a function has the parity and the points of its row", "[numerics]") {
  std::mt19937_64 random = random_stream(214);
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    CAPTURE(k);
    CHECK(compare(value(at(k), static_cast<double>(row.known_at)), static_cast<double>(row.known)) == 0);
    bool odd = true, even = true;
    for (const double x : points(at(k), random)) {
      const Far there = value(at(k), x), mirrored = value(at(k), -x);
      odd = odd && !mirrored.is_nan() && compare(FarNumbers::neg(there), mirrored) == 0;
      even = even && !mirrored.is_nan() && compare(there, mirrored) == 0;
      if (row.cubic == 0 || std::fabs(x) > 0x1p-10) continue;
      const int away = compare(there, x) * (x > 0 ? 1 : -1);
      CHECK(away == row.cubic);
      CHECK(std::fabs(FarNumbers::sub(there, x).number()) < std::fabs(x * x * x));
    }
    CHECK(odd == (row.parity == Parity::odd));
    CHECK(even == (row.parity == Parity::even));
  }
}

TEST_CASE("the derivatives of the table are those of difference quotients", "[numerics]") {
  std::mt19937_64 random = random_stream(215);
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    REQUIRE(row.derivative);
    for (const double x : points(at(k), random)) {
      if (std::fabs(x) < 0x1p-12 && row.function != Function::exp)
        continue;  // cbrt and log have steep third derivatives there
      const Domain& domain = row.domain;
      if (x - domain.low < 0x1p-12 || domain.high - x < 0x1p-12) continue;
      const double step = 0x1p-90;
      Far below(x), above(x);
      mpfr_sub_d(below.get(), below.get(), step, MPFR_RNDN);
      mpfr_add_d(above.get(), above.get(), step, MPFR_RNDN);
      const Far quotient = FarNumbers::div(FarNumbers::sub(value(at(k), above), value(at(k), below)), Far(2 * step));
      const Far slope = evaluate(row.derivative, FarNumbers{}, Far(x), value(at(k), x));
      CAPTURE(k, x, slope.number(), quotient.number());
      CHECK(near(slope, quotient, 90));
    }
  }
}

TEST_CASE("the inverses of the table lead back", "[numerics]") {
  std::mt19937_64 random = random_stream(216);
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    using enum Function;
    const bool without = row.function == erf || row.function == erfc || row.function == gamma || row.function == lgamma;
    CHECK(static_cast<bool>(row.inverse) == !without);
    if (!row.inverse) continue;
    for (const double x : points(at(k), random)) {
      if (std::fabs(x) > 16) continue;
      const Far y = value(at(k), x);
      const Far back = evaluate(row.inverse, FarNumbers{}, y, y);
      CAPTURE(k, x);
      CHECK(near(value(at(k), back), y, 300));
    }
  }
}

TEST_CASE("poles inside a domain are those of the row", "[numerics]") {
  for (int k = 0; k < function_count; ++k) {
    const FunctionTraits& row = traits(at(k));
    CAPTURE(k);
    for (double x = -8; x <= 8; x += 0.25) {
      if (!inside(row.domain, x)) continue;
      const bool pole = !value(at(k), x).is_finite();
      CHECK(holds_pole(row.poles, x, x) == pole);
      CHECK(defined_on(at(k), x, x) == !pole);
      if (row.poles == Poles::none) continue;
      // Neighbours are no poles, and an interval between two of them holds the pole.
      const double before = std::nextafter(x, -20), after = std::nextafter(x, 20);
      CHECK_FALSE(holds_pole(row.poles, before, before));
      CHECK_FALSE(holds_pole(row.poles, after, after));
      CHECK(holds_pole(row.poles, before, after) == pole);
      CHECK(holds_pole(row.poles, x - 1, x) == (row.poles == Poles::odd_halves || x <= 1));
    }
    CHECK_FALSE(holds_pole(row.poles, 0x1p70, 0x1p70));
    CHECK(holds_pole(row.poles, -0x1p70, 0x1p70) == (row.poles != Poles::none));
  }
}
