// LLVM functions that a module has once, however often they are used.
#pragma once

#include <llvm/IR/Module.h>

#include "codegen/scalars/scalar_code.h"

namespace reckon::codegen {

/// An internal function of doubles, made at its first use: `body(builder, function)` emits it, with its return.
template <class Body>
llvm::Function* shared_function(Builder& b, llvm::StringRef name, llvm::Type* result, unsigned arity, Body&& body) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  if (llvm::Function* made = module.getFunction(name)) return made;
  const llvm::SmallVector<llvm::Type*, 4> types(arity, b.getDoubleTy());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                          llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  Builder inner(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  body(inner, *function);
  return function;
}

template <class Body>
llvm::Function* shared_function(Builder& b, llvm::StringRef name, unsigned arity, Body&& body) {
  return shared_function(b, name, b.getDoubleTy(), arity, std::forward<Body>(body));
}

}  // namespace reckon::codegen
