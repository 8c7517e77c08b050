// Where values of the circuit live while a function is being filled.
//
// A scope is a region of the emitted code: a function's body, a loop's body, one side of a branch, or just the place
// where some variables have values. A node is emitted in the innermost scope that gives a value to one of its free
// variables, so that what does not depend on a loop's variable stands before the loop. It never leaves a guarded
// region (one side of a branch): what an empty reduction would have read must not be read.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Value.h>

#include <unordered_map>

#include "codegen/plan.h"

namespace reckon::codegen {

/// The scalars of a value: one, or a tuple's parts.
using Values = llvm::SmallVector<llvm::Value*, 2>;

/// New code goes before this instruction: the terminator of the region's last block so far, or, while an inner loop or
/// branch is open, the one that enters it.
struct Cursor {
  llvm::Instruction* at = nullptr;
};

struct Scope {
  struct Bound {
    ir::VariableId variable;
    ir::IndexId extent;
    llvm::Value* value;
  };
  Scope* parent = nullptr;
  Cursor* cursor = nullptr;
  bool guard = false;
  llvm::SmallVector<Bound, 2> variables;
  llvm::SmallVector<std::pair<ir::VariableId, Values>, 2> operands;
  std::unordered_map<ir::NodeId, Values> nodes;
  std::unordered_map<ir::IndexId, llvm::Value*> indices;
  std::unordered_map<ir::NodeId, llvm::SmallVector<llvm::Value*, 2>> divisors;  ///< ScalarCode::prepare_divisor

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
