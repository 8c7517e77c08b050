// Every strategy of placement, and the host's kernels, at 40 ragged sizes each: the kernels obey the verifier, run
// without a report, have the evaluator's bits, and their results are the trees that the schedules state.
#include <random>

#include "kernel/printer.h"
#include "tests/kernel/placed.h"

namespace {

using namespace reckon;
using namespace reckon::test;

constexpr std::size_t sizes_of_each = 40;

/// Ragged lengths between the two, which are among them. Small ones are more likely: what is wrong at the ends of lists
/// is so in short ones, too, and they take less time.
std::vector<std::int64_t> lengths(std::int64_t low, std::int64_t high, std::size_t count = sizes_of_each) {
  std::mt19937_64 random(20261124);
  std::vector<std::int64_t> out{low, high};
  while (out.size() < count) {
    const double uniform = static_cast<double>(random() % 1'000'000) / 1'000'000;
    const double share = uniform * uniform;
    const double size = static_cast<double>(low) * std::pow(static_cast<double>(high) / static_cast<double>(low), share);
    out.push_back(std::clamp(static_cast<std::int64_t>(size), low, high));
  }
  return out;
}

/// A circuit `f`, and what of it is held against trees.
struct Circuit {
  std::string text;
  std::size_t results = 1;               ///< that have a tree
  std::set<std::uint32_t> no_trees = {};  ///< positions of those that are made of several reductions, or of none
  codegen::Target target = codegen::Target::ptx;
};

void try_out(const Circuit& circuit, const Sizes& sizes) {
  std::string said = circuit.text;
  for (const auto& [name, size] : sizes) said += "  " + name + " = " + std::to_string(size);
  INFO(said);
  Placed placed(circuit.text, sizes, circuit.target);
  REQUIRE(placed.broken_rule() == "");
  CHECK(placed.wrong(static_cast<std::uint64_t>(sizes.rbegin()->second), circuit.no_trees) == "");
  CHECK(placed.trees() == circuit.results);
}

constexpr const char* of_blocks[] = {
    "seq",
    "tree",
    "halving",
    "blelloch",
    "lanes(32, tree) then tree",
    "lanes(128, tree) then tree",
    "lanes(96, seq) then tree",
    "lanes(7, tree) then seq",
    "tile(64, seq) then tree",
    "tile(37, tree) then seq",
    "tile(32, tree) then lanes(8, tree) then tree",
};
constexpr const char* by_tree[] = {"tree", "lanes(32, tree) then tree", "lanes(128, tree) then tree"};
constexpr const char* of_products[] = {"fused(seq)", "fused(tree)", "fused(lanes(32, tree) then tree)",
                                       "fused(tile(64, seq) then tree)", "fused(lanes(96, seq) then tree)"};

/// The larger of two numbers, and where it is; the first one of equal ones. Shifted by a constant, it is associative in
/// no order but the stated one: a join that is made twice or left out shows.
const std::string pairs = R"(
fn larger(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
  let (av, ai) = a;
  let (bv, bi) = b;
  (select(bv > av, bv, av) * 0.75, select(bv > av, bi, ai))
}
)";
const std::string sums_of_rows = "fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by ";
const std::string dots_of_rows = "fn f(x: f32[m, n], y: f32[n]) -> f32[m] = for r: sum i: x[r, i] * y[i] by ";
const std::string pairs_of_rows =
    pairs + "fn f(x: f32[m, n]) -> (f32[m], f32[m]) = for r: reduce(larger) i: (x[r, i], f32(i)) by ";
const std::string scan = "fn f(x: f32[n]) -> f32[n] = scan(add) i: x[i] by ";

}  // namespace

TEST_CASE("many runs of a product with few results are folded by tiles") {
  const std::string text =
      "fn f(a: f32[m, k], b: f32[n, k]) -> f32[m, n] = for i, j: sum l: a[i, l] * b[j, l] by tile(16, seq) then tree";
  const Sizes sizes{{"m", 33}, {"n", 40}, {"k", 16 * 65 + 3}};
  try_out({.text = text, .results = 33 * 40}, sizes);
  CHECK(Placed(text, sizes).plan().kernels.size() == 2);
}

TEST_CASE("strategies: a thread for each reduction") {
  for (const std::int64_t n : lengths(1, 255)) {
    const Sizes sizes{{"m", 67}, {"n", n}};
    for (const std::string order : of_blocks) try_out({sums_of_rows + order, 67}, sizes);
    for (const std::string order : of_blocks) try_out({pairs_of_rows + order, 67, {1}}, sizes);
    for (const std::string order : of_products) try_out({dots_of_rows + order, 67}, sizes);
  }
}

TEST_CASE("strategies: a block for each reduction") {
  for (const std::int64_t n : lengths(256, 3000)) {
    const Sizes sizes{{"m", 2}, {"n", n}};
    for (const std::string order : of_blocks) try_out({sums_of_rows + order, 2}, sizes);
    for (const std::string order : of_blocks) try_out({pairs_of_rows + order, 2, {1}}, sizes);
    for (const std::string order : of_products) try_out({dots_of_rows + order, 2}, sizes);
  }
}

TEST_CASE("strategies: a block reads ahead for one chain") {
  for (const std::int64_t n : lengths(32, 3000)) {
    try_out({"fn f(x: f32[n]) -> f32 = sum i: x[i] by seq"}, {{"n", n}});
  }
}

