// The loops of the narrow formats, in a separate source (interp/algebra/array_semantics.h).
#include "semantics/float/semantics.h"

namespace reckon::interp {

RECKON_NARROW_FLOATS()

}  // namespace reckon::interp
