// Functions of CUDA's library of f32 (libdevice), which nvcc writes out where they are called.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/shadow/sequences.h"

namespace reckon::ptx {

/// Adds the steps of the functions that the body calls to `found`, by the number of the instruction.
void find_library_functions(const Function& function, std::unordered_map<std::uint32_t, Sequence>& found);

}  // namespace reckon::ptx
