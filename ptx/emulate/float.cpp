// Arithmetic of f32 and f64, rounded as each instruction says (PTX ISA 9.0, 9.7.3): it is that of this machine, whose
// additions, products, quotients, roots and fused products are IEEE 754's as well.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "numerics/processor.h"
#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

template <bool ftz>
[[gnu::always_inline]] inline float flush(float x) {
  return ftz ? flushed(x) : x;
}
template <bool>
[[gnu::always_inline]] inline double flush(double x) {
  return x;
}
/// To [0, 1]; a NaN becomes 0.
template <class T>
[[gnu::always_inline]] inline T saturated(T x) {
  return x > 0 ? (x < 1 ? x : T{1}) : T{0};
}

struct Add {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b, T) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b, T) const {
    return a - b;
  }
};
struct Mul {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b, T) const {
    return a * b;
  }
};
struct Div {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b, T) const {
    return a / b;
  }
};
struct Rcp {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T, T) const {
    return T{1} / a;
  }
};
struct Sqrt {
  [[gnu::always_inline]] float operator()(float a, float, float) const { return __builtin_sqrtf(a); }
  [[gnu::always_inline]] double operator()(double a, double, double) const { return __builtin_sqrt(a); }
};
struct Fma {
  [[gnu::always_inline]] float operator()(float a, float b, float c) const { return __builtin_fmaf(a, b, c); }
  [[gnu::always_inline]] double operator()(double a, double b, double c) const { return __builtin_fma(a, b, c); }
};
/// -0 is less than +0. One NaN gives the other operand, or, with `nan`, a NaN.
template <bool greatest, bool nan>
struct Extreme {
  template <class T>
  [[gnu::always_inline]] T operator()(T a, T b, T) const {
    const bool a_first = greatest ? (a > b || (a == b && !std::signbit(a))) : (a < b || (a == b && std::signbit(a)));
    const T ordered = a_first ? a : b;
    if (nan) return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : ordered;
    return a != a ? b : b != b ? a : ordered;
  }
};

template <class F>
inline constexpr bool keeps_nan =
    std::is_same_v<F, Add> || std::is_same_v<F, Mul> || std::is_same_v<F, Div> || std::is_same_v<F, Fma>;

/// A result whose NaNs are those of the chip. The ISA leaves open which NaN of f64 comes out; sums, products and
/// quotients of an H200 have the operand's, quiet. (Which of several, was not measured: here the first.)
template <class F>
[[gnu::always_inline]] inline float settled(float value, float, float, float) {
  return canonical(value);
}
template <class F>
[[gnu::always_inline]] inline double settled(double value, double a, double b, double c) {
  if (value == value) return value;
  if constexpr (keeps_nan<F>) {
    for (const double x : {a, b, c})
      if (x != x) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | std::uint64_t{1} << 51);
  }
  return canonical(value);
}

template <class F, class T, int operands, bool ftz, bool sat>
[[gnu::always_inline]] inline void lanes(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = operands > 1 ? warp.at<T>(operation.b) : a;
  const T* c = operands > 2 ? warp.at<T>(operation.c) : a;
  for_lanes(on, [&](int lane) {
    const T x = flush<ftz>(a[lane]), y = flush<ftz>(b[lane]), z = flush<ftz>(c[lane]);
    const T result = settled<F>(flush<ftz>(F{}(x, y, z)), x, y, z);
    d[lane] = sat ? saturated(result) : result;
  });
}
template <class F, class T, int operands, bool ftz, bool sat>
void nearest(const Operation& operation, Warp& warp, Mask on) {
  lanes<F, T, operands, ftz, sat>(operation, warp, on);
}
#if defined(__x86_64__)
/// The same, where the processor has fused products: without them the library computes each.
template <class F, class T, int operands, bool ftz, bool sat>
[[gnu::target("avx2,fma"), gnu::flatten]] void nearest_with_fma(const Operation& operation, Warp& warp, Mask on) {
  lanes<F, T, operands, ftz, sat>(operation, warp, on);
}
#endif
template <class F, class T, int operands, bool ftz, bool sat>
void directed(const Operation& operation, Warp& warp, Mask on) {
  const RoundingScope scope(operation.mode);
  lanes<F, T, operands, ftz, sat>(operation, warp, on);
}

