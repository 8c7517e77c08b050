// The checker refuses proofs that were damaged: 200 of 200.
#include <algorithm>
#include <set>

#include "induction/induction.h"
#include "tests/induction/programs.h"
#include "tests/prove/pair.h"
#include "verify/check.h"

using namespace reckon;
using normal::Pair;
using proof::Proof;
using proof::Rule;

namespace {

const std::vector<std::string>& programs() {
  static const std::string step =
      "fn step(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (p, v) = a; let (q, w) = b; (p * q, v * q + w) }\n";
  static const std::string powers =
      "fn f(c: f64[n], x: f64) -> f64 = sum i: c[i] * (prod j < n - 1 - i: x by seq else 1) by seq\n";
  static const std::vector<std::string> all{
      "fn f(x: f64[n]) -> f64 { let s = sum i: x[i]; abs(s) }\nfn g(x: f64[n]) -> f64 = sum i: abs(x[i])",
      "fn f(x: f64[n]) -> f64 = sum i < n: f64(2 * i + 1)\nfn g(x: f64[n]) -> f64 = f64(n) * f64(n)",
      "fn f(x: f64[n]) -> f64 = sum i < n: f64(i)\nfn g(x: f64[n]) -> f64 = f64(n) * f64(n - 1) / 2",
      powers + step + "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by seq; v }\n",
      powers + step + "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by tree; v }\n",
      online_softmax("al * exp(am - m) + bl * exp(bm - m)"),
      strassen("+ m6"),
      R"(
fn step(a: (f64, f64, f64, f64), b: (f64, f64, f64, f64)) -> (f64, f64, f64, f64) {
  let (computed, exact, magnitude, d) = a;
  let (computed2, exact2, magnitude2, d2) = b;
  ((computed + computed2) * (1 + d2), exact + exact2, magnitude + magnitude2, d)
}
fn f(x: f64[n], d: f64[n]) -> f64 {
  let (computed, exact, magnitude, e) = reduce(step) i: (x[i], x[i], abs(x[i]), d[i]) by seq;
  abs(computed - exact)
}
fn g(x: f64[n], d: f64[n]) -> f64 {
  let (computed, exact, magnitude, e) = reduce(step) i: (x[i], x[i], abs(x[i]), d[i]) by seq;
  ((prod j < n - 1: f64(9) / 8 by seq else 1) - 1) * magnitude
})"};
  return all;
}

/// Whether a step follows from arithmetic alone, so that nothing depends on it, as on 9/8 (9/8)^n = (9/8)^(n + 1).
bool is_arithmetic(const Proof& good, std::size_t at) {
  Proof alone = good;
  alone.statement = good.steps[at].conclusion;
  alone.steps = {{.rule = Rule::combine, .conclusion = alone.statement}};
  return !verify::check(alone);
}

/// A damaged copy, or nothing where this kind of damage does not fit the step.
std::optional<Proof> damaged(const Proof& good, int kind, std::size_t at) {
  Proof out = good;
  proof::Step& step = out.steps[at];
  const auto one = proof::number(1);
  const auto other = [&](std::size_t premise) {
    // Another step, about something else.
    for (std::size_t k = 0; k < at; ++k) {
      if (proof::text(good.steps[k].conclusion.left) != proof::text(good.steps[premise].conclusion.left))
        return std::optional(k);
    }
    return std::optional<std::size_t>();
  };
  const bool last = at + 1 == good.steps.size();
  switch (kind) {
    case 0:  // a wrong conclusion
      step.conclusion.right = proof::add({step.conclusion.right, proof::number(-1)});
      if (last) out.statement = step.conclusion;
      return step.rule == Rule::hypothesis ? std::nullopt : std::optional(out);
    case 1:  // a factor of a conclusion
      step.conclusion.left = proof::add({one, proof::multiply({proof::number(2), step.conclusion.left})});
      if (last) out.statement = step.conclusion;
      return step.rule == Rule::hypothesis ? std::nullopt : std::optional(out);
    case 2:  // a premise is left out
      // What arithmetic gives needs no premise.
      if (step.premises.empty()) return {};
      if (is_arithmetic(good, step.premises.back())) return {};
      step.premises.pop_back();
      if (step.rule == Rule::combine) step.terms.pop_back();
      return out;
    case 3: {  // another premise
      if (step.premises.empty()) return {};
      const auto by = other(step.premises[0]);
      if (!by) return {};
      step.premises[0] = *by;
      return out;
    }
    case 4:  // a factor with the other sign
      if (step.rule != Rule::combine || step.terms.empty() || is_arithmetic(good, step.premises[0])) return {};
      step.terms[0] = proof::negate(step.terms[0]);
      return out;
    case 5:  // one value more or less
      if (step.rule != Rule::peel && step.rule != Rule::next) return {};
      step.terms[1] = proof::add({step.terms[1], one});
      return out;
    case 6:  // a premise that comes later
      if (step.premises.empty()) return {};
      step.premises[0] = at;
      return out;
    case 7:  // a hypothesis that no induction takes back
      if (step.rule != Rule::induction) return {};
      step = {.rule = Rule::combine, .conclusion = step.conclusion, .premises = {step.premises[1]}, .terms = {one}};
      return out;
    case 8:  // the first case and the next one change places
      if (step.rule != Rule::induction) return {};
      std::swap(step.premises[0], step.premises[2]);
      return out;
    case 9:  // another rule
      if (step.rule == Rule::hypothesis || (step.rule == Rule::combine && step.premises.empty())) return {};
      step.rule = step.rule == Rule::peel ? Rule::empty : Rule::peel;
      return out;
    case 10:  // a claim without its proof
      step = {.rule = Rule::hypothesis, .conclusion = step.conclusion};
      return step.rule == good.steps[at].rule ? std::nullopt : std::optional(out);
    case 11:  // another operation
      if (out.recurrences.empty() || step.rule != Rule::next) return {};
      for (auto& each : out.recurrences[0].joined) each = proof::add({each, one});
      return out;
    case 12:  // a fold whose order matters
      if (out.recurrences.empty() || step.rule != Rule::next) return {};
      out.recurrences[0].in_order = false;
      out.recurrences[0].associative.clear();
      return out;
    case 13:  // an instance for another number
      if (step.rule != Rule::instance) return {};
      step.terms[0] = proof::subtract(step.terms[0], one);
      return out;
    default:  // the claim is another one
      out.statement.right = proof::add({out.statement.right, proof::number(-1)});
      return last ? std::optional(out) : std::nullopt;
  }
}

}  // namespace

