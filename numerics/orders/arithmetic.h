// Joins both numbers of a pair (least, greatest) at once. A pair is kept as two lanes (low, -high), so that both are
// minima; since rounding to nearest is symmetric, one operation computes both. For a product the magnitudes are kept.
//
// f16 and bf16 are kept in f32 lanes and rounded once more after every operation, which is harmless since 24 >= 2p + 2
// (Figueroa, "When is double rounding innocuous?", SIGNUM 1995).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "numerics/format.h"
#include "numerics/native.h"
#include "numerics/orders/orders.h"

namespace reckon::numerics {

template <class Float>
struct LanesOf;
template <>
struct LanesOf<float> {
  typedef float Pair __attribute__((vector_size(8)));
  typedef std::uint32_t Words __attribute__((vector_size(8)));
};
template <>
struct LanesOf<double> {
  typedef double Pair __attribute__((vector_size(16)));
  typedef std::uint64_t Words __attribute__((vector_size(16)));
};

template <Format format_, FoldOperation operation_>
struct PairArithmetic {
  static_assert(operation_ == FoldOperation::add || operation_ == FoldOperation::mul);
  static constexpr Format format = format_;
  static constexpr bool is_sum = operation_ == FoldOperation::add;
  using Float = std::conditional_t<format == Format::f64, double, float>;
  using Word = std::conditional_t<format == Format::f64, std::uint64_t, std::uint32_t>;
  using Pair = typename LanesOf<Float>::Pair;
  using Words = typename LanesOf<Float>::Words;
  static constexpr Float infinity = std::numeric_limits<Float>::infinity();
  /// The ends of the scale: joined with each other they give NaN, and each absorbs every other number.
  static constexpr Float bottom = is_sum ? -infinity : Float(0);
  static constexpr Float top = infinity;

  /// The number that a pattern stands for (its magnitude, for products).
  static Float from_bits(std::uint64_t bits) {
    Float value;
    if constexpr (format == Format::f64) value = std::bit_cast<double>(bits);
    else if constexpr (format == Format::f32) value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else if constexpr (format == Format::f16) value = f16_to_f32(static_cast<std::uint16_t>(bits));
    else value = bf16_to_f32(static_cast<std::uint16_t>(bits));
    return is_sum ? value : std::fabs(value);
  }
  static std::uint64_t to_bits(Float value) {
    if (value != value) return canonical_nan(format);
    if constexpr (format == Format::f64) return std::bit_cast<std::uint64_t>(value);
    else if constexpr (format == Format::f32) return std::bit_cast<std::uint32_t>(value);
    else if constexpr (format == Format::f16) return f32_to_f16(value);
    else return f32_to_bf16(value);
  }

  static Pair pair(Float low, Float high) { return Pair{low, -high}; }
  static Float low(Pair pair) { return pair[0]; }
  static Float high(Pair pair) { return -pair[1]; }
  /// The pair of a set without numbers: low +inf, high -inf.
  static Pair empty() { return Pair{infinity, infinity}; }
  static bool is_empty(Pair pair) { return low(pair) > high(pair); }

  /// (low, high) of the joins of the extremes. No operand is empty, and none has an end of the scale whose opposite the
  /// other operand has.
  static Pair join(Pair a, Pair b) {
    if constexpr (is_sum) {
      return rounded(a + b);
    } else {
      constexpr Word magnitude = static_cast<Word>(~Word{0}) >> 1;
      const Words words = reinterpret_cast<Words>(b) & Words{magnitude, magnitude};
      return rounded(a * reinterpret_cast<Pair>(words));
    }
  }
  static Float join(Float a, Float b) {
    const Float exact_enough = is_sum ? a + b : a * b;
    if constexpr (format == Format::f64 || format == Format::f32) return exact_enough;
    else return rounded(Pair{exact_enough, 0})[0];
  }
  static Pair minimum(Pair a, Pair b) { return a < b ? a : b; }

 private:
  static Pair rounded(Pair value) {
    if constexpr (format == Format::f64 || format == Format::f32) {
      return value;
    } else {
      // Rounds to nearest even by the kept bits of the pattern; carries run into the exponent. This is right for
      // subnormals of f32 as well. NaNs are not handled here, and an infinity stays one.
      constexpr int dropped = format == Format::f16 ? 13 : 16;
      const Words words = reinterpret_cast<Words>(value);
      const Words up = ((words >> dropped) & 1u) + ((1u << (dropped - 1)) - 1);
      Pair out = reinterpret_cast<Pair>((words + up) & ~((1u << dropped) - 1));
      if constexpr (format == Format::f16) {
        const Words sign = words & 0x80000000u;
        const Pair magnitude = reinterpret_cast<Pair>(reinterpret_cast<Words>(out) & 0x7fffffffu);
        // A subnormal sum of f16 values is exact. A product is rounded to the least spacing 2^-24 by adding 2^23 of it.
        if constexpr (!is_sum) {
          const Pair unrounded = reinterpret_cast<Pair>(words & 0x7fffffffu);
          const Pair shifter{0.5f, 0.5f};
          const Pair subnormal = (unrounded + shifter) - shifter;
          const Pair with_sign = reinterpret_cast<Pair>(reinterpret_cast<Words>(subnormal) | sign);
          out = unrounded < Pair{0x1p-14f, 0x1p-14f} ? with_sign : out;
        }
        const Pair infinite = reinterpret_cast<Pair>(sign | 0x7f800000u);
        out = magnitude > Pair{65504, 65504} ? infinite : out;
      }
      return out;
    }
  }
};

}  // namespace reckon::numerics
