// Carrying out a check: sizes, random inputs, evaluation of both sides under a semantics, and a verdict that says what
// it rests on (docs/language.md, "Checks").
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"

namespace reckon::check {

enum class Verdict : std::uint8_t { holds, fails, undecided };
enum class Strength : std::uint8_t { proved, agreed, observed };
std::string_view verdict_name(Verdict verdict);
std::string_view strength_name(Strength strength);

/// One input of a counterexample: an expression that makes it again, and its first elements.
struct WitnessInput {
  std::string name;
  std::string expression;               ///< `random(f32[1000], 42)`; empty for a range
  std::vector<std::string> elements;    ///< at most eight
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
  std::vector<std::pair<std::string, std::string>> evidence;
  std::vector<std::string> notes;
  std::optional<Judged> judged;
  std::optional<Counterexample> counterexample;
};

/// Runs an elaborated check; `semantics` is the one that it names, or the default.
Expected<Outcome> run(ir::Module& module, const frontend::ElaboratedItem& item, interp::Semantics& semantics,
                      const interp::EvaluateOptions& options = {});

/// The outcome of a static check.
Outcome static_outcome(const frontend::ElaboratedItem& item);

}  // namespace reckon::check
