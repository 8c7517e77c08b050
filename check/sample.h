// Checks a sample of a circuit's results, where computing all of them would take longer than the check may.
#pragma once

#include "check/check.h"
#include "ir/bind.h"

namespace reckon::check {

struct Sample {
  frontend::ElaboratedItem item;                    ///< the check, of circuits that give the chosen results as a list
  std::vector<std::vector<std::int64_t>> elements;  ///< which results, by their subscripts
  std::int64_t of = 0;                              ///< how many results there are
};

/// The check on a few results that are spread over all of them. It is made if every dimension has one given size, an
/// evaluation of all results would take more index values than `affordable`, and the circuits give one tensor each.
/// What the chosen results do not need is not computed.
std::optional<Sample> sample_results(ir::Module& module, const frontend::ElaboratedItem& item, std::int64_t affordable);

}  // namespace reckon::check
