// `padic` compiled (compiled/code.cpp).
#pragma once

#include "codegen/compiled_semantics.h"

namespace reckon::codegen {

const CompiledSemantics& padic_code();

}  // namespace reckon::codegen
