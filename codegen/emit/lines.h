// Line tables: each instruction's place in the source, as debuggers and profilers read it (`.loc` in PTX).
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "codegen/compile.h"

namespace reckon::codegen {

class Lines {
 public:
  /// `function`: whose places are current in the module (ir::PlacesGuard).
  Lines(const ir::Module& circuit, const ir::Function& function, const CompileOptions& options, llvm::Module& output);
  ~Lines();

  /// Instructions of this function follow; its own place.
  llvm::DebugLoc begin(llvm::Function& function);
  /// The place of a node; if it has none, the one before.
  llvm::DebugLoc at(ir::NodeId node);
  /// Every function is complete, and no other one follows.
  void finish();

 private:
  llvm::DIFile* file(const std::string& name);
  llvm::DILocation* location(const SourceLine& line);

  const ir::Module& circuit_;
  const CompileOptions& options_;
  SourceLine start_;  ///< the circuit's own
  llvm::LLVMContext& context_;
  llvm::DIBuilder builder_;
  std::map<std::string, llvm::DIFile*> files_;
  std::map<llvm::DIFile*, llvm::DIScope*> scopes_;  ///< of the function, in each file
  llvm::DISubprogram* function_ = nullptr;
  llvm::DILocation* last_ = nullptr;
};

}  // namespace reckon::codegen
