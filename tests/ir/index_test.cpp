// Index expressions against brute force: what a normal form, a substitution, a range and an affine form must agree
// with.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "ir/index.h"
#include "ir/module.h"
#include "ir/positive_sizes.h"

using namespace reckon::ir;

namespace {

constexpr int dimension_count = 2, variable_count = 3;

/// An expression as it was asked for, before the store brings it into its normal form.
struct Expression {
  IndexOp op{};
  std::int64_t value = 0;
  std::vector<Expression> operands;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Expression expression(int depth) {
    if (depth == 0 || between(0, 4) == 0) {
      switch (between(0, 2)) {
        case 0: return {IndexOp::constant, between(-4, 4), {}};
        case 1: return {IndexOp::dimension, between(0, dimension_count - 1), {}};
        default: return {IndexOp::variable, between(0, variable_count - 1), {}};
      }
    }
    if (between(0, 5) == 0) return condition(depth);
    static constexpr IndexOp ops[] = {IndexOp::sum,       IndexOp::sum,       IndexOp::product, IndexOp::product,
                                      IndexOp::floor_div, IndexOp::floor_mod, IndexOp::minimum, IndexOp::maximum};
    return {ops[between(0, 7)], between(0, 1), {expression(depth - 1), expression(depth - 1)}};
  }

  /// `and`, `or` and `not` take conditions only.
  Expression condition(int depth) {
    static constexpr IndexOp ops[] = {IndexOp::less,        IndexOp::less_equal, IndexOp::equal,
                                      IndexOp::logical_and, IndexOp::logical_or, IndexOp::logical_not};
    const IndexOp op = ops[between(0, depth > 1 ? 5 : 2)];
    if (op == IndexOp::logical_not) return {op, 0, {condition(depth - 1)}};
    if (op >= IndexOp::logical_and) return {op, 0, {condition(depth - 1), condition(depth - 1)}};
    return {op, 0, {expression(depth - 1), expression(depth - 1)}};
  }

 private:
  std::mt19937_64 random_;
};

/// What the expression says, in the words of mathematics; nothing where it divides by zero.
std::optional<std::int64_t> meaning(const Expression& e, const std::vector<std::int64_t>& dimensions,
                                    const std::vector<std::int64_t>& variables) {
  std::vector<std::int64_t> x;
  for (const Expression& operand : e.operands) {
    const auto value = meaning(operand, dimensions, variables);
    if (!value) return std::nullopt;
    x.push_back(*value);
  }
  switch (e.op) {
    case IndexOp::constant: return e.value;
    case IndexOp::dimension: return dimensions[static_cast<std::size_t>(e.value)];
    case IndexOp::variable: return variables[static_cast<std::size_t>(e.value)];
    case IndexOp::sum: return e.value ? x[0] + x[1] : x[0] - x[1];
    case IndexOp::product: return x[0] * x[1];
    case IndexOp::floor_div:
    case IndexOp::floor_mod: {
      if (x[1] == 0) return std::nullopt;
      std::int64_t quotient = 0;  // the greatest with quotient * x[1] <= x[0] (>= for negative divisors), by search
      const auto fits = [&](std::int64_t q) { return x[1] > 0 ? q * x[1] <= x[0] : q * x[1] >= x[0]; };
      quotient = static_cast<std::int64_t>(std::floor(static_cast<long double>(x[0]) / static_cast<long double>(x[1])));
      while (!fits(quotient)) --quotient;
      while (fits(quotient + 1)) ++quotient;
      return e.op == IndexOp::floor_div ? quotient : x[0] - quotient * x[1];
    }
    case IndexOp::minimum: return std::min(x[0], x[1]);
    case IndexOp::maximum: return std::max(x[0], x[1]);
    case IndexOp::less: return x[0] < x[1];
    case IndexOp::less_equal: return x[0] <= x[1];
    case IndexOp::equal: return x[0] == x[1];
    case IndexOp::logical_and: return x[0] && x[1];
    case IndexOp::logical_or: return x[0] || x[1];
    case IndexOp::logical_not: return !x[0];
  }
  return std::nullopt;
}

struct Fixture {
  IndexStore store;
  std::vector<SymbolId> dimensions{{0}, {1}};
  std::vector<VariableId> variables{{0}, {1}, {7}};

