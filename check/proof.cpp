#include "check/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "induction/induction.h"
#include "prove/operations.h"
#include "prove/prove.h"

namespace reckon::check {

namespace {

constexpr std::string_view by_steps = "steps, each of which was checked";
constexpr std::string_view same_operations = "the same operations in the same order";

bool asks_equality(const frontend::ElaboratedItem& item) {
  return item.relation == frontend::Item::Relation::equal && item.left && item.right && !item.library;
}

/// Proofs with steps, if the check is one of equality or of an order; none if there are none.
std::vector<proof::Proof> steps_of(ir::Module& module, const frontend::ElaboratedItem& item) {
  if (asks_equality(item)) return ir::prove_by_steps(module, *item.left, *item.right, proof::Relation::equal);
  std::map<std::uint32_t, ir::InputRange> ranges;
  for (const frontend::RangeClause& range : item.ranges) {
    ir::InputRange& into = ranges[range.parameter];
    if (range.sign > 0) into.low = 0;
    else if (range.sign < 0) into.high = 0;
    else into = {range.low, range.high};
  }
  if (item.relation != frontend::Item::Relation::ordered || !item.left || !item.right || item.library) return {};
  if (item.comparison == "<=")
    return ir::prove_by_steps(module, *item.left, *item.right, proof::Relation::at_most, ranges);
  if (item.comparison == ">=")
    return ir::prove_by_steps(module, *item.right, *item.left, proof::Relation::at_most, ranges);
  return {};
}

}  // namespace

Proof proof_of_algebra(ir::Module& module, const frontend::ElaboratedItem& item) {
  if (!asks_equality(item)) return std::nullopt;
  std::set<std::uint32_t> positive;
  for (const frontend::RangeClause& range : item.ranges) {
    if (range.sign > 0 || range.low > 0) positive.insert(range.parameter);
  }
  if (const auto proof = ir::prove_equal(module, *item.left, *item.right, positive)) {
    if (proof->by_induction) return "one normal form, loops by induction over their rounds";
    return proof->by_cases  ? "one normal form in every case"
           : proof->cleared ? "one normal form, after clearing denominators"
                            : "one normal form";
  }
  if (ir::same_operations(module, *item.left, *item.right)) return same_operations;
  return steps_of(module, item).empty() ? std::nullopt : Proof(by_steps);
}

Proof proof_of_inequality(ir::Module& module, const frontend::ElaboratedItem& item) {
  return steps_of(module, item).empty() ? std::nullopt : Proof(by_steps);
}

void explain(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (outcome.verdict != Verdict::holds || outcome.strength != Strength::proved) return;
  const std::vector<proof::Proof> proofs = steps_of(module, item);
  if (proofs.empty()) {
    outcome.notes.push_back("this proof is not one of steps that the checker knows");
    return;
  }
  std::vector<std::string> steps, objects;
  for (const proof::Proof& each : proofs) {
    std::ranges::move(proof::lines(each), std::back_inserter(steps));
    objects.push_back(proof::json(each));
  }
  outcome.evidence.push_back({"steps", std::move(steps), ""});
  outcome.evidence.push_back(
      {"proof_object",
       objects.size() == 1 ? objects.front() : fmt::format(R"({{"parts": [{}]}})", fmt::join(objects, ", ")), ""});
}

Proof proof_of_bits(ir::Module& module, const frontend::ElaboratedItem& item) {
  const bool proved = asks_equality(item) && ir::same_operations(module, *item.left, *item.right);
  return proved ? Proof(same_operations) : std::nullopt;
}

bool strengthen(const Proof& proof, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (!proof || outcome.verdict != Verdict::holds || outcome.strength == Strength::proved) return false;
  outcome.strength = Strength::proved;
  outcome.notes.clear();
  outcome.branches_missed.clear();
  // A proof holds for all sizes and inputs, without a probability of error, so the evidence of the trials is dropped.
  const bool sized = !item.left->dimensions.empty();
  std::erase_if(outcome.evidence, [](const Fact& each) { return each.name == "sizes" || each.name.starts_with("error_probability"); });
  for (Fact& each : outcome.evidence) each.text.clear();
  if (sized) outcome.evidence.push_back({"all_sizes", true, ""});
  outcome.evidence.push_back({"proof", std::string(*proof), ""});
  return true;
}

}  // namespace reckon::check
