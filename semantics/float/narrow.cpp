// The loops of the narrow formats, in a separate source (interp/algebra/array_semantics.h).
#include "semantics/float/semantics.h"

namespace reckon::interp {

#define RECKON_NARROW_FORMAT(name, ...) \
  RECKON_ARRAY_LOOPS(, FloatSemantics, float_algebra::For<ir::Scalar::name>)
#include "numerics/formats.def"

}  // namespace reckon::interp
