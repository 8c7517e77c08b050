// Sums by `mma` under the interpreter and in the host's code, beside the additions that tests/numerics/mma_test.cpp
// compares with an H200's; and the bounds on their error.
#include "ir/schedule/bounds.h"
#include "numerics/mma.h"
#include "tests/codegen/program.h"
#include "tests/support/long_run.h"

namespace reckon::codegen::testing {
namespace {

using numerics::MmaUnit;

/// Rows of x against rows of y, each a sum by the schedule; and the scan of row 0.
struct Products : Circuit {
  Products(const MmaUnit& unit, const std::function<ScheduleId(Circuit&, ScheduleId)>& order) {
    const IndexId m = dimension("m"), n = dimension("n");
    const Scalar narrow = ir::scalar_of(unit.operand), wide = ir::scalar_of(unit.accumulator);
    const NodeId x = parameter("x", narrow, {m, n}), y = parameter("y", narrow, {m, n});
    const ScheduleId sum = schedules().mma({unit.model, unit.accumulator, unit.operand});
    schedule = order(*this, sum);
    const auto row = [&](IndexId r) {
      return [&, r](VariableId i) {
        const auto factor = [&](NodeId tensor) { return module.convert(module.element(tensor, {r, at(i)}), wide); };
        return module.apply(Op::mul, {factor(x), factor(y)});
      };
    };
    result(
        module.tuple({map({m}, [&](std::vector<VariableId> r) { return reduce(Op::add, n, schedule, row(at(r[0]))); }),
                      module.scan(fold(Op::add, n, schedule, row(constant(0))))}));
  }
  ScheduleId schedule;
};

HostTensor filled(Scalar scalar, std::vector<std::int64_t> shape, Random& random, bool any) {
  HostTensor out(scalar, std::move(shape));
  const numerics::Format format = ir::format_of(scalar);
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const double unit = static_cast<double>(random.below(4096)) / 2048 - 1;
    const std::uint64_t bits =
        any ? random.word() & numerics::storage_mask(format)
            : numerics::round_f64(std::ldexp(unit, static_cast<int>(random.below(8)) - 4), format);
    out.set_bits(i, any && numerics::is_nan(bits, format) ? numerics::canonical_nan(format) : bits);
  }
  return out;
}

std::uint64_t chain(const MmaUnit& unit, const HostTensor& x, const HostTensor& y, std::int64_t first,
                    std::int64_t count) {
  numerics::MmaSum sum(unit);
  for (std::int64_t i = first; i < first + count; ++i) {
    sum.add_product(numerics::widen(x.bits(i), unit.operand), numerics::widen(y.bits(i), unit.operand));
  }
  return numerics::round_f64(sum.result(), unit.accumulator);
}

}  // namespace

TEST_CASE("sums on tensor cores are chains of their additions, in the interpreter and on the host") {
  Random random(41);
  for (const MmaUnit& unit : numerics::mma_units()) {
    Products sums(unit, [](Circuit&, ScheduleId sum) { return sum; });
    const Compiled compiled = must_compile(sums);
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{unit.length}, 3 * std::int64_t{unit.length} + 5}) {
      const bool any = n > 1 && random.below(2) == 0;
      INFO(ir::schedule_text(sums.module, sums.schedule) << ", n = " << n << (any ? ", any bits" : ""));
      const Scalar narrow = ir::scalar_of(unit.operand);
      const HostTensor x = filled(narrow, {3, n}, random, any), y = filled(narrow, {3, n}, random, any);
      auto interpreted = interpret(sums, "float", {x, y}), ran = run(sums, compiled, {x, y});
      for (HostTensor& result : ran) canonicalise_nans(float_code(), result);
      for (std::int64_t r = 0; r < 3; ++r) {
        CHECK(interpreted[0].bits(r) == chain(unit, x, y, r * n, n));
        CHECK(ran[0].bits(r) == interpreted[0].bits(r));
      }
      for (std::int64_t i = 0; i < n; ++i) {
        CHECK(interpreted[1].bits(i) == chain(unit, x, y, 0, i + 1));
        CHECK(ran[1].bits(i) == interpreted[1].bits(i));
      }
    }
  }
}

TEST_CASE("a sum on tensor cores that becomes zero is +0") {
  for (const MmaUnit& unit : numerics::mma_units()) {
    Products sums(unit, [](Circuit&, ScheduleId sum) { return sum; });
    const Compiled compiled = must_compile(sums);
    // The least numbers: their product is below half of the least f16, or is cut away.
    const Scalar narrow = ir::scalar_of(unit.operand);
    HostTensor x(narrow, {1, 1}), y(narrow, {1, 1});
    x.set_bits(0, std::uint64_t{1} << numerics::traits(unit.operand).unused);
    y.set_bits(0, x.bits(0) | numerics::sign_bit(unit.operand));
    INFO(ir::schedule_text(sums.module, sums.schedule));
    const std::uint64_t expected = chain(unit, x, y, 0, 1);
    const bool is_zero = unit.accumulator == numerics::Format::f16 || numerics::traits(unit.operand).emin == -126;
    CHECK((expected == 0) == is_zero);
    CHECK(interpret(sums, "float", {x, y})[0].bits(0) == expected);
    CHECK(run(sums, compiled, {x, y})[0].bits(0) == expected);
  }
}

