// Choices of placement change no bit: every way of every choice, one at a time and several together, gives kernels that
// obey the verifier and have the evaluator's bits and the stated trees.
#include <fmt/format.h>

#include <random>

#include "tests/kernel/placed.h"

namespace {

using namespace reckon;
using namespace reckon::test;

struct Chosen {
  std::string text;
  Sizes sizes;
  std::set<std::uint32_t> no_trees = {};  ///< positions of results that are made of several reductions
  std::set<std::string> expected = {};    ///< what is chosen, without the kernel's name
};

const std::vector<Chosen>& circuits() {
  static const std::vector<Chosen> all{
      {"fn f(x: f32[n]) -> f32 = sum i: x[i]", {{"n", 40'000}}, {}, {"grid", "threads"}},
      {"fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i]", {{"m", 5}, {"n", 700}}, {}, {"blocks", "threads"}},
      {"fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c]", {{"m", 600}, {"n", 100}}, {}, {"columns", "shares"}},
      {"fn f(x: f32[m, n]) -> f32[n] = for c: sum r: x[r, c] by tree", {{"m", 1030}, {"n", 63}}, {}, {}},
      {"fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum p: a[i, p] * b[p, j] by fused(seq)",
       {{"m", 70}, {"n", 130}, {"k", 37}},
       {},
       {"tiles", "tile"}},
      {"fn f(a: f64[m, k], b: f64[k, n]) -> f64[m, n] = for i, j: sum p: a[i, p] * b[p, j] by tile(16, seq) then tree",
       {{"m", 70}, {"n", 65}, {"k", 35}},
       {},
       {"tiles", "tile"}},
      {"fn f(a: f64[m, k], b: f64[n, k]) -> f64[m, n] = for i, j: sum p: a[i, p] * b[j, p] by fused(seq)",
       {{"m", 70}, {"n", 65}, {"k", 35}},
       {},
       {"tiles", "tile"}},
      {"fn f(x: f32[m, k, n], y: f32[m, n]) -> f32[m, k] = for g, j: sum e: x[g, j, e] * y[g, e] by fused(seq)",
       {{"m", 3}, {"k", 342}, {"n", 35}},
       {},
       {"staged", "lists"}},
      {R"(fn f(x: f32[m, n]) -> (f32[m], f32[m], f32[m, n]) {
  let top = for i: max j: x[i, j] by tree;
  let e = for i, j: exp(x[i, j] - top[i]);
  let s = for i: sum j: e[i, j] by lanes(128, tree) then tree;
  (top, s, for i, j: e[i, j] / s[i])
})",
       {{"m", 3}, {"n", 1000}},
       {2},
       {"rows", "row.threads"}},
      {"fn f(x: f32[n], y: f32[n]) -> f32[n] = for i: x[i] * y[i]", {{"n", 1003}}, {0}, {"threads", "neighbours"}},
      {"fn f(x: f32[n]) -> f32[n] = for i: x[i] + 1", {{"n", 3}}, {0}, {"neighbours"}},
      {"fn f(x: bf16[m, n], y: f32[m, n]) -> f32[m, n] = for i, j: f32(x[i, j]) - y[i, j]",
       {{"m", 7}, {"n", 33}},
       {0},
       {"neighbours"}},
      {"fn f(x: f16[m, n], y: f16[n], z: f32[m]) -> f16[m, n] = for i, j: f16(f32(x[i, j] + y[j]) * z[i])",
       {{"m", 5}, {"n", 24}},
       {0},
       {"neighbours"}},
      {"fn f(x: f32[n, m], y: f64[m, n]) -> f64[n, m] = for j, i: f64(x[j, i]) * y[i, j]",
       {{"m", 6}, {"n", 8}},
       {0},
       {}},
      {"fn f(x: f32[m, n]) -> f32[m, n] = for i, j: x[i, n - 1 - j] + f32(j)",
       {{"m", 3}, {"n", 20}},
       {0},
       {"neighbours"}},
      {"fn f(x: f32[n, m], y: f32[m, n], z: f32[m]) -> f32[m, n] = for i, j: x[j, i] * y[i, j] + z[i]",
       {{"m", 257}, {"n", 263}},
       {0},
       {"turned"}},
      {"fn f(a: bf16[m, k], b: bf16[k, n]) -> f32[m, n] = for i, j: sum p: f32(a[i, p]) * f32(b[p, j]) by mma(hopper)",
       {{"m", 70}, {"n", 136}, {"k", 40}},
       {0},
       {"tile"}},
  };
  return all;
}

void try_choices(const Chosen& circuit, const codegen::StatedChoices& choices) {
  INFO(circuit.text << "  " << codegen::text_of(choices));
  Placed placed(circuit.text, circuit.sizes, codegen::Target::ptx, ir::Forms::standard(), {}, choices);
  REQUIRE(placed.broken_rule() == "");
  CHECK(placed.wrong(7, circuit.no_trees) == "");
}

}  // namespace

TEST_CASE("every way of every choice gives the same bits") {
  std::size_t ways = 0;
  for (const Chosen& circuit : circuits()) {
    Placed usual(circuit.text, circuit.sizes);
    const auto found = usual.choices({});
    REQUIRE(found);
    std::set<std::string> kinds, kernels{found->kernels};
    for (const codegen::Choice& choice : found->choices) {
      kinds.insert(choice.of.substr(choice.of.find('.') + 1));
      CHECK(choice.taken == choice.usual);
      for (const std::string& way : choice.ways) {
        const codegen::StatedChoices stated{{choice.of, way}};
        const auto other = usual.choices(stated);
        INFO(circuit.text << "  " << codegen::text_of(stated));
        REQUIRE(other);
        if (way == choice.ways[choice.usual]) CHECK(other->kernels == found->kernels);
        if (!kernels.insert(other->kernels).second) continue;
        try_choices(circuit, stated);
        ++ways;
      }
    }
    for (const std::string& kind : circuit.expected) {
      INFO(circuit.text << ": " << kind);
      CHECK(kinds.contains(kind));
    }
  }
  CHECK(ways > 80);
}

TEST_CASE("ways of several choices together give the same bits") {
  std::mt19937_64 random(20261129);
  for (const Chosen& circuit : circuits()) {
    Placed usual(circuit.text, circuit.sizes);
    for (int turn = 0; turn < 3; ++turn) {
      // A way may leave no room for another choice, which is then not stated.
      codegen::StatedChoices stated;
      std::set<std::string> met;
      while (true) {
        const auto found = usual.choices(stated);
        REQUIRE(found);
        const auto next = std::ranges::find_if(found->choices, [&](const auto& one) { return !met.contains(one.of); });
        if (next == found->choices.end()) break;
        met.insert(next->of);
        auto more = stated;
        more[next->of] = next->ways[random() % next->ways.size()];
        if (usual.choices(more)) stated = std::move(more);
      }
      try_choices(circuit, stated);
    }
  }
}

TEST_CASE("a choice that is not there is an error that names those that are") {
  Placed placed("fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i]", {{"m", 5}, {"n", 700}});
  const auto no_choice = placed.choices({{"reckon_f_0.tile", "64x64"}});
  REQUIRE(!no_choice);
  CHECK(no_choice.error().message == "this circuit has no choice `reckon_f_0.tile`");
  CHECK(no_choice.error().helps[0] ==
        "it has `reckon_f_0.threads`: 32, 64, 128, 256, 512, 1024; `reckon_f_0.blocks`: yes, no");
  const auto no_way = placed.choices({{"reckon_f_0.threads", "48"}});
  REQUIRE(!no_way);
  CHECK(no_way.error().message == "`48` is none of the ways of `reckon_f_0.threads`");
  CHECK(no_way.error().helps[0] == "they are 32, 64, 128, 256, 512, 1024");
}
