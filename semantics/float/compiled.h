// `float` compiled (compiled/code.cpp).
#pragma once

#include "codegen/compiled_semantics.h"

namespace reckon::codegen {

const CompiledSemantics& float_code();

}  // namespace reckon::codegen
