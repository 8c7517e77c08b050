// Whole circuits against plain loops.
#include <cmath>

#include "diagnostics/codes/undefined_result.h"
#include "interp/evaluator.h"
#include "numerics/native.h"
#include "tests/interp/circuits.h"

using namespace reckon;
using namespace reckon::interp;
using namespace reckon::interp::testing;

namespace {

std::vector<float> random_floats(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(static_cast<float>(static_cast<double>(random.word() >> 11) * 0x1p-52 - 1));
  return out;
}

/// fn softmax(x: f32[m, n]) row by row, everything in one map.
void softmax(Circuit& c, ScheduleId schedule) {
  const IndexId m = c.dimension("m"), n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {m, n});
  c.result(c.map({m, n}, [&](std::vector<VariableId> v) {
    auto at = [&](VariableId j) { return c.module.element(x, {c.at(v[0]), c.at(j)}); };
    const NodeId most = c.reduce(Op::max, n, c.seq(), at);
    auto weight = [&](VariableId j) { return c.module.apply(Op::exp, {c.module.apply(Op::sub, {at(j), most})}); };
    const NodeId sum = c.reduce(Op::add, n, schedule, weight);
    return c.module.apply(Op::div, {weight(v[1]), sum});
  }));
}

}  // namespace

TEST_CASE("a softmax of rows equals the plain loop, for any batch") {
  for (auto [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 5}, {5, 100}, {2, 3000}, {300, 7}}) {
    const auto x = random_floats(m * n, 7);
    std::vector<float> expected(x.size());
    for (std::int64_t i = 0; i < m; ++i) {
      const float* row = x.data() + i * n;
      float most = row[0], sum = 0;
      for (std::int64_t j = 0; j < n; ++j) most = std::max(most, row[j]);
      for (std::int64_t j = 0; j < n; ++j) {
        const float weight = correct_exp(row[j] - most);
        sum = j == 0 ? weight : sum + weight;
      }
      for (std::int64_t j = 0; j < n; ++j)
        expected[static_cast<std::size_t>(i * n + j)] = correct_exp(row[j] - most) / sum;
    }
    for (std::size_t batch : {1, 7, 64, 1024}) {
      Circuit c;
      softmax(c, c.seq());
      auto floating = semantics("float");
      auto values = c.run(*floating, {tensor({m, n}, x)}, {}, batch);
      REQUIRE(values);
      CHECK((*values)[0].shape() == std::vector<std::int64_t>{m, n});
      CHECK(floats((*values)[0], *floating) == expected);
    }
  }
}

TEST_CASE("what depends on outer indices alone is computed once per outer element") {
  Circuit c;
  softmax(c, c.tree());
  auto count = semantics("count");
  const std::int64_t m = 4, n = 100;
  auto values = c.run(*count, {tensor({m, n}, random_floats(m * n, 1))});
  REQUIRE(values);
  std::map<std::string, std::string> found;
  for (const auto& [name, number] : count->summary()) found[name] = number;
  CHECK(found["max"] == std::to_string(m * (n - 1)));
  CHECK(found["add"] == std::to_string(m * (n - 1)));
  CHECK(found["div"] == std::to_string(m * n));
  CHECK(found["exp"] == std::to_string(2 * m * n));  // once for the sum, once for the result
}

TEST_CASE("a matrix product reads rows and columns") {
  const std::int64_t m = 13, k = 29, n = 17;
  const auto a = random_floats(m * k, 2), b = random_floats(k * n, 3);
  for (std::size_t batch : {1, 16, 100, 1024}) {
    Circuit c;
    const IndexId dm = c.dimension("m"), dk = c.dimension("k"), dn = c.dimension("n");
    const NodeId pa = c.parameter("a", Scalar::f32, {dm, dk}), pb = c.parameter("b", Scalar::f32, {dk, dn});
    c.result(c.map({dm, dn}, [&](std::vector<VariableId> v) {
      return c.reduce(Op::add, dk, c.seq(), [&](VariableId p) {
        return c.module.apply(Op::mul, {c.module.element(pa, {c.at(v[0]), c.at(p)}),
                                        c.module.element(pb, {c.at(p), c.at(v[1])})});
      });
    }));
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({m, k}, a), tensor({k, n}, b)}, {}, batch);
    REQUIRE(values);
    std::vector<float> expected;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = a[static_cast<std::size_t>(i * k)] * b[static_cast<std::size_t>(j)];
        for (std::int64_t p = 1; p < k; ++p)
          sum += a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(p * n + j)];
        expected.push_back(sum);
      }
    }
    CHECK(floats((*values)[0], *floating) == expected);
  }
}

