// Sums in the order and with the roundings of tensor cores (numerics/mma.h), by the arithmetic of integers, on
// the host, and on GPUs where no strategy takes the sum to the tensor cores themselves
// (codegen/strategies/tensor_cores/).
#pragma once

#include "codegen/lower/wide_parts.h"
#include "numerics/mma.h"

namespace reckon::codegen {

class TensorCoreSums : WideParts {
 public:
  TensorCoreSums(Folds& folds, Joins& joins) : WideParts(folds, joins) {}
  TensorCoreSums(const TensorCoreSums&) = delete;

  Values fold(const FoldSite& site, const numerics::MmaUnit& unit, const Slice& slice);

 private:
  /// A term is +- magnitude * 2^exponent; the largest exponent that it asks for, in `leading`.
  struct Term {
    Value sign;  ///< 0 or -1
    Value magnitude;
    Value exponent;
    Value leading;
  };
  Term product_term(const numerics::MmaUnit& unit, const F64Parts& x, const F64Parts& y);
  Term sum_term(const numerics::MmaUnit& unit, Value c);
  /// The term, cut to a multiple of 2^last, as a multiple of it.
  Value cut(Value magnitude, Value exponent, Value sign, Value last);
  /// sum * 2^last, rounded, as an f64.
  Value rounded(const numerics::MmaUnit& unit, Value sum, Value last);
  Value power_of_two(Value exponent);
};

}  // namespace reckon::codegen
