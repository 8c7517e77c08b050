// The two numbers of a probe: a mask M, beside which units vanish, and the unit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reveal/box.h"

namespace reckon::reveal {

/// M = 2^mask, unit = 2^unit, both values of the input format.
///
/// With p the accumulator's precision, M + s rounds to M, and -M + s to -M, for every 0 <= s < 2^(mask - p - 1): half
/// the spacing below M, where it is half of that above. So a partial sum of up to n - 2 units vanishes beside either
/// mask, rounded to nearest in the accumulator, if (n - 2) * 2^unit < 2^(mask - p - 1). Without a mask a partial sum of
/// k <= n units is exact if n <= 2^p, and the answer, k units, is exact in the result format if n is at most two to its
/// precision. No partial sum exceeds M + n units, which rounds to M: nothing overflows, since only one pair is masked.
struct Scale {
  int mask = 0;
  int unit = 0;
  std::int64_t largest_n = 0;
};

/// The longest sum, for all formats, because the number of calls grows faster than n.
inline constexpr std::int64_t largest_length = 65'536;

/// Nothing if the accumulator holds the input's values; else what is wrong.
std::optional<std::string> formats_problem(const Formats& formats);

/// The scales to try, the best first: the widest ratio of mask and unit, which also works if the accumulator is wider
/// than stated; then, for f16 only, a unit that is a normal number, in case the box flushes subnormal numbers to zero.
/// f64: M = 2^1023, unit 1. f32 and bf16: 2^127 and 1. f16: 2^15 and 2^-24, or 2^-14.
std::vector<Scale> scales(const Formats& formats);

}  // namespace reckon::reveal
