// Whether a float is among the answers, and if not, how far from them.
#pragma once

#include "interp/semantics.h"
#include "semantics/accept/answers.h"
#include "semantics/accept/number_kind.h"

namespace reckon::interp::accept {

/// `got` is a number of the kind, an infinity or a NaN. Distances are in ulps of the nearest number of the kind that is
/// allowed; infinite if there is none, and for a NaN.
Acceptance acceptance(const Answers& answers, const NumberKind& kind, double got);

}  // namespace reckon::interp::accept
