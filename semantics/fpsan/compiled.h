// `fpsan` compiled (compiled/code.cpp).
#pragma once

#include "codegen/compiled_semantics.h"
#include "numerics/fpsan_constants.h"

namespace reckon::codegen {

/// One of the four generations of numerics/fpsan_constants.h.
const CompiledSemantics& fpsan_code(const numerics::fpsan::Generation& generation);

}  // namespace reckon::codegen
