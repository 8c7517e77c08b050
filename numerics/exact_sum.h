// Sums without rounding: a fixed-point number that spans every product of two f64s (a long accumulator; Kulisch and
// Miranker, SIAM Review 28(1), 1986), and sums of leaves rounded to the grid of their largest (binned, after Demmel and
// Nguyen, "Parallel reproducible summation", IEEE Trans. Computers 64(7), 2015).
#pragma once

#include <array>
#include <cstdint>

#include "numerics/format.h"

namespace reckon::numerics {

/// Adds f64 values, or products of two of them, exactly. Infinities and NaN follow IEEE 754: opposite infinities, and
/// 0 times infinity, give NaN.
class ExactSum {
 public:
  void add(double x);
  void add_product(double x, double y);
  /// +- magnitude * 2^exponent, -1074 <= exponent <= 1023.
  void add_scaled(std::uint64_t magnitude, int exponent, bool negative);
  /// The sum rounded once: a bit pattern of the format. A sum of 0 is -0 only if every addend was; rounded downward, it
  /// is +0 only if every addend was. Infinite sums saturate if the format does.
  std::uint64_t round(Format format, Rounding rounding = Rounding::nearest_even) const;
  /// The sum, if it is finite.
  std::optional<mpq_class> value() const;

 private:
  static constexpr int lowest = -2176;  ///< limb 0 counts multiples of 2^lowest; the least product is 2^-2148
  static constexpr std::size_t limb_count = 136;
  void add_bits(std::uint64_t magnitude, int exponent, bool negative);
  void add_special(double x);
  void carry();

  std::array<std::int64_t, limb_count> limbs_{};  ///< 32 bits each, with room for carries
  std::uint32_t since_carry_ = 0;
  bool nan_ = false, positive_infinity_ = false, negative_infinity_ = false;
  bool only_negative_zeros_ = true, only_positive_zeros_ = true;
};

/// The exact sum of leaves, each rounded to nearest even to a multiple of 2^grid. The grid depends only on the largest
/// leaf: if its exponent is in bin b (bins are `bin_width` binades wide, bin 0 begins at 2^0), the last of `folds` bins
/// begins at 2^(bin_width * (b - folds + 1)). So neither order nor grouping changes a bit, and a leaf loses at most
/// 2^(-bin_width * (folds - 1) - 1) times the largest one.
class BinnedSum {
 public:
  /// Every leaf is measured before any leaf is added.
  void measure(double x);
  void add(double x, int bin_width, std::int64_t folds);
  std::uint64_t round(Format format, Rounding rounding = Rounding::nearest_even) const {
    return sum_.round(format, rounding);
  }

 private:
  double largest_ = 0;
  ExactSum sum_;
};

/// With this many folds, more than f64 has bins, nothing is lost.
inline constexpr std::int64_t max_folds = 4096;
constexpr int bin_width(Format format) { return format == Format::f64 ? 40 : 13; }

}  // namespace reckon::numerics
