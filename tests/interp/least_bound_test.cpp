// The least bound that is known, before any input is: no order's is above any order's, no fused tree's above the same
// tree's unfused, and all of them hold. Real sums are GMP's rationals.
#include <cmath>

#include "ir/schedule/bounds.h"
#include "ir/schedule/shared_shape.h"
#include "tests/interp/bound_sums.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

/// What `bound(S, n, format)` asks.
ir::SumOrder order_of(Circuit& circuit, ScheduleId schedule, std::int64_t n) {
  ir::ScheduleStore& schedules = circuit.schedules();
  const ir::ScheduleNode node = schedules[schedule];
  ir::SumOrder out{.op = node.op, .leaves = n};
  ScheduleId ordered = schedule;
  switch (node.op) {
    case ir::ScheduleOp::kahan:
    case ir::ScheduleOp::rounded_once: return out;
    case ir::ScheduleOp::binned: out.parameter = schedules.parameter(schedule); return out;
    case ir::ScheduleOp::fused:
      ordered = node.operands[0];
      if (schedules[ordered].op == ir::ScheduleOp::rounded_once) {
        out.op = ir::ScheduleOp::rounded_once;
        out.exact_products = true;
        return out;
      }
      break;
    case ir::ScheduleOp::neumaier: ordered = node.operands[0]; break;
    default: break;
  }
  const auto shape = ir::shape_of(schedules, ordered, n);
  REQUIRE(!shape.problem);
  out.shape = shape.tree;
  out.height = schedules.trees().depth(shape.tree);
  return out;
}

/// A float of the range, at its ends now and then; `around` a third of the time near another one.
std::uint64_t within(Random& random, double low, double high, ir::Format format) {
  const auto rounded = [&](double x, numerics::Rounding way) {
    return numerics::round_rational(mpq_class(x), format, way);
  };
  switch (random.below(6)) {
    case 0: return rounded(low, numerics::Rounding::upward);
    case 1: return rounded(high, numerics::Rounding::downward);
    default: {
      const double unit = std::ldexp(static_cast<double>(random.word() >> 11), -53);
      const double value = random.below(4) == 0
                               ? low + (high - low) * std::ldexp(unit, -static_cast<int>(random.below(12)))
                               : low + (high - low) * unit;
      const std::uint64_t bits = rounded(std::clamp(value, low, high), numerics::Rounding::nearest_even);
      const mpq_class back = *numerics::exact_value(bits, format);
      if (back < mpq_class(low)) return rounded(low, numerics::Rounding::upward);
      if (back > mpq_class(high)) return rounded(high, numerics::Rounding::downward);
      return bits;
    }
  }
}

struct Range {
  double low, high;
};
Range random_range(Random& random, ir::Format format) {
  static constexpr double ends[] = {0, 1, 1, 0.1, 1.0 / 3, 1.5, 0.75, 0.999, 3, 2};
  const int emin = numerics::traits(format).emin;
  const double scale = random.below(5) == 0 ? std::ldexp(1.0, emin + 3 - static_cast<int>(random.below(8))) : 1.0;
  double low = ends[random.below(std::size(ends))] * (random.below(2) == 0 ? -1 : 1);
  double high = ends[random.below(std::size(ends))];
  if (random.below(4) == 0) low = -high;
  return {std::min(low, high) * scale, std::max(low, high) * scale};
}

bool holds_a_float(const Range& range, ir::Format format) {
  return *numerics::exact_value(numerics::round_rational(mpq_class(range.low), format, numerics::Rounding::upward),
                                format) <= mpq_class(range.high);
}

}  // namespace

TEST_CASE("no order's factor is above that of any order") {
  Random random(5);
  Circuit circuit;
  for (int trial = 0; trial < test::trials(2000); ++trial) {
    if (trial % 300 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(3) == 0 ? 3000 : 40));
    const bool products = random.below(2) == 0;
    const ScheduleId tree = n > 60 ? random_schedule(circuit, random) : any_tree_of(circuit, random, n);
    const ScheduleId schedule = products && random.below(2) == 0 ? circuit.schedules().fused(tree) : tree;
    ir::Accumulation how;
    how.format = ir::format_of(bound_scalars[random.below(std::size(bound_scalars))]);
    how.products = products;
    const ir::SumOrder order = order_of(circuit, schedule, n);
    INFO(ir::schedule_text(circuit.module, schedule) << " " << n);
    const auto least = ir::tightest_factor(order, how);
    REQUIRE(least);
    REQUIRE(*least <= ir::any_order_factor(n, how));
    REQUIRE(*least <= ir::tree_factor(order.height, how));
  }
  // (n - 1) u, Jeannerod and Rump (2013); Higham's (1 + u)^(n - 1) - 1 is 48 here.
  ir::Accumulation bf16;
  bf16.format = ir::Format::bf16;
  CHECK(*ir::tightest_factor(order_of(circuit, circuit.seq(), 1000), bf16) == mpq_class(999, 256));
  CHECK(ir::tree_factor(999, bf16) > 47);
  bf16.products = true;
  CHECK(*ir::tightest_factor(order_of(circuit, circuit.schedules().fused(circuit.seq()), 1000), bf16) ==
        mpq_class(125, 32));  // 1000 / 256
}

