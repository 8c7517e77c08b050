// erf and erfc over any arithmetic builder.
//
// erf rounded to nearest: x p(x^2), one polynomial in f64, which is enough for every argument of f32.
//
// erf as a pair, for rounding down and up (sided.h). Up to 5/4: x p(x^2) with the four leading coefficients as pairs.
// Beyond: 1 - e^(-x^2) g((x - 2) / (x + 2)); the rounding errors of the second term are below 2^-55 of the result. From
// 4 on the result is 1 to within 2^-26. Minimax polynomials: relative errors 2^-71 and, of the result, 2^-63.
//
// erfc. Up to 3/4 in size: 1 - erf(x). Beyond, for positive x: e^(-x^2) h((x - 3) / (x + 3)) with the seven leading
// coefficients of h as pairs: errors of 2^-68 from the polynomial, 2^-62 from its rounding and 2^-57 from the
// exponential. For negative x, 2 - erfc(-x).
#pragma once

#include "numerics/functions/constants.h"
#include "numerics/functions/exponential.h"

namespace reckon::numerics {

/// erf of a size, which counts as 5/4 from there on.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> erf_near_zero(B& b, typename B::F64 size) {
  const auto zero = b.f64_const(0.0);
  const auto z = b.mul(size, size);  // exact

  constexpr double leading[4][2] = {{0x1.20dd750429b6dp+0, 0x1.1ae0e7dc8ada8p-56},
                                    {-0x1.812746b0379e7p-2, 0x1.f4f60f632e1d6p-57},
                                    {0x1.ce2f21a042be1p-4, -0x1.c46ad8f1856cp-64},
                                    {-0x1.b82ce31288b14p-6, -0x1.645c0351a3a08p-61}};
  const auto small = at_most(b, z, 1.5625);
  const auto tail = polynomial(b, small, {0x1.565bcd0e69aafp-8, -0x1.c02db4001d10cp-11, 0x1.f9a326f4c59bdp-14,
                                          -0x1.f4d25bc44064bp-17, 0x1.b9e6c17bbce87p-20, -0x1.5f73c31954a57p-23,
                                          0x1.fcbd7a670dcf3p-27, -0x1.519f72d01c5b9p-30, 0x1.9c330745e3c6dp-34,
                                          -0x1.c818371c2d8d1p-38, 0x1.a58284411cb49p-42, -0x1.e3a1bc432e1d5p-47});
  Pair<B> p{tail, zero};
  for (int k = 3; k >= 0; --k) {
    const Pair<B> times = two_product(b, p.high, small);
    const Pair<B> high = two_sum(b, b.f64_const(leading[k][0]), times.high);
    const auto low = b.add(b.add(high.low, b.f64_const(leading[k][1])), b.fma(p.low, small, times.low));
    p = fast_two_sum(b, high.high, low);
  }
  return product(b, p, Pair<B>{size, zero});
}

/// erf of a size up to 6.
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline Pair<B> erf_pair(B& b, typename B::F64 size) {
  const auto z = b.mul(size, size);  // exact
  const Pair<B> near = erf_near_zero(b, size);

  const auto two = b.f64_const(2.0);
  const auto t = b.div(b.sub(size, two), b.add(size, two));
  const auto g = polynomial(b, t, {0x1.058671b52c776p-2, -0x1.b57034efd3f72p-2, 0x1.eeea7dc8a7854p-3,
                                   -0x1.437f0b68c0d2fp-4, 0x1.e9471598af91fp-9, 0x1.ca95ed53264e3p-8,
                                   -0x1.bc25a5d53d57ep-11, -0x1.016b5bfeae7fap-10, 0x1.6d627540a0e3cp-15,
                                   0x1.6da77652fc3cdp-13, 0x1.cd36be9d73a57p-16, -0x1.ccd3db78b097ap-16,
                                   -0x1.c941e97f34361p-17, -0x1.ab4d26fa5162dp-23, 0x1.be4b8cd7ddcc9p-19,
                                   0x1.47649d33b6ec3p-17, -0x1.572a0a5e4ab2ap-17});
  const Exponential<B> e = exponential(b, b.neg(z));
  const auto decay = b.mul(b.add(b.f64_const(1.0), e.m.high), e.scale);
  const Pair<B> far = fast_two_sum(b, b.f64_const(1.0), b.neg(b.mul(decay, g)));

  return select(b, b.f_less(size, b.f64_const(1.25)), near, far);
}

