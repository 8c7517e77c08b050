// What is known of the values of indices, and where in an array a place is.
#pragma once

#include <optional>
#include <unordered_map>

#include "kernel/program.h"

namespace reckon::kernel {

/// least <= x <= greatest. `attained`: if all threads come there, both ends are values of x in some thread at some
/// time.
struct Range {
  std::int64_t least = 0, greatest = 0;
  bool attained = false;
};

/// Ranges of a function's indices, from constants, the number of threads, bounds of loops, and what addition,
/// multiplication, masks, remainders and minima make of them. Branches refine nothing: what a condition excludes stays
/// in the range, and `attained` does not hold behind a condition.
class Ranges {
 public:
  Ranges(const Program& program, const Function& function);

  std::optional<Range> of(Value value) const;

  /// A place in an array of known bytes: what `shared`, `stack` or `table` gave, and how many bytes further.
  struct Place {
    std::int64_t bytes = 0;
    Range offset;
  };
  std::optional<Place> place(Value memory) const;

 private:
  void visit(const Region& region);
  void visit(const Operation& operation);
  std::optional<Range> result(const Operation& operation) const;

  const Program& program_;
  std::int64_t threads_;
  std::unordered_map<std::uint32_t, Range> ranges_;
};

/// The sum, the product; nothing if an end does not fit in 64 bits.
std::optional<Range> sum(const Range& a, const Range& b);
std::optional<Range> product(const Range& a, const Range& b);

}  // namespace reckon::kernel
