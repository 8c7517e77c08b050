// Sequences of instructions that stand for one operation on values: the exponential function of CUDA's library.
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
  one      ///< the power of two by which the result of ex2 is multiplied, which is 1 as x log2(e) is not reduced
};

/// By the number of the instruction.
std::unordered_map<std::uint32_t, SequenceStep> find_sequences(const Function& function);

bool follow_sequence(SequenceStep step, Followed& how);

}  // namespace reckon::ptx
