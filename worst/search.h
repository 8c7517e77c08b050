// The maximum of a bound over a box, by branch and bound.
#pragma once

#include <atomic>

#include "worst/box_bound.h"

namespace reckon::worst {

enum class Goal : std::uint8_t {
  error,     ///< |float - real|
  relative,  ///< |float - real| / |real|
  least,     ///< the real result, from below
  greatest   ///< and from above
};

struct Effort {
  double operations = 3e8;  ///< on one symbol of one node, of all boxes
  double tolerance = 1e-3;  ///< how far the bound may be above the largest one that is found at a point
  const std::atomic<bool>* interrupted = nullptr;
};

struct Extreme {
  double bound = 0;                  ///< no input's is above it (`least`: below it)
  double reached = 0;                ///< what the bound is at the point that was best
  Box where;                         ///< the box of the bound
  std::optional<Obstacle> obstacle;  ///< there is no bound: why, in a box that could not be cut any further
  Interval values{};                 ///< of the real results, if there is a bound
  bool empty = false;                ///< no inputs are asked about: nothing meets the conditions
  std::size_t boxes = 0;
};

/// `inputs`: the ranges of all of them.
Extreme extreme(BoxBounds& bounds, const Box& inputs, Goal goal, const Effort& effort);

}  // namespace reckon::worst
