// Arithmetic of integers (PTX ISA 9.0, 9.7.1 and 9.7.2). A quotient by 0 is all ones, as the chip gives it, and is
// reported.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

template <class T>
using Unsigned = std::make_unsigned_t<T>;
/// C++ promotes narrow numbers to int, whose overflow is undefined.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), std::uint32_t, Unsigned<T>>;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
  }
};
struct MulLow {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
  }
};
struct MulHigh {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<std::is_signed_v<T>, Int128, UInt128>;
      return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> 64);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
    }
  }
};
template <class W>
struct MulWide {
  template <class T>
  W operator()(T a, T b) const {
    return static_cast<W>(static_cast<W>(a) * static_cast<W>(b));
  }
};
template <class W>
struct MadWide {
  template <class T>
  W operator()(T a, T b, W c) const {
    return static_cast<W>(Unsigned<W>(static_cast<W>(a) * static_cast<W>(b)) + Unsigned<W>(c));
  }
};
struct MadLow {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulLow{}(a, b), c);
  }
};
struct MadHigh {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulHigh{}(a, b), c);
  }
};
/// Of the low 24 bits of each operand.
template <bool high, class T>
T product_24(T a, T b) {
  const auto narrow = [](T x) {
    return std::is_signed_v<T>
               ? static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 8) >> 8)
               : static_cast<std::int64_t>(static_cast<std::uint32_t>(x) & 0xffffffu);
  };
  const std::int64_t product = narrow(a) * narrow(b);
  return static_cast<T>(high ? product >> 16 : product);
}
template <bool high>
struct Mul24 {
  template <class T>
  T operator()(T a, T b) const {
    return product_24<high>(a, b);
  }
};
template <bool high>
struct Mad24 {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(product_24<high>(a, b), c);
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
template <class F>
struct Relu {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(F{}(a, b), T{0});
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a)) : a;
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Wrapping<T>(0) - Wrapping<T>(a));
  }
};
struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    const auto distance = a < b ? Wrapping<T>(b) - Wrapping<T>(a) : Wrapping<T>(a) - Wrapping<T>(b);
    return static_cast<T>(Wrapping<T>(c) + distance);
  }
};

/// Of s32 alone: results beyond its range become its ends.
template <bool subtracts>
struct Saturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    const std::int64_t sum = subtracts ? std::int64_t{a} - b : std::int64_t{a} + b;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, std::numeric_limits<std::int32_t>::min(),
                                                              std::numeric_limits<std::int32_t>::max()));
  }
};
struct MadHighSaturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return Saturating<false>{}(MulHigh{}(a, b), c);
  }
};

template <class T, bool remainder>
void divide(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  Mask by_zero = 0;
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    if (b[lane] == 0) {
      by_zero |= Mask{1} << lane;
      d[lane] = remainder ? a[lane] : static_cast<T>(~Unsigned<T>{0});
    } else if (std::is_signed_v<T> && b[lane] == static_cast<T>(-1)) {
      d[lane] = remainder ? T{0} : Neg{}(a[lane]);
    } else {
      d[lane] = static_cast<T>(remainder ? a[lane] % b[lane] : a[lane] / b[lane]);
    }
  }
  if (by_zero != 0) warp.divide_by_zero(operation, by_zero);
}

/// Sums and differences with the carry of each lane: `mode` bit 0 takes it, bit 1 gives it, bit 2 subtracts.
template <class T>
void with_carry(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  const bool takes = (operation.mode & 1) != 0, gives = (operation.mode & 2) != 0,
             subtracts = (operation.mode & 4) != 0;
  Mask& carry = warp.carry();
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    using Wide = UInt128;
    const Wide in = takes ? carry >> lane & 1 : 0;
    const Wide sum = subtracts ? Wide{a[lane]} - b[lane] - in : Wide{a[lane]} + b[lane] + in;
    d[lane] = static_cast<T>(sum);
    if (!gives) continue;
    const Mask out = static_cast<Mask>(sum >> (8 * sizeof(T)) & 1);
    carry = (carry & ~(Mask{1} << lane)) | out << lane;
  }
}

