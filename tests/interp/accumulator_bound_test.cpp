// Accumulators meet the bounds that ir/schedule/bounds.h states for them, and those that `bound` computes. Real sums are
// GMP's rationals.
#include "ir/schedule/bounds.h"
#include "ir/schedule/shared_shape.h"
#include "tests/interp/bound_inputs.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("accumulators stay within their bounds") {
  const auto floats = semantics("float"), bound = semantics("bound");
  Random random(29);
  int checked = 0, compensated_better = 0, compensated = 0;
  const int rounds = test::trials(3000);
  Circuit circuit;
  for (int trial = 0; trial < rounds; ++trial) {
    if (trial % 500 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    circuit.function = {};
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const ir::Format format = ir::format_of(scalar);
    const Kind kind = all_kinds[random.below(5)];
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 100 : 12));
    auto& schedules = circuit.schedules();
    const ScheduleId order = random_schedule(circuit, random);
    const auto folds = static_cast<std::int64_t>(1 + random.below(4));
    ScheduleId schedule;
    const auto which = random.below(6);
    switch (which) {
      case 0: schedule = schedules.simple(ir::ScheduleOp::kahan); break;
      case 1: schedule = schedules.neumaier(order); break;
      case 2: schedule = schedules.simple(ir::ScheduleOp::rounded_once); break;
      case 3: schedule = schedules.binned(schedules.indices().constant(folds)); break;
      case 4: schedule = schedules.fused(order); break;
      default: schedule = schedules.fused(schedules.simple(ir::ScheduleOp::rounded_once)); break;
    }
    // Products underflow: their absolute term is part of the bound.
    const bool products = which >= 4 || random.below(3) == 0;
    const NodeId x = circuit.parameter("x", scalar, {circuit.dimension("n")});
    const NodeId y = products ? circuit.parameter("y", scalar, {circuit.dimension("n")}) : NodeId();
    circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), schedule, [&](VariableId i) {
      const NodeId leaf = circuit.module.element(x, {circuit.at(i)});
      return products ? circuit.module.apply(Op::mul, {leaf, circuit.module.element(y, {circuit.at(i)})}) : leaf;
    }));
    std::vector<interp::Argument> inputs{hostile(random, kind, scalar, n)};
    const ir::HostTensor first = std::get<ir::HostTensor>(inputs[0]);
    ir::HostTensor second = first;
    if (products) inputs.emplace_back(second = hostile(random, Kind::uniform, scalar, n));
    INFO("trial " << trial << " " << kind_names[static_cast<int>(kind)] << " " << ir::scalar_name(scalar) << " n " << n
                  << " " << ir::schedule_text(circuit.module, schedule) << (products ? " of products" : ""));
    auto plain = circuit.run(*floats, inputs);
    auto stated = circuit.run(*bound, inputs);
    REQUIRE(plain);
    REQUIRE(stated);
    const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(0));
    REQUIRE(*bound->bits(scalar, (*stated)[0].at(0)) == bits);

    mpq_class exact = 0, magnitudes = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const mpq_class leaf = value_at(first, i) * (products ? value_at(second, i) : mpq_class(1));
      exact += leaf;
      magnitudes += abs(leaf);
    }
    const mpq_class error = abs(*numerics::exact_value(bits, format) - exact);
    const auto own = bound->error_bound(scalar, (*stated)[0].at(0));
    REQUIRE(own);
    REQUIRE(error <= *own);

    ir::Accumulation how;
    how.format = format;
    how.products = products && which != 5;
    const ir::ScheduleNode node = schedules[schedule];
    const ScheduleId ordered = which == 1 || which == 4 ? order : circuit.seq();
    const auto shape = ir::shape_of(schedules, ordered, n);
    REQUIRE(!shape.problem);
    const auto factor = ir::accumulator_factor(which == 5 ? schedules[node.operands[0]] : node, n,
                                               schedules.trees().depth(shape.tree), folds, how);
    REQUIRE(factor);
    how.products = products;
    REQUIRE(error <= *factor * magnitudes + ir::absolute_term(n, how));
    ++checked;
    if (which == 1 && !products && n > 8) {
      ++compensated;
      compensated_better += *factor < ir::tree_factor(schedules.trees().depth(shape.tree), how);
    }
  }
  CHECK(checked == rounds);
  CHECK(compensated > 20);
  CHECK(compensated_better * 2 > compensated);  // few bits and deep trees are no better, the others are
}

TEST_CASE("the factors of accumulators, by hand") {
  Circuit circuit;
  auto& schedules = circuit.schedules();
  ir::Accumulation f32;
  f32.format = ir::Format::f32;
  const mpq_class u = power_of_two(-24);
  const auto factor = [&](ScheduleId id, std::int64_t n, std::int64_t height, std::int64_t folds = 0) {
    return ir::accumulator_factor(schedules[id], n, height, folds, f32);
  };
  CHECK(*factor(schedules.simple(ir::ScheduleOp::rounded_once), 1'000'000, 0) == u);
  // Two folds: a million leaves each lose at most 2^-14 of the largest.
  CHECK(*factor(schedules.binned(schedules.indices().constant(2)), 1'000'000, 0, 2) == u + (1 + u) * 1'000'000 * power_of_two(-14));
  // One level: (2u + u^2) u, rounded once more.
  CHECK(*factor(schedules.neumaier(circuit.tree()), 2, 1) == u + (1 + u) * (2 * u + u * u) * u);
  // 3u + 4 n u^2 and terms of higher order.
  const auto kahan = factor(schedules.simple(ir::ScheduleOp::kahan), 1000, 999);
  CHECK(*kahan > 3 * u + 4 * 1000 * u * u / 2);
  CHECK(*kahan < 3 * u + 4 * 1020 * u * u);
  CHECK(!factor(schedules.simple(ir::ScheduleOp::kahan), std::int64_t{1} << 46, 0));
  CHECK(factor(schedules.simple(ir::ScheduleOp::kahan), std::int64_t{1} << 44, 0));
}
