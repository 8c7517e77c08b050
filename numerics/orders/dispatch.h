// From a question to the arithmetic that it needs.
#pragma once

#include "numerics/orders/arithmetic.h"

namespace reckon::numerics {

/// Calls work(Arithmetic{}) with the arithmetic of the question's sum or product.
template <class Work>
decltype(auto) with_arithmetic(const OrderQuestion& question, Work&& work) {
  constexpr FoldOperation add = FoldOperation::add, mul = FoldOperation::mul;
  const bool sum = question.operation == add;
  return with_format<has_orders>(question.format, [&]<Format format>() -> decltype(auto) {
    return sum ? work(PairArithmetic<format, add>{}) : work(PairArithmetic<format, mul>{});
  });
}

/// Whether the product is negative; its sign does not depend on the order.
inline bool product_is_negative(const OrderQuestion& question) {
  bool negative = false;
  for (std::uint64_t bits : question.leaves) negative ^= (bits & sign_bit(question.format)) != 0;
  return question.operation == FoldOperation::mul && negative;
}

}  // namespace reckon::numerics
