// Launches of kernels of PTX with what their floats are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/reckon/ptx.h"
#include "ptx/emulate/program.h"
#include "ptx/shadow/values.h"

namespace reckon {

/// The memory of a launch, and the addresses of the arguments that have some; 0 for the others.
struct PtxMemory {
  ptx::Memory memory;
  std::vector<std::uint64_t> bases;
};

/// run_ptx with these values; null: floats.
PtxRun carry_out_ptx(const std::string& text, const std::string& name, const PtxLaunch& launch, ptx::Values* values,
                     PtxMemory& placed);

/// E0630 at a kernel of the text.
Message ptx_message(const std::string& text, const std::string& name, const std::string& kernel, std::string message);

}  // namespace reckon
