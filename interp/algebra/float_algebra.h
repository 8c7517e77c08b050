// The arithmetic of `float`: one algebra for each format. It is what float computes, and what bound follows.
//
// f64 and f32 are the machine's own. The narrower formats are kept as bit patterns; + - * / sqrt are done in f32 and
// rounded once more, harmless since 24 >= 2p + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995), except
// for products of tf32: f32 has no room for their 22 bits among its subnormals, so f64 holds them exactly. fma uses
// rounding to odd (numerics/native.h). The formats of 8 bits and fewer saturate if an operation rounds; an operation that only
// chooses among its operands or changes a sign (min, floor, copysign, ...) leaves an infinity of f8e5m2 as it is.
// Elementary functions are correctly rounded: for f64 by MPFR, for the others by numerics/functions/. min and max
// propagate NaN and order -0 below +0.
#pragma once

#include <bit>
#include <cmath>
#include <type_traits>

#include "interp/algebra/array_semantics.h"
#include "numerics/arrays.h"
#include "numerics/functions_of_f64.h"
#include "numerics/native.h"

namespace reckon::interp::float_algebra {

using numerics::BinaryFunction;
using numerics::Format;
using numerics::Function;

/// What both kinds of algebra share: functions that are computed on bit patterns.
template <class Self, Format format_, class V>
struct ThroughBits {
  using Value = V;
  static constexpr Format format = format_;
  static void elementary(Function function, const V* x, V* out, std::size_t n) {
    if constexpr (format != Format::f64) {
      numerics::elementary_array(function, format, x, out, n);
    } else {
      numerics::nearest_f64(function, x, out, n);
    }
  }
  static V elementary(Function function, V x) {
    V out;
    elementary(function, &x, &out, 1);
    return out;
  }
#define RECKON_FUNCTION(name)                                                         \
  static V name(V x) { return elementary(Function::name, x); }                        \
  static void array(operations::name, const V* x, V* out, std::size_t n) {            \
    elementary(Function::name, x, out, n);                                            \
  }
#include "numerics/functions.def"
  static void elementary(BinaryFunction function, const V* x, const V* y, V* out, std::size_t n) {
    if constexpr (format != Format::f64) {
      numerics::elementary_array(function, format, x, y, out, n);
    } else {
      numerics::nearest_f64(function, x, y, out, n);
    }
  }
  static V elementary(BinaryFunction function, V x, V y) {
    V out;
    elementary(function, &x, &y, &out, 1);
    return out;
  }
#define RECKON_FUNCTION_OF_TWO(name)                                                         \
  static V name(V x, V y) { return elementary(BinaryFunction::name, x, y); }                 \
  static void array(operations::name, const V* x, const V* y, V* out, std::size_t n) {       \
    elementary(BinaryFunction::name, x, y, out, n);                                          \
  }
#include "numerics/functions.def"
  // IEEE 754-2019's minimumNumber and maximumNumber: a NaN gives way to a number.
  static V minnum(V x, V y) { return is_nan(x) ? y : is_nan(y) ? x : Self::min(x, y); }
  static V maxnum(V x, V y) { return is_nan(x) ? y : is_nan(y) ? x : Self::max(x, y); }
  static V clamp(V x, V low, V high) { return Self::min(Self::max(x, low), high); }
  static bool is_nan(V x) { return numerics::is_nan(Self::to_bits(x), format); }
};

template <class Float>
struct Machine : ThroughBits<Machine<Float>, sizeof(Float) == 8 ? Format::f64 : Format::f32, Float> {
  using Bits = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;
  static std::uint64_t to_bits(Float x) { return std::bit_cast<Bits>(x); }
  static Float from_bits(std::uint64_t bits) { return std::bit_cast<Float>(static_cast<Bits>(bits)); }
  static Float widened(Float x) { return x; }

  static Float add(Float a, Float b) { return a + b; }
  static Float sub(Float a, Float b) { return a - b; }
  static Float mul(Float a, Float b) { return a * b; }
  static Float div(Float a, Float b) { return a / b; }
  static Float rem(Float a, Float b) { return numerics::truncated_remainder(a, b); }
  static Float neg(Float a) { return -a; }
  static Float abs(Float a) { return std::fabs(a); }
  static Float fma(Float a, Float b, Float c) { return std::fma(a, b, c); }
  static Float ldexp(Float a, Float k) { return static_cast<Float>(numerics::scaled(a, k)); }
  static Float sqrt(Float a) { return std::sqrt(a); }
  // numerics::minimum and maximum without branches. Equal operands differ at most in the sign of zero, so the smaller
  // one is the union of both patterns' bits, and the larger one their intersection.
  static Float min(Float a, Float b) {
    const Float equal = from_bits(to_bits(a) | to_bits(b));
    const Float ordered = a == b ? equal : (a < b ? a : b);
    return ((a != a) | (b != b)) ? a + b : ordered;
  }
  static Float max(Float a, Float b) {
    const Float equal = from_bits(to_bits(a) & to_bits(b));
    const Float ordered = a == b ? equal : (a > b ? a : b);
    return ((a != a) | (b != b)) ? a + b : ordered;
  }
  static Float sign(Float a) { return numerics::sign(a); }
  static Float copysign(Float a, Float b) { return numerics::copysign(a, b); }
  static Float nextafter(Float a, Float b) { return std::nextafter(a, b); }
  static Float floor(Float a) { return std::floor(a); }
  static Float ceil(Float a) { return std::ceil(a); }
  static Float trunc(Float a) { return std::trunc(a); }
  static Float round(Float a) { return numerics::round_to_even(a); }
  static bool less(Float a, Float b) { return a < b; }
  static bool less_equal(Float a, Float b) { return a <= b; }
  static bool equal(Float a, Float b) { return a == b; }
  static bool not_equal(Float a, Float b) { return a != b; }

