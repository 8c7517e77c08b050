// Sums that are rounded once, of everything or of bins.
#pragma once

#include "codegen/lower/wide_parts.h"

namespace reckon::codegen {

class Folds;

class LongSums : WideParts {
 public:
  LongSums(Folds& folds, Joins& joins);
  LongSums(const LongSums&) = delete;

  /// Folds by `rounded_once` (over exact products if `of_products`), or by `binned(folds)` if `folds` is not null.
  Values fold(const FoldSite& site, Value folds, bool of_products, const Slice& slice);

 private:
  /// The sum so far is the sum of limb k times 2^(lowest + 32 k).
  struct LongSum {
    int digits;  ///< significant bits of an addend
    int lowest;
    int limb_count;
    Value limbs;
  };
  /// What is carried from leaf to leaf: the sum of all infinities and NaNs, and whether all leaves were -0.
  struct Specials {
    Value sum;
    Value negative_zeros;
  };
  Value bin_grid(const FoldSite& site, const Slice& slice, Value folds);
  LongSum make_long_sum(ir::Scalar scalar, bool products, bool rounded_leaves);
  Specials add_exactly(const LongSum& sum, const Specials& specials, Value x, Value grid);
  Specials add_product_exactly(const LongSum& sum, const Specials& specials, Value x, Value y);
  void add_bits(const LongSum& sum, Value magnitude, Value position, Value sign);
  void carry_limbs(const LongSum& sum);
  Value round_sum(const LongSum& sum, const Specials& specials, ir::Scalar scalar);
};

}  // namespace reckon::codegen
