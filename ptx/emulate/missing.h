// What the emulator has not got, in words.
#pragma once

#include <string_view>

#include "ptx/module.h"

namespace reckon::ptx {

/// What an instruction needs that is not there; empty if nothing is known of that.
std::string_view missing_for(const Instruction& instruction);

}  // namespace reckon::ptx