TEST_CASE("the checker refuses 200 damaged proofs of 200") {
  int refused = 0, tried = 0;
  std::set<int> kinds;
  for (const std::string& program : programs()) {
    Pair pair(program);
    const bool equation = program.find("abs") == std::string::npos;
    const auto relation = equation ? proof::Relation::equal : proof::Relation::at_most;
    // The errors d of the sum in order are at most 1/8.
    std::map<std::uint32_t, ir::InputRange> ranges;
    if (pair.f->parameters.size() == 2 && !equation) ranges[1] = {mpq_class(-1, 8), mpq_class(1, 8)};
    const auto proofs = ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, relation, ranges);
    REQUIRE_FALSE(proofs.empty());
    for (const Proof& good : proofs) {
      REQUIRE_FALSE(verify::check(good));
      for (int kind = 0; kind < 15; ++kind) {
        for (std::size_t at = 0; at < good.steps.size(); ++at) {
          const auto bad = damaged(good, kind, at);
          if (!bad) continue;
          ++tried;
          kinds.insert(kind);
          const bool is_refused = verify::check(*bad).has_value();
          refused += is_refused;
          INFO("kind " << kind << " at step " << at + 1 << " of " << good.claim << ": "
                       << proof::text(bad->steps[at].conclusion));
          CHECK(is_refused);
        }
      }
    }
  }
  CHECK(kinds.size() == 15);
  CHECK(tried >= 450);
  CHECK(refused == tried);
}

TEST_CASE("what is false has no proof") {
  const auto proved = [](const std::string& program) {
    Pair pair(program);
    return !ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::equal).empty();
  };
  CHECK_FALSE(proved("fn f(x: f64[n]) -> f64 = sum i < n: f64(2 * i)\nfn g(x: f64[n]) -> f64 = f64(n) * f64(n)"));
  // True for n = 1 alone.
  CHECK_FALSE(proved("fn f(x: f64[n]) -> f64 = sum i: x[i]\nfn g(x: f64[n]) -> f64 = x[0]"));
  // Horner's rule from the other end, and an operation whose order matters.
  const std::string step =
      "fn step(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (p, v) = a; let (q, w) = b; (p * q, v * q + w) }\n";
  CHECK_FALSE(proved("fn f(c: f64[n], x: f64) -> f64 = sum i: c[i] * (prod j < i: x by seq else 1) by seq\n" + step +
                     "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by seq; v }\n"));
  const std::string halves = "fn half(a: f64, b: f64) -> f64 = (a + b) / 2\n";
  CHECK_FALSE(proved(
      halves +
      "fn f(x: f64[n]) -> f64 = reduce(half) i: x[i] by seq\nfn g(x: f64[n]) -> f64 = reduce(half) i: x[i] by tree"));
  // Strassen's product with a wrong sign in one of its four blocks.
  CHECK(proved(strassen("+ m6")));
  CHECK_FALSE(proved(strassen("- m6")));
  // The online softmax without the factor that scales the sum again.
  CHECK_FALSE(proved(online_softmax("al + bl * exp(bm - m)")));
}

TEST_CASE("a size may be 0 where a reduction says what it is then") {
  // Over no values, the product is 1 and the two differ; over some, it is not read as 0 to the power of n.
  Pair pair(
      "fn f(x: f64[n]) -> f64 = sum i: x[i] else 0\nfn g(x: f64[n]) -> f64 = (sum i: x[i] else 0) + (prod i: x[i] - "
      "x[i] else 1)");
  CHECK(ir::prove_by_steps(pair.session.module(), *pair.f, *pair.g, proof::Relation::equal).empty());
  Pair empty("fn f(x: f64[n]) -> f64 = sum i: x[i] + 1 else 0\nfn g(x: f64[n]) -> f64 = (sum i: x[i] else 0) + f64(n)");
  const auto proof = only(ir::prove_by_steps(empty.session.module(), *empty.f, *empty.g, proof::Relation::equal));
  REQUIRE(proof);
  CHECK(proof->variables.front().least == 0);
}
