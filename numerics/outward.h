// f64 arithmetic rounded down and up with operations that round to nearest, over the arithmetic builder (builder.h).
// Compiled intervals use it if the machine has no instructions for directed rounding.
//
// The operation is rounded to nearest, and the result moves to its neighbour if the exact error has the wrong sign. All
// of it is total and tight: overflow, subnormal results and residuals, and infinite endpoints need no other path, since
//   * the residual of a product, quotient or root is one fma, whose result has the sign of the exact residual even
//     where it underflows to a zero: an exact residual of 0 is +0 in this order of operands, a negative one at least
//     -0 (IEEE 754-2019, 6.3). So only the sign bit is examined, and a NaN means that the result does not move.
//   * the error of a sum is Fast2Sum's with the larger operand first (Dekker, "A floating-point technique for extending
//     the available precision", Numer. Math. 18, 1971): exact, and unlike TwoSum's steps its own do not overflow where
//     the sum did not (Boldo, Graillat and Muller, "On the robustness of the 2Sum and Fast2Sum algorithms", ACM TOMS 44,
//     2017).
//   * a neighbour is one pattern away: downward from an overflowed +inf the largest f64, from -0 the one nearest to 0.
//     A result rounded to zero has the sign of the exact one.
//
// Operands are endpoints of intervals: never NaN; an infinity means "unbounded", and 0 * inf is 0. A zero result may
// have either sign.
#pragma once

#include "numerics/builder.h"

namespace reckon::numerics {

template <class B>
struct Outward {
  using F64 = typename B::F64;
  using I64 = typename B::I64;
  using Bool = typename B::Bool;

  B& b;

  F64 add_below(F64 x, F64 y) {
    const F64 sum = b.add(x, y);
    return round_down(sum, b.f_less(sum_error(x, y, sum), zero()));
  }
  F64 add_above(F64 x, F64 y) {
    const F64 sum = b.add(x, y);
    return round_up(sum, b.f_less(zero(), sum_error(x, y, sum)));
  }

  F64 mul_below(F64 x, F64 y) {
    const F64 product = b.mul(x, y);
    return or_zero(product, round_down(product, negative(b.fma(x, y, b.neg(product)))));
  }
  F64 mul_above(F64 x, F64 y) {
    const F64 product = b.mul(x, y);
    return or_zero(product, round_up(product, negative(b.fma(b.neg(x), y, product))));
  }

  /// y > 0; or x is not 0 and y = +0, which gives an infinity of x's sign. x / inf is 0; x and y are not both infinite.
  F64 div_below(F64 x, F64 y) {
    const F64 quotient = b.div(x, y);
    return round_down(quotient, negative(b.fma(b.neg(quotient), y, x)));
  }
  F64 div_above(F64 x, F64 y) {
    const F64 quotient = b.div(x, y);
    return round_up(quotient, negative(b.fma(quotient, y, b.neg(x))));
  }

  /// Requires x >= +0.
  F64 sqrt_below(F64 x) {
    const F64 root = b.sqrt(x);
    return round_down(root, negative(b.fma(b.neg(root), root, x)));
  }
  F64 sqrt_above(F64 x) {
    const F64 root = b.sqrt(x);
    return round_up(root, negative(b.fma(root, root, b.neg(x))));
  }

  /// x y + z; z is not +inf if the result is rounded down, nor -inf if it is rounded up.
  F64 fma_below(F64 x, F64 y, F64 z) { return fma_moved(x, y, z, true, true); }
  F64 fma_above(F64 x, F64 y, F64 z) { return fma_moved(x, y, z, false, true); }
  /// The same with a quarter of the operations, for operands that satisfy `is_ordinary`.
  F64 ordinary_fma_below(F64 x, F64 y, F64 z) { return fma_moved(x, y, z, true, false); }
  F64 ordinary_fma_above(F64 x, F64 y, F64 z) { return fma_moved(x, y, z, false, false); }