  using Base = ThroughBits<Machine<Float>, sizeof(Float) == 8 ? Format::f64 : Format::f32, Float>;
  using Base::array;
  static void array(operations::fma, const Float* a, const Float* b, const Float* c, Float* out, std::size_t n) {
    numerics::fma_array(Base::format, a, b, c, out, n);
  }
  /// f64 to f32 rounds; all other conversions are exact.
  template <class From>
  static Float convert(From, typename From::Value value) {
    return static_cast<Float>(From::widened(value));
  }
};

template <Format format_>
struct Narrow : ThroughBits<Narrow<format_>, format_, typename numerics::Pattern<format_>::Word> {
  using Pattern = numerics::Pattern<format_>;
  using V = typename Pattern::Word;
  static std::uint64_t to_bits(V x) { return x; }
  static V from_bits(std::uint64_t bits) { return static_cast<V>(bits); }
  static float widened(V x) { return Pattern::to_f32(x); }
  static V narrowed(float x) { return Pattern::from_f32(x); }
  static V narrowed(double x) { return numerics::narrow_f64<format_>(x); }
  /// For a value that the format has: an infinity stays an infinity.
  static V exactly(float x) { return Pattern::exactly_from_f32(x); }
  using Wide = Machine<float>;
  static constexpr V sign_mask = static_cast<V>(numerics::sign_bit(format_));

  static V add(V a, V b) { return narrowed(widened(a) + widened(b)); }
  static V sub(V a, V b) { return narrowed(widened(a) - widened(b)); }
  static V mul(V a, V b) {
    if constexpr (format_ == Format::tf32) {
      return narrowed(static_cast<double>(widened(a)) * static_cast<double>(widened(b)));
    } else {
      return narrowed(widened(a) * widened(b));
    }
  }
  static V div(V a, V b) { return narrowed(widened(a) / widened(b)); }
  static V rem(V a, V b) { return narrowed(Wide::rem(widened(a), widened(b))); }
  static V neg(V a) { return a ^ sign_mask; }
  static V abs(V a) { return a & static_cast<V>(~sign_mask); }
  static V fma(V a, V b, V c) { return numerics::fma_narrow<format_>(a, b, c); }
  static V ldexp(V a, V k) { return narrowed(numerics::scaled(widened(a), widened(k))); }
  static V sqrt(V a) { return narrowed(std::sqrt(widened(a))); }
  static V min(V a, V b) { return exactly(Wide::min(widened(a), widened(b))); }
  static V max(V a, V b) { return exactly(Wide::max(widened(a), widened(b))); }
  static V sign(V a) { return exactly(Wide::sign(widened(a))); }
  static V copysign(V a, V b) { return exactly(Wide::copysign(widened(a), widened(b))); }
  static V nextafter(V a, V b) { return static_cast<V>(numerics::next_after(a, b, format_)); }
  static V floor(V a) { return exactly(std::floor(widened(a))); }
  static V ceil(V a) { return exactly(std::ceil(widened(a))); }
  static V trunc(V a) { return exactly(std::trunc(widened(a))); }
  static V round(V a) { return exactly(Wide::round(widened(a))); }
  static bool less(V a, V b) { return widened(a) < widened(b); }
  static bool less_equal(V a, V b) { return widened(a) <= widened(b); }
  static bool equal(V a, V b) { return widened(a) == widened(b); }
  static bool not_equal(V a, V b) { return widened(a) != widened(b); }

  using ThroughBits<Narrow<format_>, format_, typename numerics::Pattern<format_>::Word>::array;
  static void array(operations::fma, const V* a, const V* b, const V* c, V* out, std::size_t n) {
    numerics::fma_array(format_, a, b, c, out, n);
  }
  template <class From>
  static V convert(From, typename From::Value value) {
    return narrowed(From::widened(value));
  }
};

template <ir::Scalar S>
struct Chosen {
  using Type = Narrow<ir::format_of(S)>;
};
template <>
struct Chosen<ir::Scalar::f64> {
  using Type = Machine<double>;
};
template <>
struct Chosen<ir::Scalar::f32> {
  using Type = Machine<float>;
};
template <>
struct Chosen<ir::Scalar::number> {
  using Type = NoAlgebra;
};

/// The algebra of a scalar type; NoAlgebra for `number`.
template <ir::Scalar S>
using For = typename Chosen<S>::Type;

}  // namespace reckon::interp::float_algebra
