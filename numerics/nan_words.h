// Which words of a format are NaNs, for loops over many of them.
#pragma once

#include "numerics/format.h"

namespace reckon::numerics {

/// is_nan; what is the same for all words of a format is computed only once. `Word` is that of the format.
template <class Word>
class NanWords {
 public:
  explicit constexpr NanWords(Format format)
      : magnitude_(static_cast<Word>(magnitude_bits(~std::uint64_t{0}, format))),
        // The least NaN is one above the infinity, or at the place of the infinity if the format has none. Without NaNs,
        // no magnitude is above this one.
        greatest_(static_cast<Word>(finite_end(format) - (has_infinity(format) ? 0 : 1))),
        nan_(static_cast<Word>(canonical_nan(format))) {}

  constexpr bool contain(Word bits) const { return (bits & magnitude_) > greatest_; }
  constexpr Word canonical(Word bits) const { return contain(bits) ? nan_ : bits; }

 private:
  Word magnitude_, greatest_, nan_;  ///< greatest_: the greatest magnitude that is no NaN
};

}  // namespace reckon::numerics