TEST_CASE("strategies: leaves of many lists through shared memory") {
  const std::string dots =
      "fn f(x: f32[m, k, n], y: f32[m, n]) -> f32[m, k] = for g, j: sum e: x[g, j, e] * y[g, e] by ";
  const std::string side = "fn f(x: f32[k, n], y: f32[m, n]) -> f32[m, k] = for g, j: sum e: y[g, e] * x[j, e] by ";
  const std::string turned = "fn f(x: f32[k, n], y: f32[m, n]) -> f32[k, m] = for j, g: sum e: y[g, e] * x[j, e] by ";
  const std::string two = "fn f(x: bf16[m, k, n]) -> f32[m, k] = for g, j: sum e: f32(x[g, j, e]) by ";
  for (const std::int64_t n : {32, 35, 82}) {
    const Sizes sizes{{"m", 3}, {"k", 342}, {"n", n}};
    const auto results = static_cast<std::size_t>(3 * 342);
    for (const std::string& text : {dots + "fused(seq)", side + "fused(seq)", turned + "fused(seq)", two + "seq"}) {
      try_out({text, results}, sizes);
      const auto plan = Placed(text, sizes).plan();
      REQUIRE(plan.kernels.size() == 1);
      CHECK(plan.kernels[0].threads == 128);
    }
  }
}

TEST_CASE("strategies: runs of many lists through shared memory") {
  const std::string text = "fn f(x: f32[k, n], y: f32[m, n]) -> f32[m, k] = for g, j: sum e: y[g, e] * x[j, e] by ";
  for (const std::int64_t n : {256, 300, 385}) {
    for (const std::string order : {"tile(128, fused(seq)) then seq", "tile(128, fused(seq)) then tree"}) {
      const Sizes sizes{{"m", 2}, {"k", 300}, {"n", n}};
      try_out({text + order, 600}, sizes);
      CHECK(Placed(text + order, sizes).plan().kernels.size() == (n % 128 == 0 ? 2 : 3));
    }
  }
}

TEST_CASE("strategies: sums by key of numbers that have any order") {
  // Keys are spread, or all the same one; some are no item's, and some items have no leaf.
  for (const std::int64_t n : {4096, 4099, 7777, 21001}) {
    for (const std::string k : {"2", "37", "300", "6500"}) {
      for (const std::string sum : {"i32(x[i] * 9 + 20) == i32(a): i32(1)", "i32(0 * x[i]) == i32(a): u32(7) by seq",
                                    "i32(x[i] * 9 + 20) == i32(a + 2): i64(x[n - 1 - i] * 1000)"}) {
        const std::string type = sum.substr(sum.find(": ") + 2, 3);
        const std::string text = "fn f(x: f32[n]) -> " + type + "[" + k + "] = for a < " + k + ": sum i where " + sum;
        try_out({text, 0, {0}}, {{"n", n}});
        const auto plan = Placed(text, {{"n", n}}).plan();
        CHECK(
            (plan.kernels.size() >= 2 && plan.kernels[0].name.ends_with("_parts") && plan.kernels[0].threads == 1024));
      }
    }
  }
}

TEST_CASE("strategies: sums by key in order") {
  // Keys are spread, or all the same one; some are no item's, and some items have no leaf. A sum of leaves that are all
  // -0 is -0 only if no leaf is left out.
  // Each sum meets each number of keys, and the lengths by turns: a run takes a second.
  constexpr std::int64_t turns[] = {16384, 16385, 20011};
  std::size_t turn = 0;
  for (const std::string k : {"2", "37", "300", "3000"}) {
    for (const std::string sum :
         {"i32(x[i] * 9 + 20) == i32(a): x[n - 1 - i]", "i32(0 * x[i]) == i32(a): x[i] + 1",
          "i32(x[i] * 2) + 1 == i32(a): -0.0 * abs(x[i])", "i32(0 * x[i]) + 1 == i32(a): -0.0 * abs(x[i])"}) {
      const std::int64_t n = turns[turn++ % std::size(turns)];
      const std::string text = "fn f(x: f32[n]) -> f32[" + k + "] = for a < " + k + ": sum i where " + sum + " by seq";
      try_out({text, 0, {0}}, {{"n", n}});
      const auto plan = Placed(text, {{"n", n}}).plan();
      CHECK((plan.kernels.size() == 4 && plan.kernels[2].name.ends_with("_sorted")));
    }
  }
  const Sizes sizes{{"n", 16500}};
  try_out(
      {"fn f(x: f32[n]) -> f64[9] = for a < 9: (sum i where i32(x[i] * 4) == i32(a): f64(x[i]) by seq) / 7", 0, {0}},
      sizes);
  try_out({"fn f(x: f32[n]) -> f16[90] = for a < 90: sum i where i32(x[i] * 40) == i32(a): f16(x[i]) by seq", 0, {0}},
          sizes);
}