  IndexId build(const Expression& e) {
    std::vector<IndexId> x;
    for (const Expression& operand : e.operands) x.push_back(build(operand));
    switch (e.op) {
      case IndexOp::constant: return store.constant(e.value);
      case IndexOp::dimension: return store.dimension(dimensions[static_cast<std::size_t>(e.value)]);
      case IndexOp::variable: return store.variable(variables[static_cast<std::size_t>(e.value)]);
      case IndexOp::sum: return e.value ? store.add(x[0], x[1]) : store.subtract(x[0], x[1]);
      default: return store.apply(e.op, x[0], x.size() > 1 ? x[1] : IndexId{});
    }
  }

  IndexEnvironment environment(const std::vector<std::int64_t>& d, const std::vector<std::int64_t>& v) const {
    IndexEnvironment out;
    for (std::size_t k = 0; k < d.size(); ++k) out.dimensions[dimensions[k]] = d[k];
    for (std::size_t k = 0; k < v.size(); ++k) out.variables[variables[k]] = v[k];
    return out;
  }
};

std::vector<std::int64_t> draw(Random& random, int count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> out;
  for (int k = 0; k < count; ++k) out.push_back(random.between(low, high));
  return out;
}

}  // namespace

TEST_CASE("the normal form of an index expression keeps its value") {
  Random random(1);
  int defined = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Fixture f;
    const Expression e = random.expression(4);
    const IndexId id = f.build(e);
    for (int point = 0; point < 6; ++point) {
      const auto d = draw(random, dimension_count, 0, 9), v = draw(random, variable_count, -3, 9);
      const auto expected = meaning(e, d, v);
      if (!expected) continue;
      ++defined;
      const auto value = f.store.evaluate(id, f.environment(d, v));
      REQUIRE(value == expected);
    }
  }
  CHECK(defined > 15000);
}

TEST_CASE("a number split into digits and joined again is itself") {
  Module m;
  IndexStore& s = m.indices();
  const IndexId x = s.add(s.multiply(s.variable({0}), s.constant(7)), s.variable({1}));
  const IndexId k = s.dimension(m.symbol("k")), l = s.dimension(m.symbol("l"));
  for (const auto& [inner, outer] : {std::pair{s.constant(5), s.constant(3)}, {k, l}, {k, s.constant(3)}}) {
    const IndexId upper = s.floor_div(x, inner);
    const IndexId digits = s.rejoined(s.add(s.multiply(s.floor_div(upper, outer), outer), s.floor_mod(upper, outer)));
    CHECK(digits == upper);
    CHECK(s.rejoined(s.add(s.multiply(upper, inner), s.floor_mod(x, inner))) == x);
    // Three times one digit and once the other is no such number.
    const IndexId other = s.add(s.multiply(upper, inner), s.multiply(s.constant(3), s.floor_mod(x, inner)));
    CHECK(s.rejoined(other) == other);
  }
  // (5 u + v) // 5 and % 5.
  const IndexId u = s.variable({2}), v = s.variable({3}), five = s.constant(5);
  const IndexId sum = s.add(s.multiply(five, u), v);
  CHECK(s.floor_div(sum, five) == s.add(u, s.floor_div(v, five)));
  CHECK(s.floor_mod(sum, five) == s.floor_mod(v, five));
  CHECK(s.floor_div(s.add(s.multiply(five, u), s.constant(-1)), five) == s.subtract(u, s.constant(1)));
}

TEST_CASE("rejoining keeps the value") {
  Random random(7);
  int defined = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Fixture f;
    const Expression x = random.expression(3);
    const std::int64_t m = random.between(1, 6), c = random.between(-3, 3), d = random.between(-3, 3);
    const IndexId id = f.build(x), by = f.store.constant(m);
    // c*m*(x // m) + d*(x % m): joined where c = d only.
    const IndexId sum = f.store.add(f.store.multiply(f.store.constant(c * m), f.store.floor_div(id, by)),
                                    f.store.multiply(f.store.constant(d), f.store.floor_mod(id, by)));
    const IndexId rejoined = f.store.rejoined(sum);
    for (int point = 0; point < 6; ++point) {
      const auto dimensions = draw(random, dimension_count, 0, 9), variables = draw(random, variable_count, -3, 9);
      const auto expected = f.store.evaluate(sum, f.environment(dimensions, variables));
      if (!expected) continue;
      ++defined;
      REQUIRE(f.store.evaluate(rejoined, f.environment(dimensions, variables)) == expected);
    }
  }
  CHECK(defined > 5000);
}

