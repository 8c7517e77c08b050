// Conversions (PTX ISA 9.0, 9.7.9: cvt). Every number but a 64-bit integer is exact as an f64, from which it is rounded
// once; 64-bit integers go to f32 and f64 by the machine's own conversions.
#include <fmt/format.h>

#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "numerics/format.h"
#include "numerics/native.h"
#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

using numerics::Format;
using numerics::Rounding;

struct Conversion {
  Type to{}, from{};
  Rounding rounding = Rounding::nearest_even;
  bool to_whole = false;   ///< rni, rzi, rmi, rpi
  bool ties_away = false;  ///< rna
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

// The conversion packed into `extra` of an operation.
std::uint32_t packed(const Conversion& c) {
  return static_cast<std::uint32_t>(c.to) | static_cast<std::uint32_t>(c.from) << 8 |
         static_cast<std::uint32_t>(c.rounding) << 16 | (c.to_whole ? 1u << 20 : 0) | (c.ties_away ? 1u << 21 : 0) |
         (c.ftz ? 1u << 22 : 0) | (c.sat ? 1u << 23 : 0) | (c.relu ? 1u << 24 : 0) | (c.satfinite ? 1u << 25 : 0);
}
Conversion unpacked(std::uint32_t word) {
  Conversion c;
  c.to = static_cast<Type>(word & 0xff);
  c.from = static_cast<Type>(word >> 8 & 0xff);
  c.rounding = static_cast<Rounding>(word >> 16 & 15);
  c.to_whole = (word >> 20 & 1) != 0;
  c.ties_away = (word >> 21 & 1) != 0;
  c.ftz = (word >> 22 & 1) != 0;
  c.sat = (word >> 23 & 1) != 0;
  c.relu = (word >> 24 & 1) != 0;
  c.satfinite = (word >> 25 & 1) != 0;
  return c;
}

std::optional<Format> format_of(Type type) {
  switch (type) {
    case Type::f16: return Format::f16;
    case Type::bf16: return Format::bf16;
    case Type::tf32: return Format::tf32;
    case Type::f32: return Format::f32;
    case Type::f64: return Format::f64;
    case Type::e4m3: return Format::f8e4m3;
    case Type::e5m2: return Format::f8e5m2;
    default: return std::nullopt;
  }
}

bool is_number(Type type) { return format_of(type).has_value(); }

double widened(std::uint64_t bits, Type type) {
  switch (type) {
    case Type::f64: return std::bit_cast<double>(bits);
    case Type::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::f16: return numerics::f16_to_f32(static_cast<std::uint16_t>(bits));
    case Type::bf16: return numerics::bf16_to_f32(static_cast<std::uint16_t>(bits));
    default: return numerics::widen(bits, *format_of(type));
  }
}

double whole(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even: return std::nearbyint(x);
    case Rounding::toward_zero: return std::trunc(x);
    case Rounding::upward: return std::ceil(x);
    case Rounding::downward: return std::floor(x);
  }
  return x;
}

std::uint64_t nan_of(Type type) {
  switch (type) {
    case Type::f64: return nan_of_f64;
    case Type::f32:
    case Type::tf32: return nan_of_f32;
    case Type::e4m3:
    case Type::e5m2: return 0x7f;
    default: return nan_of_half;
  }
}

/// The f32 of a NaN of f64: the upper bits of its payload, quiet, as an H200 makes it.
std::uint64_t narrowed_nan(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits >> 63 << 31) | 0x7fc00000u | (bits >> 29 & 0x7fffffu);
}

