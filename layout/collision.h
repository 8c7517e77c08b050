// Whether a function gives different offsets to all its indices, and if not, two indices with one offset.
#pragma once

#include <optional>

#include "layout/composed.h"

namespace reckon::layout {

/// Two indices of a layout, the first one the lesser, with one offset.
struct Collision {
  std::int64_t first = 0, second = 0;
  std::int64_t offset = 0;
};

/// Some such pair, if there is one: by the strides of one mode or of two, else by enumeration of up to 2^20 points;
/// `undecided` beyond. A swizzle never maps two offsets to one, so that only other stages need enumeration.
Result<std::optional<Collision>> collision(const AnyLayout& layout);

/// Why the offsets are not a permutation of 0 .. size - 1; nothing if they are.
std::optional<Problem> no_permutation(const AnyLayout& layout);

}  // namespace reckon::layout
