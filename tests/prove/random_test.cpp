// Proofs of random pairs of circuits, against `exact`: what is proved must be equal for every input that is tried.
// RECKON_TRIALS=100000 for the long run.
#include <fmt/format.h>

#include <chrono>

#include "tests/prove/expression.h"
#include "tests/prove/pair.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::normal;

namespace {

std::string program(const Expression& a, const Expression& b) {
  const std::string head = "(x: f64[n + 3], y: f64[n + 3], z: f64[n]) -> f64 = ";
  return "fn f" + head + a.source() + "\nfn g" + head + b.source() + "\n";
}

struct Tally {
  std::int64_t pairs = 0, proved = 0, equal = 0, different = 0, unknown = 0, undefined = 0;
  std::int64_t different_pairs = 0;
  double longest = 0;  ///< seconds that a proof took
};

/// Compares the pair for several inputs; fails if a proof is wrong.
void examine(const Expression& a, const Expression& b, Random& random, Tally& tally) {
  Pair pair(program(a, b));
  const auto start = std::chrono::steady_clock::now();
  const bool proved = pair.prove().has_value();
  tally.longest =
      std::max(tally.longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  ++tally.pairs;
  tally.proved += proved;
  bool differs = false;
  for (int trial = 0; trial < 6 && !differs; ++trial) {
    const ir::Dimensions sizes{{pair.session.module().symbol("n"), trial % 5}};
    const auto truth = pair.compare(pair.inputs(random, sizes, trial == 5));
    if (!truth) ++tally.undefined;
    else if (*truth == interp::Truth::yes) ++tally.equal;
    else if (*truth == interp::Truth::unknown) ++tally.unknown;
    else {
      ++tally.different;
      differs = true;
      INFO(pair.text);
      INFO("at n = " << trial % 5);
      if (proved) FAIL("proved equal, but different");
    }
  }
  tally.different_pairs += differs;
}

void report(const char* what, const Tally& tally) {
  if (!test::long_run()) return;
  fmt::print(
      "{}: {} pairs, {} proved, {} refuted; inputs: {} equal, {} different, {} unknown, {} undefined; longest {:.1f} "
      "ms\n",
      what, tally.pairs, tally.proved, tally.different_pairs, tally.equal, tally.different, tally.unknown,
      tally.undefined, tally.longest * 1000);
}

}  // namespace

TEST_CASE("rewrites by true laws are mostly proved") {
  const std::int64_t count = test::trials<std::int64_t>(600);
  Tally tally;
  for (std::int64_t k = 0; k < count; ++k) {
    Generator generator(test::stream(1) * 1000003 + static_cast<std::uint64_t>(k));
    const Generated made = generator.make();
    Expression changed = made.expression;
    for (std::uint64_t steps = 1 + generator.random().below(8); steps > 0; --steps) {
      Expression next = changed;
      generator.rewrite(next);
      if (next.size() < 150) changed = next;
    }
    examine(made.expression, changed, generator.random(), tally);
  }
  report("laws", tally);
  CHECK(tally.equal > count);   // the comparisons are about something
  CHECK(tally.different == 0);  // the laws of this test are true
  CHECK(tally.proved * 100 > count * 70);
}

TEST_CASE("damaged circuits are never proved equal") {
  const std::int64_t count = test::trials<std::int64_t>(900);
  Tally tally;
  for (std::int64_t k = 0; k < count; ++k) {
    Generator generator(test::stream(2) * 1000003 + static_cast<std::uint64_t>(k));
    const Generated made = generator.make();
    Expression changed = made.expression;
    for (std::uint64_t steps = generator.random().below(5); steps > 0; --steps) {
      Expression next = changed;
      generator.rewrite(next);
      if (next.size() < 150) changed = next;
    }
    generator.damage(changed);
    examine(made.expression, changed, generator.random(), tally);
  }
  report("damage", tally);
  CHECK(tally.different_pairs * 100 > count * 30);
}
