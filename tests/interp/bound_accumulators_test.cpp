// Bounds of sums and dots by every accumulator and every form of tree, against GMP's rationals.
#include "tests/interp/bound_sums.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

struct Measured {
  mpq_class error, bound, exact, magnitudes;
  bool fits = false;  ///< the reals are in the enclosure
};

/// A sum or a dot under `bound`, its bits those of `float`.
Measured measured(Circuit& circuit, ScheduleId schedule, Scalar scalar, const ir::HostTensor& x,
                  const ir::HostTensor* y) {
  static const auto floats = semantics("float"), bound = semantics("bound");
  circuit.function = {};
  const IndexId n = circuit.constant(x.size());
  const NodeId a = circuit.parameter("x", scalar, {n});
  const NodeId b = y ? circuit.parameter("y", scalar, {n}) : a;
  circuit.result(circuit.reduce(Op::add, n, schedule, [&](VariableId i) {
    const NodeId left = circuit.module.element(a, {circuit.at(i)});
    return y ? circuit.module.apply(Op::mul, {left, circuit.module.element(b, {circuit.at(i)})}) : left;
  }));
  std::vector<Argument> arguments{x};
  if (y) arguments.push_back(*y);
  auto plain = circuit.run(*floats, arguments);
  auto stated = circuit.run(*bound, arguments);
  REQUIRE(plain);
  REQUIRE(stated);
  const std::uint64_t bits = *floats->bits(scalar, (*plain)[0].at(0));
  REQUIRE(*bound->bits(scalar, (*stated)[0].at(0)) == bits);
  Measured out;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const mpq_class leaf = y ? value_at(x, i) * value_at(*y, i) : value_at(x, i);
    out.exact += leaf;
    out.magnitudes += abs(leaf);
  }
  const auto stated_bound = bound->error_bound(scalar, (*stated)[0].at(0));
  REQUIRE(stated_bound);
  out.bound = *stated_bound;
  out.error = abs(*numerics::exact_value(bits, ir::format_of(scalar)) - out.exact);
  const auto enclosure = bound->enclosure(scalar, (*stated)[0].at(0));
  out.fits = enclosure && enclosure->low <= out.exact && out.exact <= enclosure->high;
  return out;
}

}  // namespace

TEST_CASE("the bound of every accumulator holds") {
  Random random(43);
  const int rounds = test::trials(1500);
  int inexact = 0, tight = 0;
  for (int trial = 0; trial < rounds; ++trial) {
    Circuit circuit;
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const Kind kind = all_kinds[random.below(5)];
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 100 : 12));
    const bool dot = random.below(2) == 0;
    const ScheduleId schedule = any_accumulation(circuit, random, n, dot);
    const ir::HostTensor x = hostile(random, kind, scalar, n), y = hostile(random, kind, scalar, n);
    INFO("trial " << trial << " " << kind_names[static_cast<int>(kind)] << " " << ir::scalar_name(scalar) << " n " << n
                  << " " << ir::schedule_text(circuit.module, schedule));
    const Measured found = measured(circuit, schedule, scalar, x, dot ? &y : nullptr);
    REQUIRE(found.error <= found.bound);
    REQUIRE(found.fits);
    // Underflowing f64 products have errors that no double holds; half an ulp stands in.
    if (dot && kind == Kind::subnormal) continue;
    inexact += found.error != 0;
    tight += found.error != 0 && found.bound <= found.error * mpq_class(1001, 1000);
  }
  CHECK(inexact > rounds / 4);
  CHECK(tight > inexact * 9 / 10);
}

TEST_CASE("compensated sums keep their small bounds over thousands of leaves") {
  Random random(47);
  for (Scalar scalar : bound_scalars) {
    const mpq_class unit = power_of_two(-numerics::traits(ir::format_of(scalar)).precision);
    for (Kind kind : {Kind::uniform, Kind::positive, Kind::cancelling, Kind::mixed}) {
      Circuit circuit;
      const std::int64_t n = scalar == Scalar::f16 || scalar == Scalar::bf16 ? 100 : 3000;
      const ir::HostTensor x = hostile(random, kind, scalar, n);
      INFO(kind_names[static_cast<int>(kind)] << " " << ir::scalar_name(scalar));
      const Measured kahan = measured(circuit, circuit.schedules().simple(ir::ScheduleOp::kahan), scalar, x, nullptr);
      CHECK(kahan.error <= kahan.bound);
      // Knuth, TAOCP 2, 4.2.2; Higham, 4.3: (2u + O(n u^2)) sum |x|.
      const mpq_class length(static_cast<long>(n));
      CHECK(kahan.bound <= (2 * unit + 4 * length * unit * unit) * kahan.magnitudes);
      const Measured neumaier = measured(circuit, circuit.schedules().neumaier(circuit.tree()), scalar, x, nullptr);
      CHECK(neumaier.error <= neumaier.bound);
      // Ogita, Rump, Oishi, SISC 26(6), 2005, 4.5: u |sum| + O(n^2 u^2) sum |x|.
      CHECK(neumaier.bound <=
            unit * abs(neumaier.exact) * mpq_class(101, 100) + length * length * unit * unit * neumaier.magnitudes);
    }
  }
}
