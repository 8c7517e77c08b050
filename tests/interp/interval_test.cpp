// Intervals: sound, and as tight as f64 endpoints can be.
#include <cmath>
#include <limits>

#include "diagnostics/codes/undefined_result.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;
using numerics::Format;
using numerics::Rounding;

namespace {

struct Endpoints {
  double low, high;
  friend bool operator==(const Endpoints&, const Endpoints&) = default;
};

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<double>::max();

mpq_class rational(double x) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(x), Format::f64); }

Endpoints tightest(const mpq_class& low, const mpq_class& high) {
  return {std::bit_cast<double>(numerics::round_rational(low, Format::f64, Rounding::downward)),
          std::bit_cast<double>(numerics::round_rational(high, Format::f64, Rounding::upward))};
}

std::vector<Endpoints> intervals(Op op, const std::vector<std::vector<Endpoints>>& operands) {
  return apply_all<Endpoints, Endpoints>(*semantics("interval"), op, Scalar::f64, Scalar::f64, operands);
}
Endpoints one(Op op, const std::vector<Endpoints>& operands) {
  std::vector<std::vector<Endpoints>> columns;
  for (const Endpoints& operand : operands) columns.push_back({operand});
  return intervals(op, columns)[0];
}

std::vector<Endpoints> random_intervals(Random& random, std::size_t count) {
  std::vector<Endpoints> out;
  for (std::size_t i = 0; i < count; ++i) {
    double a = troublesome(random), b = random.below(3) == 0 ? a : troublesome(random);
    if (random.below(4) == 0) b = std::nextafter(a, inf);
    out.push_back({std::min(a, b), std::max(a, b)});
  }
  return out;
}

}  // namespace

TEST_CASE("+ - * / fma give the tightest intervals") {
  // The exact range of the operation on the operands, by rationals at the corners, rounded outward once.
  Random random(5);
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::fma}) {
    const std::size_t count = op == Op::fma ? 20'000 : 30'000;
    std::vector<Endpoints> a = random_intervals(random, count), b = random_intervals(random, count),
                           c = random_intervals(random, count);
    for (Endpoints& divisor : b) {
      if (op == Op::div && divisor.low <= 0 && divisor.high >= 0) divisor = {3, std::max(3.0, divisor.high)};
    }
    const auto result = op == Op::fma ? intervals(op, {a, b, c}) : intervals(op, {a, b});
    for (std::size_t i = 0; i < count; ++i) {
      std::optional<mpq_class> low, high;
      for (double x : {a[i].low, a[i].high}) {
        for (double y : {b[i].low, b[i].high}) {
          for (double z : {c[i].low, c[i].high}) {
            const mpq_class p = rational(x), q = rational(y);
            const mpq_class value = op == Op::add   ? mpq_class(p + q)
                                    : op == Op::sub ? mpq_class(p - q)
                                    : op == Op::mul ? mpq_class(p * q)
                                    : op == Op::div ? mpq_class(p / q)
                                                    : mpq_class(p * q + rational(z));
            if (!low || value < *low) low = value;
            if (!high || value > *high) high = value;
          }
        }
      }
      const Endpoints expected = tightest(*low, *high);
      if (!(result[i] == expected)) {
        FAIL(ir::traits(op).spelling << std::hexfloat << " [" << a[i].low << ", " << a[i].high << "] [" << b[i].low
                                     << ", " << b[i].high << "] [" << c[i].low << ", " << c[i].high << "]: ["
                                     << result[i].low << ", " << result[i].high << "], expected [" << expected.low
                                     << ", " << expected.high << "]");
      }
    }
  }
}

