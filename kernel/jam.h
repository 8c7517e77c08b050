// Several rounds of a loop side by side in one round (unroll and jam: D. Callahan, S. Carr, K. Kennedy, "Improving register
// allocation for subscripted variables", PLDI 1990). Loops inside of it run once for all of these rounds: what they read
// for one of them is read once if it is the same for the others, and chains that wait for themselves are carried out at
// the same time, in vectors where an emitter's target has them. No operation changes, and no order within a round.
#pragma once

#include <cstdint>

#include "kernel/program.h"

namespace reckon::kernel {

/// What unroll_and_jam would gain, and whether it can.
struct Jammable {
  bool possible = false;
  /// A loop inside, of more than a few rounds, carries values that differ from round to round.
  bool has_chains = false;
  /// All operations in such loops on numbers are single instructions of most machines.
  bool is_light = true;
  /// In such a loop there is a load that is the same for all rounds, and one that is not.
  bool shares_loads = false;
  /// What rounds load in such loops, if it is not the same for all, are neighbours in memory.
  bool reads_neighbours = true;
  std::int64_t operations = 0;  ///< in such loops that differ from round to round
  std::int64_t stack_bytes = 0;  ///< of arrays on the stack that each round needs for itself
};

/// Examines a `for` loop that carries nothing, whose step is 1, and whose rounds read nothing in global memory that another
/// one writes, nor on the stack before they have written it. It is not possible if rounds may go different ways or keep
/// faults in mind.
Jammable jammable(const Program& program, const Operation& loop);

/// Exchanges two loops, of which the inner one is all that the outer one does but for arithmetic on indices, and has the
/// same bounds in each of its rounds. The outer one is the last operation of `around`. False: it is not so.
bool exchange_loops(Program& program, Region& around);

/// Where the elements lie of an array on the stack that each round has for itself: those of one place of all rounds beside
/// each other, or whole arrays one after the other.
enum class RoundArrays : std::uint8_t { interleaved, apart };

/// Replaces such a loop, for which it is possible: rounds go in groups of `width`, and those left over one after the other.
/// The loop is the last operation of `around`, a region of the function.
void unroll_and_jam(Program& program, Function& function, Region& around, std::int64_t width, RoundArrays arrays);

}  // namespace reckon::kernel
