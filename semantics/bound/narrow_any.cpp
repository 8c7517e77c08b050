// The loops of the narrow formats, in a separate source (interp/algebra/array_semantics.h).
#include "semantics/bound/semantics.h"

namespace reckon::interp {

RECKON_NARROW_BOUNDS(, true, AnyOrderAlgebra)

}  // namespace reckon::interp
