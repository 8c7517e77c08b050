#include "codegen/ptx/emit.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <cstdlib>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace reckon::codegen {

std::unique_ptr<llvm::TargetMachine> make_ptx_machine(const std::string& arch, bool optimise) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target) return nullptr;
  const std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (arch.rfind("sm_", 0) != 0 || !known || !known->isCPUStringValid(arch)) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const auto level = optimise ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
  // No feature string: the default PTX version of a chip is the lowest that knows it, which most drivers accept.
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, arch, "", options, std::nullopt, std::nullopt, level));
}

int chip_number(const std::string& arch) {
  return arch.rfind("sm_", 0) == 0 ? static_cast<int>(std::strtol(arch.c_str() + 3, nullptr, 10)) : 0;
}

bool below_sm_90(const std::string& arch) { return arch.rfind("sm_", 0) == 0 && chip_number(arch) < 90; }

}  // namespace reckon::codegen
