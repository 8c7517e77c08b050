// Swizzles: x with some of its bits XORed onto others (CuTe's Swizzle<B,M,S>; docs/layouts.md, "Swizzles").
#pragma once

#include <cstdint>
#include <string>

#include "layout/problem.h"

namespace reckon::layout {

/// x XOR (the `bits` bits of x from base + max(shift, 0), moved right by shift; left if shift is negative). An
/// involution; linear over XOR; keeps aligned runs of 2^base and every aligned block of 2^(base + bits + |shift|).
struct Swizzle {
  int bits = 0, base = 0, shift = 0;

  /// bits, base >= 0; |shift| >= bits; base + bits + |shift| <= 62; otherwise `bad_swizzle`.
  static Result<Swizzle> make(int bits, int base, int shift);
  /// From the bits read and the bits changed: each contiguous, as many of one as of the other, disjoint.
  static Result<Swizzle> from_masks(std::int64_t read, std::int64_t changed);

  std::int64_t read_mask() const { return ((std::int64_t{1} << bits) - 1) << (base + (shift > 0 ? shift : 0)); }
  std::int64_t changed_mask() const { return ((std::int64_t{1} << bits) - 1) << (base + (shift < 0 ? -shift : 0)); }
  /// The swizzle moves no element from one block of this size to another.
  std::int64_t block() const { return std::int64_t{1} << (base + bits + (shift < 0 ? -shift : shift)); }
  /// The swizzle changes nothing.
  bool is_identity() const { return bits == 0; }

  /// The image of any integer, in two's complement.
  std::int64_t operator()(std::int64_t x) const {
    const std::int64_t read = x & read_mask();
    return x ^ (shift >= 0 ? read >> shift : read << -shift);
  }

  /// As CuTe writes it: `Sw<3,4,3>`.
  std::string text() const;

  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// The swizzle that is a(b(x)), if there is one: equal shifts and masks that join into one contiguous field, or cancel.
Result<Swizzle> compose(const Swizzle& a, const Swizzle& b);

}  // namespace reckon::layout
