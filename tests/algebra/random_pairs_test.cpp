// Random circuits, what random walks of true laws make of them, and what damage does, through the whole language: from
// their text to the ring `padic`, to proofs by normal form, and to `check ... in algebra`. Both are held against GMP's
// rationals and Arb's balls. RECKON_TRIALS=100000 for the long run, which prints its figures.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "check/algebra.h"
#include "ir/normal/prove.h"
#include "tests/algebra/program.h"
#include "tests/algebra/real.h"
#include "tests/support/long_run.h"

using namespace reckon;
using namespace reckon::algebra;

namespace {

struct Pair {
  Tree before, after;
  std::vector<std::string> laws;
};

/// Many pairs in one program: circuits f0, g0, f1, ...
std::string program_of(const std::vector<Pair>& pairs, Random& random) {
  std::string out;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    constexpr const char* head = "fn {}{}(x: f32[t, {}], w: f32[t, {}]) -> f32[t] = for i < t: {}\n";
    out += fmt::format(fmt::runtime(head), "f", k, elements, elements, source(pairs[k].before, random));
    out += fmt::format(fmt::runtime(head), "g", k, elements, elements, source(pairs[k].after, random));
  }
  return out;
}

class Batch {
 public:
  Batch(std::vector<Pair> pairs, Random& random) : pairs(std::move(pairs)), program_(program_of(this->pairs, random)) {}
  std::vector<Pair> pairs;

  /// Pair k at so many random points of the ring.
  Comparison in_ring(std::size_t k, std::int64_t points, std::uint64_t seed, bool* degenerate = nullptr) {
    const std::vector<std::int64_t> shape{points, elements};
    const std::vector<interp::Argument> arguments{
        random_elements(ir::Scalar::f32, shape, seed),
        random_elements(ir::Scalar::f32, shape, seed + 1, interp::Draw::Sign::positive)};
    const auto a = program_.evaluate("f" + std::to_string(k), *ring_, arguments);
    const auto b = program_.evaluate("g" + std::to_string(k), *ring_, arguments);
    if (degenerate) {
      *degenerate = true;
      for (std::int64_t i = 0; i < points; ++i) {
        if (ring_->undefined_by(a.scalar(), a.at(i)).empty()) *degenerate &= ring_->is_degenerate(a.scalar(), a.at(i));
      }
    }
    return compare(*ring_, a, b);
  }
  bool proved(std::size_t k) {
    return ir::prove_equal(program_.module(), program_.circuit("f" + std::to_string(k)), program_.circuit("g" + std::to_string(k)))
        .has_value();
  }
  /// `check fk == gk in algebra for x: -2..2, w: 0..3, w > 0` at one point a trial.
  check::Outcome checked(std::size_t k) {
    frontend::ElaboratedItem item;
    item.left = program_.circuit("f" + std::to_string(k));
    item.right = program_.circuit("g" + std::to_string(k));
    item.relation = frontend::Item::Relation::equal;
    item.sizes = {{item.left->dimensions.at(0), {1}}};
    item.ranges = {{0, -2, 2, 0}, {1, 0, 3, 1}};
    auto outcome = check::run_algebra(program_.module(), item, {});
    if (!outcome) FAIL(outcome.error().message << "\n" << shown(k));
    return *outcome;
  }
  std::string shown(std::size_t k) const {
    return fmt::format("{}\n  = {}\n", text(pairs[k].before), text(pairs[k].after)) +
           (pairs[k].laws.empty() ? "" : fmt::format("  by {}\n", fmt::join(pairs[k].laws, "; ")));
  }

 private:
  Program program_;
  std::unique_ptr<interp::Semantics> ring_ = make_ring("padic");
};

/// `check` makes 40 trials. Comparisons deserve more: two constants may have few elements between them.
constexpr std::int64_t batch_size = 25, few_points = 8, driver_points = 40, points_of_comparisons = 320;

/// What the reals say of a pair, at up to so many points.
struct RealVerdict {
  int apart = 0, equal = 0;
  int points = 0;  ///< that were looked at
};
RealVerdict over_reals(const Pair& pair, int points, Random& random) {
  RealVerdict out;
  for (int k = 0; k < points && out.apart == 0; ++k) {
    const Reals found = compare_over_reals(pair.before, pair.after, random_reals(random));
    out.apart += found == Reals::apart;
    out.equal += found == Reals::equal;
    ++out.points;
  }
  return out;
}

template <class Make, class Look>
void each_pair(std::int64_t count, std::uint64_t seed, Make make, Look look) {
  for (std::int64_t first = 0; first < count; first += batch_size) {
    std::vector<Pair> pairs;
    for (std::int64_t k = first; k < std::min(count, first + batch_size); ++k) {
      pairs.push_back(make(test::stream(seed) * 1000003 + static_cast<std::uint64_t>(k)));
    }
    Random random(test::stream(seed) + static_cast<std::uint64_t>(first));
    Batch batch(std::move(pairs), random);
    for (std::size_t k = 0; k < batch.pairs.size(); ++k) look(batch, k, random);
  }
}

