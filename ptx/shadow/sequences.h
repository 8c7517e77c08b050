// Sequences of instructions that stand for one operation on values: functions of CUDA's library.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

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
  Act act{};                       ///< of a result
  std::vector<Operand> arguments;  ///< of a result: f32s in registers
  /// Registers that hold an argument or its magnitude: where patterns of values are no numbers, the instruction is
  /// carried out with `stand_in` in them.
  std::vector<Operand> stand_ins;
};
/// 0.75: an argument at which every function of the library goes its usual way.
inline constexpr std::uint32_t stand_in = 0x3f400000;

/// By the number of the instruction.
std::unordered_map<std::uint32_t, Sequence> find_sequences(const Function& function);

class Decoder;
bool follow_sequence(const Sequence& sequence, Decoder& decoder, Followed& how);

}  // namespace reckon::ptx
