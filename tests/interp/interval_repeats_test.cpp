// Where a value meets itself: x * x is not negative, x - x is 0. Expected ranges are worked out by hand, or by rational
// arithmetic at points.
#include <cmath>
#include <limits>

#include "ir/passes/passes.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

struct Range {
  mpq_class low, high;
};

std::unique_ptr<Semantics> interval(const std::vector<std::string>& arguments) {
  std::vector<SemanticsArgument> given;
  for (const std::string& argument : arguments) given.push_back({argument});
  auto made = make_semantics("interval", given, {});
  REQUIRE(made);
  return std::move(*made);
}

const std::vector<std::vector<std::string>> kinds{{}, {"f32"}, {"200"}, {"mean_value"}, {"f32", "mean_value"}, {"split(2)"}};

/// f(x, y) for x and y in ranges.
struct OfRanges : Circuit {
  NodeId x = parameter("x", Scalar::f64), y = parameter("y", Scalar::f64);

  NodeId mul(NodeId a, NodeId b) { return module.apply(Op::mul, {a, b}); }
  NodeId neg(NodeId a) { return module.apply(Op::neg, {a}); }
  NodeId number(const mpq_class& value) { return module.rational(value, Scalar::f64); }
  std::optional<Enclosure> of(NodeId body, Semantics& semantics, const Range& at_x, const Range& at_y) {
    result(body);
    auto values = run(semantics, {RangeTensor{Scalar::f64, {}, at_x.low, at_x.high},
                                  RangeTensor{Scalar::f64, {}, at_y.low, at_y.high}});
    REQUIRE(values);
    return semantics.enclosure(Scalar::f64, values->front().data());
  }
};

}  // namespace

TEST_CASE("a product in which every factor occurs an even number of times is not negative") {
  OfRanges f;
  const NodeId x = f.x, y = f.y, xx = f.mul(x, x), xy = f.mul(x, y);
  struct Case {
    const char* text;
    NodeId body;
    Range expected;  // for x in -1..2 and y in -3..1: powers of two and three, exact in every format
  };
  const std::vector<Case> cases{
      {"x x", xx, {0, 4}},
      {"((x x) x) x", f.mul(f.mul(xx, x), x), {0, 16}},
      {"(x x) (x x)", f.mul(xx, xx), {0, 16}},
      {"x (x (x x))", f.mul(x, f.mul(x, xx)), {0, 16}},
      {"x^6", f.mul(f.mul(f.mul(f.mul(xx, x), x), x), x), {0, 64}},
      {"((x x) y) y", f.mul(f.mul(xx, y), y), {0, 36}},
      {"(x y) (x y)", f.mul(xy, xy), {0, 36}},
      {"(x y) (y x)", f.mul(xy, f.mul(y, x)), {0, 36}},
      {"((x y) y) x", f.mul(f.mul(xy, y), x), {0, 36}},
      {"(-x) (-x)", f.mul(f.neg(x), f.neg(x)), {0, 4}},
      {"x (-x)", f.mul(x, f.neg(x)), {-4, 0}},
      {"-(x x)", f.neg(xx), {-4, 0}},
      {"(-2 x) x", f.mul(f.mul(f.number(-2), x), x), {-8, 0}},
      {"(2 x) (2 x)", f.mul(f.mul(f.number(2), x), f.mul(f.number(2), x)), {0, 16}},
      {"(x 1) x", f.mul(f.mul(x, f.number(1)), x), {0, 4}},
      {"(x + 0) x", f.mul(f.module.apply(Op::add, {x, f.number(0)}), x), {0, 4}},
      {"(x y) x", f.mul(xy, x), {-12, 4}},
      {"x (y x)", f.mul(x, f.mul(y, x)), {-12, 4}},
      {"fma(x, x, 1)", f.module.apply(Op::fma, {x, x, f.number(1)}), {1, 5}},
      {"fma(x, -x, 1)", f.module.apply(Op::fma, {x, f.neg(x), f.number(1)}), {-3, 1}},
      {"fma(x y, x, 0)", f.module.apply(Op::fma, {xy, x, f.number(0)}), {-12, 4}},
      {"x f32(x)", f.mul(x, f.module.convert(f.module.convert(x, Scalar::f32), Scalar::f64)), {0, 4}},
      {"(x + y) (y + x)", f.mul(f.module.apply(Op::add, {x, y}), f.module.apply(Op::add, {y, x})), {0, 16}},
      // Different factors keep their signs.
      {"x y", xy, {-6, 3}},
      {"(x x) x", f.mul(xx, x), {-4, 8}},
  };
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    for (const Case& each : cases) {
      INFO(each.text << " in " << semantics->name());
      const auto found = f.of(each.body, *semantics, {-1, 2}, {-3, 1});
      REQUIRE(found);
      CHECK(found->low == each.expected.low);
      CHECK(found->high == each.expected.high);
    }
  }
}