std::uint64_t to_float(double x, const Conversion& c) {
  if (x != x && !c.sat && c.from == Type::f64 && c.to == Type::f32) return narrowed_nan(x);
  if (x != x) return c.sat ? 0 : nan_of(c.to);
  if (c.relu && std::signbit(x)) return 0;
  if (c.sat) x = x > 0 ? std::min(x, 1.0) : 0.0;
  const Format format = *format_of(c.to);
  if (c.ties_away) {
    // Half a unit is added to the magnitude, and what is below a unit cut. Subnormals of tf32 are those of f32.
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    if (std::isinf(x)) return bits;
    return (bits + 0x1000u) & 0xffffe000u;
  }
  if (c.to == Type::f64) return std::bit_cast<std::uint64_t>(x);
  const std::uint64_t out = numerics::round_f64(x, format, c.rounding);
  if (c.satfinite && numerics::has_infinity(format) && numerics::is_infinite(out, format))
    return numerics::largest_finite(format) | (out & numerics::sign_bit(format));
  return out;
}

/// Beyond the range: its end. A NaN gives 0, or, for 64-bit integers and from f64, the least signed number (CUDA Math
/// API, "Type Casting Intrinsics").
std::uint64_t to_integer(double x, const Conversion& c) {
  const int bits = bits_of(c.to);
  const bool sign = is_signed(c.to);
  if (x != x) {
    if (bits == 64) return std::uint64_t{1} << 63;
    return c.from == Type::f64 && bits == 32 ? 0x80000000u : 0;
  }
  const double y = whole(x, c.rounding);
  const double top = std::ldexp(1.0, sign ? bits - 1 : bits);
  if (sign) {
    if (y >= top) return (std::uint64_t{1} << (bits - 1)) - 1;
    if (y < -top) return ~std::uint64_t{0} << (bits - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(y));
  }
  if (y >= top) return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (!(y > 0)) return 0;
  return static_cast<std::uint64_t>(y);
}

std::uint64_t integer_to_integer(std::uint64_t word, const Conversion& c) {
  const int bits = bits_of(c.to);
  if (!c.sat) return word;
  const bool from_signed = is_signed(c.from), to_signed = is_signed(c.to);
  const auto value = static_cast<std::int64_t>(word);
  const std::uint64_t top = bits == 64 ? (to_signed ? std::uint64_t{1} << 63 : 0) - 1
                                       : (std::uint64_t{1} << (to_signed ? bits - 1 : bits)) - 1;
  if (from_signed && value < 0) {
    if (!to_signed) return 0;
    const auto least = static_cast<std::int64_t>(~std::uint64_t{0} << (bits - 1));
    return value < least ? static_cast<std::uint64_t>(least) : word;
  }
  return word > top ? top : word;
}

/// The machine rounds in its mode.
std::uint64_t integer_to_float(std::uint64_t word, const Conversion& c) {
  if (c.to != Type::f32 && c.to != Type::f64) {
    // f16 and bf16: an integer rounded to odd at 53 bits can be rounded once more.
    const bool negative = is_signed(c.from) && static_cast<std::int64_t>(word) < 0;
    std::uint64_t magnitude = negative ? 0 - word : word;
    const int extra = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 53);
    if (extra > 0) {
      const std::uint64_t lost = magnitude & ((std::uint64_t{1} << extra) - 1);
      magnitude = (magnitude >> extra | (lost != 0 ? 1 : 0)) << extra;
    }
    const double value = static_cast<double>(magnitude);
    return to_float(negative ? -value : value, c);
  }
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  const RoundingScope scope(modes[static_cast<int>(c.rounding)]);
  volatile std::uint64_t given = word;
  std::uint64_t out = 0;
  if (c.to == Type::f32) {
    volatile float value =
        is_signed(c.from) ? static_cast<float>(static_cast<std::int64_t>(given)) : static_cast<float>(given);
    out = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  } else {
    volatile double value =
        is_signed(c.from) ? static_cast<double>(static_cast<std::int64_t>(given)) : static_cast<double>(given);
    out = std::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
  return out;
}

