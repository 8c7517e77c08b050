// The ranges of gamma, lgamma and digamma over intervals (numerics/intervals/gamma.h) against published extreme values and
// MPFR at points.
#include "numerics/intervals/gamma.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "reference.h"
#include "tests/support/long_run.h"

using namespace reckon::numerics;
using namespace reckon::numerics::testing;
using intervals::digamma_range;
using intervals::gamma_range;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
using Range = intervals::Interval<double>;

Range range(Function function, double low, double high, mpfr_prec_t precision = 53) {
  const auto out = gamma_range(function, precision, {low, high});
  return {mpfr_get_d(out.low.get(), MPFR_RNDD), mpfr_get_d(out.high.get(), MPFR_RNDU)};
}
Range of_digamma(double low, double high) {
  const auto out = digamma_range(53, {low, high});
  return {mpfr_get_d(out.low.get(), MPFR_RNDD), mpfr_get_d(out.high.get(), MPFR_RNDU)};
}
double at(Function function, double x, bool up) { return mpfr_unary_directed(function, x, up); }

bool is_pole(double x) { return x <= 0 && std::floor(x) == x; }

}  // namespace

TEST_CASE("the extreme values of gamma between its poles are the published ones", "[numerics]") {
  // NIST DLMF, table 5.4.1: the points x(n) where digamma is 0, and Gamma(x(n)).
  const struct {
    double x, gamma;
  } published[] = {{1.4616321449, 0.8856031944},   {-0.5040830083, -3.5446436112}, {-1.5734984732, 2.3024072583},
                   {-2.6107208684, -0.8881363584}, {-3.6352933664, 0.2451275398},  {-4.6532377617, -0.0527796396},
                   {-5.6671624416, 0.0093245945},  {-6.6784182131, -0.0013973966}, {-7.6877883250, 0.0001818784},
                   {-8.6957641633, -0.0000209253}, {-9.7026725400, 0.0000021574}};
  for (const auto& [x, gamma] : published) {
    CAPTURE(x);
    const Range values = range(Function::gamma, x - 0.25, x + 0.25), logs = range(Function::lgamma, x - 0.25, x + 0.25);
    const double extreme = gamma > 0 ? values.low : values.high;
    CHECK(std::fabs(extreme - gamma) < 1e-10);
    CHECK(logs.low == Approx(std::log(std::fabs(extreme))).epsilon(1e-12));
    // It is no less extreme than the values beside it, and within a few ulps of the most extreme one.
    for (const double near : {x - 1e-9, x, x + 1e-9}) {
      if (gamma > 0) CHECK(values.low <= at(Function::gamma, near, true));
      else CHECK(values.high >= at(Function::gamma, near, false));
      CHECK(logs.low <= at(Function::lgamma, near, true));
    }
  }
  // More digits of the first: OEIS A030171.
  CHECK(range(Function::gamma, 1.25, 1.5, 200).low == Approx(0.88560319441088870027881590058).epsilon(2.5e-16));
}

TEST_CASE("the ranges of gamma and lgamma hold the values at points and end at them", "[numerics]") {
  std::mt19937_64 random = random_stream(231);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto number = [&] {
    const double x = random() % 3 == 0 ? std::floor(20 * unit() - 12) : 20 * unit() - 12;
    return random() % 5 == 0 ? x / 16 : x;
  };
  for (int trial = 0; trial < reckon::test::trials(500); ++trial) {
    double low = number(), high = random() % 3 == 0 ? low + unit() / 8 : number();
    if (low > high) std::swap(low, high);
    if (low == high && is_pole(low)) continue;
    for (const Function function : {Function::gamma, Function::lgamma}) {
      CAPTURE(low, high, static_cast<int>(function));
      const Range values = range(function, low, high);
      double least = inf, most = -inf;
      for (int k = 0; k <= 40; ++k) {
        const double x = k == 40 ? high : std::min(high, low + (high - low) * k / 40);
        if (is_pole(x)) continue;
        CHECK(values.low <= at(function, x, true));
        CHECK(values.high >= at(function, x, false));
        least = std::min(least, at(function, x, false));
        most = std::max(most, at(function, x, true));
      }
      // Where nothing is extreme inside and no end is a pole, the ends are values at the ends.
      const bool one_branch = low > 0 || std::floor(low) == std::floor(high);
      if (!one_branch || is_pole(low) || is_pole(high)) continue;
      const double a = at(function, low, false), b = at(function, high, false);
      const double c = at(function, low, true), d = at(function, high, true);
      CHECK((values.low == std::min(a, b) || values.high == std::max(c, d)));
      CHECK((values.low == std::min(a, b) || values.low <= least));
      CHECK((values.high == std::max(c, d) || values.high >= most));
    }
  }
}

TEST_CASE("poles leave the ranges of gamma and lgamma unbounded on their side", "[numerics]") {
  CHECK(range(Function::gamma, 0, 1) == Range{at(Function::gamma, 1, false), inf});
  CHECK(range(Function::gamma, -1, -0.75) == Range{-inf, at(Function::gamma, -0.75, true)});
  CHECK(range(Function::gamma, -0.25, 0) == Range{-inf, at(Function::gamma, -0.25, true)});
  CHECK(range(Function::gamma, -0.25, 0.25) == Range{-inf, inf});
  CHECK(range(Function::gamma, -inf, -0.5) == Range{-inf, inf});
  CHECK(range(Function::gamma, 3, inf) == Range{2, inf});
  CHECK(range(Function::gamma, 3, 5) == Range{2, 24});
  CHECK(range(Function::lgamma, -0.25, 0.25).high == inf);
  CHECK(range(Function::lgamma, -0.25, 0.25).low == at(Function::lgamma, 0.25, false));
  CHECK(range(Function::lgamma, 1, 2).high == 0);
  CHECK(range(Function::lgamma, -inf, 5) == Range{-inf, inf});
  // Of the branches inside, the leftmost has the least value.
  CHECK(range(Function::lgamma, -3, 0).low == range(Function::lgamma, -3, -2).low);
  CHECK(range(Function::lgamma, -3.0625, 0).low == range(Function::lgamma, -3, -2).low);
  CHECK(range(Function::lgamma, -3.5, 0).low == at(Function::lgamma, -3.5, false));
}

TEST_CASE("the range of digamma is that between its ends, or everything", "[numerics]") {
  CHECK(of_digamma(-0.25, 0.25) == Range{-inf, inf});
  CHECK(of_digamma(-1, -0.5) == Range{-inf, inf});
  CHECK(of_digamma(-inf, 1) == Range{-inf, inf});
  // digamma(1) = -gamma and digamma(2) = 1 - gamma with Euler's constant (NIST DLMF, 5.4.12, 5.4.14).
  const double euler = 0.57721566490153286;
  const Range one = of_digamma(1, 2);
  CHECK(one.low == Approx(-euler).epsilon(1e-15));
  CHECK(one.high == Approx(1 - euler).epsilon(1e-15));
  CHECK(of_digamma(-1.75, -1.25).low < of_digamma(-1.75, -1.25).high);
}
