// Carries out a check: chooses sizes and inputs, evaluates both sides under a semantics, and gives a verdict with the
// evidence that it rests on (docs/verdicts.md).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "driver/traits.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "sweep/sweep.h"

namespace reckon::check {

enum class Verdict : std::uint8_t { holds, fails, undecided };
enum class Strength : std::uint8_t { proved, agreed, observed };
std::string_view verdict_name(Verdict verdict);
std::string_view strength_name(Strength strength);

/// The sizes of one evaluation: each dimension with its value.
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

/// A fact that a verdict rests on. `value` keeps its type in the JSON output; `text` is how the verdict's line says it,
/// and is empty for what only JSON and `--verbose` show.
struct Fact {
  std::string name;
  std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>, std::vector<NamedSizes>> value;
  std::string text;
};

/// How far a check has come, for a progress line.
struct Progress {
  std::string at;                 ///< the sizes of the current trial: `n = 257`
  std::int64_t trials = 0;        ///< done so far
  std::int64_t planned = 0;       ///< of the whole check
  double seconds = 0, budget = 0; ///< taken so far; at most
};

class Watchdog;

/// How a check is carried out.
struct Options {
  interp::EvaluateOptions evaluate = {};
  /// Seconds that the check may take. When they are used up, the verdict rests on the trials so far.
  double budget = 10;
  /// Called a few times a second, from a thread of its own, once a check has taken a second; with no value at the end.
  std::function<void(const std::optional<Progress>&)> progress = {};
  /// The evidence of what is proved has the proof's steps, where it has some.
  bool explain = false;
  /// A few small sizes and trials are enough, because something else (a proof) establishes the result.
  bool brief = false;
  /// The watch of the check that this one is a part of; null: this check has its own.
  Watchdog* watch = nullptr;
  /// Who carries out the trials besides the threads of this process; null: nobody.
  sweep::Carrier* carrier = nullptr;
};

/// One input of a counterexample: an expression that makes it again, and its first elements.
struct WitnessInput {
  std::string name;
  std::string expression;               ///< `random(f32[1000], 42)`; empty for a range
  std::vector<std::string> elements;    ///< at most eight
  std::int64_t left_out = 0;            ///< elements after these
};

/// Where and by how much the two sides differ.
struct Counterexample {
  std::vector<std::pair<std::string, std::int64_t>> dimensions;
  std::vector<WitnessInput> inputs;
  std::vector<std::int64_t> element;    ///< of the result; empty for a scalar
  interp::Rendering left, right;        ///< right is empty for `within lo..hi`
  std::string distance;                 ///< `3 ulp`, or empty
  std::string allowance;                ///< `within bound`: what rounding explains; or empty
  std::vector<std::pair<std::string, std::string>> amounts;  ///< `within bound`: the same in numbers
  std::optional<std::uint64_t> ulps;    ///< how many values of the format lie between the two, plus one
  std::string parting;                  ///< the first node of the two trees where the evaluations part, or empty
};

/// `in accept(P)`: how the results came out that were held against permitted answers, in all trials.
struct Judged {
  std::string what;         ///< the left side as written: what they should be
  std::int64_t results = 0;  ///< inside + outside + unbounded
  std::int64_t inside = 0, outside = 0;
  std::int64_t unbounded = 0;  ///< where the profile allows anything
  double worst_ulps = 0;       ///< of those outside, from the nearest permitted answer; may be infinite
  double used = 0;             ///< of those inside: the most of what is allowed, 1 being an end of it
  std::vector<std::pair<std::string, std::int64_t>> reasons;  ///< why unbounded, and how often; the most frequent first
};

struct Outcome {
  Verdict verdict{};
  Strength strength{};
  std::string semantics;                ///< empty for a static check
  std::vector<Fact> evidence;
  std::vector<std::string> notes;
  /// Branches of selections that no trial entered: the place of the condition, and the truth value that it never had.
  std::vector<std::pair<SourceSpan, bool>> branches_missed;
  std::vector<std::string> remarks;  ///< additional findings, which only JSON and `--verbose` show
  std::vector<std::map<ir::SymbolId, std::int64_t>> undefined_at;  ///< sizes at which a ring had no values to compare
  bool interrupted = false;  ///< the user ended the check: the verdict rests on the trials so far
  std::optional<Judged> judged;
  std::optional<Counterexample> counterexample;
};

/// Runs an elaborated check; `semantics` is the one that it names, or the default.
Expected<Outcome> run(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
                      const Options& options = {});

/// The outcome of a static check.
Outcome static_outcome(const frontend::ElaboratedItem& item);

/// The sizes that were tried, as a fact; and `1 trial`, `3 trials`.
Fact sizes_fact(const ir::Module& module, const std::vector<std::map<ir::SymbolId, std::int64_t>>& sizes);
std::string counted(std::int64_t count, std::string_view what);

/// The check with calls of builtin circuits inlined, except calls for which the semantics has rules. If the right side
/// is judged against answers of an accuracy profile, all of its calls are inlined.
frontend::ElaboratedItem with_settled_calls(ir::Module& module, const frontend::ElaboratedItem& item,
                                            const driver::Traits& traits);
/// Notes which circuits a verdict that holds took for the operations that they approximate.
void note_approximations(Outcome& outcome, const ir::Module& module, const frontend::ElaboratedItem& item,
                         const driver::Traits& traits);

}  // namespace reckon::check