  /// Whether no intermediate result of the ordinary fma overflows, and nothing underflows: the product's last bit is at
  /// least 2^-1005, or the product is 0.
  Bool is_ordinary(F64 x, F64 y, F64 z) {
    const F64 product = magnitude(b.mul(x, y));
    const Bool in_range = b.both(b.f_less(product, constant(0x1p+1000)), b.f_less(magnitude(z), constant(0x1p+1000)));
    const F64 factor = b.select(is_zero(x), x, y);
    return b.both(in_range, b.f_less(constant(0x1p-900), b.select(is_zero(factor), constant(1), product)));
  }

  /// A 64-bit signed integer rounded to an f64; its two halves are given as numbers, high * 2^32 + low.
  F64 integer_below(F64 high, F64 low) { return add_below(b.mul(high, constant(0x1p+32)), low); }
  F64 integer_above(F64 high, F64 low) { return add_above(b.mul(high, constant(0x1p+32)), low); }

 private:
  F64 constant(double value) { return b.f64_const(value); }
  F64 zero() { return b.f64_const(0.0); }
  I64 word(std::uint64_t value) { return b.i64_const(value); }
  F64 magnitude(F64 x) { return b.from_bits(b.iand(b.bits(x), word(0x7fffffffffffffff))); }

  /// Whether the sign bit is set and x is not a NaN.
  Bool negative(F64 x) { return b.i_less_signed(b.bits(x), word(0xfff0000000000001)); }

  /// The step to the neighbouring pattern away from zero, with the sign of x: 1 or -1.
  I64 outward(I64 bits) { return b.ior(b.ashr(bits, 63), word(1)); }
  F64 round_down(F64 near, Bool move) {
    const I64 bits = b.bits(near);
    return b.from_bits(b.isub(bits, b.select(move, outward(bits), word(0))));
  }
  F64 round_up(F64 near, Bool move) {
    const I64 bits = b.bits(near);
    return b.from_bits(b.iadd(bits, b.select(move, outward(bits), word(0))));
  }

  F64 or_zero(F64 product, F64 moved) { return b.select(b.is_nan(product), zero(), moved); }

  /// x + y - sum, exactly; for an overflowed sum an infinity of the right sign, and NaN if an operand is infinite.
  F64 sum_error(F64 x, F64 y, F64 sum) {
    const Bool swapped = b.f_less(magnitude(x), magnitude(y));
    const F64 large = b.select(swapped, y, x), small = b.select(swapped, x, y);
    return b.sub(small, b.sub(sum, large));
  }

  struct Sum {
    F64 near, error;
  };
  /// Knuth, TAOCP 2, 4.2.2; for operands far from overflow.
  Sum two_sum(F64 x, F64 y) {
    const F64 near = b.add(x, y);
    const F64 x_part = b.sub(near, y), y_part = b.sub(near, x_part);
    return {near, b.add(b.sub(x, x_part), b.sub(y, y_part))};
  }

  F64 fma_moved(F64 x, F64 y, F64 z, bool downward, bool total) {
    const F64 near = b.fma(x, y, z);
    const F64 error = total ? scaled_fma_error(x, y, z, near) : fma_error(x, y, z, near);
    const Bool move = downward ? b.f_less(error, zero()) : b.f_less(zero(), error);
    const F64 moved = downward ? round_down(near, move) : round_up(near, move);
    // 0 * inf + z is z; and an unbounded z is the result whatever the product is.
    return b.select(b.is_nan(near), z, moved);
  }

  /// A number with the sign of x y + z - near. ErrFmaNearest: Boldo and Muller, "Some functions computable with a
  /// fused-mac", ARITH 2005.
  F64 fma_error(F64 x, F64 y, F64 z, F64 near) {
    const F64 product = b.mul(x, y);
    const Sum inner = two_sum(z, b.fma(x, y, b.neg(product)));
    const Sum outer = two_sum(product, inner.near);
    return b.add(b.add(b.sub(outer.near, near), outer.error), inner.error);
  }

