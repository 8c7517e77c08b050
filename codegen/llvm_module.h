// LLVM modules: verified, as text, as files, and what guards against errors of LLVM.
#pragma once

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <optional>
#include <string>

namespace reckon::codegen {

/// What is wrong with the module, if anything.
std::optional<std::string> verify(llvm::Module& module);

std::string module_text(const llvm::Module& module);

/// Runs `work` so that a fatal error of LLVM is returned as text instead of ending the process. The objects that `work`
/// used must then be leaked. `context` (if not null) reports its errors here, too.
std::optional<std::string> guarded(llvm::LLVMContext* context, const std::function<void()>& work);

/// Adds a pass of the target's own (legacy) list, with other passes before it or not at all. It takes ownership.
using AddPass = void (*)(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass);
inline void add_pass(llvm::legacy::PassManagerBase& passes, llvm::Pass* pass) { passes.add(pass); }

/// Writes assembly or an object file, by the target's passes.
bool emit_file(llvm::Module& module, llvm::TargetMachine& machine, AddPass add, llvm::CodeGenFileType type,
               std::string& out);

}  // namespace reckon::codegen
