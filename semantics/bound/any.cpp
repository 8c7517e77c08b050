#include "semantics/bound/semantics.h"

namespace reckon::interp {

std::unique_ptr<Semantics> make_bound_any() { return std::make_unique<BoundSemantics<true>>(); }

}  // namespace reckon::interp