TEST_CASE("equal polynomials are one expression") {
  Random random(2);
  for (int trial = 0; trial < 1000; ++trial) {
    Fixture f;
    IndexStore& s = f.store;
    const IndexId a = f.build(random.expression(3)), b = f.build(random.expression(3)),
                  c = f.build(random.expression(2));
    CHECK(s.add(a, b) == s.add(b, a));
    CHECK(s.add(s.add(a, b), c) == s.add(a, s.add(b, c)));
    CHECK(s.multiply(a, b) == s.multiply(b, a));
    CHECK(s.multiply(a, s.add(b, c)) == s.add(s.multiply(a, b), s.multiply(a, c)));
    CHECK(s.subtract(s.add(a, b), b) == a);
    CHECK(s.negate(s.negate(a)) == a);
    CHECK(s.minimum(a, b) == s.minimum(b, a));
    CHECK(s.equal(a, b) == s.equal(b, a));
  }
}

TEST_CASE("substitution agrees with evaluating in a changed environment") {
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    Fixture f;
    const Expression e = random.expression(3), for_dimension = random.expression(2),
                     for_variable = random.expression(2);
    const IndexId id = f.build(e);
    IndexSubstitution substitution;
    substitution.dimensions[f.dimensions[0]] = f.build(for_dimension);
    substitution.variables[f.variables[1]] = f.build(for_variable);
    const IndexId changed = f.store.substitute(id, substitution);
    for (int point = 0; point < 4; ++point) {
      auto d = draw(random, dimension_count, 0, 6), v = draw(random, variable_count, -2, 6);
      const auto environment = f.environment(d, v);
      const auto x = meaning(for_dimension, d, v), y = meaning(for_variable, d, v);
      if (!x || !y) continue;
      d[0] = *x;  // all at once: both replacements were computed before
      v[1] = *y;
      const auto expected = meaning(e, d, v);
      if (expected) REQUIRE(f.store.evaluate(changed, environment) == expected);
    }
  }
}

TEST_CASE("a range holds every value") {
  Random random(4);
  int bounded = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Fixture f;
    const Expression e = random.expression(3);
    const IndexId id = f.build(e);
    const auto d = draw(random, dimension_count, 0, 5);
    std::map<VariableId, IndexRange> ranges;
    std::vector<IndexRange> box;
    for (VariableId variable : f.variables) {
      const std::int64_t low = random.between(-3, 3);
      box.push_back({low, low + random.between(0, 3)});
      ranges[variable] = box.back();
    }
    const auto range = f.store.range(id, ranges, {{f.dimensions[0], d[0]}, {f.dimensions[1], d[1]}});
    if (!range) continue;
    ++bounded;
    std::vector<std::int64_t> v(variable_count);
    for (v[0] = box[0].low; v[0] <= box[0].high; ++v[0]) {
      for (v[1] = box[1].low; v[1] <= box[1].high; ++v[1]) {
        for (v[2] = box[2].low; v[2] <= box[2].high; ++v[2]) {
          const auto value = meaning(e, d, v);
          if (value && (*value < range->low || *value > range->high)) {
            FAIL("value " << *value << " outside of [" << range->low << ", " << range->high << "]");
          }
        }
      }
    }
  }
  CHECK(bounded > 1000);
}

TEST_CASE("what is shown of all positive sizes is true of each") {
  Random random(6);
  int shown = 0, not_constant = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    Fixture f;
    const Expression e = random.condition(3);
    const IndexId id = f.build(e);
    if (!holds_for_positive(f.store, id)) continue;
    ++shown;
    not_constant += !f.store.as_constant(id);
    for (std::int64_t a = 1; a <= 5; ++a) {
      for (std::int64_t b = 1; b <= 5; ++b) {
        const auto value = meaning(e, {a, b}, draw(random, variable_count, -3, 9));
        REQUIRE(value.value_or(1) != 0);
      }
    }
  }
  CHECK(shown > 2000);
  CHECK(not_constant > 500);
}

