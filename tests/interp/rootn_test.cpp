// rootn under semantics of real numbers: enclosures against MPFR's roots of points, with the tightest ends; exact
// values; what has none.
#include "numerics/elementary.h"
#include "semantics/standard.h"
#include "tests/interp/kernels.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

struct Sides {
  double low, high;
};

std::optional<Sides> root_of(Semantics& semantics, const Sides& x, double n) {
  const Sides degree{n, n};
  Rows rows[3] = {{reinterpret_cast<const std::byte*>(&x), 1}, {reinterpret_cast<const std::byte*>(&degree), 1}, {}};
  Sides out{};
  if (semantics.apply(Op::rootn, Scalar::f64, Scalar::f64, rows, reinterpret_cast<std::byte*>(&out), 1, 1, 1))
    return std::nullopt;
  return out;
}

double root(double x, double n, bool up) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return std::bit_cast<double>(numerics::mpfr_binary(numerics::BinaryFunction::rootn, bits(x), bits(n),
                                                     numerics::Format::f64,
                                                     up ? numerics::Rounding::upward : numerics::Rounding::downward));
}

std::string shown(const mpq_class& x, long n) {
  Circuit c;
  c.result(c.module.apply(Op::rootn, {c.module.rational(x, Scalar::number), c.module.rational(n, Scalar::number)}));
  auto exact = semantics("exact");
  auto values = c.run(*exact);
  return values ? exact->render((*values)[0].scalar(), (*values)[0].data()).text : values.error().message;
}

}  // namespace

TEST_CASE("intervals of roots hold the roots of their points, and no more") {
  Random random(test::stream(161));
  auto interval = semantics("interval");
  const auto trials = test::trials<int>(4000);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  int bounded = 0;
  for (int trial = 0; trial < trials; ++trial) {
    double a = troublesome(random),
           b = random.below(3) == 0 ? troublesome(random) : a * (1 + static_cast<double>(random.below(9)) / 4);
    if (random.below(8) == 0) b = a;
    if (random.below(8) == 0) b = 0;
    if (!std::isfinite(b)) b = a;
    const Sides x{std::min(a, b) + 0.0, std::max(a, b) + 0.0};
    const auto size = static_cast<double>(1 + random.below(12)), n = random.below(2) ? size : -size;
    const bool odd = std::fmod(size, 2) != 0;
    const auto found = root_of(*interval, x, n);
    CAPTURE(x.low, x.high, n);
    const bool none = odd ? n < 0 && x.low == 0 && x.high == 0 : x.high < 0 || (n < 0 && x.high == 0);
    REQUIRE(found.has_value() == !none);
    if (none) continue;
    CAPTURE(found->low, found->high);
    const double least = odd ? x.low : std::max(x.low, 0.0);
    if (n < 0 && least < 0 && x.high > 0) {
      CHECK((found->low == -infinity && found->high == infinity));
    } else if (n > 0) {
      CHECK((found->low == root(least, n, false) && found->high == root(x.high, n, true)));
    } else {
      CHECK(found->low == (x.high == 0 ? -infinity : root(x.high, n, false)));
      CHECK(found->high == (least == 0 ? infinity : root(least, n, true)));
    }
    for (int k = 0; k < 4; ++k) {
      const double point = k == 0   ? x.low
                           : k == 1 ? x.high
                                    : x.low + (x.high - x.low) * static_cast<double>(random.below(1000)) / 1000;
      if (!(point >= x.low && point <= x.high) || (point == 0 && n < 0) || (!odd && point < 0)) continue;
      CAPTURE(point);
      CHECK(found->low <= root(point, n, true));
      CHECK(found->high >= root(point, n, false));
      ++bounded;
    }
  }
  CHECK(bounded > trials);
}

TEST_CASE("exact roots of rationals are rationals where they come out even") {
  CHECK(shown(mpq_class(32, 243), 5) == "2/3");
  CHECK(shown(mpq_class(-32, 243), 5) == "-2/3");
  CHECK(shown(mpq_class(-32, 243), -5) == "-3/2");
  CHECK(shown(81, 4) == "3");
  CHECK(shown(81, -4) == "1/3");
  CHECK(shown(0, 7) == "0");
  CHECK(shown(5, 1) == "5");
  CHECK(shown(5, -1) == "1/5");
  CHECK(shown(2, 12) == "1.0594630943592952646...");   // the semitone of equal temperament, OEIS A010774
  CHECK(shown(-2, 5) == "-1.1486983549970350068...");  // OEIS A005531
  CHECK(shown(-81, 4) == "this root has no value under `exact`");
  CHECK(shown(0, -3) == "this root has no value under `exact`");
}
