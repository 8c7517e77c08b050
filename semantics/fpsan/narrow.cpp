// The narrow formats, whose loops are a source of their own (interp/algebra/array_semantics.h).
#include "semantics/fpsan/semantics.h"

namespace reckon::interp {

RECKON_NARROW_RINGS()

}  // namespace reckon::interp
