// How many registers a function needs at once.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/module.h"

namespace reckon::ptx {

/// The most registers of 32 bits that are live at one place of the function's body (predicates are others): what is
/// written there or before and read later, on some way through the branches (A. Appel, "Modern compiler
/// implementation", chapter 10). What an assembler gives a thread is near it, and depends on how it orders
/// instructions. Nothing for functions so large that the answer would take more than about 100 MB.
std::optional<std::uint32_t> live_registers(const Function& function);

}  // namespace reckon::ptx