TEST_CASE("a million points stay inside") {
  // Points of the operands, the operation in extended precision rounded to nearest. Rounding is monotone and f64
  // endpoints are extended values, so a result inside stays inside; an escape by less than half an extended ulp would
  // go unnoticed here, and is what the rationals above are for.
  Random random(6);
  const std::size_t count = 250'000;
  for (Op op : {Op::add, Op::mul, Op::div, Op::sqrt}) {
    std::vector<Endpoints> a = random_intervals(random, count), b = random_intervals(random, count);
    if (op == Op::sqrt) {
      for (Endpoints& x : a)
        x = {std::fabs(x.low) < std::fabs(x.high) ? std::fabs(x.low) : std::fabs(x.high),
             std::max(std::fabs(x.low), std::fabs(x.high))};
    }
    for (Endpoints& x : b) {
      if (op == Op::div && x.low == 0 && x.high == 0) x = {1, 1};
    }
    const auto result = op == Op::sqrt ? intervals(op, {a}) : intervals(op, {a, b});
    std::size_t escapes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto inside = [&](const Endpoints& x) {
        const double t = static_cast<double>(random.word() >> 11) * 0x1p-53;
        return std::clamp(x.low * (1 - t) + x.high * t, x.low, x.high);
      };
      const double x = inside(a[i]), y = inside(b[i]);
      if (op == Op::div && y == 0) continue;
      const long double value = op == Op::add   ? static_cast<long double>(x) + y
                                : op == Op::mul ? static_cast<long double>(x) * y
                                : op == Op::div ? static_cast<long double>(x) / y
                                                : std::sqrt(static_cast<long double>(x));
      escapes += !(value >= result[i].low && value <= result[i].high);
    }
    CHECK(escapes == 0);
  }
}

TEST_CASE("sqrt, exp and log are tight and sound") {
  Random random(8);
  std::vector<Endpoints> x;
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::fabs(troublesome(random));
    x.push_back({value, value});
  }
  const auto roots = intervals(Op::sqrt, {x});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const mpq_class value = rational(x[i].low), low = rational(roots[i].low), high = rational(roots[i].high);
    REQUIRE(low * low <= value);
    REQUIRE(high * high >= value);
    REQUIRE((roots[i].high == roots[i].low || roots[i].high == std::nextafter(roots[i].low, inf)));
    REQUIRE((low * low == value) == (roots[i].high == roots[i].low));
  }
  for (double value : {-745.2, -1.0, -1e-300, 1e-17, 0.5, 1.0, 3.0, 709.78}) {
    const Endpoints e = one(Op::exp, {{value, value}});
    CHECK(e.high == std::nextafter(e.low, inf));
    if (value < 700) CHECK(one(Op::log, {e}).low <= value);
  }
  CHECK(one(Op::exp, {{0, 0}}) == Endpoints{1, 1});
  CHECK(one(Op::exp, {{-1000, 1000}}) == Endpoints{0, inf});
  CHECK(one(Op::exp, {{-inf, 0}}) == Endpoints{0, 1});
  CHECK(one(Op::log, {{1, inf}}) == Endpoints{0, inf});
}

TEST_CASE("infinite and overflowing endpoints") {
  CHECK(one(Op::add, {{most, most}, {most, most}}) == Endpoints{most, inf});
  CHECK(one(Op::sub, {{-most, -most}, {most, most}}) == Endpoints{-inf, -most});
  CHECK(one(Op::mul, {{most, most}, {2, 2}}) == Endpoints{most, inf});
  CHECK(one(Op::mul, {{0, 0}, {-inf, inf}}) == Endpoints{0, 0});
  CHECK(one(Op::mul, {{0, 1}, {1, inf}}) == Endpoints{0, inf});
  CHECK(one(Op::mul, {{-1, 2}, {3, inf}}) == Endpoints{-inf, inf});
  CHECK(one(Op::add, {{-inf, 1}, {1, inf}}) == Endpoints{-inf, inf});
  CHECK(one(Op::mul, {{0x1p-1074, 0x1p-1074}, {0x1p-1074, 0x1p-1074}}) == Endpoints{0, 0x1p-1074});
  CHECK(one(Op::mul, {{-0x1p-1074, -0x1p-1074}, {0.5, 0.5}}) == Endpoints{-0x1p-1074, 0});
  CHECK(one(Op::fma, {{0x1p-1074, 0x1p-1074}, {0x1p-1074, 0x1p-1074}, {1, 1}}) ==
        Endpoints{1, std::nextafter(1.0, 2.0)});
  CHECK(one(Op::fma, {{1, inf}, {1, 2}, {-inf, 5}}) == Endpoints{-inf, inf});
  CHECK(one(Op::fma, {{-inf, inf}, {0, 0}, {3, 4}}) == Endpoints{3, 4});
}

