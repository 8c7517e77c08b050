// `assert`: claims about static values and sizes, in blocks and as items.
#pragma once

#include <string>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// Whether the claim holds, as far as that is known before the sizes are: what depends on the sizes of the circuit that
/// is being elaborated becomes a requirement of it. Reports E0314 at a claim that does not hold, with the reason, which
/// may be empty; and E0310 at one that depends on an index or on numbers that are computed.
bool is_asserted(Elaborator& elaborator, const Context& context, ExprId claim, const std::string& reason);

}  // namespace reckon::frontend
