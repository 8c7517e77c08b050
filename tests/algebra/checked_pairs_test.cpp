// `check ... in algebra` on random pairs of circuits: rewritten by true laws, and damaged. What it says is held against
// GMP's rationals and Arb's balls. RECKON_TRIALS=100000 for the long run, which makes a tenth as many checks.
#include <cstdlib>
#include <sstream>

#include "tests/algebra/pairs.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

/// The inputs that a check shows: lists of short decimals, or the floats of a random tensor, of which the shortest are
/// given.
RealInputs witness(const check::Counterexample& shown) {
  RealInputs out;
  for (const check::WitnessInput& input : shown.inputs) {
    std::string numbers = input.elements.empty() ? input.expression : fmt::format("{}", fmt::join(input.elements, ","));
    std::erase_if(numbers, [](char each) { return each == '[' || each == ']' || each == ' '; });
    std::vector<mpq_class>& values = input.name == "x" ? out.x : out.w;
    std::istringstream list(numbers);
    for (std::string digits; std::getline(list, digits, ',');) {
      values.emplace_back(static_cast<double>(std::strtof(digits.c_str(), nullptr)));
    }
    REQUIRE(values.size() == static_cast<std::size_t>(elements));
  }
  return out;
}

}  // namespace

TEST_CASE("check in algebra: true laws never fail, and what is proved or fails is so over the reals") {
  // A tenth of the pairs: a check makes hundreds of evaluations.
  const auto count = std::max<std::int64_t>(test::trials<std::int64_t>(600) / 10, 1);
  std::int64_t holds = 0, proved = 0, undecided = 0, fails = 0;
  each_pair(
      count, 4, [](std::uint64_t seed) { return rewritten(seed, true); },
      [&](Batch& batch, std::size_t k, Random&) {
        const check::Outcome outcome = batch.checked(k);
        INFO(batch.shown(k));
        CHECK(outcome.verdict != check::Verdict::fails);
        holds += outcome.verdict == check::Verdict::holds;
        proved += outcome.verdict == check::Verdict::holds && outcome.strength == check::Strength::proved;
        undecided += outcome.verdict == check::Verdict::undecided;
      });
  std::int64_t confirmed = 0, damaged_holds = 0, damaged_undecided = 0, false_holds = 0;
  std::string shown;
  each_pair(
      count, 5,
      [](std::uint64_t seed) {
        Pair out = rewritten(seed, false);
        Generator generator(seed + 1);
        out.after = generator.damaged(out.after);
        return out;
      },
      [&](Batch& batch, std::size_t k, Random& random) {
        const check::Outcome outcome = batch.checked(k);
        const RealVerdict reals = over_reals(batch.pairs[k], 30, random);
        INFO(batch.shown(k));
        if (outcome.verdict == check::Verdict::fails) {
          ++fails;
          REQUIRE(outcome.counterexample);
          // Undecided where a comparison of equal reals cannot be told, which `exact` passes by taking both sides.
          const Reals found =
              compare_over_reals(batch.pairs[k].before, batch.pairs[k].after, witness(*outcome.counterexample));
          CHECK(found != Reals::equal);
          confirmed += found == Reals::apart;
        }
        damaged_undecided += outcome.verdict == check::Verdict::undecided;
        if (outcome.verdict != check::Verdict::holds) return;
        ++damaged_holds;
        if (reals.apart == 0) return;
        CHECK(outcome.strength != check::Strength::proved);
        ++false_holds;
        shown += batch.shown(k);
      });
  if (test::long_run()) {
    fmt::print(
        "check in algebra: of {} rewritten pairs {} hold ({} proved), {} undecided, none fails; of {} damaged ones {} "
        "fail, {} undecided, "
        "{} hold, {} of them falsely\n{}",
        count, holds, proved, undecided, count, fails, damaged_undecided, damaged_holds, false_holds, shown);
  }
  INFO(shown);
  CHECK(holds * 100 > count * 75);
  CHECK(fails * 100 > count * 50);
  CHECK(confirmed * 100 >= fails * 99);
  CHECK(false_holds * 2000 <= count);
}