TEST_CASE("x - x is 0, however wide x is, and unbounded too") {
  OfRanges f;
  const NodeId x = f.x, wide = f.module.apply(Op::exp, {f.mul(x, f.number(1000000))});
  const auto minus = [&](NodeId a, NodeId b) { return f.module.apply(Op::sub, {a, b}); };
  const auto plus = [&](NodeId a, NodeId b) { return f.module.apply(Op::add, {a, b}); };
  const NodeId xy = f.mul(x, f.y), yx = f.mul(f.y, x);
  for (const auto& kind : kinds) {
    auto semantics = interval(kind);
    for (NodeId body : {minus(x, x), plus(x, f.neg(x)), plus(f.neg(x), x), minus(xy, yx), minus(wide, wide),
                        minus(f.module.apply(Op::floor, {x}), f.module.apply(Op::floor, {x}))}) {
      INFO(semantics->name());
      const auto found = f.of(body, *semantics, {-1, 2}, {-3, 1});
      REQUIRE(found);
      CHECK(found->low == 0);
      CHECK(found->high == 0);
    }
    const auto other = f.of(minus(x, f.y), *semantics, {-1, 2}, {-3, 1});
    CHECK(other->low == -2);
    CHECK(other->high == 5);
  }
  // `inf` written twice is two numbers beyond the largest.
  ir::Literal infinity;
  infinity.kind = ir::Literal::Kind::infinity;
  const NodeId beyond = f.module.literal(infinity, Scalar::f64);
  CHECK(!f.of(minus(beyond, beyond), *interval({}), {0, 1}, {0, 1}));
}

TEST_CASE("elements of one subscript are one value, of two subscripts they are two") {
  Circuit c;
  const IndexId two = c.constant(2);
  const NodeId x = c.parameter("x", Scalar::f64, {two});
  const auto at = [&](IndexId i) { return c.module.element(x, {i}); };
  const auto sum = [&](const std::function<NodeId(IndexId)>& leaf) {
    return c.reduce(Op::add, two, c.tree(), [&](VariableId i) { return leaf(c.at(i)); });
  };
  const NodeId squares = sum([&](IndexId i) { return c.module.apply(Op::mul, {at(i), at(i)}); });
  const NodeId zeros = sum([&](IndexId i) { return c.module.apply(Op::sub, {at(i), at(i)}); });
  const NodeId crossed = sum([&](IndexId i) {
    return c.module.apply(Op::mul, {at(i), at(c.index().subtract(c.constant(1), i))});
  });
  c.result(c.module.tuple({squares, zeros, crossed}));
  auto semantics = interval({});
  auto values = c.run(*semantics, {RangeTensor{Scalar::f64, {2}, -1, 1}});
  REQUIRE(values);
  const auto range = [&](std::size_t k) { return *semantics->enclosure(Scalar::f64, (*values)[k].data()); };
  CHECK((range(0).low == 0 && range(0).high == 2));
  CHECK((range(1).low == 0 && range(1).high == 0));
  CHECK((range(2).low == -2 && range(2).high == 2));
}