inline constexpr Bounds erf_bounds{-3.921875, 3.921875};  // where it is 1 in f32

/// erf x = x p(x^2 - 7.75) within these bounds. erf is entire, so one polynomial of degree 23 is
/// within 2^-43.5 of it, and about the middle of the range of x^2 its terms cancel little: rounding adds below 2^-50.
/// That is not enough for every real x, but all arguments can be tried. 1149 f32s have an erf x within 2^-42.7 of a
/// midpoint of two f32s. The interpolant in 24 Chebyshev nodes has 39 of them on the wrong side. To it were added small
/// multiples of Chebyshev polynomials, found by trial, until it had none. All arguments of f32 and of the narrower
/// formats are rounded correctly (bench/exhaustive.cpp).
template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erf_within(B& b, typename B::F64 x) {
  const auto from_middle = b.fma(x, x, b.f64_const(-7.75));
  const auto p =
      polynomial(b, from_middle,
                 {0x1.6fcd22af7326p-2,   -0x1.7b26f08c9b4e9p-6,  0x1.237b691540b7dp-9,  -0x1.ea83a92800a6fp-13,
                  0x1.a51fecd69fc95p-16, -0x1.642a6ac5756cep-19, 0x1.2240db8acb837p-22, -0x1.c18ac323e9e95p-26,
                  0x1.4826ecd7e6cfep-29, -0x1.c1d04ccb131ffp-33, 0x1.21178f65e2139p-36, -0x1.5c96d009e88e6p-40,
                  0x1.8accf515927b5p-44, -0x1.a4dc56356a2cep-48, 0x1.a7c01de07c98fp-52, -0x1.9330f5041c441p-56,
                  0x1.67a98c5894751p-60, -0x1.322937042be58p-64, 0x1.097e249905e1ep-68, -0x1.a622b2124f912p-73,
                  0x1.b888d9c2b44d6p-78, -0x1.15a6cf619c453p-82, 0x1.ef45621cc6bbap-86, -0x1.5f2f06cacc458p-90});
  return b.mul(x, p);
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erf_wide(B& b, typename B::F64 x) {
  return erf_within(b, clamped(b, x, erf_bounds));
}

template <ArithmeticBuilder B>
[[gnu::always_inline]] inline typename B::F64 erfc_wide(B& b, typename B::F64 x) {
  const auto zero = b.f64_const(0.0);
  const auto size = at_most(b, magnitude(b, x), 11.0);
  const Pair<B> erf = erf_near_zero(b, size);
  const Pair<B> one_less = fast_two_sum(b, b.f64_const(1.0), b.neg(erf.high));
  const Pair<B> near{one_less.high, b.sub(one_less.low, erf.low)};

  const auto three = b.f64_const(3.0);
  const Pair<B> u = quotient(b, two_sum(b, size, b.neg(three)), two_sum(b, size, three));
  Pair<B> h{polynomial(b, u.high, constants::scaled_erfc_rest), zero};
  for (int k = 6; k >= 0; --k) {
    const Pair<B> times = product(b, h, u);
    const Pair<B> high = two_sum(b, b.f64_const(constants::scaled_erfc_leading[k][0]), times.high);
    h = fast_two_sum(b, high.high,
                     b.add(high.low, b.add(b.f64_const(constants::scaled_erfc_leading[k][1]), times.low)));
  }
  const Exponential<B> e = exponential(b, b.neg(b.mul(size, size)));  // the square is exact
  const Pair<B> power = one_plus(b, e.m);
  const Pair<B> product_of = product(b, power, h);
  const Pair<B> far{b.mul(product_of.high, e.scale), b.mul(product_of.low, e.scale)};

  const Pair<B> value = select(b, b.f_less(size, b.f64_const(0.75)), near, far);
  const Pair<B> two_less = two_sum(b, b.f64_const(2.0), b.neg(value.high));
  const Pair<B> mirrored{two_less.high, b.sub(two_less.low, value.low)};
  const auto result = rounded_to_odd(b, select(b, b.f_less(x, zero), mirrored, value));
  return b.select(b.is_nan(x), x, result);
}

}  // namespace reckon::numerics