TEST_CASE("subscripts may be any index expression") {
  const std::int64_t m = 6, n = 11;
  const auto x = random_floats(m * n, 4);
  for (std::size_t batch : {1, 5, 1024}) {
    Circuit c;
    auto& ix = c.index();
    const NodeId px = c.parameter("x", Scalar::f32, {c.constant(m), c.constant(n)});
    // x[min(i, 5 - i), (3 * j + i) % 11] + f32(i * j) where i < j, else x[i, j // 2] backwards
    c.result(c.map({c.constant(m), c.constant(n)}, [&](std::vector<VariableId> v) {
      const IndexId i = c.at(v[0]), j = c.at(v[1]);
      const IndexId row = ix.minimum(i, ix.subtract(c.constant(5), i));
      const IndexId column = ix.floor_mod(ix.add(ix.multiply(c.constant(3), j), i), c.constant(n));
      const NodeId first = c.module.apply(Op::add, {c.module.element(px, {row, column}),
                                                    c.module.index_value(ix.multiply(i, j), Scalar::f32)});
      const NodeId second = c.module.element(px, {ix.subtract(c.constant(5), i), ix.floor_div(j, c.constant(2))});
      return c.module.apply(Op::select, {c.module.index_condition(ix.less(i, j)), first, second});
    }));
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({m, n}, x)}, {}, batch);
    REQUIRE(values);
    std::vector<float> expected;
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        expected.push_back(i < j ? x[static_cast<std::size_t>(std::min(i, 5 - i) * n + (3 * j + i) % n)] +
                                       static_cast<float>(i * j)
                                 : x[static_cast<std::size_t>((5 - i) * n + j / 2)]);
      }
    }
    CHECK(floats((*values)[0], *floating) == expected);
  }
}

TEST_CASE("tensors of rank three, closed intermediates and transposition") {
  const std::int64_t a = 3, b = 5, d = 4;
  const auto x = random_floats(a * b * d, 5);
  for (std::size_t batch : {1, 6, 20, 1024}) {
    Circuit c;
    const NodeId px = c.parameter("x", Scalar::f32, {c.constant(a), c.constant(b), c.constant(d)});
    const NodeId doubled = c.map({c.constant(a), c.constant(b), c.constant(d)}, [&](std::vector<VariableId> v) {
      const NodeId e = c.module.element(px, {c.at(v[0]), c.at(v[1]), c.at(v[2])});
      return c.module.apply(Op::add, {e, e});
    });
    const NodeId turned = c.map({c.constant(d), c.constant(a), c.constant(b)}, [&](std::vector<VariableId> v) {
      return c.module.element(doubled, {c.at(v[1]), c.at(v[2]), c.at(v[0])});
    });
    c.result(c.module.tuple({turned, doubled, px}));
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({a, b, d}, x)}, {}, batch);
    REQUIRE(values);
    REQUIRE(values->size() == 3);
    const auto result = floats((*values)[0], *floating);
    bool good = true;
    for (std::int64_t k = 0; k < d; ++k) {
      for (std::int64_t i = 0; i < a; ++i) {
        for (std::int64_t j = 0; j < b; ++j) {
          good &= result[static_cast<std::size_t>((k * a + i) * b + j)] ==
                  2 * x[static_cast<std::size_t>((i * b + j) * d + k)];
        }
      }
    }
    CHECK(good);
    CHECK(floats((*values)[2], *floating) == x);
  }
}