std::uint64_t converted(std::uint64_t word, const Conversion& c) {
  const bool from_float = is_number(c.from);
  if (!from_float) return is_number(c.to) ? integer_to_float(word, c) : integer_to_integer(word, c);
  double x = widened(word, c.from);
  if (c.ftz && c.from == Type::f32) x = flushed(static_cast<float>(x));
  if (!is_number(c.to)) return to_integer(x, c);
  if (c.to_whole && x == x) x = whole(x, c.rounding);
  std::uint64_t out = to_float(x, c);
  if (c.ftz && c.to == Type::f32 && (out & 0x7f800000u) == 0) out &= 0x80000000u;
  return out;
}

/// Reads the low bits of a register of another width. `bits` of a type: extended with its sign if it is signed.
std::uint64_t taken(const std::uint8_t* from, int lane, int reg_bytes, Type type) {
  std::uint64_t word = 0;
  std::memcpy(&word, from + lane * reg_bytes, static_cast<std::size_t>(reg_bytes));
  const int bits = bits_of(type);
  if (bits == 64) return word;
  word &= (std::uint64_t{1} << bits) - 1;
  if (is_signed(type)) word = static_cast<std::uint64_t>(static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits));
  return word;
}
/// Writes a register that may be wider than the type.
void given(std::uint8_t* to, int lane, int reg_bytes, Type type, std::uint64_t word) {
  const int bits = bits_of(type);
  if (bits < 64) {
    word &= (std::uint64_t{1} << bits) - 1;
    if (is_signed(type))
      word = static_cast<std::uint64_t>(static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits));
  }
  std::memcpy(to + lane * reg_bytes, &word, static_cast<std::size_t>(reg_bytes));
}

/// `extra`: the conversion; mode: the bytes of the result's register, and of the operand's above it.
void convert(const Operation& operation, Warp& warp, Mask on) {
  const Conversion c = unpacked(operation.extra);
  auto* d = warp.at<std::uint8_t>(operation.d);
  const auto* a = warp.at<std::uint8_t>(operation.a);
  const int to_bytes = operation.mode & 0xff, from_bytes = operation.mode >> 8;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    given(d, lane, to_bytes, c.to, converted(taken(a, lane, from_bytes, c.from), c));
  }
}

/// Two numbers of f32 to a pair: a becomes the upper half.
void convert_two(const Operation& operation, Warp& warp, Mask on) {
  const Conversion c = unpacked(operation.extra);
  const int half = bits_of(c.to);
  auto* d = warp.at<std::uint8_t>(operation.d);
  const auto* a = warp.at<std::uint8_t>(operation.a);
  const auto* b = warp.at<std::uint8_t>(operation.b);
  for_lanes(on, [&](int lane) {
    const std::uint64_t high = converted(taken(a, lane, 4, c.from), c), low = converted(taken(b, lane, 4, c.from), c);
    const std::uint64_t both = high << half | low;
    std::memcpy(d + lane * half / 4, &both, static_cast<std::size_t>(half / 4));
  });
}
/// Both numbers of a pair.
void convert_pair(const Operation& operation, Warp& warp, Mask on) {
  const Conversion c = unpacked(operation.extra);
  const int to = bits_of(c.to), from = bits_of(c.from);
  auto* d = warp.at<std::uint8_t>(operation.d);
  const auto* a = warp.at<std::uint8_t>(operation.a);
  for_lanes(on, [&](int lane) {
    std::uint64_t word = 0;
    std::memcpy(&word, a + lane * from / 4, static_cast<std::size_t>(from / 4));
    const std::uint64_t mask = (std::uint64_t{1} << from) - 1;
    const std::uint64_t both = converted(word >> from & mask, c) << to | converted(word & mask, c);
    std::memcpy(d + lane * to / 4, &both, static_cast<std::size_t>(to / 4));
  });
}