TEST_CASE("a compensated sum's factor is at most Ogita, Rump and Oishi's") {
  // |result - S| <= u |S| + gamma(n - 1)^2 M, gamma(k) = k u / (1 - k u): "Accurate sum and dot product",
  // proposition 4.5.
  Circuit circuit;
  ir::Accumulation f32;
  f32.format = ir::Format::f32;
  const mpq_class u = power_of_two(-24);
  for (std::int64_t n : {2, 3, 10, 1000, 100'000}) {
    const mpq_class gamma = (n - 1) * u / (1 - (n - 1) * u);
    CHECK(*ir::tightest_factor(order_of(circuit, circuit.schedules().neumaier(circuit.seq()), n), f32) <=
          u + gamma * gamma);
  }
}

TEST_CASE("a fused bound is never above that of the same tree unfused") {
  Random random(17);
  Circuit circuit;
  int below = 0;
  const int rounds = test::trials(2000);
  for (int trial = 0; trial < rounds; ++trial) {
    if (trial % 300 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 700 : 30));
    const ScheduleId tree = n > 60 ? random_schedule(circuit, random) : any_tree_of(circuit, random, n);
    ir::Accumulation how;
    how.format = ir::format_of(bound_scalars[random.below(std::size(bound_scalars))]);
    how.products = true;
    const Range x = random_range(random, how.format), y = random_range(random, how.format);
    const ir::LeafRange range{x.low, x.high, y.low, y.high};
    INFO(ir::schedule_text(circuit.module, tree)
         << " " << n << " " << x.low << ".." << x.high << " " << y.low << ".." << y.high);
    const auto plain = ir::tightest_range_bound(circuit.schedules().trees(), order_of(circuit, tree, n), range, how);
    const auto fused = ir::tightest_range_bound(circuit.schedules().trees(),
                                                order_of(circuit, circuit.schedules().fused(tree), n), range, how);
    REQUIRE(plain.has_value() == fused.has_value());
    if (!plain) continue;
    REQUIRE(*fused <= *plain);
    below += *fused < *plain;
  }
  CHECK(below > rounds / 4);
  // Products of [-1, 1] by themselves: 4096 products' roundings less, each half an ulp of 1.
  ir::Accumulation f32;
  f32.format = ir::Format::f32;
  f32.products = true;
  const ir::LeafRange unit{-1, 1, -1, 1};
  const auto plain =
      ir::tightest_range_bound(circuit.schedules().trees(), order_of(circuit, circuit.seq(), 4096), unit, f32);
  const auto fused =
      ir::tightest_range_bound(circuit.schedules().trees(),
                               order_of(circuit, circuit.schedules().fused(circuit.seq()), 4096), unit, f32);
  // Partial sum k of 2..4096 lies in [-k, k]: half an ulp of the binade that ends at k, or holds it.
  mpq_class by_hand = power_of_two(-25);  // the first product has no addition to be absorbed by
  for (int k = 2; k <= 4096; ++k) by_hand += power_of_two(static_cast<int>(std::ceil(std::log2(k))) - 1 - 24);
  CHECK(*fused == by_hand);
  CHECK(*plain == by_hand + 4095 * power_of_two(-25));
}