/// mad.lo.cc and the like: the product is in no register, so that it is made here. Mode as above; bit 3: the high half.
template <class T>
void mad_with_carry(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  const T* c = warp.at<T>(operation.c);
  Mask& carry = warp.carry();
  for (; on != 0; on &= on - 1) {
    const int lane = std::countr_zero(on);
    using U = Unsigned<T>;
    const auto product =
        static_cast<U>((operation.mode & 8) != 0 ? MulHigh{}(a[lane], b[lane]) : MulLow{}(a[lane], b[lane]));
    const UInt128 in = (operation.mode & 1) != 0 ? carry >> lane & 1 : 0;
    const UInt128 sum = static_cast<UInt128>(product) + static_cast<U>(c[lane]) + in;
    d[lane] = static_cast<T>(sum);
    if ((operation.mode & 2) == 0) continue;
    const Mask out = static_cast<Mask>(sum >> (8 * sizeof(T)) & 1);
    carry = (carry & ~(Mask{1} << lane)) | out << lane;
  }
}

/// Mode: bit 0: the bytes of a are signed; bit 1: those of b; bits 2 and 3: the pair of bytes of b that dp2a takes, or
/// 4 for dp4a.
void dot(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  const auto* a = warp.at<std::uint32_t>(operation.a);
  const auto* b = warp.at<std::uint32_t>(operation.b);
  const auto* c = warp.at<std::uint32_t>(operation.c);
  const bool four = (operation.mode & 16) != 0;
  const auto take = [](std::uint32_t word, int bits, int number, bool is_signed) {
    const std::uint32_t raised = word << (32 - bits * (number + 1));
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> (32 - bits))
                     : raised >> (32 - bits);
  };
  for_lanes(on, [&](int lane) {
    std::uint32_t sum = c[lane];
    for (int k = 0; k < (four ? 4 : 2); ++k) {
      const std::uint32_t x = take(a[lane], four ? 8 : 16, k, (operation.mode & 1) != 0);
      const std::uint32_t y =
          take(b[lane], 8, four ? k : k + ((operation.mode & 4) != 0 ? 2 : 0), (operation.mode & 2) != 0);
      sum += x * y;
    }
    d[lane] = sum;
  });
}

template <class F>
Run binary_of(Type type) {
  return with_integer(type, [](auto zero) -> Run {
    using T = decltype(zero);
    return binary<F, T, T, T>;
  });
}
template <class F>
Run ternary_of(Type type) {
  return with_integer(type, [](auto zero) -> Run {
    using T = decltype(zero);
    return ternary<F, T, T, T, T>;
  });
}

struct Form {
  bool low, high, wide;
};

Run product_of(Type type, const Form& form) {
  if (form.wide) {
    switch (type) {
      case Type::u16: return binary<MulWide<std::uint32_t>, std::uint32_t, std::uint16_t, std::uint16_t>;
      case Type::s16: return binary<MulWide<std::int32_t>, std::int32_t, std::int16_t, std::int16_t>;
      case Type::u32: return binary<MulWide<std::uint64_t>, std::uint64_t, std::uint32_t, std::uint32_t>;
      case Type::s32: return binary<MulWide<std::int64_t>, std::int64_t, std::int32_t, std::int32_t>;
      default: return nullptr;
    }
  }
  return form.high ? binary_of<MulHigh>(type) : form.low ? binary_of<MulLow>(type) : nullptr;
}

