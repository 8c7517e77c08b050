// PTX that LLVM has no instruction for.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

namespace reckon::codegen {

/// $0, ... in the text are what it gives, then the operands; constraints as LLVM's language reference has them ("Inline
/// Assembler Expressions"). With effects it keeps its place among others that have some.
inline llvm::CallInst* emit_assembly(llvm::IRBuilderBase& b, llvm::Type* result, llvm::StringRef text,
                                     llvm::StringRef constraints, llvm::ArrayRef<llvm::Value*> operands,
                                     bool has_effects) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (llvm::Value* operand : operands) types.push_back(operand->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  return b.CreateCall(llvm::InlineAsm::get(type, text, constraints, has_effects), operands);
}

}  // namespace reckon::codegen
