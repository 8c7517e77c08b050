// Finds a schedule of the language that has a given tree.
#pragma once

#include <optional>
#include <string>

#include "reveal/sum_tree.h"

namespace reckon::reveal {

struct Recognised {
  std::string schedule;  ///< as the language writes it
  int terms = 0;         ///< combinators in it: what a shorter description has fewer of
};

/// The schedule of fewest combinators that has this tree, up to swapped operands, for its number of leaves: of `seq`,
/// `tree`, `halving`, `from_right` (stdlib/schedules.rk), `lanes(k, S)` and `tile(k, S)` before a schedule, and
/// `split(m, S, T)`, nested at most three deep. Nothing if a node has more than two children, or no such schedule fits.
std::optional<Recognised> recognise(const SumTree& tree);

}  // namespace reckon::reveal