TEST_CASE("no point escapes where values meet themselves") {
  // Sums, differences, products and fmas of a few values over and over, by rationals at points of the ranges.
  Random random(24);
  long inside = 0;
  for (int round = 0; round < 1500; ++round) {
    OfRanges f;
    const auto small = [&] { return mpq_class(static_cast<long>(random.below(17)) - 8, 2); };
    mpq_class ends[4] = {small(), small(), small(), small()};
    const Range at_x{std::min(ends[0], ends[1]), std::max(ends[0], ends[1])},
        at_y{std::min(ends[2], ends[3]), std::max(ends[2], ends[3])};
    struct Step {
      Op op;
      std::size_t of[3];
    };
    std::vector<Step> steps;
    std::vector<NodeId> nodes{f.x, f.y};
    static constexpr Op ops[] = {Op::mul, Op::mul, Op::mul, Op::mul, Op::sub, Op::add, Op::neg, Op::fma, Op::abs};
    for (int k = 0; k < 6; ++k) {
      Step step{ops[random.below(std::size(ops))], {}};
      for (std::size_t& operand : step.of) operand = random.below(nodes.size());
      std::vector<NodeId> operands;
      for (int o = 0; o < ir::traits(step.op).arity; ++o) operands.push_back(nodes[step.of[o]]);
      nodes.push_back(f.module.apply(step.op, operands));
      steps.push_back(step);
    }
    for (const auto& kind : kinds) {
      auto semantics = interval(kind);
      const auto found = f.of(nodes.back(), *semantics, at_x, at_y);
      REQUIRE(found);
      for (int point = 0; point < 5; ++point) {
        const mpq_class share(static_cast<long>(random.below(9)), 8), other(static_cast<long>(random.below(9)), 8);
        std::vector<mpq_class> values{at_x.low + share * (at_x.high - at_x.low), at_y.low + other * (at_y.high - at_y.low)};
        for (const Step& step : steps) {
          const mpq_class &a = values[step.of[0]], &b = values[step.of[1]], &c = values[step.of[2]];
          mpq_class value = step.op == Op::mul   ? mpq_class(a * b)
                            : step.op == Op::sub ? mpq_class(a - b)
                            : step.op == Op::add ? mpq_class(a + b)
                            : step.op == Op::neg ? mpq_class(-a)
                            : step.op == Op::abs ? mpq_class(abs(a))
                                                 : mpq_class(a * b + c);
          values.push_back(value);
        }
        const bool holds = found->low <= values.back() && values.back() <= found->high;
        inside += holds;
        if (!holds) FAIL("round " << round << " in " << semantics->name());
      }
    }
  }
  CHECK(inside == 1500 * 6 * 5);
}

TEST_CASE("bound: the bits are those of float, x - x has no error, and x * x is not negative") {
  OfRanges f;
  const auto minus = [&](NodeId a, NodeId b) { return f.module.apply(Op::sub, {a, b}); };
  const NodeId x = f.x, y = f.y, xy = f.mul(x, y);
  const std::vector<NodeId> bodies{f.mul(x, x), f.mul(f.mul(f.mul(x, x), x), x), f.mul(x, f.neg(x)), f.mul(xy, x),
                                   f.module.apply(Op::fma, {x, x, y}), f.module.apply(Op::fma, {xy, x, y}),
                                   minus(x, x), f.module.apply(Op::add, {x, f.neg(x)}), minus(xy, f.mul(y, x)),
                                   f.mul(f.mul(f.number(-2), x), x), f.mul(xy, f.mul(y, x))};
  auto float_ = semantics("float"), bound = semantics("bound");
  const double special[] = {0.0, -0.0, inf, -inf, std::nan(""), 0x1p-1074, -0x1p-540, 0x1p-540, 1e200, -1e200, -1.5, 3};
  for (double at_x : special) {
    for (double at_y : special) {
      std::vector<Argument> arguments;
      for (double value : {at_x, at_y}) {
        ir::HostTensor tensor(Scalar::f64, {});
        tensor.set_bits(0, std::bit_cast<std::uint64_t>(value));
        arguments.push_back(tensor);
      }
      for (NodeId body : bodies) {
        f.result(body);
        auto expected = f.run(*float_, arguments), found = f.run(*bound, arguments);
        REQUIRE((expected && found));
        INFO(at_x << " " << at_y);
        CHECK(bound->bits(Scalar::f64, found->front().data()) == float_->bits(Scalar::f64, expected->front().data()));
      }
    }
  }
  // x = 0.1 + 0.2 - 0.3 is 0 in the reals, but its bound does not say so: the root of x * x has a value all the same.
  Circuit c;
  const auto tenth = [&](int k) { return c.module.rational(mpq_class(k, 10), Scalar::f64); };
  const NodeId z = c.module.apply(Op::sub, {c.module.apply(Op::add, {tenth(1), tenth(2)}), tenth(3)});
  c.result(c.module.tuple({c.module.apply(Op::sub, {z, z}), c.module.apply(Op::sqrt, {c.module.apply(Op::mul, {z, z})})}));
  auto values = c.run(*bound);
  REQUIRE(values);
  CHECK(bound->error_bound(Scalar::f64, (*values)[0].data()) == mpq_class(0));
  CHECK(bound->error_bound(Scalar::f64, (*values)[1].data()));
}

TEST_CASE("without the law nothing is related") {
  OfRanges f;
  f.result(f.module.apply(Op::sub, {f.mul(f.x, f.x), f.mul(f.x, f.x)}));
  for (const char* name : {"float", "fpsan", "padic", "exact", "count"}) {
    CHECK(ir::relate_uses(f.module, f.function, semantics(name)->traits().laws).body == f.function.body);
  }
}
