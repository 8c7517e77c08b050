#include "check/proof.h"

#include "ir/normal/prove.h"

namespace reckon::check {

bool strengthen(ir::Module& module, const frontend::ElaboratedItem& item, Outcome& outcome) {
  if (outcome.verdict != Verdict::holds || outcome.strength != Strength::agreed) return false;
  if (item.relation != frontend::Item::Relation::equal || !item.left || !item.right) return false;
  const auto proof = ir::prove_equal(module, *item.left, *item.right);
  if (!proof) return false;
  outcome.strength = Strength::proved;
  // A proof leaves no probability of error.
  std::erase_if(outcome.evidence, [](const auto& each) { return each.first == "probability_of_error"; });
  outcome.evidence.push_back({"proof", proof->cleared ? "one normal form, after clearing denominators" : "one normal form"});
  return true;
}

}  // namespace reckon::check
