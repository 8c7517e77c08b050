// Sequences of instructions that stand for one operation on values: functions of CUDA's library.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ptx/module.h"
#include "ptx/shadow/followed.h"

namespace reckon::ptx {

/// What an instruction is in such a sequence.
enum class SequenceStep : std::uint8_t {
  inner,   ///< nothing outside of the sequence takes its result
  scaled,  ///< x log2(e): the argument of ex2
  one,     ///< the power of two by which the result of ex2 is multiplied, which is 1 as x log2(e) is not reduced
  result   ///< a function of the argument
};
struct Sequence {
  SequenceStep step{};
  Act act{};         ///< of a result
  Operand argument;  ///< of a result: an f32 in a register
};

/// By the number of the instruction.
std::unordered_map<std::uint32_t, Sequence> find_sequences(const Function& function);

class Decoder;
bool follow_sequence(const Sequence& sequence, Decoder& decoder, Followed& how);

}  // namespace reckon::ptx
