#include "check/proof.h"

#include "prove/operations.h"
#include "prove/prove.h"

namespace reckon::check {

namespace {

constexpr std::string_view same_operations = "the same operations in the same order";

bool asks_equality(const frontend::ElaboratedItem& item) {
  return item.relation == frontend::Item::Relation::equal && item.left && item.right && !item.library;
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
  return ir::same_operations(module, *item.left, *item.right) ? Proof(same_operations) : std::nullopt;
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
