// The host target: code for this machine, through ORC.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "codegen/compile.h"
#include "codegen/scalars/scalar_code.h"

namespace llvm::orc {
class LLJIT;  // whose header takes seconds to compile
}

namespace reckon::codegen {

class HostProgram {
 public:
  explicit HostProgram(std::unique_ptr<llvm::orc::LLJIT> jit);
  ~HostProgram();
  HostKernel kernel(const std::string& name) const;

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

/// For a processor of this kind of machine, by LLVM's name of it (`x86-64-v3`), or for this machine's (`native`); null
/// if there is none such. Code is independent of its position if it is `linked` into other programs.
std::unique_ptr<llvm::TargetMachine> make_host_machine(bool optimise, const std::string& cpu, bool linked);
Abilities host_abilities(const llvm::TargetMachine& machine);

/// Takes ownership of the module. On failure the result says why.
Expected<std::shared_ptr<HostProgram>> load_host_program(std::unique_ptr<llvm::LLVMContext> context,
                                                         std::unique_ptr<llvm::Module> module,
                                                         std::unique_ptr<llvm::TargetMachine> machine,
                                                         const CompiledSemantics& semantics);

}  // namespace reckon::codegen