Run mad_of(Type type, const Form& form) {
  if (form.wide) {
    switch (type) {
      case Type::u16:
        return ternary<MadWide<std::uint32_t>, std::uint32_t, std::uint16_t, std::uint16_t, std::uint32_t>;
      case Type::s16: return ternary<MadWide<std::int32_t>, std::int32_t, std::int16_t, std::int16_t, std::int32_t>;
      case Type::u32:
        return ternary<MadWide<std::uint64_t>, std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>;
      case Type::s32: return ternary<MadWide<std::int64_t>, std::int64_t, std::int32_t, std::int32_t, std::int64_t>;
      default: return nullptr;
    }
  }
  return form.high ? ternary_of<MadHigh>(type) : form.low ? ternary_of<MadLow>(type) : nullptr;
}

Type wider(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    default: return Type::s64;
  }
}

bool decode_carry(Decoder& decoder, Operation& operation, Type type) {
  const Instruction& one = decoder.instruction();
  const std::string_view name = one.name;
  const bool multiplies = name.starts_with("mad");
  if (!decoder.has_operands(multiplies ? 4 : 3, multiplies ? 4 : 3)) return true;
  operation.mode = static_cast<std::uint16_t>((name.ends_with('c') ? 1 : 0) | (one.has("cc") ? 2 : 0) |
                                              (name.starts_with("sub") ? 4 : 0) | (one.has("hi") ? 8 : 0));
  operation.d = decoder.result(decoder.operand(0), bits_of(type));
  operation.a = decoder.source(decoder.operand(1), type);
  operation.b = decoder.source(decoder.operand(2), type);
  if (multiplies) {
    operation.c = decoder.source(decoder.operand(3), type);
    operation.run = with_integer(type, [](auto zero) -> Run { return mad_with_carry<decltype(zero)>; });
  } else {
    operation.run = bits_of(type) == 32 ? with_carry<std::uint32_t> : with_carry<std::uint64_t>;
  }
  if (bits_of(type) < 32) return decoder.fail("carries are of 32 and 64 bits");
  return true;
}

bool decode_dot(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (!decoder.has_operands(4, 4)) return true;
  if (types.size() != 2) return decoder.fail(fmt::format("`{}` needs two types", one.opcode));
  operation.mode = static_cast<std::uint16_t>((is_signed(types[0]) ? 1 : 0) | (is_signed(types[1]) ? 2 : 0) |
                                              (one.has("hi") ? 4 : 0) | (one.name == "dp4a" ? 16 : 0));
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  operation.c = decoder.source(decoder.operand(3), Type::b32);
  operation.run = dot;
  return true;
}

/// Of both halves of a word, which are integers of type T; with `relu`, at least 0.
template <class F, class T, bool relu>
struct OfHalves {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const auto half = [&](int shift) {
      auto value = static_cast<T>(F{}(static_cast<T>(a >> shift), static_cast<T>(b >> shift)));
      if (relu && value < 0) value = 0;
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(value)) << shift;
    };
    return half(16) | half(0);
  }
};
template <class F>
Run of_halves(bool is_signed, bool relu) {
  using Word = std::uint32_t;
  if (!is_signed) return relu ? nullptr : binary<OfHalves<F, std::uint16_t, false>, Word, Word, Word>;
  return relu ? binary<OfHalves<F, std::int16_t, true>, Word, Word, Word>
              : binary<OfHalves<F, std::int16_t, false>, Word, Word, Word>;
}

/// add, min and max of `.u16x2` and `.s16x2`.
bool decode_halves(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const bool is_signed = one.has("s16x2"), relu = one.has("relu");
  if (one.parts.size() != (relu ? 2 : 1)) return false;
  if (!decoder.has_operands(3, 3)) return true;
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  if (one.name == "add") operation.run = relu ? nullptr : of_halves<Add>(is_signed, false);
  if (one.name == "min") operation.run = of_halves<Min>(is_signed, relu);
  if (one.name == "max") operation.run = of_halves<Max>(is_signed, relu);
  return operation.run != nullptr;
}

