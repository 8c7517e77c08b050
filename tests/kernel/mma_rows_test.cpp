// Two products on tensor cores with what stands between them, as one kernel: it obeys the verifier, runs without a
// report and has the evaluator's bits, at ragged sizes, in one pass over the rows or several.
#include <fmt/format.h>

#include "kernel/parser.h"
#include "kernel/printer.h"
#include "tests/kernel/placed.h"

namespace {

using namespace reckon;
using namespace reckon::test;

void check_rows(const std::string& text, const Sizes& sizes, std::int64_t passes, const Sizes& late = {},
                const std::set<std::uint32_t>& no_trees = {0}, std::size_t kernels = 1) {
  std::string said = text;
  for (const Sizes* all : {&sizes, &late}) {
    for (const auto& [name, size] : *all) said += fmt::format("  {} = {}", name, size);
  }
  INFO(said);
  Placed placed(text, sizes, codegen::Target::ptx, ir::Forms::standard(), late);
  REQUIRE(placed.broken_rule() == "");
  REQUIRE(placed.program().mma_rows.size() == 1);
  CHECK(placed.program().functions.size() == kernels);
  CHECK(placed.program().mma_rows[0].passes == passes);
  CHECK(placed.wrong(1, no_trees) == "");
  const std::string printed = kernel::print(placed.program());
  const auto again = kernel::parse_kernels(printed, 0);
  REQUIRE(again);
  CHECK(kernel::print(*again) == printed);
}

const std::string scores = R"(
fn f(q: bf16[h, s, d], k: bf16[h, t, d], v: bf16[h, t, c]) -> bf16[h, s, c] {
  let score = for g, i, j: (sum e: f32(q[g, i, e]) * f32(k[g, j, e]) by mma(hopper)) / sqrt(f32(d));
  let top = for g, i: max j: score[g, i, j];
)";

}  // namespace

TEST_CASE("attention on tensor cores is one kernel") {
  const std::string attention = scores + R"(
  let p = for g, i, j: bf16(exp(score[g, i, j] - top[g, i]));
  let total = for g, i: sum j: f32(p[g, i, j]) by lanes(8, seq) then tree;
  for g, i, e: bf16((sum j: f32(p[g, i, j]) * f32(v[g, j, e]) by mma(hopper)) / total[g, i])
})";
  check_rows(attention, {{"h", 2}, {"s", 70}, {"t", 150}, {"d", 16}, {"c", 24}}, 2);
  check_rows(attention, {{"h", 1}, {"s", 32}, {"t", 5}, {"d", 8}, {"c", 8}}, 2);
  check_rows(attention, {{"d", 8}, {"c", 8}}, 2, {{"h", 1}, {"s", 33}, {"t", 129}});
}

TEST_CASE("what stands between two products keeps its order, and may be a result, too") {
  const std::string several = R"(
fn f(q: f16[s, d], k: f16[t, d], v: f16[t, c]) -> (f32[s, c], f32[s], f32[s]) {
  let score = for i, j: sum e: f32(q[i, e]) * f32(k[j, e]) by mma(hopper);
  let p = for i, j: f16(score[i, j] * score[i, j]);
  let total = for i: sum j: f32(p[i, j]) by lanes({lanes}, seq) then tree;
  let least = for i: min j: f32(p[i, j]) + f32(i) by lanes(8, seq) then tree;
  (for i, e: sum j: f32(p[i, j]) * f32(v[j, e]) by mma(hopper), total, least)
})";
  for (const char* lanes : {"8", "16", "32"}) {
    std::string text = several;
    text.replace(text.find("{lanes}"), 7, lanes);
    for (const std::int64_t t : {3, 17, 128, 131}) {
      // The order in which lanes meet their least element is not the stated one: it makes no difference.
      check_rows(text, {{"s", 33}, {"t", t}, {"d", 8}, {"c", 8}}, 1, {}, {2});
    }
  }
}

TEST_CASE("a factor that is made of one product, and of nothing else") {
  check_rows(R"(
fn f(x: f16[s, d], w: f16[t, d], b: f32[t], v: f16[t, c]) -> f32[s, c] {
  let a = for i, j: (sum e: f32(x[i, e]) * f32(w[j, e]) by mma(hopper)) + b[j];
  for i, e: sum j: f32(f16(max(a[i, j], 0))) * f32(v[j, e]) by mma(hopper)
})",
             {{"s", 33}, {"t", 140}, {"d", 16}, {"c", 8}}, 1, {}, {});
}

