// `check f ~ g within 1e-6 in bound for x: -1..1`: is the distance that small on the whole ranges?
#pragma once

#include "driver/traits.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"

namespace reckon::check {

struct OverRanges {
  bool within = false;  ///< proved: floats and reals of the two sides are within the tolerance for all inputs
  double bound = 0;     ///< the distance is no larger
  std::string inputs;   ///< `all of x: -1..1`
  std::string text;     ///< what was established, or why nothing was
  std::vector<ir::Dimensions> tried;  ///< the sizes, if there are any
  /// Not within: inputs near the worst case at these sizes, if any were found.
  std::vector<interp::Argument> arguments;
  ir::Dimensions sizes;
};

/// Nothing if the question does not arise: the semantics bounds no errors, the tolerance is no distance and no range,
/// or an input has no range.
std::optional<OverRanges> try_over_ranges(ir::Module& module, const frontend::ElaboratedItem& item,
                                          const driver::Traits& traits, const interp::EvaluateOptions& options);

}  // namespace reckon::check