Pair rewritten(std::uint64_t seed, bool order_laws) {
  Generator generator(seed);
  Pair out{generator.make(), {}, {}};
  out.after = generator.walk(out.before, 1 + static_cast<int>(generator.random().below(8)), order_laws, out.laws);
  return out;
}

struct Tally {
  std::int64_t pairs = 0, agreed = 0, differ = 0, never_defined = 0, proved = 0, apart = 0, tried = 0;
  std::int64_t proved_of_differing = 0, confirmed = 0;
  std::string shown;
  int shown_count = 0;
  void show(const std::string& what) {
    if (++shown_count <= 6) shown += what;
  }
};

Tally walks(std::int64_t count, std::uint64_t seed, bool order_laws) {
  Tally tally;
  each_pair(count, seed, [&](std::uint64_t k) { return rewritten(k, order_laws); }, [&](Batch& batch, std::size_t k, Random& random) {
    ++tally.pairs;
    const Comparison found = batch.in_ring(k, few_points, random.word());
    const bool proved = batch.proved(k);
    tally.proved += proved;
    // The laws of this test are true.
    const RealVerdict reals = over_reals(batch.pairs[k], 2, random);
    tally.tried += reals.equal;
    if (reals.apart > 0) ++tally.apart, tally.show("not true over the reals: " + batch.shown(k));
    if (found.different > 0) {
      ++tally.differ;
      tally.proved_of_differing += proved;
      if (over_reals(batch.pairs[k], 20, random).apart > 0) ++tally.confirmed;
      if (!order_laws) tally.show("the ring differs: " + batch.shown(k));
    } else if (found.equal > 0) {
      ++tally.agreed;
    } else {
      ++tally.never_defined;
    }
  });
  return tally;
}

void report(const char* what, const Tally& t) {
  if (!test::long_run()) return;
  fmt::print("{}: {} pairs: {} agree in padic, {} differ, {} never defined; {} proved ({} of those that differ); over the reals {} points "
             "agree, {} pairs are apart, {} of those that differ\n",
             what, t.pairs, t.agreed, t.differ, t.never_defined, t.proved, t.proved_of_differing, t.tried, t.apart, t.confirmed);
}

}  // namespace

TEST_CASE("random walks of true laws: padic never differs") {
  const auto count = test::trials<std::int64_t>(2000);
  const Tally tally = walks(count, 1, false);
  report("true laws", tally);
  INFO(tally.shown);
  CHECK(tally.differ == 0);
  CHECK(tally.apart == 0);
  CHECK(tally.agreed * 100 > count * 80);
  CHECK(tally.tried > count);
}

TEST_CASE("random walks with laws of the order, too: what padic sees is never confirmed") {
  const auto count = test::trials<std::int64_t>(1500);
  const Tally tally = walks(count, 2, true);
  report("true laws, with those of the order", tally);
  INFO(tally.shown);
  CHECK(tally.confirmed == 0);
  CHECK(tally.apart == 0);
  CHECK(tally.differ > 0);
}

namespace {

bool has_order(const Tree& t) {
  static const std::set<std::string> names{"max", "min", "abs", "select<", "select<="};
  return names.contains(t->name) || std::any_of(t->children.begin(), t->children.end(), has_order);
}

/// Agreements in the ring that the reals refute, by what hid the difference.
struct FalseAgreements {
  std::int64_t rational = 0;    ///< of + - * / max, min, select: GMP's rationals refute them
  std::int64_t degenerate = 0;  ///< every value is a multiple of p, which `check` has a note about
  std::int64_t partial = 0;     ///< one side of a selection has no value in the ring, so that it was never looked at
  std::int64_t order = 0;       ///< a comparison that comes out one way for nearly all elements of the ring
  std::int64_t others = 0;
  std::int64_t in_forty = 0;    ///< after 40 points, whatever the reason
  std::int64_t unseen_by_three = 0, unseen_by_twenty = 0;  ///< of them: so many random real inputs do not show it
};

}  // namespace

