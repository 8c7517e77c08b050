// How the values of an operation are followed (ptx/shadow/values.h), beside the operation itself.
#pragma once

#include <array>
#include <cstdint>

#include "ptx/shadow/values.h"

namespace reckon::ptx {

struct Operation;
struct Followed;
class Warp;
class Shadow;

/// Follows the values of the lanes of the mask, and carries the operation out.
using Follow = void (*)(const Operation&, const Followed&, Warp&, std::uint32_t on, Shadow&);

struct Followed {
  Follow follow = nullptr;  ///< null: the operation takes and gives no values
  FloatAct act;
  std::uint8_t parts = 1;                ///< of a pair: 2
  bool clamps = false, is_relu = false;  ///< afterwards
  bool is_of_equality = false;           ///< a loop of compare and swap asks it
  bool swaps = false;                    ///< the first two operands
  bool is_pair_of_two = false;           ///< a conversion of two operands to a pair
  std::uint8_t operands = 0;
  /// Bytes of the registers d, e, a, b, c and f; 0: predicates, or none.
  std::array<std::uint8_t, 6> bytes{};
  /// Of a product that stands for a longer sequence: the other operand, an f32.
  std::uint32_t factor = 0;
  /// Of a function that is written out: the slots of its arguments, `operands` many, and those that hold a stand-in
  /// while one of its steps is carried out (sequences.h).
  std::array<std::uint32_t, 2> arguments{};
  std::array<std::uint32_t, 4> stand_ins{};
  std::uint8_t stand_in_count = 0;
};

}  // namespace reckon::ptx