/// Signs alone change: the bits of a NaN stay.
template <class T, bool negates, bool ftz>
void sign(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  for_lanes(on, [&](int lane) {
    using W = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr W top = W{1} << (8 * sizeof(T) - 1);
    const W bits = std::bit_cast<W>(flush<ftz>(a[lane]));
    d[lane] = std::bit_cast<T>(negates ? bits ^ top : bits & ~top);
  });
}

template <class F, class T, int operands>
Run pick(bool is_directed, bool ftz, bool sat) {
  if constexpr (sizeof(T) == 8) {
    if (is_directed) return directed<F, T, operands, false, false>;
#if defined(__x86_64__)
    if constexpr (operands == 3) {
      if (numerics::has_avx2_and_fma()) return nearest_with_fma<F, T, operands, false, false>;
    }
#endif
    return nearest<F, T, operands, false, false>;
  } else {
    if (is_directed) {
      return ftz ? (sat ? directed<F, T, operands, true, true> : directed<F, T, operands, true, false>)
                 : (sat ? directed<F, T, operands, false, true> : directed<F, T, operands, false, false>);
    }
#if defined(__x86_64__)
    if constexpr (operands == 3) {
      if (numerics::has_avx2_and_fma())
        return ftz ? (sat ? nearest_with_fma<F, T, operands, true, true>
                          : nearest_with_fma<F, T, operands, true, false>)
                   : (sat ? nearest_with_fma<F, T, operands, false, true>
                          : nearest_with_fma<F, T, operands, false, false>);
    }
#endif
    return ftz ? (sat ? nearest<F, T, operands, true, true> : nearest<F, T, operands, true, false>)
               : (sat ? nearest<F, T, operands, false, true> : nearest<F, T, operands, false, false>);
  }
}

template <class T>
Run run_of(std::string_view name, bool is_directed, bool ftz, bool sat, bool nan) {
  if (name == "add") return pick<Add, T, 2>(is_directed, ftz, sat);
  if (name == "sub") return pick<Sub, T, 2>(is_directed, ftz, sat);
  if (name == "mul") return pick<Mul, T, 2>(is_directed, ftz, sat);
  if (name == "fma" || name == "mad") return pick<Fma, T, 3>(is_directed, ftz, sat);
  if (name == "div") return pick<Div, T, 2>(is_directed, ftz, false);
  if (name == "rcp") return pick<Rcp, T, 1>(is_directed, ftz, false);
  if (name == "sqrt") return pick<Sqrt, T, 1>(is_directed, ftz, false);
  if (name == "min")
    return nan ? pick<Extreme<false, true>, T, 2>(false, ftz, false)
               : pick<Extreme<false, false>, T, 2>(false, ftz, false);
  if (name == "max")
    return nan ? pick<Extreme<true, true>, T, 2>(false, ftz, false)
               : pick<Extreme<true, false>, T, 2>(false, ftz, false);
  if (name == "abs") return ftz && sizeof(T) == 4 ? sign<T, false, true> : sign<T, false, false>;
  if (name == "neg") return ftz && sizeof(T) == 4 ? sign<T, true, true> : sign<T, true, false>;
  return nullptr;
}

std::size_t operands_of(std::string_view name) {
  if (name == "fma" || name == "mad") return 3;
  return name == "rcp" || name == "sqrt" || name == "abs" || name == "neg" ? 1 : 2;
}

}  // namespace

bool decode_float(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || (types[0] != Type::f32 && types[0] != Type::f64)) return false;
  int rounding = FE_TONEAREST;
  bool ftz = false, sat = false, nan = false;
  for (const std::string_view part : one.parts) {
    if (part == "rz") rounding = FE_TOWARDZERO;
    else if (part == "rm") rounding = FE_DOWNWARD;
    else if (part == "rp") rounding = FE_UPWARD;
    else if (part == "ftz") ftz = true;
    else if (part == "sat") sat = true;
    else if (part == "NaN") nan = true;
    else if (part != "rn" && !type_named(part)) return false;
  }
  operation.mode = static_cast<std::uint16_t>(rounding);
  const bool is_directed = rounding != FE_TONEAREST;
  operation.run = types[0] == Type::f32 ? run_of<float>(one.name, is_directed, ftz, sat, nan)
                                        : run_of<double>(one.name, is_directed, ftz, sat, nan);
  if (operation.run == nullptr) return false;
  decoder.take(operation, types[0], operands_of(one.name));
  return true;
}

}  // namespace reckon::ptx
