// Where values of the circuit live while a function is being filled.
//
// A scope is a region of the emitted code: a function's body, a loop's body, one side of a branch, or just the place
// where some variables have values. A node is emitted in the innermost scope that gives a value to one of its free
// variables, so that what does not depend on a loop's variable stands before the loop. It never leaves a guarded
// region (one side of a branch): what an empty reduction would have read must not be read.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/plan.h"
#include "kernel/builder.h"

namespace reckon::codegen {

template <class Signature>
using FunctionRef = const std::function<Signature>&;

using kernel::Fits;
using kernel::Kind;
using kernel::Stream;
using kernel::Type;
using kernel::Value;
/// The scalars of a value: one, or a tuple's parts.
using kernel::Values;

struct Scope {
  struct Bound {
    ir::VariableId variable;
    ir::IndexId extent;
    Value value;
  };
  Scope* parent = nullptr;
  kernel::Region* region = nullptr;  ///< new code goes to its end
  bool guard = false;
  std::vector<Bound> variables;
  std::vector<std::pair<ir::VariableId, Values>> operands;
  std::unordered_map<ir::NodeId, Values> nodes;
  std::unordered_map<ir::IndexId, Value> indices;
  std::unordered_map<ir::NodeId, Value> divisors;  ///< divisors that have been prepared, by node

  bool binds(ir::VariableId variable) const {
    for (const Bound& bound : variables) {
      if (bound.variable == variable) return true;
    }
    for (const auto& operand : operands) {
      if (operand.first == variable) return true;
    }
    return false;
  }
};

}  // namespace reckon::codegen
