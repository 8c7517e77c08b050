// Operations that have no value for some operands.
#pragma once

#include "diagnostics/diagnostic.h"

namespace reckon::codegen {

/// Why an operation has no value, in the interpreter's words.
struct Undefined {
  Code code;
  const char* message;
  const char* help;
};

}  // namespace reckon::codegen