TEST_CASE("an accumulator that rounds once is never above a plain order of the same leaves") {
  Random random(23);
  Circuit circuit;
  for (int trial = 0; trial < test::trials(500); ++trial) {
    const auto n = static_cast<std::int64_t>(1 + random.below(50));
    ir::Accumulation how;
    how.format = ir::format_of(bound_scalars[random.below(std::size(bound_scalars))]);
    const Range x = random_range(random, how.format);
    if (!holds_a_float(x, how.format) ||
        std::ldexp(1.0, numerics::traits(how.format).emin + 4) > std::max(-x.low, x.high))
      continue;
    const ir::LeafRange range{x.low, x.high, 0, 0};
    const ScheduleId once = circuit.schedules().simple(ir::ScheduleOp::rounded_once);
    const auto exact = ir::tightest_range_bound(circuit.schedules().trees(), order_of(circuit, once, n), range, how);
    const auto plain =
        ir::tightest_range_bound(circuit.schedules().trees(), order_of(circuit, circuit.tree(), n), range, how);
    INFO(n << " " << x.low << ".." << x.high);
    REQUIRE(exact);
    REQUIRE(plain);
    if (n > 1) REQUIRE(*exact <= *plain);
  }
}

TEST_CASE("the least bounds hold, on random leaves and on leaves that were searched for") {
  const auto floats = semantics("float");
  Random random(31);
  Circuit circuit;
  int checked = 0, near = 0;
  const int rounds = test::trials(1500);
  for (int trial = 0; trial < rounds; ++trial) {
    if (trial % 300 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    circuit.function = {};
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const ir::Format format = ir::format_of(scalar);
    const bool products = random.below(2) == 0;
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(5) == 0 ? 300 : 9));
    const ScheduleId schedule = n > 60 ? (products ? circuit.schedules().fused(circuit.seq()) : circuit.seq())
                                       : any_accumulation(circuit, random, n, products);
    const Range ranges[] = {random_range(random, format), random_range(random, format)};
    if (!holds_a_float(ranges[0], format) || (products && !holds_a_float(ranges[1], format))) continue;
    ir::Accumulation how;
    how.format = format;
    how.products = products;
    const ir::SumOrder order = order_of(circuit, schedule, n);
    const ir::LeafRange range{ranges[0].low, ranges[0].high, products ? ranges[1].low : 0,
                              products ? ranges[1].high : 0};
    const auto bound = ir::tightest_range_bound(circuit.schedules().trees(), order, range, how);
    const auto factor = ir::tightest_factor(order, how);
    if (!bound || !factor) continue;
    const NodeId x = circuit.parameter("x", scalar, {circuit.dimension("n")});
    const NodeId y = products ? circuit.parameter("y", scalar, {circuit.dimension("n")}) : NodeId();
    circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), schedule, [&](VariableId i) {
      const NodeId leaf = circuit.module.element(x, {circuit.at(i)});
      return products ? circuit.module.apply(Op::mul, {leaf, circuit.module.element(y, {circuit.at(i)})}) : leaf;
    }));
    INFO("trial " << trial << " " << ir::scalar_name(scalar) << " n " << n << " "
                  << ir::schedule_text(circuit.module, schedule) << (products ? " of products " : " ") << ranges[0].low
                  << ".." << ranges[0].high << " " << ranges[1].low << ".." << ranges[1].high);
    std::vector<ir::HostTensor> inputs(products ? 2 : 1, ir::HostTensor(scalar, {n}));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      for (std::int64_t i = 0; i < n; ++i) inputs[k].set_bits(i, within(random, ranges[k].low, ranges[k].high, format));
    }
    // Uphill: one leaf at a time, as long as the error does not shrink.
    mpq_class worst = -1;
    for (int step = 0; step < (n > 60 ? 3 : 12); ++step) {
      std::vector<ir::HostTensor> tried = inputs;
      if (step > 0) {
        const std::size_t k = random.below(tried.size());
        tried[k].set_bits(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n))),
                          within(random, ranges[k].low, ranges[k].high, format));
      }
      const std::vector<interp::Argument> arguments(tried.begin(), tried.end());
      auto plain = circuit.run(*floats, arguments);
      REQUIRE(plain);
      const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(0));
      mpq_class exact = 0, magnitudes = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const mpq_class leaf = value_at(tried[0], i) * (products ? value_at(tried[1], i) : mpq_class(1));
        exact += leaf;
        magnitudes += abs(leaf);
      }
      const mpq_class error = abs(*numerics::exact_value(bits, format) - exact);
      REQUIRE(error <= *bound);
      REQUIRE(error <= *factor * magnitudes + ir::absolute_term(n, how));
      if (error < worst) continue;
      worst = error;
      inputs = std::move(tried);
    }
    ++checked;
    near += worst * 4 > *bound;
  }
  CHECK(checked > rounds / 2);
  CHECK(near > checked / 10);  // the search comes near
}