Run two_operands(std::string_view name, Type type, const Form& form, bool saturates) {
  if (saturates) {
    if (type != Type::s32) return nullptr;
    if (name == "add") return binary<Saturating<false>, std::int32_t, std::int32_t, std::int32_t>;
    if (name == "sub") return binary<Saturating<true>, std::int32_t, std::int32_t, std::int32_t>;
    return nullptr;
  }
  if (name == "add") return binary_of<Add>(type);
  if (name == "sub") return binary_of<Sub>(type);
  if (name == "mul") return product_of(type, form);
  if (name == "mul24") return form.high ? binary_of<Mul24<true>>(type) : binary_of<Mul24<false>>(type);
  if (name == "min") return binary_of<Min>(type);
  if (name == "max") return binary_of<Max>(type);
  const bool remainder = name == "rem";
  return with_integer(type, [&](auto zero) -> Run {
    using T = decltype(zero);
    return remainder ? divide<T, true> : divide<T, false>;
  });
}

}  // namespace

bool decode_integer(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const std::string_view name = one.name;
  if (name == "dp4a" || name == "dp2a") return decode_dot(decoder, operation);
  if (one.has("u16x2") || one.has("s16x2")) return decode_halves(decoder, operation);
  static constexpr std::string_view two[] = {"add", "sub", "mul", "mul24", "min", "max", "div", "rem"};
  static constexpr std::string_view three[] = {"mad", "mad24", "sad"};
  static constexpr std::string_view single[] = {"abs", "neg"};
  static constexpr std::string_view carries[] = {"addc", "subc", "madc"};
  const auto among = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  const bool is_two = among(two), is_three = among(three), is_single = among(single), is_carry = among(carries);
  if (!is_two && !is_three && !is_single && !is_carry) return false;
  const auto types = decoder.types();
  if (types.size() != 1 || !(types[0] >= Type::u8 && types[0] <= Type::s64) || bits_of(types[0]) < 16) return false;
  const Type type = types[0];
  for (const std::string_view part : one.parts) {
    const bool is_relu = part == "relu" && type == Type::s32 && (name == "min" || name == "max");
    if (part != "lo" && part != "hi" && part != "wide" && part != "sat" && part != "cc" && !is_relu &&
        !type_named(part))
      return false;
  }
  if (is_carry || one.has("cc")) return decode_carry(decoder, operation, type);
  const Form form{one.has("lo"), one.has("hi"), one.has("wide")};
  const Type result = form.wide ? wider(type) : type;
  const std::size_t count = is_single ? 2 : is_two ? 3 : 4;
  if (!decoder.has_operands(count, count)) return true;
  operation.d = decoder.result(decoder.operand(0), bits_of(result));
  operation.a = decoder.source(decoder.operand(1), type);
  if (count > 2) operation.b = decoder.source(decoder.operand(2), type);
  if (count > 3) operation.c = decoder.source(decoder.operand(3), result);
  const bool saturates = one.has("sat");
  if (is_two) {
    operation.run = one.has("relu") ? (name == "min" ? binary<Relu<Min>, std::int32_t, std::int32_t, std::int32_t>
                                                     : binary<Relu<Max>, std::int32_t, std::int32_t, std::int32_t>)
                                    : two_operands(name, type, form, saturates);
  } else if (is_single) {
    operation.run = with_integer(type, [&](auto zero) -> Run {
      using T = decltype(zero);
      return name == "abs" ? unary<Abs, T, T> : unary<Neg, T, T>;
    });
  } else if (name == "mad") {
    operation.run = saturates
                        ? (form.high && type == Type::s32
                               ? ternary<MadHighSaturating, std::int32_t, std::int32_t, std::int32_t, std::int32_t>
                               : nullptr)
                        : mad_of(type, form);
  } else if (name == "mad24") {
    operation.run = form.high ? ternary_of<Mad24<true>>(type) : ternary_of<Mad24<false>>(type);
  } else {
    operation.run = ternary_of<Sad>(type);
  }
  return operation.run != nullptr;
}

}  // namespace reckon::ptx