TEST_CASE("strategies: sums by key by trees of lanes") {
  const std::string few = "i32(x[i] * 9 + 20) == i32(a): x[n - 1 - i]", many = "i32(x[i] * 700 + 1500) == i32(a): x[i]",
                    one = "i32(0 * x[i]) == i32(a): x[i] + 1", zeros = "i32(x[i] * 2) + 1 == i32(a): -0.0 * abs(x[i])";
  const auto check = [](const std::string& sum, const std::string& order, std::int64_t n) {
    const std::string text =
        "fn f(x: f32[n]) -> f32[3000] = for a < 3000: sum i where " + sum + " by " + order + " then tree";
    try_out({text, 0, {0}}, {{"n", n}});
    const auto plan = Placed(text, {{"n", n}}).plan();
    CHECK((plan.kernels.size() == 4 && plan.kernels[2].name.ends_with("_sorted")));
  };
  check(zeros, "lanes(32, tree)", 16711);
  check(few, "lanes(32, tree)", 16999);
  check(one, "lanes(128, tree)", 17000);
  check(many, "lanes(64, tree)", 16896);
}

TEST_CASE("strategies: a grid for one reduction") {
  // In turn: a run takes a while.
  std::size_t turn = 0;
  for (const std::int64_t n : lengths(32'769, 60'000)) {
    const bool fuses = turn % 2 == 1;
    const std::string order = by_tree[turn++ / 2 % std::size(by_tree)];
    try_out({"fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by " + (fuses ? "fused(" + order + ")" : order)},
            {{"n", n}});
  }
}

TEST_CASE("strategies: columns for warps") {
  for (const std::int64_t m : lengths(256, 1200)) {
    for (const std::string order : by_tree) {
      try_out({"fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by " + order, 37}, {{"m", m}, {"n", 37}});
    }
  }
}

TEST_CASE("strategies: columns whose lanes have leaves of known number") {
  const std::string sums = "fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by ";
  const std::string dots = "fn f(x: f32[m, n], y: f32[m]) -> f32[n] = for c: sum r: x[r, c] * y[r] by ";
  // Lanes of 64 leaves, of one more or less, and with a last one that some lack: a counter has groups of 64.
  for (const std::int64_t m : {513, 516, 767, 768, 769, 900}) {
    for (const std::string order : {"lanes(4, tree) then tree", "lanes(4, tree) then seq"})
      try_out({sums + order, 5}, {{"m", m}, {"n", 5}});
  }
  // Few columns are shared if they are short, too.
  for (const std::int64_t m : {64, 100, 129}) {
    for (const std::string order : by_tree) {
      const std::string means = "fn f(x: f32[m, n]) -> f32[n] = for c: (sum r: x[r, c] by " + order + ") / 3";
      try_out({means, 37}, {{"m", m}, {"n", 37}});
      const auto plan = Placed(means, {{"m", m}, {"n", 37}}).plan();
      CHECK((plan.kernels.size() == 1 && plan.kernels[0].threads > 32));
    }
  }
  // A warp has several lanes.
  for (const std::int64_t m : {256, 300, 1000}) {
    for (const std::string order : {"fused(lanes(128, tree) then tree)", "fused(lanes(64, tree) then tree)"})
      try_out({dots + order, 37}, {{"m", m}, {"n", 37}});
  }
}

TEST_CASE("strategies: tiles") {
  constexpr const char* orders[] = {"seq", "fused(seq)", "tile(16, seq) then tree", "fused(tile(16, seq) then tree)"};
  std::int64_t turn = 0;
  for (const std::int64_t k : lengths(16, 80)) {
    const std::int64_t m = 33 + turn % 40, n = 72 - turn % 40;
    ++turn;
    for (const std::string order : orders) {
      try_out({"fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by " + order,
               static_cast<std::size_t>(m * n)},
              {{"k", k}, {"m", m}, {"n", n}});
    }
  }
}

TEST_CASE("strategies: tiles whose results nothing asks for are left out") {
  const std::string sum = "(sum p: a[i, p] * b[p, j] by fused(seq))";
  for (const std::string& element :
       {"select(j <= i, " + sum + " * 0.5, -1)", "exp(select(i < j + 40 and j <= i, 2 * " + sum + ", 3))",
        "select(not (j < i), " + sum + ", 0)", "select(j <= i, 1, " + sum + ")", "select(i * j < 50, " + sum + ", 0)",
        "select(j <= i, " + sum + ", 1) + " + sum, "select(j <= i, a[i, 0], 1) * " + sum}) {
    for (const auto& [m, n] : {std::pair{200, 140}, std::pair{70, 150}}) {
      try_out({"fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: " + element, 0, {0}},
              {{"m", m}, {"n", n}, {"k", 35}});
    }
  }
  // Columns before rows, and a condition on a third index.
  try_out({"fn f(a: f32[m, k], b: f32[k, n]) -> f32[n, m] = "
           "for j, i: select(j <= i, sum p: a[i, p] * b[p, j] by fused(seq), 2)",
           0,
           {0}},
          {{"m", 70}, {"n", 150}, {"k", 35}});
  try_out({"fn f(a: f32[h, m, k], b: f32[h, k, n]) -> f32[h, m, n] = "
           "for g, i, j: select(j <= i + 40 * g, sum p: a[g, i, p] * b[g, p, j] by seq, 2)",
           0,
           {0}},
          {{"h", 3}, {"m", 40}, {"n", 150}, {"k", 20}});
}

