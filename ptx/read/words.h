// The words of instructions: opcodes and modifiers.
#pragma once

#include <string_view>

namespace reckon::ptx {

bool is_opcode(std::string_view word);
/// A modifier of some instruction, or a type.
bool is_modifier(std::string_view word);

}  // namespace reckon::ptx
