// Trees that are known, seen through their sums alone.
#include <catch2/catch.hpp>

#include "diagnostics/codes/box_unusable.h"
#include "reveal/scale.h"
#include "tests/reveal/sums.h"

using namespace reckon;
using namespace reckon::reveal;
using namespace reckon::reveal::test;

namespace {

Tree left_fold(std::size_t n) {
  Tree out{0, {}};
  for (std::size_t k = 1; k < n; ++k) out = Tree{0, {out, Tree{k, {}}}};
  return out;
}
Tree right_fold(std::size_t n) {
  Tree out{n - 1, {}};
  for (std::size_t k = n - 1; k-- > 0;) out = Tree{0, {Tree{k, {}}, out}};
  return out;
}
Tree balanced(std::size_t first, std::size_t n) {
  if (n == 1) return {first, {}};
  return {0, {balanced(first, n / 2), balanced(first + n / 2, n - n / 2)}};
}

}  // namespace

TEST_CASE("random binary trees are revealed, bits and all") {
  Random random(1);
  for (std::int64_t k = 0; k < trials(150); ++k) {
    const std::size_t n = 1 + random.below(k % 10 == 0 ? 200 : 24);
    const Tree tree = random_tree(random, n, 2);
    std::int64_t calls = 0;
    const auto outcome = revealed(float_box([&](const std::vector<float>& x) {
                                    ++calls;
                                    return sum_along(tree, x);
                                  }),
                                  static_cast<std::int64_t>(n));
    INFO(tree.text() << ": " << outcome.undecided);
    REQUIRE(outcome.undecided.empty());
    CHECK(outcome.tree->text() == tree.text());
    CHECK(outcome.arithmetic == "f32");
    CHECK(outcome.calls.probes <= static_cast<std::int64_t>(n * (n - 1) / 2));
    CHECK(outcome.calls.checks <= 10 + 64 + 2 * 50);
    CHECK(outcome.calls.probes + outcome.calls.checks == calls);
  }
}

TEST_CASE("random multiway sums are revealed: nodes that cut terms as tensor cores do") {
  Random random(2);
  for (std::int64_t k = 0; k < trials(100); ++k) {
    const std::size_t n = 2 + random.below(k % 10 == 0 ? 150 : 30);
    const Tree tree = random_tree(random, n, 2 + random.below(8));
    static constexpr int fractions[] = {23, 24, 25};
    const int fraction = fractions[random.below(3)];
    const auto outcome = revealed(float_box([&](const std::vector<float>& x) { return sum_along(tree, x, fraction); }),
                                  static_cast<std::int64_t>(n));
    INFO(tree.text() << ": " << outcome.undecided);
    REQUIRE(outcome.undecided.empty());
    CHECK(outcome.tree->text() == tree.text());
    if (tree.multiway()) CHECK(outcome.arithmetic.find("cut to " + std::to_string(fraction)) != std::string::npos);
  }
}

TEST_CASE("nodes that add several terms exactly never give a wrong tree") {
  Random random(3);
  std::int64_t undecided = 0, tried = trials(100);
  for (std::int64_t k = 0; k < tried; ++k) {
    const std::size_t n = 3 + random.below(20);
    const Tree tree = random_tree(random, n, 2 + random.below(4));
    const auto outcome = revealed(float_box([&](const std::vector<float>& x) { return sum_along(tree, x, 0); }),
                                  static_cast<std::int64_t>(n));
    INFO(tree.text() << ": " << (outcome.tree ? outcome.tree->text() : outcome.undecided));
    CHECK(outcome.undecided.empty() == !tree.multiway());
    if (outcome.undecided.empty()) CHECK(outcome.tree->text() == tree.text());
    undecided += !outcome.undecided.empty();
  }
  CHECK(undecided > tried / 3);
}

TEST_CASE("the number of calls is within what is stated") {
  const auto probes = [](const Tree& tree, std::size_t n) {
    const auto outcome = revealed(float_box([&](const std::vector<float>& x) { return sum_along(tree, x); }),
                                  static_cast<std::int64_t>(n));
    CHECK(outcome.tree->text() == tree.text());
    return outcome.calls.probes;
  };
  for (const std::size_t n : {2u, 3u, 7u, 100u, 257u}) {
    CHECK(probes(left_fold(n), n) == static_cast<std::int64_t>(n) - 1);
    CHECK(probes(right_fold(n), n) <= 2 * static_cast<std::int64_t>(n) - 3);
  }
  for (int log = 1; log <= 9; ++log) {
    const std::size_t n = std::size_t{1} << log;
    CHECK(probes(balanced(0, n), n) == static_cast<std::int64_t>(n) / 2 * log);
  }
  // A comb whose teeth hang on random leaves is the worst case for a fixed pivot; the bound holds, and far below it.
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const std::size_t n = 200;
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    Tree comb{order[0], {}};
    for (std::size_t i = 1; i < n; ++i) comb = Tree{0, {comb, Tree{order[i], {}}}};
    CHECK(probes(comb, n) < 4000);  // n (n - 1) / 2 = 19900
  }
}