TEST_CASE("strategies: tiles of convolutions, whose positions are one side together") {
  struct Convolution {
    std::string text;
    Sizes sizes;
    std::size_t results;
  };
  const Convolution convolutions[] = {
      {"fn f(x: f32[b, c, h, w], k: f32[o, c, r, s]) -> f32[b, o, h - r + 1, w - s + 1] = "
       "for a, j, y < h - r + 1, z < w - s + 1: "
       "sum i < c, u < r, v < s: x[a, i, y + u, z + v] * k[j, i, u, v] by fused(seq)",
       {{"b", 2}, {"c", 3}, {"h", 9}, {"w", 8}, {"o", 35}, {"r", 3}, {"s", 2}},
       2 * 35 * 7 * 7},
      // The channels last, two steps at a time, three apart, and zeros around.
      {"fn f(x: f32[b, 2 * h, 2 * w, c], k: f32[r, s, c, o]) -> f32[b, h, w, o] = for a, y, z, j: "
       "sum u < r, v < s, i < c: select(2 * y + 3 * u >= 3 and 2 * y + 3 * u < 2 * h + 3 and 2 * z + 3 * v >= 3 and "
       "2 * z + 3 * v < 2 * w + 3, x[a, max(min(2 * y + 3 * u - 3, 2 * h - 1), 0), "
       "max(min(2 * z + 3 * v - 3, 2 * w - 1), 0), i], 0) * k[u, v, i, j] by fused(seq)",
       {{"b", 3}, {"c", 2}, {"h", 5}, {"w", 6}, {"o", 40}, {"r", 3}, {"s", 3}},
       3 * 5 * 6 * 40},
      // In groups: each has channels and filters of its own.
      {"fn f(x: f32[b, g, c, n], k: f32[g, o, c, r]) -> f32[b, g, o, n - r + 1] = for a, q, j, y < n - r + 1: "
       "sum i < c, u < r: x[a, q, i, y + u] * k[q, j, i, u] by seq",
       {{"b", 5}, {"c", 4}, {"g", 2}, {"n", 20}, {"o", 34}, {"r", 4}},
       5 * 2 * 34 * 17},
      {"fn f(x: f32[b, c, l, h, w], k: f32[o, c, r, r, r]) -> f32[b, o, l - r + 1, h - r + 1, w - r + 1] = "
       "for a, j, t < l - r + 1, y < h - r + 1, z < w - r + 1: sum i < c, p < r, u < r, v < r: "
       "x[a, i, t + p, y + u, z + v] * k[j, i, p, u, v] by tile(16, seq) then tree",
       {{"b", 2}, {"c", 3}, {"h", 5}, {"l", 5}, {"o", 33}, {"r", 2}, {"w", 4}},
       2 * 33 * 4 * 4 * 3},
      // A product for each of many short sequences.
      {"fn f(x: f32[b, m, k], y: f32[n, k]) -> f32[b, m, n] = for a, i, j: sum l: x[a, i, l] * y[j, l] by fused(seq)",
       {{"b", 9}, {"k", 19}, {"m", 11}, {"n", 33}},
       9 * 11 * 33},
  };
  for (const Convolution& each : convolutions) {
    try_out({each.text, each.results}, each.sizes);
    const auto plan = Placed(each.text, each.sizes).plan();
    CHECK(plan.kernels[0].items.size() <= 4);
    CHECK(plan.kernels[0].threads == 128);
  }
}

TEST_CASE("strategies: long columns of which there are few") {
  // Runs of 32 leaves of a lane for each thread; what is left of the order joins them.
  for (const std::int64_t m : {std::int64_t{1 << 16}, std::int64_t{74'321}}) {
    for (const std::string order : {"tree", "lanes(32, tree) then tree", "lanes(4, tree) then seq"}) {
      const std::string text = "fn f(x: f32[m, n]) -> f32[n] = for j: sum i: x[i, j] by " + order;
      Placed placed(text, {{"m", m}, {"n", 8}});
      INFO(text << ", m = " << m);
      CHECK(placed.plan().kernels[0].name.ends_with("_parts"));
      CHECK(placed.broken_rule() == "");
      CHECK(placed.wrong(7, {}) == "");
      CHECK(placed.trees() >= 1);
    }
  }
}

TEST_CASE("strategies: rows") {
  // What is left of a row is held against the evaluator's bits alone: by a butterfly its threads have the row's sum with
  // operands the other way round, where that is the same to the bit.
  const std::string norm = R"(fn f(x: f32[m, n]) -> (f32[m], f32[m, n]) {
  let s = for i: sum j: x[i, j] by )";
  const std::string softmax = R"(fn f(x: f32[m, n]) -> (f32[m], f32[m], f32[m, n]) {
  let top = for i: max j: x[i, j] by tree;
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by )";
  // Functions that are longer than exp keep a long row in shared memory.
  const std::string waves = R"(fn f(x: f32[m, n]) -> (f32[m], f32[m], f32[m, n]) {
  let top = for i: max j: x[i, j] by tree;
  let e = for i, j: sin(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by )";
  std::size_t turn = 0;
  std::vector<std::int64_t> all = lengths(256, 2500);
  for (const std::int64_t few : lengths(32, 300)) all.push_back(few);
  for (const std::int64_t ragged : all) {
    // Every fourth row has a power of two of elements, and stays in registers or in shared memory.
    const std::int64_t n = turn % 4 == 0 ? std::int64_t{1} << (8 + turn / 4 % 5) : ragged;
    ++turn;
    for (const std::string order : by_tree) {
      try_out({norm + order + ";\n  (s, for i, j: x[i, j] / s[i])\n}", 2, {1}}, {{"m", 2}, {"n", n}});
      for (const std::string& steps : {softmax, waves}) {
        try_out({steps + order + ";\n  (top, s, for i, j: e[i, j] / s[i])\n}", 4, {2}}, {{"m", 2}, {"n", n}});
      }
    }
  }
}

