// `interval` and `interval(f32)` compiled (compiled/code.cpp).
#pragma once

#include "codegen/compiled_semantics.h"

namespace reckon::codegen {

const CompiledSemantics& interval_code();
/// The same with f32 endpoints.
const CompiledSemantics& interval_f32_code();

}  // namespace reckon::codegen
