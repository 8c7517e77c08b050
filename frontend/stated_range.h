// The range that a parameter states for its integers: `label: u32[b] < c`.
#pragma once

#include "frontend/ast.h"
#include "frontend/elaborator.h"

namespace reckon::frontend {

/// The parameter's value, each of whose elements ends the evaluation with E0308 where it is read and is outside of the
/// range; the value itself if no range is stated. Nothing, after a report, if the range is of no integers or does not
/// begin at 0.
std::optional<ir::NodeId> in_stated_range(Elaborator& elaborator, const Context& context,
                                          const ParameterDecl& parameter, ir::NodeId value);

}  // namespace reckon::frontend
