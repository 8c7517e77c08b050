// Arithmetic of f16 and bf16, alone and in pairs (PTX ISA 9.0, 9.7.4). A sum, difference or product of two such numbers
// that is computed in f32 and rounded again is the one rounded once: f32 has more than twice their bits (S. Figueroa,
// "When is double rounding innocuous?", 1995).
#include <cmath>

#include "numerics/native.h"
#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

using numerics::Format;

struct Add {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
    return H::narrow(H::wide(a) + H::wide(b));
  }
};
struct Sub {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
    return H::narrow(H::wide(a) - H::wide(b));
  }
};
struct Mul {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
    return H::narrow(H::wide(a) * H::wide(b));
  }
};
struct Fma {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    constexpr Format format = H::exponent == 0x7c00 ? Format::f16 : Format::bf16;
    const std::uint16_t out = numerics::fma_narrow<format>(a, b, c);
    return H::is_nan(out) ? nan_of_half : out;
  }
};
template <bool greatest, bool nan>
struct Extreme {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t b, std::uint16_t) {
    if (nan && (H::is_nan(a) || H::is_nan(b))) return nan_of_half;
    if (H::is_nan(a)) return H::is_nan(b) ? nan_of_half : b;
    if (H::is_nan(b)) return a;
    const float x = H::wide(a), y = H::wide(b);
    const bool a_first = greatest ? x > y || (x == y && !std::signbit(x)) : x < y || (x == y && std::signbit(x));
    return a_first ? a : b;
  }
};
struct Abs {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t, std::uint16_t) {
    return a & 0x7fff;
  }
};
struct Neg {
  template <class H>
  static std::uint16_t of(std::uint16_t a, std::uint16_t, std::uint16_t) {
    return static_cast<std::uint16_t>(a ^ 0x8000);
  }
};

constexpr int mode_ftz = 1, mode_sat = 2, mode_relu = 4;

template <class H>
std::uint16_t finished(std::uint16_t out, int mode) {
  if ((mode & mode_ftz) != 0) out = H::flush(out);
  if ((mode & mode_sat) != 0) {
    const float value = H::wide(out);
    out = value > 0 ? (value < 1 ? out : H::narrow(1.0f)) : std::uint16_t{0};
  }
  if ((mode & mode_relu) != 0 && !H::is_nan(out) && (out & 0x8000) != 0) out = 0;
  return out;
}

template <class F, class H, int operands, int parts>
void lanes(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint16_t>(operation.d);
  const auto* a = warp.at<std::uint16_t>(operation.a);
  const auto* b = operands > 1 ? warp.at<std::uint16_t>(operation.b) : a;
  const auto* c = operands > 2 ? warp.at<std::uint16_t>(operation.c) : a;
  const int mode = operation.mode;
  const auto take = [&](std::uint16_t bits) { return (mode & mode_ftz) != 0 ? H::flush(bits) : bits; };
  for_lanes(on, [&](int lane) {
    for (int k = 0; k < parts; ++k) {
      const int at = lane * parts + k;
      d[at] = finished<H>(F::template of<H>(take(a[at]), take(b[at]), take(c[at])), mode);
    }
  });
}

template <class F, int operands>
Run pick(Type type) {
  switch (type) {
    case Type::f16: return lanes<F, Half<Format::f16>, operands, 1>;
    case Type::f16x2: return lanes<F, Half<Format::f16>, operands, 2>;
    case Type::bf16: return lanes<F, Half<Format::bf16>, operands, 1>;
    case Type::bf16x2: return lanes<F, Half<Format::bf16>, operands, 2>;
    default: return nullptr;
  }
}

Run run_of(std::string_view name, Type type, bool nan) {
  if (name == "add") return pick<Add, 2>(type);
  if (name == "sub") return pick<Sub, 2>(type);
  if (name == "mul") return pick<Mul, 2>(type);
  if (name == "fma") return pick<Fma, 3>(type);
  if (name == "min") return nan ? pick<Extreme<false, true>, 2>(type) : pick<Extreme<false, false>, 2>(type);
  if (name == "max") return nan ? pick<Extreme<true, true>, 2>(type) : pick<Extreme<true, false>, 2>(type);
  if (name == "abs") return pick<Abs, 1>(type);
  if (name == "neg") return pick<Neg, 1>(type);
  return nullptr;
}

}  // namespace

bool decode_half(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (types.size() != 1 || types[0] < Type::f16 || types[0] > Type::bf16x2) return false;
  bool nan = false;
  int mode = 0;
  for (const std::string_view part : one.parts) {
    if (part == "ftz") mode |= mode_ftz;
    else if (part == "sat") mode |= mode_sat;
    else if (part == "relu") mode |= mode_relu;
    else if (part == "NaN") nan = true;
    else if (part != "rn" && !type_named(part)) return false;
  }
  operation.mode = static_cast<std::uint16_t>(mode);
  operation.run = run_of(one.name, types[0], nan);
  if (operation.run == nullptr) return false;
  decoder.take(operation, types[0], one.name == "fma" ? 3 : one.name == "abs" || one.name == "neg" ? 1 : 2);
  return true;
}

}  // namespace reckon::ptx
