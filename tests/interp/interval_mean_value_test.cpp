// interval(mean_value) against Arb at points, against the natural enclosure, and against ranges worked out by hand.
// tests/support/long_run.h: the number of points of random circuits, 10^6 and more; figures appear then.
#include <cmath>
#include <cstdio>
#include <limits>

#include "semantics/standard.h"
#include "tests/interp/arb_reference.h"
#include "tests/interp/kernels.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

struct Endpoints {
  double low, high;
};
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr slong precisions[] = {200, 2500};

std::unique_ptr<Semantics> interval(std::vector<SemanticsArgument> arguments = {}) {
  auto made = make_semantics("interval", arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// The ends of a value with f64 ends: both kinds of interval begin with them.
Endpoints endpoints_of(const Values& values) {
  Endpoints out;
  std::memcpy(&out, values.data(), sizeof out);
  return out;
}

/// Wide, thin, around zero, huge, subnormal; mostly of a size at which functions bend.
Endpoints operand(Random& random) {
  const auto number = [&]() -> double {
    const double unit = static_cast<double>(random.word() >> 11) * 0x1p-52 - 1;
    switch (random.below(8)) {
      case 0: return troublesome(random);
      case 1: return std::ldexp(unit, static_cast<int>(random.below(80)) - 40);
      case 2: return static_cast<double>(static_cast<int>(random.below(17)) - 8) / (random.below(2) ? 1 : 2);
      case 3: return std::fabs(unit);
      default: return unit * 4;
    }
  };
  const double a = number();
  if (random.below(8) == 0) return {a, a};
  const double width = random.below(4) == 0 ? std::fabs(number()) : std::ldexp(std::fabs(number()), -static_cast<int>(random.below(30)));
  const double b = a + width;
  return std::isfinite(b) ? Endpoints{a, b} : Endpoints{a, a};
}

double point_of(Random& random, const Endpoints& x) {
  switch (random.below(6)) {
    case 0: return x.low;
    case 1: return x.high;
    case 2:
      if (x.low <= 0 && x.high >= 0) return 0;
      [[fallthrough]];
    default: {
      const double t = static_cast<double>(random.word() >> 11) * 0x1p-53;
      return std::clamp(x.low * (1 - t) + x.high * t, x.low, x.high);
    }
  }
}

RangeTensor range(const Endpoints& x) { return {Scalar::f64, {}, mpq_class(x.low), mpq_class(x.high)}; }

/// Those that Arb has (arb_reference.h), and `select(a < b, b, c)`.
constexpr Op operations[] = {Op::add,   Op::sub,   Op::mul,   Op::div,   Op::neg,    Op::fma,   Op::abs,   Op::min,
                             Op::max,   Op::hypot, Op::sqrt,  Op::rsqrt, Op::exp,    Op::exp2,  Op::exp10, Op::expm1,
                             Op::log,   Op::log2,  Op::log10, Op::log1p, Op::sin,    Op::cos,   Op::tan,   Op::asin,
                             Op::acos,  Op::atan,  Op::sinh,  Op::cosh,  Op::tanh,   Op::asinh, Op::acosh, Op::atanh,
                             Op::erf,   Op::cbrt,  Op::atan2, Op::pow,   Op::rem,    Op::floor, Op::ceil,  Op::sinpi,
                             Op::cospi, Op::tanpi, Op::erfc,  Op::gamma, Op::lgamma, Op::select};

struct Step {
  Op op;
  std::size_t operands[3];
};

NodeId node_of(Circuit& c, const Step& step, const std::vector<NodeId>& values) {
  const NodeId a = values[step.operands[0]], b = values[step.operands[1]], d = values[step.operands[2]];
  if (step.op == Op::select) return c.module.apply(Op::select, {c.module.apply(Op::less, {a, b}), b, d});
  std::vector<NodeId> operands{a, b, d};
  operands.resize(static_cast<std::size_t>(ir::traits(step.op).arity));
  return c.module.apply(step.op, operands);
}

Ball ball_of(const Step& step, const std::vector<Ball>& values, slong precision) {
  const Ball &a = values[step.operands[0]], &b = values[step.operands[1]], &d = values[step.operands[2]];
  if (step.op != Op::select) return at_point(step.op, a, b, d, precision);
  if (arb_lt(a.get(), b.get())) return b;
  if (arb_ge(a.get(), b.get())) return d;
  Ball unknown;
  arb_indeterminate(unknown.get());
  return unknown;
}

struct Tally {
  long points = 0, escapes = 0, undefined = 0, circuits = 0, wider = 0, narrower = 0;
};

/// A random circuit over three inputs, a part of which are small integers and so the exponents of powers.
void random_circuit(Random& random, int depth, Tally& tally, Semantics& mean_value, Semantics& natural) {
  Circuit c;
  std::vector<Endpoints> ranges;
  std::vector<NodeId> nodes;
  std::vector<Argument> arguments;
  for (const char* name : {"x", "y", "z"}) {
    ranges.push_back(operand(random));
    if (random.below(6) == 0) ranges.back().low = ranges.back().high = static_cast<double>(random.below(7)) - 2;
    nodes.push_back(c.parameter(name, Scalar::f64));
    arguments.push_back(range(ranges.back()));
  }
  std::vector<Step> steps;
  for (int d = 0; d < depth; ++d) {
    Step step{operations[random.below(std::size(operations))], {}};
    if (random.below(2)) step.op = operations[random.below(6)];  // half of them field operations
    for (std::size_t& k : step.operands) k = random.below(nodes.size());
    step.operands[random.below(2)] = nodes.size() - 1;  // a chain, so that the depth is real
    steps.push_back(step);
    nodes.push_back(node_of(c, step, nodes));
  }
  c.result(nodes.back());
  const auto centred = c.run(mean_value, arguments), plain = c.run(natural, arguments);
  std::optional<Endpoints> result;
  if (centred) result = endpoints_of((*centred)[0]);
  const auto story = [&] {
    std::string out;
    for (const Step& step : steps) {
      out += std::string(ir::traits(step.op).spelling) + "(" + std::to_string(step.operands[0]) + "," +
             std::to_string(step.operands[1]) + "," + std::to_string(step.operands[2]) + ") ";
    }
    char text[300];
    std::snprintf(text, sizeof text, "of [%a, %a] [%a, %a] [%a, %a]: [%a, %a]", ranges[0].low, ranges[0].high, ranges[1].low,
                  ranges[1].high, ranges[2].low, ranges[2].high, result ? result->low : inf, result ? result->high : -inf);
    return out + text;
  };
  ++tally.circuits;
  if (!plain) CHECK(!centred);
  if (plain && result) {
    const Endpoints wide = endpoints_of((*plain)[0]);
    if (result->low < wide.low || result->high > wide.high || !(result->low <= result->high)) {
      ++tally.wider;
      FAIL_CHECK(story() << ", outside of the natural enclosure");
    }
    tally.narrower += result->low > wide.low || result->high < wide.high;
  }
  for (int p = 0; p < 8; ++p) {
    std::vector<double> at;
    for (const Endpoints& x : ranges) at.push_back(point_of(random, x));
    ++tally.points;
    for (const slong precision : precisions) {
      std::vector<Ball> balls(at.begin(), at.end());
      for (const Step& step : steps) {
        balls.push_back(ball_of(step, balls, precision));
        if (!balls.back().finite()) break;
      }
      const Ball& ball = balls.back();
      if (!ball.finite()) {
        ++tally.undefined;
        break;
      }
      if (!result || ball.below(result->low) || ball.above(result->high)) {
        ++tally.escapes;
        FAIL_CHECK(story() << ", and at " << std::hexfloat << at[0] << " " << at[1] << " " << at[2] << " another value");
        break;
      }
      if (ball.at_least(result->low) && ball.at_most(result->high)) break;
    }
  }
}

void report(const char* what, const Tally& tally) {
  if (test::long_run()) {
    std::printf("%s: %ld circuits, %ld points, %ld escapes, %ld without a value; %ld wider than natural, %ld narrower\n", what,
                tally.circuits, tally.points, tally.escapes, tally.undefined, tally.wider, tally.narrower);
  }
  CHECK(tally.escapes == 0);
  CHECK(tally.wider == 0);
  CHECK(tally.undefined * 10 <= tally.points * 9);
  CHECK(tally.narrower * 20 >= tally.circuits);  // the form is at work
}

/// Of one variable x in `x`, ends as rationals.
Enclosure enclosed(const std::function<NodeId(Circuit&, NodeId)>& body, const mpq_class& low, const mpq_class& high,
                   const Semantics& semantics) {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f64);
  c.result(body(c, x));
  auto values = c.run(const_cast<Semantics&>(semantics), {RangeTensor{Scalar::f64, {}, low, high}});
  REQUIRE(values);
  const auto out = semantics.enclosure(Scalar::f64, (*values)[0].data());
  REQUIRE(out);
  return *out;
}
mpq_class width(const Enclosure& x) { return x.high - x.low; }

}  // namespace

