// Proofs of bits: circuits that are proved to carry out the same operations give the same bits under `float`.
// RECKON_TRIALS=100000 for the long run.
#include "prove/operations.h"

#include <fmt/format.h>

#include <functional>

#include "tests/prove/pair.h"
#include "tests/support/long_run.h"

using namespace reckon;
using normal::Pair;
using normal::Random;

namespace {

bool same(const std::string& f, const std::string& g) {
  INFO("fn f" << f << "\nfn g" << g);
  Pair pair("fn f" + f + "\nfn g" + g + "\n");
  return ir::same_operations(pair.session.module(), *pair.f, *pair.g);
}

/// Of one vector.
bool same_sums(const std::string& f, const std::string& g, const std::string& length = "n") {
  const std::string head = "(x: f32[" + length + "]) -> f32 = ";
  return same(head + f, head + g);
}

}  // namespace

TEST_CASE("other ways to write the same operations") {
  CHECK(same("(a: f32, b: f32) -> f32 = a * b + 1", "(c: f32, d: f32) -> f32 = 1 + d * c"));
  CHECK(same("(a: f32, b: f32) -> f32 = min(a, b)", "(a: f32, b: f32) -> f32 = min(b, a)"));
  CHECK(same("(a: f32, b: f32) -> f32 = fma(a, b, 1)", "(a: f32, b: f32) -> f32 = fma(b, a, 1)"));
  CHECK(same("(x: f32[n]) -> f32[n] = x", "(y: f32[k]) -> f32[k] = for i < k: y[i]"));
  CHECK(same("(x: f32[n]) -> f32 = sum i: exp(x[i]) by seq", "(x: f32[n]) -> f32 = sum j: (for i < n: exp(x[i]))[j] by seq"));
  CHECK(same("(a: f32, b: f32) -> f32 = { let (p, q) = (a + 1, b); p }", "(a: f32, b: f32) -> f32 = a + 1"));
  CHECK(same("(x: f32[m + 3]) -> f32 = f32(m)", "(x: f32[n]) -> f32 = f32(n - 3)"));
}

TEST_CASE("a stage is a reduction inside of another one") {
  CHECK(same_sums("sum i: x[i] by tile(4, seq) then tree", "sum p < m: (sum q < 4: x[4 * p + q] by seq) by tree", "4 * m"));
  CHECK(same_sums("sum i: x[i] by lanes(4, seq) then tree", "sum p < 4: (sum q < m: x[4 * q + p] by seq) by tree", "4 * m"));
  CHECK(same_sums("sum i: x[i] by tile(m, halving) then seq", "sum p < 4: (sum q < m: x[m * p + q] by halving) by seq", "4 * m"));
  CHECK(same_sums("sum i: x[i] by tile(32, seq) @warp then tree @block", "sum i: x[i] by tile(32, seq) then tree"));
  CHECK(same_sums("sum i: x[i]", "sum p < 128: (sum q < m: x[128 * q + p] by tree) by tree", "128 * m"));
  CHECK(same_sums("max i: x[i] by tile(4, seq) then tree", "max p < m: (max q < 4: x[4 * p + q] by seq) by tree", "4 * m"));
  CHECK_FALSE(same_sums("sum i: x[i] by tile(4, seq) then tree", "sum p < 4: (sum q < m: x[4 * q + p] by seq) by tree", "4 * m"));
  CHECK_FALSE(same_sums("sum i: x[i] by tile(4, seq) then tree", "sum p < m: (sum q < 4: x[4 * p + q] by tree) by seq", "4 * m"));
  CHECK_FALSE(same_sums("max i: x[i] by tile(4, seq) then tree", "max p < m: (min q < 4: x[4 * p + q] by seq) by tree", "4 * m"));
  // The last run may be shorter.
  CHECK_FALSE(same_sums("sum i: x[i] by tile(4, seq) then tree", "sum p < n // 4: (sum q < 4: x[4 * p + q] by seq) by tree"));
}

TEST_CASE("a tree of trees of a power of two") {
  CHECK(same_sums("sum i: x[i] by tree", "sum i: x[i] by tile(32, tree) then tree"));
  CHECK(same_sums("sum i: x[i] by tree", "sum i: x[i] by tile(32, tree) then tile(4, tree) then tree"));
  CHECK(same_sums("sum i: x[i] by tree", "sum p < m: (sum q < 8: x[8 * p + q] by tree) by tree", "8 * m"));
  CHECK(same_sums("sum i: x[i] by tile(32, tree) then tile(4, tree) then seq", "sum i: x[i] by tile(128, tree) then seq"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "sum i: x[i] by tile(6, tree) then tree"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "sum i: x[i] by lanes(32, tree) then tree"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "sum p < 8: (sum q < m: x[m * p + q] by tree) by tree", "8 * m"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "sum i: x[i] by seq"));
  CHECK(same("(x: f32[n]) -> f32[n] = scan(add) i: x[i] by tree", "(x: f32[n]) -> f32[n] = scan(add) i: x[i] by tile(8, tree) then tree"));
  CHECK_FALSE(same("(x: f32[n]) -> f32[n] = scan(add) i: x[i] by tree", "(x: f32[n]) -> f32[n] = scan(add) i: x[i] by tile(6, tree) then tree"));
}

