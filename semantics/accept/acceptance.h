// Whether a float is among the answers, and if not, how far from them.
#pragma once

#include "interp/semantics.h"
#include "semantics/accept/answers.h"
#include "semantics/accept/number_kind.h"

namespace reckon::interp::accept {

/// `got`: a number of the kind, an infinity or a NaN. Distances are in units in the last place of the nearest number of
/// the kind that is allowed; infinite where there is none, and for a NaN.
Acceptance acceptance(const Answers& answers, const NumberKind& kind, double got);

}  // namespace reckon::interp::accept
