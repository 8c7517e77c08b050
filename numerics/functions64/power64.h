// pow of f64 over any arithmetic builder.
//
// Method. |x|^y = 2^(y log2 |x|), the logarithm and the power by the methods of logarithm64.h and exponential64.h, with
// longer series: the logarithm has a relative error of some 2^-148, the exponent, below 1100, an absolute one of some
// 2^-138, and so has the result. (Measured: 2^-146.)
//
// What is exact, or lies on a midpoint of two f64s, has 54 bits or less. This is decided by itself, without regard to
// the value (see exact_power), and then the value is rounded to 54 bits before the rounding to nearest.
//
// NOT PROVEN: that no other result comes closer to a midpoint than the error. 2^128 pairs, most of which overflow or
// are near 1, would come as close as 2^-170 if they were scattered evenly; a random pair is then on the wrong side with
// a probability of some 2^-85. Results are not scattered evenly near 1: with u = 2^-52, (1 + k u)^y is near a midpoint
// 1 + (n + 1/2) u if y is near (n + 1/2) / k, which may be an f64; but then it is some 2^-107 away, since y would have
// to be changed by an odd multiple of an eighth of its ulp or more. Near f64s, which do not matter here, there are
// results at a distance of 2^-206, among them (1 - 2^-50)^-(1/4 - 5 * 2^-55), published by the CORE-MATH project.
#pragma once

#include "numerics/functions/rootn.h"
#include "numerics/functions64/logarithm64.h"

namespace reckon::numerics {

/// Whether size^y, y > 0, has at most 54 bits; also if `log2_power`, which is near y log2(size), is not its exponent
/// but a power of 2 that is raised (these are exact anyway). With y = n / 2^f, n odd or f = 0, size must be z^(2^f): f
/// square roots are exact. Then z = 2^e m with an odd m, and the result 2^(n e) m^n has n log2(m) bits, rounded up.
/// Since m is 3 or more, n <= 34 and f <= 5. m^n is not close to 2^54 unless n = 1, which is right in any case: m^2 is
/// at least 2^27 away, and that much larger is its logarithm's distance.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::Bool exact_power(B& b, typename B::F64 size, typename B::F64 y,
                                                           typename B::F64 log2_power) {
  const auto zero = b.f64_const(0.0);
  // The exponent without its multiples of 32, whose roots are powers of 2: size = 2^removed * base, base in [1, 2^32).
  const auto subnormal = b.f_less(size, b.f64_const(0x1p-1022));
  const auto pattern = b.bits(b.select(subnormal, b.mul(size, b.f64_const(0x1p64)), size));
  const auto one = b.bits(b.f64_const(1.0));
  const auto groups = b.ashr(b.isub(pattern, one), 57);
  const auto base = b.from_bits(b.isub(pattern, b.shl(groups, 57)));
  const auto offset = b.select(subnormal, b.f64_const(-64.0), zero);
  const auto removed = b.add(b.mul(number_of_int(b, groups), b.f64_const(32.0)), offset);
  auto root = base, n = y, off = zero;
  for (int f = 0; f < 5; ++f) {
    const auto done = is_integer64(b, n);
    const auto next = b.sqrt(root);
    const auto remainder = b.fma(next, next, b.neg(root));
    off = b.select(done, off, b.select(is_zero(b, remainder), off, b.f64_const(1.0)));
    root = b.select(done, root, next);
    n = b.select(done, n, b.add(n, n));
  }
  // root = 2^k v, v in [1, 2), the last bit of v has the weight `last` (1/2 if v = 1).
  const auto v = b.ior(b.iand(b.bits(root), b.i64_const(0x000fffffffffffff)), one);
  const auto last = b.sub(b.from_bits(v), b.from_bits(b.iand(v, b.isub(v, b.i64_const(1)))));
  const auto e = b.isub(b.iadd(b.lshr(b.bits(root), 52), b.lshr(b.bits(last), 52)), b.i64_const(2 * 1023));
  const auto log2_odd_power = b.sub(b.fma(b.neg(y), removed, log2_power), b.mul(n, number_of_int(b, e)));
  const auto few = b.both(b.f_less(n, b.f64_const(54.5)), b.f_less(log2_odd_power, b.f64_const(54.0)));
  return b.both(b.both(few, b.f_less(zero, y)), b.both(is_integer64(b, n), is_zero(b, off)));
}

/// For a logarithm that is multiplied by 1100, and the power with that exponent.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Triple<B> precise_log2(B& b, typename B::F64 x) {
  return binary(b, logarithm64(b, x, constants64::precise_atanh_series));
}
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Exponential64<B> precise_power_of_2(B& b, const Triple<B>& exponent) {
  return exponential64_of_2(b, exponent, constants64::precise_expm1_series);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 pow_f64(B& b, typename B::F64 x, typename B::F64 y) {
  const auto one = b.f64_const(1.0);
  const auto size = magnitude(b, x);
  const auto same = [&](auto value, auto other) { return b.i_equal(b.bits(value), b.bits(other)); };

  // An exponent beyond 2^80 gives 0, 1 or infinity, as 2^80 does.
  const auto y_size = at_most(b, magnitude(b, y), 0x1p80);
  const auto exponent = with_sign_of(b, y_size, y);
  const Triple<B> power = product(b, precise_log2(b, size), exponent);
  const auto clamped = at_most(b, at_least(b, power.high, -1100.0), 1100.0);
  const Triple<B> within = select(b, same(clamped, power.high), power, triple_of(b, clamped));
  const Exponential64<B> e = precise_power_of_2(b, within);
  const Triple<B> value = significand(b, e);
  const auto exact = exact_power(b, size, exponent, power.high);
  const auto positive = rounded(b, select(b, exact, of_54_bits(b, value), value), e.exponent);

  // IEEE 754-2019, 9.2.1.
  const auto integer = is_integer64(b, y_size);
  const auto even = is_integer64(b, b.mul(y_size, b.f64_const(0.5)));
  const auto real = power_of_signed(b, x, y, integer, even, positive);
  const auto number = unless_nan(b, x, unless_nan(b, y, real));
  return b.select(is_zero(b, y), one, b.select(same(x, one), one, number));
}

}  // namespace reckon::numerics