TEST_CASE("strategies: long rows are copied to shared memory") {
  const std::string text = R"(fn f(x: f32[m, n]) -> (f32[m], f32[m], f32[m, n]) {
  let top = for i: max j: x[i, j];
  let s = for i: sum j: x[i, j] - top[i] by )";
  for (const std::int64_t n : {33'001, 36'000}) {
    for (const std::string order : {"tree", "lanes(128, tree) then tree"}) {
      const std::string whole = text + order + ";\n  (top, s, for i, j: x[i, j] * s[i])\n}";
      // If so few rows were known, all blocks would share each.
      Placed placed(whole, {{"n", n}}, codegen::Target::ptx, ir::Forms::standard(), {{"m", 2}});
      REQUIRE(placed.plan().kernels.size() == 1);
      CHECK(placed.plan().kernels[0].shared_bytes >= 4 * n);
      REQUIRE(placed.broken_rule() == "");
      CHECK(placed.wrong(static_cast<std::uint64_t>(n), {2}) == "");
      CHECK(placed.trees() == 4);
    }
  }
}

TEST_CASE("strategies: runs for blocks") {
  constexpr const char* orders[] = {"tile(1024, lanes(256, seq) then tree) then tree",
                                    "tile(1024, tree) then lanes(8, tree) then tree", "tile(1100, halving) then seq"};
  for (const std::int64_t n : lengths(17'600, 24'000)) {
    for (const std::string order : orders) {
      Placed placed("fn f(x: f32[n]) -> f32 = sum i: x[i] by " + order, {{"n", n}});
      CHECK(placed.plan().kernels.size() >= 2);
      try_out({"fn f(x: f32[n]) -> f32 = sum i: x[i] by " + order}, {{"n", n}});
    }
  }
}

TEST_CASE("strategies: scans") {
  for (const std::int64_t n : lengths(1, 200)) {
    const auto results = static_cast<std::size_t>(n);
    for (const std::string order : of_blocks) {
      try_out({scan + order, results}, {{"n", n}});
      try_out({pairs + "fn f(x: f32[n]) -> (f32[n], f32[n]) = scan(larger) i: (x[i], f32(i)) by " + order, results, {1}},
              {{"n", n}});
    }
  }
}

