// The narrow formats, whose loops are a source of their own (interp/algebra/array_semantics.h).
#include "semantics/bound/semantics.h"

namespace reckon::interp {

RECKON_NARROW_BOUNDS(, false, BoundAlgebra)

}  // namespace reckon::interp
