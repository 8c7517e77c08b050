// Sums by `any(depth: h)` and `any(lanes: k)` under `bound(any)`: the bound holds for trees of the set, drawn at
// random, with products fused and not, and is the least that is known. Real sums are GMP's rationals.
#include "ir/schedule/bounds.h"
#include "semantics/standard.h"
#include "tests/interp/bound_inputs.h"
#include "tests/interp/kernels.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

using Leaves = std::vector<std::int64_t>;

Leaves shuffled(Random& random, Leaves leaves) {
  for (std::size_t i = leaves.size(); i > 1; --i) std::swap(leaves[i - 1], leaves[random.below(i)]);
  return leaves;
}

/// A random tree of at most that height.
ir::TreeId tree_of(ir::TreeStore& trees, Random& random, const Leaves& leaves, int height) {
  const auto n = static_cast<std::int64_t>(leaves.size());
  if (n == 1) return trees.leaf(leaves[0]);
  const std::int64_t most = height > 40 ? n : std::int64_t{1} << (height - 1);
  const std::int64_t least = std::max<std::int64_t>(1, n - most), largest = std::min<std::int64_t>(n - 1, most);
  // Often as uneven as can be.
  std::int64_t left = least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(largest - least + 1)));
  if (random.below(2) == 0) left = random.below(2) == 0 ? least : largest;
  const auto middle = leaves.begin() + left;
  const ir::TreeId a = tree_of(trees, random, Leaves(leaves.begin(), middle), height - 1);
  return trees.pair(a, tree_of(trees, random, Leaves(middle, leaves.end()), height - 1));
}

/// Each lane by a random tree, and the lanes by one.
ir::TreeId lanes_of(ir::TreeStore& trees, Random& random, std::int64_t n, std::int64_t lanes) {
  std::vector<ir::TreeId> sums;
  for (std::int64_t lane = 0; lane < std::min(n, lanes); ++lane) {
    Leaves own;
    for (std::int64_t i = lane; i < n; i += lanes) own.push_back(i);
    sums.push_back(tree_of(trees, random, shuffled(random, own), 1000));
  }
  while (sums.size() > 1) {
    std::swap(sums.back(), sums[random.below(sums.size())]);
    const ir::TreeId last = sums.back();
    sums.pop_back();
    ir::TreeId& into = sums[random.below(sums.size())];
    into = trees.pair(into, last);
  }
  return sums[0];
}

mpq_class growth(const mpq_class& u, std::int64_t rounds) {
  mpq_class out = 1;
  for (std::int64_t k = 0; k < rounds; ++k) out *= 1 + u;
  return out - 1;
}

}  // namespace

TEST_CASE("the bound of a limited set holds for its trees") {
  const auto floats = semantics("float");
  auto made = make_semantics("bound", {{"any"}}, {});
  REQUIRE(made);
  Semantics& any = **made;
  Random random(41);
  Circuit circuit;
  int smaller = 0, checked = 0;
  const int rounds = test::trials(600);
  for (int trial = 0; trial < rounds; ++trial) {
    if (trial % 100 == 0) circuit.~Circuit(), new (&circuit) Circuit();
    ir::ScheduleStore& schedules = circuit.schedules();
    const Scalar scalar = bound_scalars[random.below(std::size(bound_scalars))];
    const ir::Format format = ir::format_of(scalar);
    const auto n = static_cast<std::int64_t>(1 + random.below(random.below(4) == 0 ? 120 : 16));
    const bool products = random.below(2) == 0, by_depth = random.below(2) == 0;
    const std::int64_t limit = by_depth ? std::max(ir::min_height(n), 1) + static_cast<std::int64_t>(random.below(4))
                                        : static_cast<std::int64_t>(1 + random.below(12));
    const ScheduleId set =
        by_depth ? schedules.any_depth(circuit.constant(limit)) : schedules.any_lanes(circuit.constant(limit));
    const Kind kind = all_kinds[random.below(5)];
    std::vector<interp::Argument> inputs{hostile(random, kind, scalar, n)};
    if (products) inputs.emplace_back(hostile(random, Kind::uniform, scalar, n));
    const auto input = [&](std::size_t k, std::int64_t i) { return value_at(std::get<ir::HostTensor>(inputs[k]), i); };
    const auto run = [&](Semantics& under, ScheduleId schedule) {
      circuit.function = {};
      const NodeId x = circuit.parameter("x", scalar, {circuit.dimension("n")});
      const NodeId y = products ? circuit.parameter("y", scalar, {circuit.dimension("n")}) : NodeId();
      circuit.result(circuit.reduce(Op::add, circuit.dimension("n"), schedule, [&](VariableId i) {
        const NodeId leaf = circuit.module.element(x, {circuit.at(i)});
        return products ? circuit.module.apply(Op::mul, {leaf, circuit.module.element(y, {circuit.at(i)})}) : leaf;
      }));
      return circuit.run(under, inputs);
    };
    INFO("trial " << trial << " " << ir::scalar_name(scalar) << " n " << n << " "
                  << ir::schedule_text(circuit.module, set) << (products ? " of products " : " ")
                  << kind_names[static_cast<int>(kind)]);
    auto bounded = run(any, set);
    auto of_all = run(any, schedules.simple(ir::ScheduleOp::any));
    REQUIRE(bounded);
    REQUIRE(of_all);
    const auto bound = any.error_bound(scalar, (*bounded)[0].at(0)),
               loose = any.error_bound(scalar, (*of_all)[0].at(0));
    REQUIRE(bound);
    REQUIRE(loose);
    const mpq_class roundings(1'000'000'001, 1'000'000'000);  // of the two sums of magnitudes, each upward
    REQUIRE(*bound <= *loose * roundings);
    smaller += *bound * roundings < *loose;
    mpq_class exact = 0, magnitudes = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const mpq_class leaf = input(0, i) * (products ? input(1, i) : mpq_class(1));
      exact += leaf;
      magnitudes += abs(leaf);
    }
    for (int draw = 0; draw < 8; ++draw) {
      Leaves all(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i;
      const ir::TreeId tree = by_depth
                                  ? tree_of(schedules.trees(), random, shuffled(random, all), static_cast<int>(limit))
                                  : lanes_of(schedules.trees(), random, n, limit);
      if (by_depth) REQUIRE(schedules.trees().depth(tree) <= limit);
      ScheduleId order = schedules.quoted(tree);
      if (products && random.below(2) == 0) order = schedules.fused(order);
      auto plain = run(*floats, order);
      REQUIRE(plain);
      const mpq_class error = abs(*numerics::exact_value(*floats->bits(scalar, (*plain)[0].at(0)), format) - exact);
      REQUIRE(error <= *bound);
      ++checked;
    }
    if (products || n < 3 || kind == Kind::subnormal) continue;  // f64's least numbers round what is stated
    // By hand: Higham's growth over the height, the lanes' two sums, or Jeannerod and Rump's; rounded up a little.
    const mpq_class u = power_of_two(-numerics::traits(format).precision), all = (n - 1) * u;
    const std::int64_t used = std::min(n, limit), longest = (n + used - 1) / used;
    const mpq_class own = by_depth ? growth(u, limit) : mpq_class((1 + (longest - 1) * u) * (1 + (used - 1) * u) - 1);
    REQUIRE(*bound >= std::min(own, all) * magnitudes);
    REQUIRE(*bound <= std::min(own, all) * magnitudes * roundings);
  }
  CHECK(checked > rounds);
  CHECK(smaller > rounds / 4);
}