TEST_CASE("schedules that depend on the length") {
  const std::string chosen = "(length k: if k <= 8 { seq } else { tree })";
  CHECK(same_sums("sum i: x[i] by " + chosen, "sum i: x[i] by seq", "8"));
  CHECK(same_sums("sum i: x[i] by " + chosen, "sum i: x[i] by tree", "16"));
  CHECK_FALSE(same_sums("sum i: x[i] by " + chosen, "sum i: x[i] by tree", "8"));
  CHECK_FALSE(same_sums("sum i: x[i] by " + chosen, "sum i: x[i] by tree"));
  // A scan has prefixes of all lengths.
  CHECK_FALSE(same("(x: f32[16]) -> f32[16] = scan(add) i: x[i] by " + chosen, "(x: f32[16]) -> f32[16] = scan(add) i: x[i] by tree"));
  CHECK_FALSE(same("(x: f32[8]) -> f32[8] = scan(add) i: x[i] by halving", "(x: f32[8]) -> f32[8] = scan(add) i: x[i] by tree"));
}

TEST_CASE("short reductions and those that are written out") {
  CHECK(same_sums("sum i: x[i] by tree", "(x[0] + x[1]) + (x[2] + x[3])", "4"));
  CHECK(same_sums("sum i: x[i] by halving", "(x[0] + x[2]) + (x[3] + x[1])", "4"));
  CHECK(same_sums("sum i: x[i] by tree", "x[0]", "1"));
  CHECK(same_sums("sum i < 3: x[i] by seq", "x[0] + x[1] + x[2]", "n + 3"));
  CHECK(same_sums("sum i: x[i] by blelloch", "sum i: x[i] by tree", "64"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "((x[0] + x[1]) + x[2]) + x[3]", "4"));
  CHECK_FALSE(same_sums("sum i: x[i] by tree", "(x[0] + x[2]) + (x[1] + x[3])", "4"));
}

TEST_CASE("operations that round otherwise are not the same") {
  CHECK_FALSE(same("(a: f32, b: f32, c: f32) -> f32 = a + b + c", "(a: f32, b: f32, c: f32) -> f32 = a + (b + c)"));
  CHECK_FALSE(same("(a: f32, b: f32, c: f32) -> f32 = a * b + c", "(a: f32, b: f32, c: f32) -> f32 = fma(a, b, c)"));
  CHECK_FALSE(same("(a: f32, b: f32) -> f32 = a - b", "(a: f32, b: f32) -> f32 = b - a"));
  CHECK_FALSE(same("(a: f32, b: f32) -> f32 = a / b", "(a: f32, b: f32) -> f32 = b / a"));
  CHECK_FALSE(same("(a: f32, b: f32, c: f32) -> f32 = fma(a, b, c)", "(a: f32, b: f32, c: f32) -> f32 = fma(a, c, b)"));
  CHECK_FALSE(same("(a: f32) -> f32 = f32(f16(a))", "(a: f32) -> f32 = a"));
  CHECK_FALSE(same_sums("sum i: x[i] * x[i] by fused(tree)", "sum i: x[i] * x[i] by tree"));
  CHECK_FALSE(same_sums("sum i: x[i] by neumaier(seq)", "sum i: x[i] by seq"));
  CHECK_FALSE(same("(x: f32[n]) -> f32 = f32(n)", "(x: f32[n], y: f32[n]) -> f32 = f32(n)"));
}

TEST_CASE("a circuit that is too deep for a proof has none") {
  std::string long_chain = "a", other = "a";
  for (int k = 0; k < 3000; ++k) {
    long_chain += " + b";
    other += k == 0 ? " + b + 0 * b" : " + b";
  }
  CHECK_FALSE(same("(a: f32, b: f32) -> f32 = " + long_chain, "(a: f32, b: f32) -> f32 = " + other));
}

namespace {

/// An order of n leaves, where n is a product of numbers and, perhaps, the dimension m.
struct Order {
  enum Kind { plain, tile, lanes } kind = plain;
  std::vector<std::string> factors;  ///< of n
  std::string name;                  ///< plain
  std::vector<Order> parts;          ///< tile, lanes: of each run or lane; of what they give