TEST_CASE("sums of products: rounded products, and fma") {
  const auto box = [](bool fma) -> Box {
    return [fma](const Input& input) -> Expected<std::uint64_t> {
      const auto x = floats(input.x), y = floats(input.y);
      float sum = x[0] * y[0];
      for (std::size_t i = 1; i < x.size(); ++i) sum = fma ? std::fmaf(x[i], y[i], sum) : sum + x[i] * y[i];
      return std::uint64_t{std::bit_cast<std::uint32_t>(sum)};
    };
  };
  Question question;
  question.products = true;
  for (const bool fma : {false, true}) {
    const auto outcome = revealed(box(fma), 20, question);
    CHECK(outcome.undecided.empty());
    CHECK(outcome.tree->text() == left_fold(20).text());
    CHECK(outcome.arithmetic == (fma ? "f32 with fma" : "f32"));
  }
}

TEST_CASE("formats: elements of 16 bits, wider sums, and the longest sum that each allows") {
  const auto box = [](Formats formats, Format really, const Tree& tree) -> Box {
    return [=](const Input& input) -> Expected<std::uint64_t> {
      const auto value = [&](auto&& self, const Tree& node) -> double {
        if (node.children.empty()) return numerics::widen(input.x[node.leaf], formats.input);
        const mpq_class sum = mpq_class(self(self, node.children[0])) + mpq_class(self(self, node.children[1]));
        return numerics::widen(numerics::round_rational(sum, really), really);
      };
      return numerics::round_f64(value(value, tree), formats.result);
    };
  };
  using enum Format;
  Random random(5);
  const Tree tree = random_tree(random, 60, 2);
  struct Case {
    Formats formats;
    Format really;
  };
  const Case cases[] = {{{f64, f64, f64}, f64},  {{f16, f16, f16}, f16}, {{f16, f32, f32}, f32},
                        {{f16, f32, f16}, f32},  {{f16, f16, f16}, f32}, {{bf16, bf16, bf16}, bf16},
                        {{bf16, f32, f32}, f32}, {{f32, f32, f32}, f64}, {{f32, f64, f64}, f64},
                        {{f32, f64, f32}, f64}};
  for (const Case& c : cases) {
    Question question;
    question.formats = c.formats;
    const auto outcome = revealed(box(c.formats, c.really, tree), 60, question);
    INFO(numerics::traits(c.formats.input).name << " " << numerics::traits(c.really).name << ": " << outcome.undecided);
    REQUIRE(outcome.undecided.empty());
    CHECK(outcome.tree->text() == tree.text());
    CHECK(outcome.arithmetic == numerics::traits(c.really).name);
  }
  // Two to the accumulator's precision; for f16 summed in f32, what vanishes beside 2^15: (n - 2) 2^-24 < 2^(15 - 25).
  CHECK(scales({f32, f32, f32})[0].largest_n == largest_length);
  CHECK(scales({f64, f64, f64})[0].largest_n == largest_length);
  CHECK(scales({bf16, bf16, bf16})[0].largest_n == 256);
  CHECK(scales({bf16, f32, bf16})[0].largest_n == 256);
  CHECK(scales({f16, f16, f16})[0].largest_n == 2048);
  CHECK(scales({f16, f32, f32})[0].largest_n == (1 << 14) + 1);
  // The bounds are sharp where they come from counting: one more unit is no value of the format.
  CHECK(numerics::round_f64(257, bf16) == numerics::round_f64(256, bf16));
  CHECK(numerics::round_f64(2049 * 0x1p-24, f16) == numerics::round_f64(2048 * 0x1p-24, f16));
  Question question;
  question.formats = {f16, f16, f16};
  question.n = 2049;
  auto refused = reveal::reveal(box(question.formats, f16, tree), question);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == code::box_unusable);
  question.formats = {f32, f16, f16};
  question.n = 3;
  CHECK_FALSE(reveal::reveal(box(question.formats, f16, tree), question));
  // Units below f16's normal numbers, in a box that flushes them: the next scale.
  question.formats = {f16, f32, f32};
  const Box flushing = [&](const Input& input) -> Expected<std::uint64_t> {
    float sum = 0;
    for (const std::uint64_t bits : input.x)
      sum += (bits & 0x7c00) == 0 ? 0.0f : static_cast<float>(numerics::widen(bits, f16));
    return numerics::round_f64(sum, f32);
  };
  question.n = 12;
  auto outcome = reveal::reveal(flushing, question);
  REQUIRE(outcome);
  CHECK(outcome->undecided.empty());
  CHECK(outcome->tree->text() == left_fold(12).text());
}

TEST_CASE("trees as text") {
  CHECK(SumTree::parse("((1 0) (3 2 4))")->text() == "((0 1) (2 3 4))");
  CHECK(SumTree::parse("0")->text() == "0");
  CHECK(SumTree::parse("(0 1 2)")->flat());
  for (const char* wrong :
       {"", "(", "(0", "(0)", "0 1", "(0 0)", "(0 2)", "(1 2)", "(0 1))", "()", "(0 x)", "(0 99999999999999999999)"}) {
    INFO(wrong);
    CHECK_FALSE(SumTree::parse(wrong));
  }
  CHECK(SumTree::parse("((0 1) ((2 3) 4))")->meeting_size(3, 4) == 3);
  CHECK(SumTree::parse("((0 1) ((2 3) 4))")->meeting_size(0, 4) == 5);
}
