// Reductions and scans by functions of tuples.
#include <cmath>

#include "numerics/native.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

/// fn merge((m1, s1), (m2, s2)): online softmax's state, the maximum and the sum scaled to it.
NodeId merge(Circuit& c, NodeId a, NodeId b) {
  auto& m = c.module;
  const NodeId most = m.apply(Op::max, {m.get(a, 0), m.get(b, 0)});
  auto scaled = [&](NodeId t) {
    return m.apply(Op::mul, {m.get(t, 1), m.apply(Op::exp, {m.apply(Op::sub, {m.get(t, 0), most})})});
  };
  return m.tuple({most, m.apply(Op::add, {scaled(a), scaled(b)})});
}

struct State {
  float most, sum;
};

State merge(State a, State b) {
  const float most = std::max(a.most, b.most);
  return {most, a.sum * correct_exp(a.most - most) + b.sum * correct_exp(b.most - most)};
}

}  // namespace

TEST_CASE("online softmax by a user reduction, sequential and as a tree") {
  const std::int64_t m = 3, n = 45;
  std::vector<float> x;
  Random random(9);
  for (std::int64_t i = 0; i < m * n; ++i) x.push_back(static_cast<float>(random.below(1000)) / 100 - 5);
  for (std::size_t batch : {1, 8, 1024}) {
    for (bool tree : {false, true}) {
      Circuit c;
      const NodeId px = c.parameter("x", Scalar::f32, {c.constant(m), c.constant(n)});
      auto state = [&](VariableId row) {
        return c.module.reduce(c.user_fold(
            c.constant(n), tree ? c.tree() : c.seq(),
            [&](VariableId j) {
              return c.module.tuple({c.module.element(px, {c.at(row), c.at(j)}), c.module.rational(1, Scalar::f32)});
            },
            [&](NodeId a, NodeId b) { return merge(c, a, b); }));
      };
      const NodeId result = c.map({c.constant(m), c.constant(n)}, [&](std::vector<VariableId> v) {
        const NodeId s = state(v[0]);
        const NodeId e = c.module.element(px, {c.at(v[0]), c.at(v[1])});
        return c.module.apply(Op::div, {c.module.apply(Op::exp, {c.module.apply(Op::sub, {e, c.module.get(s, 0)})}),
                                        c.module.get(s, 1)});
      });
      c.result(result);
      auto floating = semantics("float");
      auto values = c.run(*floating, {tensor({m, n}, x)}, {}, batch);
      REQUIRE(values);
      std::vector<float> expected;
      for (std::int64_t i = 0; i < m; ++i) {
        std::vector<State> states;
        for (std::int64_t j = 0; j < n; ++j) states.push_back({x[static_cast<std::size_t>(i * n + j)], 1});
        while (states.size() > 1) {
          std::vector<State> next;
          if (tree) {
            for (std::size_t k = 0; k + 1 < states.size(); k += 2) next.push_back(merge(states[k], states[k + 1]));
            if (states.size() % 2) next.push_back(states.back());
          } else {
            next = states;
            next[1] = merge(states[0], states[1]);
            next.erase(next.begin());
          }
          states = next;
        }
        for (std::int64_t j = 0; j < n; ++j)
          expected.push_back(correct_exp(x[static_cast<std::size_t>(i * n + j)] - states[0].most) /
                             states[0].sum);
      }
      CHECK(floats((*values)[0], *floating) == expected);
    }
  }
}

TEST_CASE("a scan of tuples has a tensor for each part") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32, {c.constant(6)});
  auto fold = c.user_fold(
      c.constant(6), c.seq(),
      [&](VariableId j) {
        return c.module.tuple({c.module.element(x, {c.at(j)}), c.module.rational(1, Scalar::f32)});
      },
      [&](NodeId a, NodeId b) {
        return c.module.tuple({c.module.apply(Op::max, {c.module.get(a, 0), c.module.get(b, 0)}),
                               c.module.apply(Op::add, {c.module.get(a, 1), c.module.get(b, 1)})});
      });
  const NodeId scan = c.module.scan(fold);
  const NodeId again = c.map({c.constant(6)}, [&](std::vector<VariableId> v) {
    return c.module.apply(Op::sub, {c.module.element(c.module.get(scan, 0), {c.at(v[0])}),
                                    c.module.element(c.module.get(scan, 1), {c.at(v[0])})});
  });
  c.result(c.module.tuple({scan, again}));
  auto floating = semantics("float");
  auto values = c.run(*floating, {tensor({6}, {1, 5, 2, 7, 3, 7})}, {}, 4);
  REQUIRE(values);
  REQUIRE(values->size() == 3);
  CHECK(floats((*values)[0], *floating) == std::vector<float>{1, 5, 5, 7, 7, 7});
  CHECK(floats((*values)[1], *floating) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(floats((*values)[2], *floating) == std::vector<float>{0, 3, 2, 3, 2, 1});
}