TEST_CASE("damaged circuits: no agreement in padic, and no proof, that the reals refute") {
  const auto count = test::trials<std::int64_t>(2500);
  std::int64_t agreed = 0, refuted = 0, differ = 0, never = 0, proved = 0, checked_proofs = 0, false_proofs = 0;
  FalseAgreements wrong;
  std::string shown;
  each_pair(
      count, 3,
      [&](std::uint64_t seed) {
        Generator generator(seed);
        Pair out{generator.make(), {}, {}};
        out.after = generator.walk(out.before, static_cast<int>(generator.random().below(5)), false, out.laws);
        out.after = generator.damaged(out.after);
        return out;
      },
      [&](Batch& batch, std::size_t k, Random& random) {
        const Pair& pair = batch.pairs[k];
        Comparison found = batch.in_ring(k, few_points, random.word());
        bool degenerate = false;
        const bool order = has_order(pair.before) || has_order(pair.after);
        const std::uint64_t seed = random.word();
        if (found.different == 0) found = batch.in_ring(k, driver_points, seed, &degenerate);
        const bool agrees_soon = found.different == 0 && found.equal > 0;
        if (found.different == 0 && order) found = batch.in_ring(k, points_of_comparisons, seed + 2, &degenerate);
        const bool is_proved = batch.proved(k), agrees = found.different == 0 && found.equal > 0;
        const RealVerdict reals = over_reals(pair, agrees || agrees_soon || is_proved ? 60 : 3, random);
        const bool apart = reals.apart > 0;
        refuted += apart;
        differ += found.different > 0;
        agreed += agrees;
        never += found.different == 0 && found.equal == 0;
        proved += is_proved;
        checked_proofs += is_proved && reals.equal > 0;
        if (!apart) return;
        false_proofs += is_proved;
        wrong.in_forty += agrees_soon;
        const char* why = nullptr;
        if (agrees) {
          if (is_rational(pair.before) && is_rational(pair.after)) ++wrong.rational, why = "rational";
          else if (degenerate) ++wrong.degenerate, why = "degenerate";
          else if (order && found.undefined > 0) ++wrong.partial, why = "partial";
          else if (order) ++wrong.order, why = "order";
          else ++wrong.others, why = "others";
          wrong.unseen_by_three += reals.points > 3;
          wrong.unseen_by_twenty += reals.points > 20;
        }
        if (is_proved) why = "proved";
        if (why) shown += fmt::format("{}, {} of {}: {}", why, found.equal, found.total(), batch.shown(k));
      });
  if (test::long_run()) {
    fmt::print("damaged: {} pairs: {} differ in padic, {} agree, {} never defined; {} apart over the reals; {} proved, {} of them looked at "
               "over the reals, {} false; false agreements: {} rational, {} degenerate, {} partial, {} by order, {} others ({} after 40 points); "
               "{} of them not seen at three real points, {} at twenty\n",
               count, differ, agreed, never, refuted, proved, checked_proofs, false_proofs, wrong.rational, wrong.degenerate, wrong.partial,
               wrong.order, wrong.others, wrong.in_forty, wrong.unseen_by_three, wrong.unseen_by_twenty);
    fmt::print("{}", shown);
  }
  INFO(shown);
  // The order is not that of the reals (docs/algebra.md): 11 is no square, so that 1.1 w is negative for every positive w;
  // the least of twelve positive sums is negative all but once in 4096 times.
  CHECK(wrong.rational * 5000 <= count);
  CHECK(wrong.others == 0);
  CHECK((wrong.degenerate + wrong.partial + wrong.order) * 200 <= count);
  CHECK(false_proofs == 0);
  CHECK(differ * 100 > count * 60);
  CHECK(refuted * 100 > count * 50);
}

namespace {

/// The inputs that a check shows, floats of which the shortest decimals are given.
RealInputs witness(const check::Counterexample& shown) {
  RealInputs out;
  for (const check::WitnessInput& input : shown.inputs) {
    REQUIRE(input.elements.size() == static_cast<std::size_t>(elements));
    for (const std::string& digits : input.elements) {
      (input.name == "x" ? out.x : out.w).emplace_back(static_cast<double>(std::strtof(digits.c_str(), nullptr)));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("check in algebra: true laws never fail, and what is proved or fails is so over the reals") {
  // A tenth of the pairs: a check makes hundreds of evaluations.
  const auto count = std::max<std::int64_t>(test::trials<std::int64_t>(600) / 10, 1);
  std::int64_t holds = 0, proved = 0, undecided = 0, fails = 0;
  each_pair(count, 4, [](std::uint64_t seed) { return rewritten(seed, true); }, [&](Batch& batch, std::size_t k, Random&) {
    const check::Outcome outcome = batch.checked(k);
    INFO(batch.shown(k));
    CHECK(outcome.verdict != check::Verdict::fails);
    holds += outcome.verdict == check::Verdict::holds;
    proved += outcome.verdict == check::Verdict::holds && outcome.strength == check::Strength::proved;
    undecided += outcome.verdict == check::Verdict::undecided;
  });
  std::int64_t damaged_holds = 0, damaged_undecided = 0, false_holds = 0;
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
          CHECK(compare_over_reals(batch.pairs[k].before, batch.pairs[k].after, witness(*outcome.counterexample)) == Reals::apart);
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
    fmt::print("check in algebra: of {} rewritten pairs {} hold ({} proved), {} undecided, none fails; of {} damaged ones {} fail, {} undecided, "
               "{} hold, {} of them falsely\n{}",
               count, holds, proved, undecided, count, fails, damaged_undecided, damaged_holds, false_holds, shown);
  }
  INFO(shown);
  CHECK(holds * 100 > count * 75);
  CHECK(fails * 100 > count * 50);
  CHECK(false_holds * 100 <= count);
}
