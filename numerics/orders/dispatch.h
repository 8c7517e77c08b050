// From a question to the arithmetic that it is about.
#pragma once

#include <cassert>
#include "numerics/orders/arithmetic.h"

namespace reckon::numerics {

/// work(Arithmetic{}) for the arithmetic of a sum or product.
template <class Work>
decltype(auto) with_arithmetic(const OrderQuestion& question, Work&& work) {
  constexpr FoldOperation add = FoldOperation::add, mul = FoldOperation::mul;
  const bool sum = question.operation == add;
  switch (question.format) {
    case Format::f64: return sum ? work(PairArithmetic<Format::f64, add>{}) : work(PairArithmetic<Format::f64, mul>{});
    case Format::f32: return sum ? work(PairArithmetic<Format::f32, add>{}) : work(PairArithmetic<Format::f32, mul>{});
    case Format::f16: return sum ? work(PairArithmetic<Format::f16, add>{}) : work(PairArithmetic<Format::f16, mul>{});
    case Format::bf16:
    case Format::tf32:
    case Format::f8e4m3:
    case Format::f8e5m2: break;
  }
  assert(question.format == Format::bf16);  // the others are refused where the question is asked
  return sum ? work(PairArithmetic<Format::bf16, add>{}) : work(PairArithmetic<Format::bf16, mul>{});
}

/// Whether the product's sign, which no order changes, is minus.
inline bool product_is_negative(const OrderQuestion& question) {
  bool negative = false;
  for (std::uint64_t bits : question.leaves) negative ^= (bits & sign_bit(question.format)) != 0;
  return question.operation == FoldOperation::mul && negative;
}

}  // namespace reckon::numerics
