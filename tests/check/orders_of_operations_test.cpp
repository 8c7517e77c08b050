// same_order and independent_order, against what the schedules' definitions say of the trees.
#include "check/orders_of_operations.h"

#include "tests/prove/pair.h"

using namespace reckon;

namespace {

check::Outcome verdict(const std::string& program, const std::string& claim) {
  SourceMap sources;
  frontend::Session session(sources, test::no_files());
  const std::string text = program + "\ncheck " + claim + "\n";
  auto outcome = session.add(sources.add("orders.rk", text), "orders.rk", frontend::ParseAs::program);
  INFO(text);
  REQUIRE(outcome.diagnostics.empty());
  REQUIRE(outcome.items.size() == 1);
  REQUIRE(outcome.items[0].semantics);
  CHECK(outcome.items[0].semantics->name == check::order_question);
  auto out = check::run_order(session.module(), outcome.items[0]);
  REQUIRE(out);
  return *out;
}

void is_same(const std::string& f, const std::string& g, bool same) {
  const auto head = [](const char* name) {
    return std::string("fn ") + name + "(x: f32[64 * m], y: f32[64 * m]) -> f32 = ";
  };
  const auto out = verdict(head("f") + f + "\n" + head("g") + g, "same_order(f, g)");
  INFO(f << " / " << g);
  CHECK(out.verdict == (same ? check::Verdict::holds : check::Verdict::fails));
  CHECK(out.strength == check::Strength::proved);
}

}  // namespace

TEST_CASE("circuits of one order and of different ones") {
  is_same("sum i: x[i] by tile(64, seq) then tree", "sum p < m: (sum i < 64: x[64 * p + i] by seq) by tree", true);
  is_same("sum i: x[i] by tree", "sum p < m: (sum i < 64: x[64 * p + i] by tree) by tree", true);
  is_same("sum i: x[i] * y[i] by seq", "sum i: y[i] * x[i] by seq", true);
}

TEST_CASE("different orders are refuted by a size at which the trees differ") {
  const auto head = [](const char* name) { return std::string("fn ") + name + "(x: f32[n]) -> f32 = "; };
  const auto out = verdict(head("f") + "sum i: x[i] by seq\n" + head("g") + "sum i: x[i] by tree", "same_order(f, g)");
  REQUIRE(out.counterexample);
  // Trees of up to three leaves are the same: ((0 1) 2).
  CHECK(out.counterexample->dimensions == check::NamedSizes{{"n", 4}});
  CHECK(out.counterexample->left.text == "(((x[0] + x[1]) + x[2]) + x[3])");
  CHECK(out.counterexample->right.text == "((x[0] + x[1]) + (x[2] + x[3]))");
  const auto lanes = verdict(head("f") + "sum i: x[i] by lanes(2, seq) then seq\n" + head("g") + "sum i: x[i] by seq",
                             "same_order(f, g)");
  CHECK(lanes.verdict == check::Verdict::fails);
  CHECK(lanes.counterexample->dimensions == check::NamedSizes{{"n", 3}});
}

TEST_CASE("the order of an element does not depend on other rows, or does") {
  const std::string head = "fn f(a: f32[m, k], b: f32[k, n]) -> f32[m, n] = for i, j: sum l: a[i, l] * b[l, j] by ";
  for (const char* order : {"seq", "tree", "tile(4, seq) then tree", "fused(seq)", "lanes(8, tree) then tree"}) {
    INFO(order);
    CHECK(verdict(head + order, "independent_order(f, m)").verdict == check::Verdict::holds);
    CHECK(verdict(head + order, "independent_order(f, n)").verdict == check::Verdict::holds);
    CHECK(verdict(head + order, "independent_order(f, k)").verdict != check::Verdict::holds);
  }
  const auto split = verdict(head + "tile(m, seq) then tree", "independent_order(f, m)");
  CHECK(split.verdict == check::Verdict::fails);
  CHECK(split.counterexample);
  CHECK(verdict(head + "tile(m, seq) then tree", "independent_order(f, n)").verdict == check::Verdict::holds);
}

TEST_CASE("a dimension that the circuit does not have is named") {
  SourceMap sources;
  frontend::Session session(sources, test::no_files());
  auto outcome = session.add(
      sources.add("orders.rk", "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\ncheck independent_order(f, m)\n"),
      "orders.rk", frontend::ParseAs::program);
  REQUIRE(outcome.items.size() == 1);
  const auto out = check::run_order(session.module(), outcome.items[0]);
  REQUIRE_FALSE(out);
  CHECK(out.error().message.find("no dimension `m`") != std::string::npos);
}
