// The narrow formats, whose loops are a source of their own (interp/algebra/array_semantics.h).
#include "semantics/float/mode_semantics.h"

namespace reckon::interp {

RECKON_NARROW_MODES()

}  // namespace reckon::interp