TEST_CASE("stages make lists of sums on tensor cores") {
  Random random(42);
  const MmaUnit& unit = *numerics::mma_unit(numerics::MmaModel::hopper, numerics::Format::bf16, numerics::Format::f32);
  const std::function<ScheduleId(Circuit&, ScheduleId)> orders[] = {
      [](Circuit& c, ScheduleId sum) { return c.then(c.tile(20, sum), c.seq()); },
      [](Circuit& c, ScheduleId sum) { return c.then(c.tile(1, sum), c.tree()); },
      [](Circuit& c, ScheduleId sum) { return c.then(c.lanes(3, sum), c.halving()); },
      [](Circuit& c, ScheduleId sum) { return c.split(17, sum, c.split(1, sum, sum)); }};
  for (std::size_t k = 0; k < std::size(orders); ++k) {
    Products sums(unit, orders[k]);
    const Compiled compiled = must_compile(sums);
    for (const std::int64_t n : {1, 2, 18, 20, 21, 64, 77}) {
      INFO(ir::schedule_text(sums.module, sums.schedule) << ", n = " << n);
      const HostTensor x = filled(Scalar::bf16, {2, n}, random, n == 77),
                       y = filled(Scalar::bf16, {2, n}, random, false);
      auto interpreted = interpret(sums, "float", {x, y}), ran = run(sums, compiled, {x, y});
      for (HostTensor& result : ran) canonicalise_nans(float_code(), result);
      for (std::size_t result = 0; result < ran.size(); ++result) CHECK(ran[result].bytes == interpreted[result].bytes);
      if (k != 0) continue;
      float in_order = 0;
      for (std::int64_t first = 0; first < n; first += 20) {
        const auto part = static_cast<std::uint32_t>(chain(unit, x, y, first, std::min<std::int64_t>(20, n - first)));
        in_order = first == 0 ? std::bit_cast<float>(part) : in_order + std::bit_cast<float>(part);
      }
      const std::uint64_t expected = std::isnan(in_order) ? numerics::canonical_nan(numerics::Format::f32)
                                                          : std::bit_cast<std::uint32_t>(in_order);
      CHECK(interpreted[0].bits(0) == expected);
    }
  }
}

TEST_CASE("the error of a sum on tensor cores is within its bounds") {
  Random random(43);
  const auto bound = semantics("bound");
  int rounded = 0;
  for (const MmaUnit& unit : numerics::mma_units()) {
    Products sums(unit, [](Circuit&, ScheduleId sum) { return sum; });
    for (const std::int64_t n : {1, 7, 33, 200}) {
      const Scalar narrow = ir::scalar_of(unit.operand), wide = ir::scalar_of(unit.accumulator);
      const HostTensor x = filled(narrow, {1, n}, random, false), y = filled(narrow, {1, n}, random, false);
      INFO(ir::schedule_text(sums.module, sums.schedule) << ", n = " << n);
      const auto stated = sums.run(*bound, {x, y});
      REQUIRE(stated);
      const std::uint64_t bits = *bound->bits(wide, (*stated)[0].at(0));
      CHECK(bits == chain(unit, x, y, 0, n));
      mpq_class exact = 0, magnitudes = 0, subnormal = 0;
      const numerics::FormatTraits& operand = numerics::traits(unit.operand);
      for (std::int64_t i = 0; i < n; ++i) {
        const double a = numerics::widen(x.bits(i), unit.operand), b = numerics::widen(y.bits(i), unit.operand);
        exact += mpq_class(a) * mpq_class(b);
        magnitudes += abs(mpq_class(a) * mpq_class(b));
        // The bound is for normal factors; here a subnormal one counts as the least normal number.
        subnormal += std::max(std::fabs(a), std::ldexp(1.0, operand.emin)) *
                     std::max(std::fabs(b), std::ldexp(1.0, operand.emin));
      }
      const mpq_class error = abs(*numerics::exact_value(bits, unit.accumulator) - exact);
      const auto own = bound->error_bound(wide, (*stated)[0].at(0));
      REQUIRE(own);
      CHECK(error <= *own);
      CHECK(*own <= error * mpq_class(1001, 1000) + mpq_class(1e-60));
      CHECK(error <= ir::tensor_core_factor(unit, n) * std::max(magnitudes, subnormal));
      rounded += error > 0;
    }
  }
  CHECK(rounded > 20);
}

}  // namespace reckon::codegen::testing