TEST_CASE("strategies: scans in chunks, and in tiles of several kernels") {
  constexpr const char* of_tiles[] = {"tile(64, seq) then seq",       "tile(64, seq) then tree",
                                      "tile(50, seq) then blelloch",  "tile(100, tree) then seq",
                                      "tile(64, tree) then blelloch", "tile(300, blelloch) then tree"};
  constexpr const char* of_lists[] = {"seq", "tree", "blelloch"};
  const std::string rows = "fn f(x: f32[m, n]) -> f32[m, n] = for r: scan(add) i: x[r, i] by ";
  const std::string columns = "fn f(x: f32[n, m]) -> f32[m, n] = for r: scan(add) i: x[i, r] by ";
  const std::string rows_of_pairs =
      pairs + "fn f(x: f32[m, n]) -> (f32[m, n], f32[m, n]) = for r: scan(larger) i: (x[r, i], f32(i)) by ";
  for (const std::int64_t n : lengths(201, 1000, 5)) {
    const Sizes sizes{{"m", 3}, {"n", n}};
    const auto results = static_cast<std::size_t>(3 * n);
    for (const std::string order : of_tiles) {
      CHECK(Placed(rows + order, sizes).plan().kernels.size() >= (n > 300 ? 3U : 1U));
      try_out({rows + order, results}, sizes);
      try_out({rows_of_pairs + order, results, {1}}, sizes);
    }
    for (const std::string order : of_lists) {
      try_out({rows + order, results}, sizes);
      try_out({columns + order, results}, sizes);
      try_out({rows_of_pairs + order, results, {1}}, sizes);
    }
  }
  // One long list is gone through in tiles, too.
  CHECK(Placed(scan + "blelloch", {{"n", 8'256}}).plan().kernels.size() == 3);
  try_out({scan + "blelloch", 8'256}, {{"n", 8'256}});
}

TEST_CASE("strategies: one kernel scans the tiles of long lists by `tree`") {
  CHECK(Placed(scan + "tree", {{"n", 8'193}}).plan().kernels.size() == 1);
  try_out({scan + "tree", 8'193}, {{"n", 8'193}});
  // One code for all lengths.
  for (const std::int64_t n : {1, 33, 4'096, 6'000}) {
    INFO(n);
    Placed placed(scan + "tree", {}, codegen::Target::ptx, ir::Forms::standard(), {{"n", n}});
    CHECK(placed.plan().kernels.size() == 1);
    CHECK(placed.broken_rule() == "");
    CHECK(placed.wrong(1) == "");
  }
  // Neither commutes nor associates, once it is rounded.
  const std::string maps =
      "type map = (a: f32, b: f32)\n"
      "fn then(f: map, g: map) -> map = (f.a * g.a, f.b * g.a + g.b)\n"
      "fn f(x: f32[n]) -> (f32[n], f32[n]) = scan(then) i: (x[i], x[i]) by tree";
  CHECK(Placed(maps, {{"n", 8'195}}).plan().kernels.size() == 1);
  try_out({maps, 8'195, {1}}, {{"n", 8'195}});
}

TEST_CASE("strategies: nodes of any size are scanned in tiles by all kernels or none") {
  for (int parts = 2; parts <= 12; ++parts) {
    const auto list = [&](const std::string& before, const std::string& after, bool numbered) {
      std::string out;
      for (int k = 0; k < parts; ++k) {
        out += (k == 0 ? "" : ", ") + before + (numbered ? std::to_string(k) : "") + after;
      }
      return out;
    };
    const std::string type = "(" + list("f64", "", false) + ")";
    std::string sums;
    for (int k = 0; k < parts; ++k) sums += (k == 0 ? "a" : ", a") + std::to_string(k) + " + b" + std::to_string(k);
    const std::string text = "fn both(a: " + type + ", b: " + type + ") -> " + type + " { let (" + list("a", "", true) +
                             ") = a; let (" + list("b", "", true) + ") = b; (" + sums + ") }\nfn f(x: f64[m, n]) -> (" +
                             list("f64[m, n]", "", false) + ") = for i: scan(both) j: (" + list("x[i, j]", "", false) +
                             ") by tile(64, seq) then seq";
    for (const std::int64_t m : {1, 300, 100'000}) {
      INFO(parts << " parts, " << m << " rows");
      Placed placed(text, {{"m", m}, {"n", 1000}});
      std::size_t of_scan = 0, of_blocks = 0;
      for (const codegen::Kernel& kernel : placed.plan().kernels) {
        const bool is_one =
            kernel.outputs == static_cast<std::uint32_t>(parts) && kernel.name.find("_0") != std::string::npos;
        of_scan += is_one ? 1 : 0;
        of_blocks += is_one && kernel.block_items > 0 ? 1 : 0;
      }
      CHECK((of_scan == 3 ? of_blocks == 3 : of_scan == 1));
    }
  }
}

TEST_CASE("strategies: accumulators, of which exact ones have no tree") {
  const std::string sum = "fn f(x: f32[n]) -> f32 = sum i: x[i] by ";
  for (const std::int64_t n : lengths(1, 700)) {
    for (const std::string order : {"kahan", "neumaier(tree)", "neumaier(lanes(32, seq) then tree)"}) {
      try_out({sum + order}, {{"n", n}});
    }
    for (const std::string order : {"rounded_once", "binned(2)"}) try_out({sum + order, 0, {0}}, {{"n", n}});
  }
}

TEST_CASE("strategies: the host") {
  for (const std::int64_t n : lengths(1, 900)) {
    const auto host = [&](const std::string& text, std::size_t results, const std::set<std::uint32_t>& no_trees = {}) {
      const bool has_rows = text.find("m, n") != std::string::npos;
      try_out({text, results, no_trees, codegen::Target::host}, has_rows ? Sizes{{"m", 3}, {"n", n}} : Sizes{{"n", n}});
    };
    const auto results = static_cast<std::size_t>(n);
    for (const std::string order : of_blocks) {
      host(sums_of_rows + order, 3);
      host(pairs_of_rows + order, 3, {1});
      if (n <= 200) host("fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by " + order, results);
      if (n <= 200) host(scan + order, results);
    }
    for (const std::string order : of_products) host(dots_of_rows + order, 3);
  }
}

TEST_CASE("strategies: scans and columns on the host") {
  constexpr const char* of_scans[] = {"seq",
                                      "tree",
                                      "blelloch",
                                      "tile(7, seq) then seq",
                                      "tile(16, seq) then tree",
                                      "tile(5, tree) then blelloch",
                                      "tile(8, blelloch) then seq",
                                      "tile(6, blelloch) then blelloch"};
  const auto host = [](const std::string& text, std::size_t results, const Sizes& sizes,
                       const std::set<std::uint32_t>& no_trees = {}) {
    try_out({text, results, no_trees, codegen::Target::host}, sizes);
  };
  for (const std::int64_t n : lengths(1, 700)) {
    for (const std::string order : of_scans) {
      host(scan + order, static_cast<std::size_t>(n), {{"n", n}});
      host(pairs + "fn f(x: f32[n]) -> (f32[n], f32[n]) = scan(larger) i: (x[i], f32(i)) by " + order,
           static_cast<std::size_t>(n), {{"n", n}}, {1});
    }
  }
  // Several dozen columns are computed together, and what is left of them.
  constexpr const char* of_columns[] = {"tree", "lanes(128, tree) then tree", "lanes(4, tree) then seq"};
  constexpr std::int64_t columns[] = {8, 9, 64, 260};
  std::size_t turn = 0;
  for (const std::int64_t n : lengths(1, 3000)) {
    for (const std::string order : of_columns) {
      const std::int64_t m = columns[turn++ % std::size(columns)];
      const Sizes sizes{{"m", m}, {"n", n}};
      host("fn f(x: f32[n, m]) -> f32[m] = for c: sum r: x[r, c] by " + order, static_cast<std::size_t>(m), sizes);
      host("fn f(x: f64[n, 2, m]) -> f64[2, m] = for b, c: max r: x[r, b, c] by " + order,
           static_cast<std::size_t>(2 * m), sizes);
    }
  }
}

TEST_CASE("strategies: products on the host, several elements side by side") {
  struct Shape {
    std::int64_t m, k, n;
  };
  const Shape shapes[] = {{1, 1, 1},  {3, 2, 5},   {4, 3, 16},   {5, 7, 17},   {9, 4, 33},  {66, 3, 18}, {70, 2, 40},
                          {8, 1, 64}, {64, 5, 16}, {65, 33, 31}, {130, 2, 15}, {1, 70, 50}, {40, 9, 1}};
  const std::string product = "fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by ";
  const std::string of_rows = "fn f(a: f32[m, k], b: f32[n, k]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[j, p] by ";
  const std::string batches =
      "fn f(a: f32[b, m, k], c: f32[b, k, n]) -> f32[b, m, n] = for z, i, j: sum p: a[z, i, p] * c[z, p, j] by ";
  std::vector<std::string> orders{"seq", "tree", "halving", "lanes(7, tree) then seq"};
  orders.insert(orders.end(), std::begin(of_products), std::end(of_products));
  for (const auto& [m, k, n] : shapes) {
    const auto results = static_cast<std::size_t>(m * n);
    for (const std::string& order : orders) {
      try_out({product + order, results, {}, codegen::Target::host}, {{"m", m}, {"k", k}, {"n", n}});
    }
    try_out({of_rows + "fused(seq)", results, {}, codegen::Target::host}, {{"m", m}, {"k", k}, {"n", n}});
    if (m * n < 500) {
      try_out({batches + "fused(seq)", 3 * results, {}, codegen::Target::host},
              {{"b", 3}, {"m", m}, {"k", k}, {"n", n}});
    }
  }
}

TEST_CASE("strategies: tiles of products on the host") {
  struct Shape {
    std::int64_t m, k, n;
  };
  // Several blocks of leaves, groups of 12, 6 and 4 rows with rows left over, panels with columns left over.
  const Shape shapes[] = {{17, 260, 16}, {5, 300, 45}, {31, 40, 70}, {4, 513, 33}};
  const std::string of_matrices = "fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: ";
  const std::pair<std::string, bool> circuits[] = {
      {of_matrices + "sum p: a[i, p] * b[p, j] by seq", true},
      {of_matrices + "sum p: a[i, p] * b[p, j] by fused(seq)", true},
      {of_matrices + "sum p: a[i, p] * b[p, j] by tile(100, fused(seq)) then seq", true},
      {of_matrices + "sum p: a[i, p] * b[p, j] by tile(64, seq) then seq", true},
      {of_matrices + "max p: a[i, p] + b[p, j] by seq", true},
      {of_matrices + "max(2 * (sum p: a[i, p] * b[p, j] by fused(seq)), 0) + a[i, 0]", false},
      {"fn f(a: f64[k, m], b: f64[n, k]) -> f64[m, n] = for i, j: sum p: (a[p, i] - b[j, p]) * (a[p, i] - b[j, p]) by "
       "seq",
       true},
      {"fn f(a: f32[k, m], b: f32[k, n]) -> f32[n, m] = for j, i: sum p: a[p, i] * b[p, j] by fused(seq)", true}};
  for (const auto& [m, k, n] : shapes) {
    const auto results = static_cast<std::size_t>(m * n);
    const Sizes sizes{{"m", m}, {"k", k}, {"n", n}};
    for (const auto& [text, has_trees] : circuits) {
      const std::string kernels = kernel::print(Placed(text, sizes, codegen::Target::host).program());
      const bool few_columns = text.find("for j, i") != std::string::npos && m < 16;
      CHECK((kernels.find("chains ") != std::string::npos) == !few_columns);
      try_out({text, has_trees ? results : 0, has_trees ? std::set<std::uint32_t>{} : std::set<std::uint32_t>{0},
               codegen::Target::host},
              sizes);
    }
  }
  // Sizes that nothing is known of, down to a single result.
  for (const auto& [m, k, n] : {Shape{1, 1, 1}, Shape{3, 2, 40}, Shape{14, 257, 9}}) {
    Placed placed(circuits[1].first, {}, codegen::Target::host, ir::Forms::standard(), {{"m", m}, {"k", k}, {"n", n}});
    CHECK(placed.broken_rule() == "");
    CHECK(placed.wrong(1) == "");
    CHECK(placed.trees() == static_cast<std::size_t>(m * n));
  }
}

TEST_CASE("strategies: what goes side by side on the host") {
  Sizes sizes{{"m", 64}, {"k", 64}, {"n", 64}};
  const auto steps = [&](const std::string& text) {
    const std::string kernels = kernel::print(Placed(text, sizes, codegen::Target::host).program());
    std::string out;
    for (const char* step : {" step 4 ", " step 16 ", " step 8 ", " step 64 "}) {
      if (kernels.find(step) != std::string::npos) out += step;
    }
    return out;
  };
  // Larger products go by tiles.
  sizes["k"] = 15;
  CHECK(steps("fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by seq") ==
        " step 4  step 16 ");
  sizes["k"] = 64;
  // Trees of columns are joined several dozen at a time, in loops of their own (codegen/lower/column_rows.h).
  CHECK(steps("fn f(a: f64[m, k], b: f64[k, n]) -> f64[m, n] = for i, j: sum p: a[i, p] * b[p, j] by tree") == "");
  CHECK(steps("fn f(a: f32[m, k]) -> f32[k] = for j: sum i: a[i, j] by seq") == " step 64 ");
  CHECK(steps("fn f(a: f32[m, k]) -> f32[m] = for i: sum j: a[i, j] by seq") == " step 8 ");
  // Rounds that go different ways, that have no chains, or whose steps are long, go one after the other.
  CHECK(steps("fn f(a: f32[m, k]) -> f32[m, k] = for i, j: a[i, j] + 1") == "");
  CHECK(steps("fn f(a: f32[m, k]) -> f32[k] = for j: sum i < j + 1: a[i, j] by seq") == "");
  CHECK(steps("fn f(a: f32[m, k]) -> f32[k] = for j: sum i: exp(a[i, j]) by seq") == "");
}

TEST_CASE("strategies: tiles of elements that are turned") {
  struct Turned {
    std::string text;
    std::vector<Sizes> sizes;
  };
  for (const Turned& each :
       {Turned{
            "fn f(x: f32[n, m]) -> f32[m, n] = for i, j: x[j, i]",
            {{{"m", 256}, {"n", 256}}, {{"m", 31}, {"n", 2200}}, {{"m", 2731}, {"n", 24}}, {{"m", 33}, {"n", 2049}}}},
        Turned{"fn f(x: bf16[n, m], y: bf16[m, n], z: f32[n]) -> bf16[m, n] = "
               "for i, j: bf16(f32(x[j, i] + y[i, j]) * z[j])",
               {{{"m", 256}, {"n", 320}}, {{"m", 65}, {"n", 1009}}, {{"m", 1055}, {"n", 63}}}},
        Turned{"fn f(x: f8e4m3[n, m]) -> f8e4m3[m, n] = for i, j: x[j, i]", {{{"m", 257}, {"n", 256}}}},
        Turned{"fn f(x: f64[n, m], y: f64[n, m]) -> f64[m, n] = for i, j: x[n - 1 - j, i] - y[j, m - 1 - i]",
               {{{"m", 301}, {"n", 222}}}},
        Turned{"fn f(x: f32[b, n, m]) -> f32[m, b, n] = for i, a, j: x[a, j, i] + f32(j)",
               {{{"b", 3}, {"m", 64}, {"n", 345}}, {{"b", 2}, {"m", 1000}, {"n", 33}}}}}) {
    for (const Sizes& sizes : each.sizes) {
      for (const bool are_late : {false, true}) {
        INFO(each.text << (are_late ? ", sizes known late" : ""));
        Placed placed(each.text, are_late ? Sizes{} : sizes, codegen::Target::ptx, ir::Forms::standard(),
                      are_late ? sizes : Sizes{});
        const auto found = placed.choices({});
        REQUIRE(found);
        CHECK(std::ranges::any_of(found->choices,
                                  [](const codegen::Choice& choice) { return choice.of.ends_with(".turned"); }));
        CHECK(placed.broken_rule() == "");
        CHECK(placed.wrong(7, {0}) == "");
      }
    }
  }
}

TEST_CASE("strategies: elements that are not turned") {
  for (const auto& [text, sizes] : std::initializer_list<std::pair<std::string, Sizes>>{
           {"fn f(x: f32[n, m]) -> f32[m, n] = for i, j: x[j, i]", {{"m", 20}, {"n", 5000}}},          // narrow tiles
           {"fn f(x: f32[n, m]) -> f32[m, n] = for i, j: x[j, i]", {{"m", 200}, {"n", 300}}},          // few elements
           {"fn f(x: f32[n, m]) -> f32[n, m] = for i, j: x[i, j]", {{"m", 400}, {"n", 300}}},          // in order
           {"fn f(x: f32[n, 2 * m]) -> f32[n, m] = for i, j: x[i, 2 * j]", {{"m", 400}, {"n", 300}}},  // no neighbours
           {"fn f(x: f32[m, n], k: i32[n] < m) -> f32[m, n] = for i, j: x[k[j], j] + f32(i)",
            {{"m", 400}, {"n", 300}}}}) {
    INFO(text);
    Placed placed(text, sizes);
    const auto found = placed.choices({});
    REQUIRE(found);
    CHECK(std::ranges::none_of(found->choices,
                               [](const codegen::Choice& choice) { return choice.of.ends_with(".turned"); }));
  }
}

TEST_CASE("strategies: folds whose joins depend on the place of the result") {
  for (const std::string step : {"f32(1)", "x[j] * f32(j) + e", "x[j] + y[j]"}) {
    const std::string text = step == "x[j] + y[j]"
                                 ? "fn step(x: f32[l], y: f32[l]) -> f32[l] = for j < l: x[j] + y[j]\n"
                                   "fn f(x: f32[n], z: f32[n, n]) -> f32[n] = fold(step, x) i < n: for j < n: z[j, i]"
                                 : "fn step(x: f32[l], e: f32) -> f32[l] = for j < l: " + step +
                                       "\nfn f(x: f32[n], z: f32[n]) -> f32[n] = fold(step, x) i < n: z[i]";
    for (const std::int64_t n : {31, 32, 40, 150}) {
      INFO(text << ", n = " << n);
      Placed placed(text, {{"n", n}});
      CHECK(placed.broken_rule() == "");
      CHECK(placed.wrong(7, {0}) == "");
    }
  }
}