TEST_CASE("an affine form is one") {
  Random random(5);
  int affine = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    Fixture f;
    const Expression e = random.expression(3);
    const IndexId id = f.build(e);
    const VariableId x = f.variables[2];
    const auto parts = f.store.affine_in(id, x);
    if (!parts) continue;
    REQUIRE_FALSE(f.store.mentions(parts->base, x));
    REQUIRE_FALSE(f.store.mentions(parts->stride, x));
    affine += f.store.mentions(id, x);
    for (int point = 0; point < 4; ++point) {
      const auto d = draw(random, dimension_count, 0, 6), v = draw(random, variable_count, -2, 6);
      const auto expected = meaning(e, d, v);
      if (!expected) continue;
      const auto environment = f.environment(d, v);
      const auto base = f.store.evaluate(parts->base, environment),
                 stride = f.store.evaluate(parts->stride, environment);
      if (base && stride) REQUIRE(*base + *stride * v[2] == *expected);
    }
  }
  CHECK(affine > 200);
  Fixture f;
  const IndexId i = f.store.variable(f.variables[0]), n = f.store.dimension(f.dimensions[0]);
  const auto parts = f.store.affine_in(f.store.add(f.store.multiply(n, i), f.store.subtract(n, i)), f.variables[0]);
  REQUIRE(parts);
  CHECK(parts->base == n);
  CHECK(parts->stride == f.store.subtract(n, f.store.constant(1)));
  CHECK_FALSE(f.store.affine_in(f.store.multiply(i, i), f.variables[0]));
}

TEST_CASE("what does not fit in 64 bits has no value, and never wraps") {
  Fixture f;
  IndexStore& s = f.store;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  const IndexId n = s.dimension(f.dimensions[0]);
  for (IndexId id : {s.add(s.constant(most), s.constant(1)), s.multiply(s.constant(most), s.constant(2)),
                     s.negate(s.constant(least)), s.floor_div(s.constant(least), s.constant(-1))}) {
    CHECK_FALSE(s.as_constant(id));
    CHECK_FALSE(s.evaluate(id, {}));
  }
  const IndexEnvironment large = f.environment({most, 2}, {0, 0, 0});
  CHECK_FALSE(s.evaluate(s.add(n, s.constant(1)), large));
  CHECK_FALSE(s.evaluate(s.multiply(n, s.dimension(f.dimensions[1])), large));
  CHECK_FALSE(s.evaluate(s.floor_div(n, s.constant(0)), large));
  CHECK_FALSE(s.evaluate(s.floor_mod(n, s.constant(0)), large));
  CHECK(s.evaluate(s.floor_mod(s.constant(least), s.constant(-1)), {}) == 0);
  CHECK_FALSE(s.range(s.add(n, n), {}, {{f.dimensions[0], most}}));
}

TEST_CASE("index expressions are written as in the language") {
  Module m;
  IndexStore& s = m.indices();
  const IndexId n = s.dimension(m.symbol("n")), k = s.dimension(m.symbol("k")), i = s.variable({3});
  auto number = [&](std::int64_t value) { return s.constant(value); };
  CHECK(index_text(m, s.subtract(n, number(1))) == "n - 1");
  CHECK(index_text(m, s.add(s.multiply(number(2), i), number(1))) == "2*%3 + 1");
  CHECK(index_text(m, s.subtract(number(5), n)) == "5 - n");
  CHECK(index_text(m, s.negate(n)) == "-n");
  CHECK(index_text(m, s.multiply(s.floor_div(n, number(2)), k)) == "(n // 2)*k");
  CHECK(index_text(m, s.floor_div(s.floor_mod(n, k), number(-2))) == "n % k // (-2)");
  CHECK(index_text(m, s.floor_div(n, s.floor_mod(k, number(3)))) == "n // (k % 3)");
  CHECK(index_text(m, s.minimum(s.add(n, number(1)), k)) == "min(k, n + 1)");
  CHECK(index_text(m, s.logical_or(s.less(i, n), s.logical_and(s.equal(n, k), s.less_equal(k, i)))) ==
        "%3 < n or k <= %3 and k == n");
  CHECK(index_text(m, s.logical_not(s.equal(n, k))) == "not k == n");
  // A leading minus sign binds tighter than a division, one between terms does not.
  CHECK(index_text(m, s.negate(s.floor_div(number(7), n))) == "-(7 // n)");
  CHECK(index_text(m, s.floor_div(number(-7), n)) == "(-7) // n");
  CHECK(index_text(m, s.subtract(k, s.floor_mod(number(7), n))) == "k - 7 % n");
  CHECK(index_text(m, s.dimension(m.symbol("min"))) == "\"min\"");
}
