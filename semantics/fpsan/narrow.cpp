// The loops of the narrow formats, in a separate source (interp/algebra/array_semantics.h).
#include "semantics/fpsan/semantics.h"

namespace reckon::interp {

RECKON_NARROW_RINGS()

}  // namespace reckon::interp
