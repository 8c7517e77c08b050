// The elementary function that an operation of the IR is, which has its name.
#pragma once

#include <optional>

#include "ir/op.h"
#include "numerics/elementary.h"

namespace reckon::codegen {

/// Nothing for sqrt, an operation of the machine.
inline std::optional<numerics::Function> function_of(ir::Op op) {
  switch (op) {
#define RECKON_FUNCTION(name) \
  case ir::Op::name: return numerics::Function::name;
#include "numerics/functions.def"
    default: return std::nullopt;
  }
}

inline std::optional<numerics::BinaryFunction> binary_function_of(ir::Op op) {
  switch (op) {
#define RECKON_FUNCTION_OF_TWO(name) \
  case ir::Op::name: return numerics::BinaryFunction::name;
#include "numerics/functions.def"
    default: return std::nullopt;
  }
}

}  // namespace reckon::codegen
