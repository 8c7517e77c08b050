// Reductions by key, which leave out the leaves that take no part, against the schedule's written-out tree over all
// leaves, in which those are 0.
#include <random>

#include "ir/schedule/order.h"

#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

float value_of(const ir::TreeStore& trees, ir::TreeId tree, const std::vector<float>& leaves) {
  const ir::TreeNode& node = trees[tree];
  if (node.leaf >= 0) return leaves[static_cast<std::size_t>(node.leaf)];
  return value_of(trees, node.left, leaves) + value_of(trees, node.right, leaves);
}

using Make = std::function<ScheduleId(Circuit&)>;

/// Compares each of `buckets` sums with the tree's, to the bit.
void compare(const Make& make, const std::vector<std::uint32_t>& keys, const std::vector<float>& x, int buckets,
             std::int64_t first_key, std::size_t batch) {
  Circuit c;
  const auto n = static_cast<std::int64_t>(keys.size());
  const IndexId extent = c.dimension("n");
  const NodeId key = c.parameter("key", Scalar::u32, {extent}), values = c.parameter("x", Scalar::f32, {extent});
  const ScheduleId schedule = make(c);
  c.result(c.map({c.constant(buckets)}, [&](const std::vector<VariableId>& k) {
    const NodeId target = c.module.index_value(c.index().add(c.at(k[0]), c.constant(first_key)), Scalar::u32);
    return c.reduce(Op::add, extent, schedule, [&](VariableId i) {
      const NodeId is = c.module.apply(Op::equal, {c.module.element(key, {c.at(i)}), target});
      return c.module.apply(Op::select, {is, c.module.element(values, {c.at(i)}), c.module.rational(0, Scalar::f32)});
    });
  }));
  ir::HostTensor keys_given(Scalar::u32, {n}), x_given(Scalar::f32, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    keys_given.set_bits(i, keys[static_cast<std::size_t>(i)]);
    x_given.set_bits(i, std::bit_cast<std::uint32_t>(x[static_cast<std::size_t>(i)]));
  }
  const auto semantics = floats();
  EvaluateOptions options;
  options.batch = batch;
  const auto found = evaluate(c.module, c.function, *semantics, {keys_given, x_given}, {}, options);
  REQUIRE(found);
  ir::TreeStore trees;
  const auto [tree, problem] = ir::expand(ir::Order(c.module.schedules(), schedule), n, trees);
  REQUIRE(!problem);
  for (int k = 0; k < buckets; ++k) {
    std::vector<float> leaves;
    for (std::size_t i = 0; i < x.size(); ++i) {
      leaves.push_back(keys[i] == static_cast<std::uint32_t>(k + first_key) ? x[i] : 0.0F);
    }
    const auto bits = semantics->bits(Scalar::f32, (*found)[0].at(k));
    INFO("n = " << n << ", element " << k << ", key " << k + first_key);
    CHECK(bits == std::bit_cast<std::uint32_t>(value_of(trees, tree, leaves)));
  }
}

const std::vector<Make>& orders() {
  static const std::vector<Make> all{
      [](Circuit& c) { return c.seq(); },
      [](Circuit& c) { return c.tree(); },
      [](Circuit& c) { return c.then(c.lanes(8, c.tree()), c.tree()); },
      [](Circuit& c) { return c.then(c.tile(6, c.tree()), c.tree()); },
      [](Circuit& c) { return c.then(c.tile(5, c.tree()), c.then(c.lanes(3, c.tree()), c.tree())); },
      [](Circuit& c) { return c.then(c.lanes(7, c.tree()), c.then(c.tile(2, c.tree()), c.tree())); },
      // These are folded as they stand.
      [](Circuit& c) { return c.halving(); },
      [](Circuit& c) { return c.then(c.tile(4, c.seq()), c.tree()); },
  };
  return all;
}

}  // namespace

TEST_CASE("a reduction by key has the bits of the whole tree") {
  std::mt19937 random(7);
  for (const std::size_t n : {16u, 17u, 40u, 257u}) {
    for (const std::uint32_t distinct : {1u, 3u, 30u, 1000u}) {
      std::vector<std::uint32_t> keys(n);
      std::vector<float> x(n);
      for (std::size_t i = 0; i < n; ++i) {
        keys[i] = random() % distinct;
        x[i] = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 24) - 12);
      }
      for (const Make& make : orders()) {
        compare(make, keys, x, 33, 0, 1024);
        compare(make, keys, x, 33, 2, 20);
      }
    }
  }
}

TEST_CASE("a sum by key is -0 only where every leaf is") {
  for (const Make& make : orders()) {
    for (const std::size_t n : {16u, 21u}) {
      const std::vector<float> zeros(n, -0.0F);
      std::vector<std::uint32_t> keys(n, 3);
      compare(make, keys, zeros, 20, 0, 1024);
      for (const std::size_t other : {std::size_t{0}, std::size_t{7}, n - 1}) {
        keys.assign(n, 3);
        keys[other] = 4;
        compare(make, keys, zeros, 20, 0, 1024);
        std::vector<float> mixed = zeros;
        mixed[other] = 0.0F;
        compare(make, std::vector<std::uint32_t>(n, 3), mixed, 20, 0, 1024);
      }
    }
  }
}
