#include "check/proof.h"

#include "ir/normal/prove.h"

namespace reckon::check {

bool strengthen(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (outcome.verdict != Verdict::holds || outcome.strength != Strength::agreed) return false;
  if (item.relation != frontend::Item::Relation::equal || !item.left || !item.right) return false;
  std::set<std::uint32_t> positive;
  for (const frontend::RangeClause& range : item.ranges) {
    if (range.sign > 0 || range.low > 0) positive.insert(range.parameter);
  }
  const auto proof = ir::prove_equal(module, *item.left, *item.right, positive);
  if (!proof) return false;
  outcome.strength = Strength::proved;
  // A proof leaves no probability of error.
  std::erase_if(outcome.evidence, [](const auto& each) { return each.first == "probability_of_error"; });
  outcome.evidence.push_back({"proof", proof->by_cases  ? "one normal form in every case"
                                       : proof->cleared ? "one normal form, after clearing denominators"
                                                        : "one normal form"});
  return true;
}

}  // namespace reckon::check
