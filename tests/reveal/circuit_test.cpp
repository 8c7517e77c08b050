// Random schedules of ours, compiled to the host and seen from outside.
//   RECKON_TRIALS=300 reckon_tests "circuits compiled to the host*"     (40 by default)
#include <catch2/catch.hpp>

#include "api/reckon/reckon.h"
#include "tests/reveal/sums.h"

namespace {

using reckon::reveal::test::Random;

/// A schedule of the language, by chance.
std::string schedule(Random& random, std::size_t n, int depth) {
  static const char* const simple[] = {"seq", "tree", "halving"};
  if (depth == 0 || random.below(4) == 0) return simple[random.below(3)];
  const std::string size = std::to_string(1 + random.below(random.below(2) == 0 ? 16 : n));
  if (random.below(5) == 0) {
    return "split(" + size + ", " + schedule(random, n, depth - 1) + ", " + schedule(random, n, depth - 1) + ")";
  }
  const char* stage = random.below(2) == 0 ? "lanes(" : "tile(";
  return "(" + (stage + size) + ", " + schedule(random, n, depth - 1) + ") then " + schedule(random, n, depth - 1) +
         ")";
}

}  // namespace

TEST_CASE("circuits compiled to the host reveal the order that they declare") {
  Random random(21);
  for (std::int64_t trial = 0; trial < reckon::reveal::test::trials(40); ++trial) {
    const std::size_t n = 1 + random.below(trial % 8 == 0 ? 512 : 100);
    std::string text = schedule(random, n, 3);
    if (trial % 4 == 0) text = "'" + reckon::reveal::test::random_tree(random, n, 2).text();
    const bool products = trial % 5 == 1;
    reckon::Session session;
    const std::string program = products ? "fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by " + text
                                         : "fn f(x: f32[n]) -> f32 = sum i: x[i] by " + text;
    INFO(n << ": " << text);
    REQUIRE(session.load(program));
    reckon::CircuitBox box{"f", {}};
    box.options.on = trial % 10 == 3 ? reckon::On::interpreter : reckon::On::host;
    reckon::RevealOptions options;
    options.n = static_cast<std::int64_t>(n);
    options.verify = 10;
    const auto found = session.reveal(box, options);
    if (!found) FAIL(found.messages()[0].text);
    REQUIRE(found->undecided.empty());
    CHECK(found->arithmetic == "f32");
    // The declared tree comes from the schedule's definition, not from compiled code.
    auto declared = session.tree("f", options.n);
    REQUIRE(declared);
    const auto parsed = reckon::reveal::SumTree::parse(*declared);
    REQUIRE(parsed);
    CHECK(found->tree == parsed->text());
    // The schedule that is named has that tree as well.
    if (found->schedule.empty()) continue;
    REQUIRE(session.use_library().empty());
    const auto named = session.evaluate("parens(" + found->schedule + ", " + std::to_string(n) + ")");
    INFO(found->schedule);
    if (!named) FAIL(named.messages()[0].text);
    CHECK(reckon::reveal::SumTree::parse(named->front().text)->text() == found->tree);
  }
}
