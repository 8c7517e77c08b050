// PTX from a lowered module: LLVM's NVPTX target with the lowest PTX version that knows the chip.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "codegen/compile.h"

namespace reckon::codegen {

/// Nothing if LLVM does not know the chip (E0700 by the caller).
std::unique_ptr<llvm::TargetMachine> make_ptx_machine(const std::string& arch, bool optimise);

/// 90 for `sm_90` and `sm_90a`; 0 for what is no chip.
int chip_number(const std::string& arch);
/// Does a chip add and multiply bf16 as fma with a constant?
bool below_sm_90(const std::string& arch);

}  // namespace reckon::codegen
