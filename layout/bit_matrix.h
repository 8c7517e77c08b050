// Layouts as functions of bits (Triton's linear layouts, arXiv 2505.23819): y = M x + c over F2, with x the bits of an
// index and y those of an offset. Swizzles are such functions, power-of-two layouts mostly, and compositions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/composed.h"
#include "layout/layout.h"
#include "layout/problem.h"
#include "layout/swizzle.h"

namespace reckon::layout {

class BitMatrix {
 public:
  /// The images of the basis 1, 2, 4, ..., and of 0. At most 62 columns; images are not negative.
  static Result<BitMatrix> make(std::vector<std::int64_t> columns, std::int64_t constant = 0);
  static BitMatrix identity(int bits);

  const std::vector<std::int64_t>& columns() const { return columns_; }
  std::int64_t constant() const { return constant_; }
  int bits_in() const { return static_cast<int>(columns_.size()); }
  int bits_out() const;  ///< of the largest image
  int rank() const;      ///< of the columns
  std::int64_t size() const { return std::int64_t{1} << bits_in(); }
  bool injective() const { return rank() == bits_in(); }

  /// Of an index from 0 to size - 1.
  std::int64_t operator()(std::int64_t index) const;
  /// Rows from the highest bit of the image down, a column for each bit of the index from the lowest up.
  std::string text() const;

  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  BitMatrix(std::vector<std::int64_t> columns, std::int64_t constant)
      : columns_(std::move(columns)), constant_(constant) {}
  std::vector<std::int64_t> columns_;
  std::int64_t constant_ = 0;
};

/// The function of a layout. It exists iff the size is a power of two, and the offsets of the index's bits are not
/// negative and have no bit in common (otherwise they would carry). The refusal names the size, or the two bits.
Result<BitMatrix> bit_matrix(const Layout& layout);
/// A swizzle, of indices below 2^bits.
Result<BitMatrix> bit_matrix(const Swizzle& swizzle, int bits);
/// Stage by stage, each sum with an offset without a carry, each layout within its size.
Result<BitMatrix> bit_matrix(const Composed& composed);
Result<BitMatrix> bit_matrix(const AnyLayout& layout);

/// a(b(x)). Refuses images of b that a does not take.
Result<BitMatrix> compose(const BitMatrix& a, const BitMatrix& b);
/// The inverse of a bijection of 0..size-1; else the refusal says which indices have one image, or which is missed.
Result<BitMatrix> invert(const BitMatrix& matrix);
/// g with g(f(x)) = x; zero where f's images do not say otherwise. Refuses what is not injective.
Result<BitMatrix> left_inverse(const BitMatrix& matrix);
/// An x with f(x) = y for each y below 2^bits_out. Refuses a matrix that does not reach all of these.
Result<BitMatrix> right_inverse(const BitMatrix& matrix);

/// The plain layout, coalesced. Exists iff the constant is 0 and no two columns have a bit in common.
Result<Layout> layout_of(const BitMatrix& matrix);
/// That, or swizzle o offset o layout with the fewest bits swizzled (perhaps none: offset o layout).
Result<AnyLayout> any_layout_of(const BitMatrix& matrix);

}  // namespace reckon::layout
