#include "check/proof.h"

#include "prove/prove.h"

namespace reckon::check {

std::optional<ir::Proof> proof_of(ir::Module& module, const frontend::ElaboratedItem& item) {
  if (item.relation != frontend::Item::Relation::equal || !item.left || !item.right) return std::nullopt;
  std::set<std::uint32_t> positive;
  for (const frontend::RangeClause& range : item.ranges) {
    if (range.sign > 0 || range.low > 0) positive.insert(range.parameter);
  }
  return ir::prove_equal(module, *item.left, *item.right, positive);
}

bool strengthen(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (outcome.verdict != Verdict::holds || outcome.strength != Strength::agreed) return false;
  return strengthen(proof_of(module, item), item, outcome);
}

bool strengthen(const std::optional<ir::Proof>& proof, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (!proof || outcome.verdict != Verdict::holds || outcome.strength != Strength::agreed) return false;
  outcome.strength = Strength::proved;
  outcome.notes.clear();
  // A proof holds for all sizes and inputs, without a probability of error, so the evidence of the trials is dropped.
  const bool sized = !item.left->dimensions.empty();
  std::erase_if(outcome.evidence, [](const Fact& each) { return each.name == "sizes" || each.name.starts_with("error_probability"); });
  for (Fact& each : outcome.evidence) each.text.clear();
  if (sized) outcome.evidence.push_back({"all_sizes", true, ""});
  outcome.evidence.push_back(
      {"proof", std::string(proof->by_cases  ? "one normal form in every case"
                            : proof->cleared ? "one normal form, after clearing denominators"
                                             : "one normal form"), ""});
  return true;
}

}  // namespace reckon::check