TEST_CASE("division by intervals that hold zero") {
  CHECK(one(Op::div, {{1, 2}, {-1, 1}}) == Endpoints{-inf, inf});
  CHECK(one(Op::div, {{1, 2}, {0, 4}}) == Endpoints{0.25, inf});
  CHECK(one(Op::div, {{1, 2}, {-4, 0}}) == Endpoints{-inf, -0.25});
  CHECK(one(Op::div, {{-2, -1}, {0, 4}}) == Endpoints{-inf, -0.25});
  CHECK(one(Op::div, {{-1, 1}, {0, 4}}) == Endpoints{-inf, inf});
  CHECK(one(Op::div, {{0, 0}, {0, 4}}) == Endpoints{0, 0});
  CHECK(one(Op::div, {{1, 2}, {1, inf}}) == Endpoints{0, 2});
  CHECK(one(Op::div, {{1, inf}, {1, inf}}) == Endpoints{0, inf});
  CHECK(one(Op::div, {{-inf, -1}, {2, inf}}) == Endpoints{-inf, 0});
}

TEST_CASE("domains, comparisons and hulls") {
  CHECK(one(Op::sqrt, {{-4, 9}}) == Endpoints{0, 3});
  CHECK(one(Op::rsqrt, {{0, 4}}) == Endpoints{0.5, inf});
  CHECK(one(Op::abs, {{-4, 3}}) == Endpoints{0, 4});
  CHECK(one(Op::sign, {{-4, 0}}) == Endpoints{-1, 0});
  CHECK(one(Op::min, {{1, 5}, {2, 3}}) == Endpoints{1, 3});
  CHECK(one(Op::round, {{-2.5, 2.5}}) == Endpoints{-2, 2});
  auto interval = semantics("interval");
  auto compare = [&](Op op, Endpoints a, Endpoints b) {
    return apply_all<Truth, Endpoints>(*interval, op, Scalar::f64, Scalar::boolean, {{a}, {b}})[0];
  };
  CHECK(compare(Op::less, {1, 2}, {3, 4}) == Truth::yes);
  CHECK(compare(Op::less, {1, 3}, {3, 4}) == Truth::unknown);
  CHECK(compare(Op::less, {3, 4}, {1, 3}) == Truth::no);
  CHECK(compare(Op::less_equal, {1, 3}, {3, 4}) == Truth::yes);
  CHECK(compare(Op::equal, {1, 1}, {1, 1}) == Truth::yes);
  CHECK(compare(Op::equal, {1, 2}, {1, 2}) == Truth::unknown);
  CHECK(compare(Op::not_equal, {1, 2}, {3, 4}) == Truth::yes);

  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f64);
  c.result(c.module.apply(Op::select, {c.module.apply(Op::less, {x, c.module.rational(0, Scalar::f64)}),
                                       c.module.apply(Op::neg, {x}), x}));
  auto values = c.run(*interval, {RangeTensor{Scalar::f64, {}, mpq_class(-1), mpq_class(1, 10)}});
  REQUIRE(values);
  CHECK(interval->render(Scalar::f64, (*values)[0].data()).text == "[-1, 1]");

  Circuit d;
  d.result(d.module.apply(Op::sqrt, {d.module.rational(-1, Scalar::f64)}));
  auto fault = d.run(*interval);
  REQUIRE(!fault);
  CHECK(fault.error().code == code::undefined_result);
}

TEST_CASE("interval literals keep their rational and conversions change nothing") {
  Circuit c;
  const NodeId tenth = c.module.rational(mpq_class(1, 10), Scalar::f16);
  ir::Literal pi;
  pi.kind = ir::Literal::Kind::real;
  pi.constant = ir::RealConstant::pi;
  pi.value = 1;
  c.result(c.module.tuple({tenth, c.module.convert(tenth, Scalar::f64), c.module.literal(pi, Scalar::f32)}));
  auto interval = semantics("interval");
  auto values = c.run(*interval);
  REQUIRE(values);
  Endpoints ends;
  std::memcpy(&ends, (*values)[0].data(), sizeof ends);
  CHECK(ends == tightest(mpq_class(1, 10), mpq_class(1, 10)));
  std::memcpy(&ends, (*values)[1].data(), sizeof ends);
  CHECK(ends == tightest(mpq_class(1, 10), mpq_class(1, 10)));
  CHECK(
      interval->render(Scalar::f32, (*values)[2].data()).fields ==
      std::vector<std::pair<std::string, std::string>>{{"lo", "0x1.921fb54442d18p+1"}, {"hi", "0x1.921fb54442d19p+1"}});
}
