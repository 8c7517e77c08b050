// Kernels of a semantics called directly, one element or an array at a time.
#pragma once

#include <array>
#include <cstring>

#include "tests/interp/circuits.h"

namespace reckon::interp::testing {

/// op on values of a trivial semantics, all of type V; the result of type R.
template <class R, class V>
std::vector<R> apply_all(Semantics& semantics, Op op, Scalar from, Scalar to,
                         const std::vector<std::vector<V>>& operands) {
  std::array<Rows, 3> rows;
  const std::size_t count = operands[0].size();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    rows[k] = {reinterpret_cast<const std::byte*>(operands[k].data()), static_cast<std::ptrdiff_t>(count)};
  }
  std::vector<R> out(count);
  const auto fault = semantics.apply(op, from, to, rows.data(), reinterpret_cast<std::byte*>(out.data()),
                                     static_cast<std::ptrdiff_t>(count), 1, count);
  if (fault) FAIL(fault->message);
  return out;
}

/// Doubles that make trouble: zeros, ends of the range, subnormals, near powers of two, and ordinary ones.
inline double troublesome(Random& random) {
  const std::uint64_t word = random.word();
  std::uint64_t exponent = 0;
  switch (random.below(8)) {
    case 0: return (word & 1) ? 0.0 : -0.0;
    case 1: exponent = random.below(3); break;                // subnormal and least normal
    case 2: exponent = 2046 - random.below(3); break;         // largest
    case 3: exponent = random.below(2047); break;             // anything finite
    case 4: exponent = 1023 - 540 + random.below(20); break;  // squares near underflow
    case 5: exponent = 1023 + 505 + random.below(10); break;  // squares near overflow
    default: exponent = 1013 + random.below(20); break;
  }
  std::uint64_t mantissa = word & ((std::uint64_t{1} << 52) - 1);
  if (random.below(4) == 0) mantissa &= ~std::uint64_t{0} << 45;  // few bits: exact results, ties
  if (random.below(16) == 0) mantissa = 0;
  return std::bit_cast<double>((word & (std::uint64_t{1} << 63)) | (exponent << 52) | mantissa);
}

}  // namespace reckon::interp::testing