  struct Parts {
    F64 fraction;  ///< 1 <= |fraction| < 2, or 0
    I64 exponent;  ///< arbitrary for a zero
  };
  Parts parts(F64 x) {
    const Bool tiny = b.f_less(magnitude(x), constant(0x1p-1022));
    const I64 bits = b.bits(b.select(tiny, b.mul(x, constant(0x1p+64)), x));
    const I64 field = b.iand(b.lshr(bits, 52), word(0x7ff));
    const I64 exponent = b.isub(field, b.select(tiny, word(1023 + 64), word(1023)));
    const F64 fraction = b.from_bits(b.ior(b.iand(bits, word(0x800fffffffffffff)), word(0x3ff0000000000000)));
    return {b.select(is_zero(x), zero(), fraction), exponent};
  }
  Bool is_zero(F64 x) { return b.i_equal(b.iand(b.bits(x), word(0x7fffffffffffffff)), word(0)); }
  Bool less(I64 x, I64 y) { return b.i_less_signed(x, y); }
  /// fraction * 2^exponent for -1022 <= exponent <= 1023; any number otherwise.
  F64 scaled(F64 fraction, I64 exponent) {
    return b.mul(fraction, b.from_bits(b.shl(b.iand(b.iadd(exponent, word(1023)), word(0x7ff)), 52)));
  }

  /// The same for any operands. With P the sum of x's and y's exponents, everything is divided by 2^P, so that
  /// |product| is in [1, 4). If |z| is above 2^200 then, z is what was rounded to, and the product is the error. If it is
  /// below 2^-200, less than any bit of the product and of `near`, only its sign counts, and 2^-200 stands for it.
  /// Otherwise `near`, if it is not 0, is at least one last bit of the product or of z, which is above 2^-260. So all
  /// four terms are in range and exact; Shewchuk's GROW-EXPANSION adds them without error, and the largest component
  /// that is not 0 has the sign ("Adaptive precision floating-point arithmetic and fast robust geometric predicates",
  /// Discrete Comput. Geom. 18, 1997, theorem 10).
  F64 scaled_fma_error(F64 x, F64 y, F64 z, F64 near) {
    const Parts u = parts(x), v = parts(y), w = parts(z), r = parts(near);
    const I64 scale = b.iadd(u.exponent, v.exponent);
    // A zero has no exponent; as an addend it is treated as a small one.
    const I64 z_exponent = b.select(is_zero(z), word(static_cast<std::uint64_t>(-201)), b.isub(w.exponent, scale));
    const I64 near_exponent = b.select(is_zero(near), word(0), b.isub(r.exponent, scale));
    const Bool only_product = less(word(200), z_exponent);
    const Bool only_sign = less(z_exponent, word(static_cast<std::uint64_t>(-200)));
    const F64 addend = scaled(w.fraction, b.select(only_sign, word(static_cast<std::uint64_t>(-200)), z_exponent));
    const F64 result = scaled(b.neg(r.fraction), near_exponent);
    const F64 product = b.mul(u.fraction, v.fraction);
    const F64 rest = b.fma(u.fraction, v.fraction, b.neg(product));

    const Sum first = two_sum(addend, rest), second = two_sum(first.near, product);
    const Sum low = two_sum(result, first.error), middle = two_sum(low.near, second.error),
              high = two_sum(middle.near, second.near);
    F64 sign = high.near;
    for (const F64 next : {high.error, middle.error, low.error}) sign = b.select(is_zero(sign), next, sign);

    sign = b.select(is_zero(product), zero(), b.select(only_product, product, sign));
    // After an overflow, the way back is against the sign of the result; an infinite operand is not rounded.
    const F64 infinity = constant(__builtin_inf());
    sign = b.select(b.f_less(magnitude(near), infinity), sign, b.neg(near));
    const F64 largest = b.select(b.f_less(magnitude(x), magnitude(y)), magnitude(y), magnitude(x));
    const Bool finite = b.both(b.f_less(largest, infinity), b.f_less(magnitude(z), infinity));
    return b.select(finite, sign, zero());
  }
};

}  // namespace reckon::numerics