TEST_CASE("empty tensors, scalars and arrays") {
  Circuit c;
  const IndexId n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {n});
  const NodeId s = c.parameter("s", Scalar::f32);
  const NodeId scaled = c.map({n}, [&](std::vector<VariableId> v) {
    return c.module.apply(Op::mul, {c.module.element(x, {c.at(v[0])}), s});
  });
  auto sum = c.fold(Op::add, n, c.tree(), [&](VariableId i) { return c.module.element(scaled, {c.at(i)}); });
  sum.otherwise = c.module.rational(42, Scalar::f32);
  const NodeId array = c.module.array({s, c.module.rational(2, Scalar::f32)}, {2});
  const NodeId picked = c.map({c.constant(6)}, [&](std::vector<VariableId> v) {
    return c.module.element(array, {c.index().floor_mod(c.at(v[0]), c.constant(2))});
  });
  c.result(c.module.tuple({scaled, c.module.reduce(sum), picked}));
  auto floating = semantics("float");
  auto values = c.run(*floating, {tensor({0}, {}), tensor({}, {3})});
  REQUIRE(values);
  CHECK((*values)[0].count() == 0);
  CHECK(floats((*values)[1], *floating) == std::vector<float>{42});
  CHECK(floats((*values)[2], *floating) == std::vector<float>{3, 2, 3, 2, 3, 2});
  values = c.run(*floating, {tensor({2}, {1, 2}), tensor({}, {3})});
  REQUIRE(values);
  CHECK(floats((*values)[1], *floating) == std::vector<float>{9});
}

TEST_CASE("an array that depends on an index is read by another") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32, {c.constant(4)});
  c.result(c.map({c.constant(4), c.constant(3)}, [&](std::vector<VariableId> v) {
    const NodeId e = c.module.element(x, {c.at(v[0])});
    const NodeId array = c.module.array({e, c.module.apply(Op::neg, {e}), c.module.rational(7, Scalar::f32)}, {3});
    return c.module.element(array, {c.index().subtract(c.constant(2), c.at(v[1]))});
  }));
  for (std::size_t batch : {1, 1024}) {
    auto floating = semantics("float");
    auto values = c.run(*floating, {tensor({4}, {1, 2, 3, 4})}, {}, batch);
    REQUIRE(values);
    CHECK(floats((*values)[0], *floating) == std::vector<float>{7, -1, 1, 7, -2, 2, 7, -3, 3, 7, -4, 4});
  }
}

TEST_CASE("a hundred thousand operations in a row need no deep stack") {
  // The circuits are built with their canonical variables, and the evaluator is called behind `evaluate`, so that only
  // its own depth is tested.
  Circuit c;
  const NodeId one = c.module.rational(1, Scalar::f32);
  NodeId value = c.module.index_value(c.at(VariableId{0}), Scalar::f32);
  for (int k = 0; k < 100'000; ++k) value = c.module.apply(Op::add, {value, one});
  const NodeId map = c.module.map({VariableId{0}}, {c.constant(100)}, value);

  // Reductions that each need the one before.
  NodeId total = c.module.rational(0, Scalar::f32);
  const ir::HostTensor y = tensor({2}, {0.25f, 0.25f});
  const NodeId py = c.parameter("y", Scalar::f32, {c.constant(2)});
  for (std::uint32_t k = 0; k < 20'000; ++k) {
    ir::Module::Fold fold;
    fold.variable = VariableId{k};
    fold.extent = c.constant(2);
    fold.schedule = c.seq();
    fold.body =
        c.module.apply(Op::mul, {c.module.element(py, {c.at(fold.variable)}), c.module.apply(Op::add, {total, one})});
    total = c.module.reduce(fold);
  }
  auto floating = semantics("float");
  auto argument = std::make_shared<Values>(*floating, Scalar::f32, y.shape);
  REQUIRE(!floating->load(Scalar::f32, y.bytes.data(), 2, argument->data()));
  CircuitCache circuits(c.module);
  ir::Function both;
  both.body = c.module.tuple({map, total});
  PreparedCircuit circuit{both, Planner(c.module)};
  Evaluator evaluator(c.module, circuit, *floating, circuits, {argument}, {});
  std::vector<Tensor> results;
  REQUIRE(evaluator.results(results));
  CHECK(floats(*results[0], *floating)[99] == 100'099);
  CHECK(floats(*results[1], *floating)[0] == 1.0f);
}

TEST_CASE("arguments that do not fit are refused") {
  Circuit c;
  const NodeId x = c.parameter("x", Scalar::f32, {c.constant(2)});
  c.result(c.reduce(Op::add, c.constant(2), c.seq(), [&](VariableId i) { return c.module.element(x, {c.at(i)}); }));
  auto floating = semantics("float");
  CHECK(!c.run(*floating, {tensor({3}, {1, 2, 3})}));
  CHECK(!c.run(*floating, {ir::HostTensor(Scalar::f64, {2})}));
  CHECK(!c.run(*floating, {}));
  auto range = c.run(*floating, {RangeTensor{Scalar::f32, {2}, 0, 1}});
  REQUIRE(!range);
  CHECK(range.error().code == code::undefined_result);
}
