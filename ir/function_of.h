// The elementary function that an operation is, which has its name.
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

}  // namespace reckon::ir