// What compilers write most often, as plain loops.
template <class D, class A>
void plain(const Operation& operation, Warp& warp, Mask on) {
  D* d = warp.at<D>(operation.d);
  const A* a = warp.at<A>(operation.a);
  for_lanes(on, [&](int lane) { d[lane] = static_cast<D>(a[lane]); });
}
template <class D, class A>
void plain_float(const Operation& operation, Warp& warp, Mask on) {
  D* d = warp.at<D>(operation.d);
  const A* a = warp.at<A>(operation.a);
  for_lanes(on, [&](int lane) {
    const D value = static_cast<D>(a[lane]);
    // A NaN goes to f64 with its bits, and from there with the upper ones.
    if constexpr (sizeof(D) == 8) d[lane] = value;
    else if constexpr (sizeof(A) == 8)
      d[lane] = value != value ? std::bit_cast<float>(static_cast<std::uint32_t>(narrowed_nan(a[lane]))) : value;
    else d[lane] = canonical(value);
  });
}
void f16_to_f32(const Operation& operation, Warp& warp, Mask on) {
  float* d = warp.at<float>(operation.d);
  const auto* a = warp.at<std::uint16_t>(operation.a);
  for_lanes(on, [&](int lane) { d[lane] = canonical(numerics::f16_to_f32(a[lane])); });
}

Run quick(const Conversion& c, int to_bits, int from_bits) {
  if (c.sat || c.relu || c.ftz || c.satfinite || c.to_whole || c.ties_away) return nullptr;
  if (to_bits != bits_of(c.to) || from_bits != bits_of(c.from)) return nullptr;
  const bool nearest = c.rounding == Rounding::nearest_even;
  const auto is = [&](Type to, Type from) { return c.to == to && c.from == from; };
  if (c.from == Type::f16 && c.to == Type::f32) return f16_to_f32;
  if (is(Type::f64, Type::f32)) return plain_float<double, float>;
  if (is(Type::f32, Type::f64) && nearest) return plain_float<float, double>;
  if (is(Type::f32, Type::s32) && nearest) return plain_float<float, std::int32_t>;
  if (is(Type::f32, Type::u32) && nearest) return plain_float<float, std::uint32_t>;
  if (is(Type::f64, Type::s32)) return plain_float<double, std::int32_t>;
  if (is(Type::f64, Type::u32)) return plain_float<double, std::uint32_t>;
  if (is_number(c.to) || is_number(c.from)) return nullptr;
  return with_integer(c.to, [&](auto to) -> Run {
    return with_integer(c.from, [&](auto from) -> Run { return plain<decltype(to), decltype(from)>; });
  });
}

bool read_modifiers(const Instruction& one, Conversion& c) {
  for (const std::string_view part : one.parts) {
    if (part == "rn" || part == "rni") c.rounding = Rounding::nearest_even;
    else if (part == "rz" || part == "rzi") c.rounding = Rounding::toward_zero;
    else if (part == "rm" || part == "rmi") c.rounding = Rounding::downward;
    else if (part == "rp" || part == "rpi") c.rounding = Rounding::upward;
    else if (part == "rna") c.ties_away = true;
    else if (part == "ftz") c.ftz = true;
    else if (part == "sat") c.sat = true;
    else if (part == "relu") c.relu = true;
    else if (part == "satfinite") c.satfinite = true;
    else if (!type_named(part)) return false;
    if (part.size() == 3 && part[0] == 'r' && part[2] == 'i') c.to_whole = true;
  }
  return !c.ties_away || c.to == Type::tf32;
}

/// The numbers of a pair.
std::optional<Type> half_of(Type type) {
  switch (type) {
    case Type::f16x2: return Type::f16;
    case Type::bf16x2: return Type::bf16;
    case Type::e4m3x2: return Type::e4m3;
    case Type::e5m2x2: return Type::e5m2;
    default: return std::nullopt;
  }
}