  std::string length() const { return factors.empty() ? "1" : "(" + fmt::format("{}", fmt::join(factors, " * ")) + ")"; }
  std::string schedule() const {
    if (kind == plain) return name;
    const Order& size = parts[kind == tile ? 0 : 1];
    return fmt::format("{}({}, {}) then {}", kind == tile ? "tile" : "lanes", size.length(), parts[0].schedule(), parts[1].schedule());
  }
};

Order random_order(Random& random, std::vector<std::string> factors, int depth) {
  Order out;
  out.factors = factors;
  if (depth == 0 || factors.size() < 2 || random.below(4) == 0) {
    constexpr const char* names[] = {"seq", "tree", "tree", "halving"};
    out.name = names[random.below(4)];
    return out;
  }
  out.kind = random.below(2) == 0 ? Order::tile : Order::lanes;
  const std::size_t cut = 1 + random.below(factors.size() - 1);
  const std::vector<std::string> first(factors.begin(), factors.begin() + static_cast<std::ptrdiff_t>(cut));
  const std::vector<std::string> rest(factors.begin() + static_cast<std::ptrdiff_t>(cut), factors.end());
  out.parts = {random_order(random, first, depth - 1), random_order(random, rest, depth - 1)};
  return out;
}

/// A sum in this order, each stage of which is one of the schedule or an inner sum.
std::string sum_of(const Order& order, Random& random, int& names, const std::function<std::string(const std::string&)>& leaf) {
  if (order.kind == Order::plain || random.below(2) == 0) {
    const std::string name = fmt::format("i{}", names++);
    return fmt::format("(sum {} < {}: {} by {})", name, order.length(), leaf(name), order.schedule());
  }
  const std::string run = order.parts[0].length(), runs = order.parts[1].length();
  return sum_of(order.parts[1], random, names, [&](const std::string& o) {
    return sum_of(order.parts[0], random, names, [&](const std::string& c) {
      return leaf(order.kind == Order::tile ? fmt::format("({} * {} + {})", o, run, c) : fmt::format("({} * {} + {})", c, runs, o));
    });
  });
}

std::string circuit(const char* name, const Order& order, Random& random) {
  int names = 0;
  const std::string body = sum_of(order, random, names, [&](const std::string& at) {
    return random.below(2) == 0 ? fmt::format("x[{0}] * y[{0}]", at) : fmt::format("y[{0}] * x[{0}]", at);
  });
  return fmt::format("fn {}(x: f32[{}], y: f32[{}]) -> f32 = {}\n", name, order.length(), order.length(), body);
}

/// One combinator, or one kind of stage, is another one.
void change(Order& order, Random& random) {
  if (order.kind == Order::plain) {
    order.name = order.name == "seq" ? "tree" : "seq";
  } else if (random.below(3) == 0 && order.parts[0].length() != order.parts[1].length()) {
    order.kind = order.kind == Order::tile ? Order::lanes : Order::tile;
    std::swap(order.parts[0], order.parts[1]);
  } else {
    change(order.parts[random.below(2)], random);
  }
}

/// Whether the two give the same bits for random inputs.
bool equal_bits(Pair& pair, Random& random, std::int64_t m) {
  ir::Module& module = pair.session.module();
  std::vector<interp::Argument> arguments;
  for (const ir::Parameter& parameter : pair.f->parameters) {
    const ir::Type type = module.types()[parameter.type];
    const auto extent = module.indices().evaluate(type.extents[0], {{{module.symbol("m"), m}}, {}});
    ir::HostTensor tensor(type.scalar, {*extent});
    for (std::int64_t i = 0; i < *extent; ++i) {
      const float value = (static_cast<float>(random.below(1 << 24)) - float{1 << 23}) / float{1 << 20};
      tensor.set_bits(i, std::bit_cast<std::uint32_t>(value));
    }
    arguments.emplace_back(std::move(tensor));
  }
  auto semantics = interp::make_semantics("float", {}, {});
  const auto a = interp::evaluate(module, *pair.f, **semantics, arguments);
  const auto b = interp::evaluate(module, *pair.g, **semantics, arguments);
  REQUIRE(a);
  REQUIRE(b);
  return (*semantics)->equal((*a)[0].scalar(), (*a)[0].at(0), (*b)[0].at(0)) == interp::Truth::yes;
}

}  // namespace

TEST_CASE("random orders: what is proved has equal bits, and what was rewritten is proved") {
  Random random(test::stream(11));
  const int pairs = test::trials(150);
  int proved = 0, changed = 0, refuted = 0;
  for (int trial = 0; trial < pairs; ++trial) {
    std::vector<std::string> factors;
    const std::size_t count = 1 + random.below(4);
    for (std::size_t k = 0; k < count; ++k) factors.push_back(fmt::format("{}", 2 + random.below(4)));
    if (random.below(3) != 0) factors[random.below(count)] = "m";
    const Order order = random_order(random, factors, 3);
    Order other = order;
    const bool differs = random.below(3) == 0;
    if (differs) change(other, random);
    Pair pair(circuit("f", order, random) + circuit("g", other, random));
    const bool same = ir::same_operations(pair.session.module(), *pair.f, *pair.g);
    bool equal = true;
    for (const std::int64_t m : {1, 2, 3, 5, 8}) equal = equal && equal_bits(pair, random, m);
    INFO(pair.text);
    if (same) CHECK(equal);
    if (!differs) CHECK(same);
    (differs ? changed : proved) += 1;
    refuted += !equal;
  }
  CHECK(refuted > changed / 2);
  if (test::long_run()) fmt::print("{} pairs, {} changed, {} of them with other bits\n", pairs, changed, refuted);
}
