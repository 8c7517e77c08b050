// `check f == g in algebra` of circuits that differ on a thin set of inputs: each fails, with inputs that show it.
#include "check/algebra.h"

#include "tests/prove/pair.h"

using namespace reckon;

namespace {

check::Outcome outcome_of(normal::Pair& pair) {
  frontend::ElaboratedItem item;
  item.left = pair.f;
  item.right = pair.g;
  item.relation = frontend::Item::Relation::equal;
  auto outcome = check::run_algebra(pair.session.module(), item);
  REQUIRE(outcome);
  return std::move(*outcome);
}

void fails(const std::string& head, const std::string& f, const std::string& g) {
  normal::Pair pair("fn f" + head + " = " + f + "\nfn g" + head + " = " + g + "\n");
  INFO(pair.text);
  const check::Outcome outcome = outcome_of(pair);
  CHECK(outcome.verdict == check::Verdict::fails);
  CHECK(outcome.counterexample);
}

}  // namespace

TEST_CASE("a difference beyond a threshold, or between two, is found") {
  const std::string head = "(x: f32) -> f32";
  fails(head, "clamp(x, 0, 6)", "clamp(x, 0, 6.0001)");
  fails(head, "x", "select(x > 100, 100, x)");
  fails(head, "x", "max(x, -300)");
  fails(head, "min(x, 1e6)", "x");
  fails("(x: f32[n]) -> f32", "sum i: min(x[i], 3)", "sum i: min(x[i], 3.001)");
}

TEST_CASE("a difference where two numbers are equal is found") {
  const std::string two = "(x: f32, y: f32) -> f32";
  fails(two, "select((y <= x) and (y < 3.14159), y, fma(y, x, y))",
        "select((y < x) and (y < 3.14159), y, fma(y, x, y))");
  fails(two, "select(x >= y, 1, x)", "select(x > y, 1, x)");
  fails(two, "select(x == 2 * y + 1, x, y)", "y");
  const std::string vector = "(v: f32[n], x: f32, y: f32, s: f32) -> f32[n]";
  fails(vector, "for i: select(v[i] != y, s, v[i] - x)", "for i: select(v[i] != y, s, sqrt(v[i] * v[i]) - x)");
  fails(vector, "for i: select(x == f32(i), v[i], v[i])", "for i: select(x == f32(i), -abs(v[i]), v[i])");
  fails("(v: f32[n], w: f32) -> f32", "prod i: select(v[i] <= f32(i), f32(i), w)",
        "prod i: select(v[i] < f32(i), f32(i), w)");
}
