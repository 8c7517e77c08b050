// The elementary function that an operation is, by its name, and the operation that an elementary function is.
#pragma once

#include <optional>

#include "ir/op.h"
#include "numerics/functions/table.h"

namespace reckon::ir {

constexpr std::optional<numerics::Function> function_of(Op op) {
  switch (op) {
#define RECKON_FUNCTION(name) \
  case Op::name: return numerics::Function::name;
#include "numerics/functions.def"
    case Op::sqrt: return numerics::Function::sqrt;
    default: return std::nullopt;
  }
}

constexpr std::optional<numerics::BinaryFunction> binary_function_of(Op op) {
  switch (op) {
#define RECKON_FUNCTION_OF_TWO(name) \
  case Op::name: return numerics::BinaryFunction::name;
#include "numerics/functions.def"
    default: return std::nullopt;
  }
}

constexpr Op operation_of(numerics::Function function) {
  switch (function) {
#define RECKON_FUNCTION(name) \
  case numerics::Function::name: return Op::name;
#include "numerics/functions.def"
    case numerics::Function::sqrt: break;
  }
  return Op::sqrt;
}

}  // namespace reckon::ir
