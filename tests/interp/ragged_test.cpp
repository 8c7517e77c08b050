// Reductions whose length depends on outer indices, and elements of scans read in any order.
#include "tests/interp/circuits.h"
#include "tests/interp/symbolic.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

TEST_CASE("a reduction may be as long as an outer index says") {
  for (std::size_t batch : {1, 7, 1024}) {
    Circuit c;
    for (ScheduleId schedule :
         {c.seq(), c.tree(), c.halving(), c.schedules().default_order(), c.then(c.tile(4, c.seq()), c.tree())}) {
      auto& ix = c.index();
      c.result(c.map({c.constant(5), c.constant(23)}, [&](std::vector<VariableId> v) {
        // sum j < (i % 5) * 3 + a + 1: 100 * a + j
        const IndexId length =
            ix.add(ix.add(ix.multiply(ix.floor_mod(c.at(v[1]), c.constant(5)), c.constant(3)), c.at(v[0])),
                   c.constant(1));
        return c.reduce(Op::add, length, schedule, [&](VariableId j) {
          return c.module.index_value(ix.add(ix.multiply(c.constant(100), c.at(v[0])), c.at(j)), Scalar::f32);
        });
      }));
      SymbolicSemantics symbolic;
      auto values = c.run(symbolic, {}, {}, batch);
      REQUIRE(values);
      for (std::int64_t a = 0; a < 5; ++a) {
        for (std::int64_t i = 0; i < 23; ++i) {
          const ir::TreeId tree = c.schedules().expand(schedule, (i % 5) * 3 + a + 1).tree;
          REQUIRE(symbolic.get((*values)[0].at(a * 23 + i)) == symbolic.import(c.schedules().trees(), tree, 100 * a));
        }
      }
    }
  }
}

TEST_CASE("a reduction that is empty for some index takes its else there") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32, {c.constant(6)});
  c.result(c.map({c.constant(6)}, [&](std::vector<VariableId> v) {
    auto fold = c.fold(Op::add, c.at(v[0]), c.seq(), [&](VariableId j) { return c.module.element(x, {c.at(j)}); });
    fold.otherwise = c.module.apply(Op::neg, {c.module.element(x, {c.at(v[0])})});
    return c.module.reduce(fold);
  }));
  for (std::size_t batch : {1, 1024}) {
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({6}, {1, 2, 3, 4, 5, 6})}, {}, batch);
    REQUIRE(values);
    CHECK(floats((*values)[0], *floating) == std::vector<float>{-1, 1, 3, 6, 10, 15});
  }
}

TEST_CASE("a reduction of reductions that share a row") {
  // for i: sum j < i + 1: (max k: x[i, k]) * y[j]
  const std::int64_t m = 9, n = 4;
  std::vector<float> x, y;
  for (std::int64_t i = 0; i < m * n; ++i) x.push_back(static_cast<float>((i * 7) % 13));
  for (std::int64_t i = 0; i < m; ++i) y.push_back(static_cast<float>(i + 1));
  Circuit c;
  const NodeId px = c.parameter("x", Scalar::f32, {c.constant(m), c.constant(n)}),
               py = c.parameter("y", Scalar::f32, {c.constant(m)});
  c.result(c.map({c.constant(m)}, [&](std::vector<VariableId> v) {
    const NodeId most = c.reduce(Op::max, c.constant(n), c.seq(), [&](VariableId k) {
      return c.module.element(px, {c.at(v[0]), c.at(k)});
    });
    return c.reduce(Op::add, c.index().add(c.at(v[0]), c.constant(1)), c.seq(), [&](VariableId j) {
      return c.module.apply(Op::mul, {most, c.module.element(py, {c.at(j)})});
    });
  }));
  for (std::size_t batch : {1, 3, 1024}) {
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({m, n}, x), tensor({m}, y)}, {}, batch);
    REQUIRE(values);
    std::vector<float> expected;
    for (std::int64_t i = 0; i < m; ++i) {
      float most = 0, sum = 0;
      for (std::int64_t k = 0; k < n; ++k) most = std::max(most, x[static_cast<std::size_t>(i * n + k)]);
      for (std::int64_t j = 0; j <= i; ++j) sum += most * y[static_cast<std::size_t>(j)];
      expected.push_back(sum);
    }
    CHECK(floats((*values)[0], *floating) == expected);
  }
}

TEST_CASE("exact values take the same ways as trivial ones") {
  Circuit c;
  c.result(c.map({c.constant(4), c.constant(6)}, [&](std::vector<VariableId> v) {
    const NodeId third = c.module.rational(mpq_class(1, 3), Scalar::number);
    auto fold = c.fold(Op::add, c.at(v[1]), c.tree(), [&](VariableId j) {
      return c.module.apply(Op::mul, {third, c.module.index_value(c.index().add(c.at(j), c.at(v[0])), Scalar::number)});
    });
    fold.otherwise = third;
    return c.module.reduce(fold);
  }));
  for (std::size_t batch : {1, 5, 1024}) {
    auto exact = semantics("exact");
    auto values = c.run(*exact, {}, {}, batch);
    REQUIRE(values);
    for (std::int64_t a = 0; a < 4; ++a) {
      for (std::int64_t i = 0; i < 6; ++i) {
        mpq_class expected(1, 3);
        if (i > 0) expected = mpq_class(i * (i - 1) / 2 + a * i, 3);
        expected.canonicalize();
        CHECK(exact->enclosure(Scalar::number, (*values)[0].at(a * 6 + i))->low == expected);
      }
    }
  }
}