/// Two integers of 32 bits, saturated, beside each other; above those of 8 bits, the lower bits of c. Mode: their bits,
/// and 0x80 if they are signed.
void pack_saturated(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<std::int32_t>(operation.a);
  const auto* b = warp.at<std::int32_t>(operation.b);
  const auto* c = operation.c == no_slot ? nullptr : warp.at<std::uint32_t>(operation.c);
  auto* d = warp.at<std::uint32_t>(operation.d);
  const int width = operation.mode & 0x7f;
  const bool to_signed = (operation.mode & 0x80) != 0, from_signed = operation.extra != 0;
  const std::int64_t low = to_signed ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t high = (std::int64_t{1} << (to_signed ? width - 1 : width)) - 1;
  for_lanes(on, [&](int lane) {
    const auto one = [&](std::int32_t given) {
      const std::int64_t value = from_signed ? std::int64_t{given} : std::int64_t{static_cast<std::uint32_t>(given)};
      return static_cast<std::uint32_t>(std::clamp(value, low, high)) & ((1u << width) - 1);
    };
    const std::uint32_t above = c == nullptr ? 0 : c[lane];
    d[lane] = (width == 16 ? 0 : above << (2 * width)) | one(a[lane]) << width | one(b[lane]);
  });
}

/// cvt.pack.sat.TO.FROM{.b32} d, a, b{, c} (PTX ISA 9.0: cvt.pack).
bool decode_pack(Decoder& decoder, Operation& operation) {
  const auto types = decoder.types();
  if (types.size() < 2 || (types[1] != Type::s32 && types[1] != Type::u32)) return false;
  const int width = bits_of(types[0]);
  const bool takes_above = types.size() == 3 && types[2] == Type::b32;
  if (width != (takes_above ? 8 : 16)) return false;
  if (!decoder.has_operands(takes_above ? 4 : 3, takes_above ? 4 : 3)) return true;
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  if (takes_above) operation.c = decoder.source(decoder.operand(3), Type::b32);
  operation.mode = static_cast<std::uint16_t>(width | (is_signed(types[0]) ? 0x80 : 0));
  operation.extra = types[1] == Type::s32 ? 1 : 0;
  operation.run = pack_saturated;
  return true;
}

}  // namespace

bool decode_convert(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  if (one.name != "cvt") return false;
  if (one.has("pack")) return decode_pack(decoder, operation);
  const auto types = decoder.types();
  if (types.size() != 2) return false;
  Conversion c;
  c.to = types[0];
  c.from = types[1];
  const auto to_half = half_of(c.to), from_half = half_of(c.from);
  if (to_half) c.to = *to_half;
  if (from_half) c.from = *from_half;
  if (!read_modifiers(one, c)) return false;
  const auto known = [](Type type) { return (type >= Type::u8 && type <= Type::s64) || format_of(type).has_value(); };
  if (!known(c.to) || !known(c.from)) return false;
  if (to_half && !from_half) {
    if (c.from != Type::f32) return false;
    if (!decoder.has_operands(3, 3)) return true;
    operation.d = decoder.result(decoder.operand(0), 2 * bits_of(c.to));
    operation.a = decoder.source(decoder.operand(1), Type::f32);
    operation.b = decoder.source(decoder.operand(2), Type::f32);
    operation.extra = packed(c);
    operation.run = convert_two;
    return true;
  }
  if (to_half.has_value() != from_half.has_value()) return false;
  if (!decoder.has_operands(2, 2)) return true;
  operation.extra = packed(c);
  if (to_half) {
    operation.d = decoder.result(decoder.operand(0), 2 * bits_of(c.to));
    operation.a = decoder.source(decoder.operand(1), bits_of(c.from) == 8 ? Type::b16 : Type::b32);
    operation.run = convert_pair;
    return true;
  }
  int to_bits = 0, from_bits = 0;
  operation.d = decoder.wide_result(decoder.operand(0), bits_of(c.to), to_bits);
  operation.a = decoder.wide_source(decoder.operand(1), bits_of(c.from), from_bits);
  if (decoder.failed()) return true;
  if (to_bits > 64 || from_bits > 64) return decoder.fail("conversions are of 64 bits at most");
  operation.mode = static_cast<std::uint16_t>(to_bits / 8 | from_bits / 8 << 8);
  operation.run = quick(c, to_bits, from_bits);
  if (operation.run == nullptr) operation.run = convert;
  return true;
}

}  // namespace reckon::ptx
