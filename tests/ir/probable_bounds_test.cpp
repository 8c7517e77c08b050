// Bounds that hold with a probability, against simulations with random roundings, and against their formula in other
// digits.
#include "ir/schedule/probable_bounds.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "ir/schedule/bounds.h"

using namespace reckon;

TEST_CASE("growth by a unit roundoff is (1 + u)^k - 1, rounded upward") {
  for (const int k : {0, 1, 2, 3, 7, 10, 33}) {
    const mpq_class u(1, 8192);
    mpq_class power = 1;
    for (int j = 0; j < k; ++j) power *= 1 + u;
    const mpq_class out = ir::growth_by_unit(k, u);
    CHECK(out >= power - 1);
    CHECK(out <= (power - 1) * (1 + mpq_class(1, mpz_class(1) << 120)));
  }
  // Of a format it is the classical bound's.
  CHECK(ir::growth_by_unit(1000, ir::growth_factor(1, {.format = ir::Format::f32})) <
        ir::growth_factor(1000, {.format = ir::Format::f32}) * (1 + mpq_class(1, 1000000)));
}

TEST_CASE("a probable bound has the formula's value") {
  // exp(l sqrt(k) u + k u^2 / (1 - u)) - 1 for n = 1024, k = 10, u = 2^-11, p = 0.99, by mpmath: 0.00763...
  const double u = std::ldexp(1, -11), n = 1024, k = 10, p = 0.99;
  const double lambda = std::sqrt(2 * std::log(2 * n / (1 - p))) / (1 - u);
  const double expected = std::exp(lambda * std::sqrt(k) * u + k * u * u / (1 - u)) - 1;
  const mpq_class certain = ir::growth_by_unit(10, mpq_class(u));
  const double out = ir::probable_factor(1024, 10, mpq_class(u), mpq_class(99, 100)).get_d();
  CHECK(out == Approx(std::min(expected, certain.get_d())).epsilon(1e-6));
  // It is never above what is certain, and grows with the probability.
  CHECK(ir::probable_factor(1024, 1023, mpq_class(u), mpq_class(99, 100)) < ir::growth_by_unit(1023, mpq_class(u)));
  CHECK(ir::probable_factor(1024, 1023, mpq_class(u), mpq_class(9, 10)) <
        ir::probable_factor(1024, 1023, mpq_class(u), mpq_class(999, 1000)));
}

TEST_CASE("sums with random roundings stay within the probable bound as often as it says") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> leaf(-1, 1);
  const double u = 1.0 / 1024;
  std::uniform_real_distribution<double> error(-u, u);
  constexpr int leaves = 200, sums = 400;
  const double factor = ir::probable_factor(leaves, leaves - 1, mpq_class(u), mpq_class(9, 10)).get_d();
  int outside = 0;
  for (int k = 0; k < sums; ++k) {
    double computed = 0, exact = 0, magnitude = 0;
    for (int i = 0; i < leaves; ++i) {
      const double x = leaf(random);
      computed = i == 0 ? x : (computed + x) * (1 + error(random));
      exact += x;
      magnitude += std::fabs(x);
    }
    outside += std::fabs(computed - exact) > factor * magnitude;
  }
  CHECK(outside <= sums / 10);
  // The bound is of the size of the errors, and far below the one that is certain.
  CHECK(factor < 0.5 * ir::growth_by_unit(leaves - 1, mpq_class(u)).get_d());
}