TEST_CASE("no point escapes from the mean-value form of a random circuit, which is never wider than the natural one") {
  const auto mean_value = interval({{"mean_value"}}), natural = interval();
  for (const int depth : {2, 4, 8}) {
    Random random(test::stream(300 + static_cast<std::uint64_t>(depth)));
    Tally tally;
    const long count = test::trials(40'000l) / 3;
    while (tally.points < count) random_circuit(random, depth, tally, *mean_value, *natural);
    report(("depth " + std::to_string(depth)).c_str(), tally);
  }
}

TEST_CASE("the mean-value form of f32 and of 80 bits encloses as well") {
  // The natural enclosure of 300 bits at a point is a true value for these ends.
  Random random(test::stream(310));
  const auto points = interval({{"300"}});
  for (const char* ends : {"f32", "80", "2"}) {
    const auto mean_value = interval({{ends}, {"mean_value"}});
    for (int k = 0; k < 300; ++k) {
      const Op op = operations[random.below(6)], inner = operations[random.below(std::size(operations) - 1)];
      const auto body = [&](Circuit& c, NodeId x) {
        const auto apply = [&](Op which, NodeId a, NodeId b) {
          std::vector<NodeId> operands{a, b, a};
          operands.resize(static_cast<std::size_t>(ir::traits(which).arity));
          return c.module.apply(which, operands);
        };
        return apply(op, apply(inner, x, c.module.rational(mpq_class(2), Scalar::f64)), x);
      };
      const mpq_class low = mpq_class(static_cast<long>(random.below(4000)) - 2000, 1000), high = low + mpq_class(1, 1 + static_cast<long>(random.below(50)));
      Circuit whole;
      whole.result(body(whole, whole.parameter("x", Scalar::f64)));
      auto values = whole.run(*mean_value, {RangeTensor{Scalar::f64, {}, low, high}});
      const auto enclosure = values ? mean_value->enclosure(Scalar::f64, (*values)[0].data()) : std::nullopt;
      for (int p = 0; p < 5 && enclosure; ++p) {
        const mpq_class at = low + (high - low) * mpq_class(p, 4);
        Circuit point;
        point.result(body(point, point.parameter("x", Scalar::f64)));
        auto value = point.run(*points, {RangeTensor{Scalar::f64, {}, at, at}});
        const auto truth = value ? points->enclosure(Scalar::f64, (*value)[0].data()) : std::nullopt;
        if (!truth) continue;
        INFO(ends << " " << ir::traits(op).spelling << " " << ir::traits(inner).spelling << " at " << at.get_str());
        REQUIRE(truth->high >= enclosure->low);
        REQUIRE(truth->low <= enclosure->high);
      }
    }
  }
}

TEST_CASE("x (1 - x) converges quadratically: the excess is 4 r^2, and 4 c r for the natural enclosure") {
  // On c - r .. c + r with c + r < 1/2 the range is f(c - r) .. f(c + r), of width 2 r (1 - 2 c). By hand: the natural
  // enclosure is (c - r)(1 - c - r) .. (c + r)(1 - c + r), of width 2 r; the mean-value form f(c) -+ r (1 - 2 c + 2 r), of
  // width 2 r (1 - 2 c) + 4 r^2.
  const auto mean_value = interval({{"mean_value"}}), natural = interval();
  const auto body = [](Circuit& c, NodeId x) {
    return c.module.apply(Op::mul, {x, c.module.apply(Op::sub, {c.module.rational(1, Scalar::f64), x})});
  };
  const mpq_class c(1, 4), rounding(1, 1L << 50);
  for (int k = 3; k <= 20; ++k) {
    const mpq_class r(1, 1L << k), exact = 2 * r * (1 - 2 * c);
    INFO("r = 2^-" << k);
    CHECK(abs(width(enclosed(body, c - r, c + r, *natural)) - exact - 4 * c * r) <= rounding);
    CHECK(abs(width(enclosed(body, c - r, c + r, *mean_value)) - exact - 4 * r * r) <= rounding);
  }
}

TEST_CASE("a difference of equal linear forms is 0, and inputs that only look equal are apart") {
  const auto mean_value = interval({{"mean_value"}});
  const auto zero = enclosed([](Circuit& c, NodeId x) {
    const NodeId twice = c.module.apply(Op::add, {x, x});
    return c.module.apply(Op::sub, {c.module.apply(Op::sub, {c.module.apply(Op::mul, {c.module.rational(3, Scalar::f64), x}), twice}), x});
  }, 0, 1, *mean_value);
  CHECK(zero.low == 0);
  CHECK(zero.high == 0);
  // The elements of a tensor are reals of their own: x[0] - x[1] is anywhere in -1..1.
  for (const std::int64_t n : {2, 1000}) {
    Circuit c;
    const NodeId x = c.parameter("x", Scalar::f64, {c.constant(n)});
    c.result(c.module.apply(Op::sub, {c.module.element(x, {c.constant(0)}), c.module.element(x, {c.constant(1)})}));
    auto values = c.run(*mean_value, {RangeTensor{Scalar::f64, {n}, 0, 1}});
    REQUIRE(values);
    const Endpoints ends = endpoints_of((*values)[0]);
    CHECK(ends.low == -1);
    CHECK(ends.high == 1);
  }
}

TEST_CASE("kinks, jumps and the edges of domains keep their natural enclosures") {
  const auto mean_value = interval({{"mean_value"}}), natural = interval();
  for (const Op op : {Op::floor, Op::ceil, Op::trunc, Op::round, Op::sign, Op::sqrt, Op::rsqrt, Op::acosh, Op::tan}) {
    const auto body = [&](Circuit& c, NodeId x) {
      const NodeId y = c.module.apply(op, {c.module.apply(Op::add, {x, x})});
      return c.module.apply(Op::atan, {c.module.apply(Op::add, {y, y})});
    };
    const auto a = enclosed(body, mpq_class(-1, 2), 2, *mean_value), b = enclosed(body, mpq_class(-1, 2), 2, *natural);
    CHECK(a.low == b.low);
    CHECK(a.high == b.high);
  }
  // abs(x) - x / 2 on -1..2: from 0 to 3/2, slope at most 3/2 away from the middle, where it is 1/4.
  const auto kink = enclosed([](Circuit& c, NodeId x) {
    return c.module.apply(Op::sub, {c.module.apply(Op::abs, {x}), c.module.apply(Op::div, {x, c.module.rational(2, Scalar::f64)})});
  }, -1, 2, *mean_value);
  CHECK(kink.low <= 0);
  CHECK(kink.high >= mpq_class(3, 2));
  // hypot(x, x) - 3 x on -1..2: at -1 it is sqrt(2) + 3, from which the middle is reached by the steepest slope.
  const auto cone = enclosed([](Circuit& c, NodeId x) {
    return c.module.apply(Op::sub, {c.module.apply(Op::hypot, {x, x}), c.module.apply(Op::mul, {c.module.rational(3, Scalar::f64), x})});
  }, -1, 2, *mean_value);
  CHECK(cone.low <= mpq_class(-3171, 1000));  // 2 sqrt(2) - 6 at 2
  CHECK(cone.high >= mpq_class(4414, 1000));
}