TEST_CASE("masks: columns that no row of a block sees are left out, unless what they would meet is not finite") {
  const std::string masked = R"(
fn f(q: bf16[s, d], k: bf16[t, d], v: bf16[t, c]) -> f32[s, c] {
  let score = for i, j: select({mask}, rsqrt(f32(d)) * sum e: f32(q[i, e]) * f32(k[j, e]) by mma(hopper), -inf);
  let top = for i: max j: score[i, j];
  let p = for i, j: bf16(exp(score[i, j] - top[i]));
  let total = for i: sum j: f32(p[i, j]) by lanes(8, seq) then tree;
  for i, e: (sum j: f32(p[i, j]) * f32(v[j, e]) by mma(hopper)) / total[i]
})";
  for (const char* mask :
       {"j <= i", "i <= j", "j <= i and i < j + 20", "j < 7 or j <= i - 130", "not (i < j)", "j + 100 < i"}) {
    std::string text = masked;
    text.replace(text.find("{mask}"), 6, mask);
    check_rows(text, {{"s", 150}, {"t", 300}, {"d", 8}, {"c", 8}}, 2, {}, {0}, 2);
  }
  // The scale as a factor of the maximum, in a fused exponent.
  for (const char* weight : {"fma(score[i, j], rsqrt(f32(d)), shift[i])", "rsqrt(f32(d)) * (score[i, j] - top[i])"}) {
    std::string text = R"(
fn f(q: bf16[s, d], k: bf16[t, d], v: bf16[t, c]) -> f32[s, c] {
  let score = for i, j: select(j <= i, sum e: f32(q[i, e]) * f32(k[j, e]) by mma(hopper), -inf);
  let top = for i: max j: score[i, j];
  let shift = for i: -(top[i] * rsqrt(f32(d)));
  let p = for i, j: bf16(exp2({weight}));
  let total = for i: sum j: f32(p[i, j]) by lanes(8, seq) then tree;
  for i, e: (sum j: f32(p[i, j]) * f32(v[j, e]) by mma(hopper)) / total[i]
})";
    text.replace(text.find("{weight}"), 8, weight);
    check_rows(text, {{"s", 150}, {"t", 300}, {"d", 8}, {"c", 8}}, 2, {}, {0}, 2);
  }
  // Leaf 290 is 1 / 0: what no row sees of it is 0 times infinity.
  check_rows(R"(
fn f(q: bf16[s, d], k: bf16[t, d], v: bf16[t, c]) -> f32[s, c] {
  let w = for j, e: bf16(f32(v[j, e]) / abs(f32(j) - 290));
  let score = for i, j: select(j <= i, sum e: f32(q[i, e]) * f32(k[j, e]) by mma(hopper), -inf);
  let top = for i: max j: score[i, j];
  let p = for i, j: bf16(exp(score[i, j] - top[i]));
  for i, e: sum j: f32(p[i, j]) * f32(w[j, e]) by mma(hopper)
})",
             {{"s", 150}, {"t", 300}, {"d", 8}, {"c", 8}}, 2, {}, {0}, 3);
}

TEST_CASE("three passes over the rows, values of rows, operands of every arrangement") {
  check_rows(R"(
fn f(q: f16[d, s], k: f16[d, t], v: f16[c, t], b: f32[s, t], w: f32[s]) -> f16[s, c] {
  let score = for i, j: b[i, j] + w[i] * sum e: f32(q[e, i]) * f32(k[e, j]) by mma(hopper);
  let top = for i: max j: score[i, j];
  let low = for i: top[i] - 1;
  let weight = for i, j: exp(score[i, j] - low[i]);
  let total = for i: sum j: weight[i, j] by lanes(16, seq) then tree;
  for i, e: f16(sum j: f32(f16(weight[i, j] / total[i])) * f32(v[e, j]) by mma(hopper))
})",
             {{"s", 40}, {"t", 136}, {"d", 24}, {"c", 72}}, 3);
}
