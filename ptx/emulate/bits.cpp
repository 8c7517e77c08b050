// Bits and shifts (PTX ISA 9.0, 9.7.1 and 9.7.8).
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "ptx/emulate/decode.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? T{1} : T{0};
  }
};
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << by);
  }
};
/// Arithmetic for signed numbers. Distances are clamped.
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(by, width - 1));
    else return by >= width ? T{0} : static_cast<T>(a >> by);
  }
};
template <bool left, bool wraps>
struct Funnel {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    const std::uint32_t n = wraps ? by & 31 : std::min(by, 32u);
    return static_cast<std::uint32_t>(left ? (both << n) >> 32 : both >> n);
  }
};
struct Count {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct LeadingZeros {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Reverse {
  template <class T>
  T operator()(T a) const {
    T out = 0;
    for (std::size_t k = 0; k < 8 * sizeof(T); ++k) out |= static_cast<T>((a >> k & 1) << (8 * sizeof(T) - 1 - k));
    return out;
  }
};
/// The place of the highest bit that is not the sign; all ones if there is none.
template <bool as_shift>
struct FindBit {
  template <class T>
  std::uint32_t operator()(T a) const {
    using U = std::make_unsigned_t<T>;
    const U word = static_cast<U>(std::is_signed_v<T> && a < 0 ? static_cast<T>(~a) : a);
    if (word == 0) return ~0u;
    const auto at = static_cast<std::uint32_t>(std::bit_width(word) - 1);
    return as_shift ? static_cast<std::uint32_t>(8 * sizeof(T) - 1) - at : at;
  }
};
struct Extract {
  template <class T>
  T operator()(T a, std::uint32_t at, std::uint32_t length) const {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t width = 8 * sizeof(T);
    at &= 0xff;
    length &= 0xff;
    if (length == 0) return 0;
    const std::uint32_t top = std::min(at + length - 1, width - 1);
    const bool sign = std::is_signed_v<T> && (static_cast<U>(a) >> top & 1) != 0;
    const U shifted = at >= width ? U{0} : static_cast<U>(static_cast<U>(a) >> at);
    const std::uint32_t kept = at >= width ? 0 : std::min(length, width - at);
    const U mask = kept >= width ? ~U{0} : static_cast<U>((U{1} << kept) - 1);
    return static_cast<T>((shifted & mask) | (sign ? static_cast<U>(~mask) : U{0}));
  }
};
template <class T>
void insert_bits(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  const auto* at = warp.at<std::uint32_t>(operation.c);
  const auto* length = warp.at<std::uint32_t>(operation.f);
  constexpr std::uint32_t width = 8 * sizeof(T);
  for_lanes(on, [&](int lane) {
    const std::uint32_t begin = at[lane] & 0xff, count = length[lane] & 0xff;
    const T ones = count >= width ? ~T{0} : static_cast<T>((T{1} << count) - 1);
    const T mask = begin >= width ? T{0} : static_cast<T>(ones << begin);
    const T moved = begin >= width ? T{0} : static_cast<T>(a[lane] << begin);
    d[lane] = static_cast<T>((b[lane] & ~mask) | (moved & mask));
  });
}
/// Mode: the function's table.
void lop3(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  const auto* a = warp.at<std::uint32_t>(operation.a);
  const auto* b = warp.at<std::uint32_t>(operation.b);
  const auto* c = warp.at<std::uint32_t>(operation.c);
  std::uint32_t rows[8];
  for (int k = 0; k < 8; ++k) rows[k] = (operation.mode >> k & 1) != 0 ? ~0u : 0u;
  for_lanes(on, [&](int lane) {
    const std::uint32_t x = a[lane], y = b[lane], z = c[lane];
    d[lane] = (rows[0] & ~x & ~y & ~z) | (rows[1] & ~x & ~y & z) | (rows[2] & ~x & y & ~z) | (rows[3] & ~x & y & z) |
              (rows[4] & x & ~y & ~z) | (rows[5] & x & ~y & z) | (rows[6] & x & y & ~z) | (rows[7] & x & y & z);
  });
}
/// Selector of the special modes of prmt: f4e, b4e, rc8, ecl, ecr, rc16.
std::uint32_t permute_selector(int mode, std::uint32_t selector) {
  static constexpr std::uint32_t tables[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                                 {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                                 {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return mode == 0 ? selector : tables[mode - 1][selector & 3];
}
void permute(const Operation& operation, Warp& warp, Mask on) {
  auto* d = warp.at<std::uint32_t>(operation.d);
  const auto* a = warp.at<std::uint32_t>(operation.a);
  const auto* b = warp.at<std::uint32_t>(operation.b);
  const auto* c = warp.at<std::uint32_t>(operation.c);
  for_lanes(on, [&](int lane) {
    const std::uint64_t bytes = std::uint64_t{b[lane]} << 32 | a[lane];
    const std::uint32_t selector = permute_selector(operation.mode, c[lane]);
    std::uint32_t out = 0;
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t which = selector >> (4 * k) & 0xf;
      auto byte = static_cast<std::uint32_t>(bytes >> (8 * (which & 7)) & 0xff);
      if ((which & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      out |= byte << (8 * k);
    }
    d[lane] = out;
  });
}
/// bmsk: `length` ones from `at` on. Mode 1: both wrap.
template <bool wraps>
struct MakeMask {
  std::uint32_t operator()(std::uint32_t at, std::uint32_t length) const {
    if (wraps) at &= 31, length &= 31;
    if (at >= 32 || length == 0) return 0;
    const std::uint32_t ones = length >= 32 ? ~0u : (1u << length) - 1;
    return ones << at;
  }
};
template <bool wraps, bool is_signed>
struct Extend {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t bits) const {
    if (wraps) bits &= 31;
    if (bits >= 32) return a;
    if (bits == 0) return 0;
    const std::uint32_t raised = a << (32 - bits);
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raised) >> (32 - bits))
                     : raised >> (32 - bits);
  }
};

/// and, or, xor, not of predicates. Mode: 0 to 3.
void of_predicates(const Operation& operation, Warp& warp, Mask on) {
  const Mask a = warp.predicate(operation, operation.a, 0);
  const Mask b = operation.mode == 3 ? 0 : warp.predicate(operation, operation.b, 1);
  const Mask value = operation.mode == 0 ? a & b : operation.mode == 1 ? a | b : operation.mode == 2 ? a ^ b : ~a;
  warp.put(operation.d, value, on);
}

template <class F>
Run words(int bits) {
  return with_word(bits, [](auto zero) -> Run {
    using T = decltype(zero);
    return binary<F, T, T, T>;
  });
}

bool decode_logic(Decoder& decoder, Operation& operation, Type type) {
  const std::string_view name = decoder.instruction().name;
  const std::size_t count = name == "not" || name == "cnot" ? 2 : 3;
  if (!decoder.has_operands(count, count)) return true;
  if (type == Type::pred) {
    operation.mode = name == "and" ? 0 : name == "or" ? 1 : name == "xor" ? 2 : 3;
    operation.d = decoder.predicate_result(decoder.operand(0));
    operation.a = decoder.predicate(decoder.operand(1), 0, operation);
    if (count == 3) operation.b = decoder.predicate(decoder.operand(2), 1, operation);
    operation.run = of_predicates;
    operation.effect = name == "and" ? Effect::both : name == "or" ? Effect::either : Effect::plain;
    return true;
  }
  const int bits = bits_of(type);
  operation.d = decoder.result(decoder.operand(0), bits);
  operation.a = decoder.source(decoder.operand(1), type);
  if (count == 3) operation.b = decoder.source(decoder.operand(2), type);
  if (name == "and") operation.run = words<And>(bits);
  else if (name == "or") operation.run = words<Or>(bits);
  else if (name == "xor") operation.run = words<Xor>(bits);
  else
    operation.run = with_word(bits, [&](auto zero) -> Run {
      using T = decltype(zero);
      return name == "not" ? unary<Not, T, T> : unary<LogicalNot, T, T>;
    });
  return operation.run != nullptr;
}

bool decode_shift(Decoder& decoder, Operation& operation, Type type) {
  const bool left = decoder.instruction().name == "shl";
  if (!decoder.has_operands(3, 3)) return true;
  operation.d = decoder.result(decoder.operand(0), bits_of(type));
  operation.a = decoder.source(decoder.operand(1), type);
  operation.b = decoder.source(decoder.operand(2), Type::u32);
  operation.run = with_integer(type, [&](auto zero) -> Run {
    using T = decltype(zero);
    return left ? binary<ShiftLeft, T, T, std::uint32_t> : binary<ShiftRight, T, T, std::uint32_t>;
  });
  return operation.run != nullptr;
}

bool decode_fields(Decoder& decoder, Operation& operation, Type type) {
  const Instruction& one = decoder.instruction();
  const bool inserts = one.name == "bfi";
  if (!decoder.has_operands(inserts ? 5 : 4, inserts ? 5 : 4)) return true;
  operation.d = decoder.result(decoder.operand(0), bits_of(type));
  operation.a = decoder.source(decoder.operand(1), type);
  operation.b = decoder.source(decoder.operand(2), inserts ? type : Type::u32);
  operation.c = decoder.source(decoder.operand(3), Type::u32);
  if (inserts) {
    operation.f = decoder.source(decoder.operand(4), Type::u32);
    operation.run = bits_of(type) == 32 ? insert_bits<std::uint32_t> : insert_bits<std::uint64_t>;
    return bits_of(type) >= 32;
  }
  operation.run = with_integer(type, [](auto zero) -> Run {
    using T = decltype(zero);
    return ternary<Extract, T, T, std::uint32_t, std::uint32_t>;
  });
  return operation.run != nullptr;
}

bool decode_count(Decoder& decoder, Operation& operation, Type type) {
  const Instruction& one = decoder.instruction();
  if (!decoder.has_operands(2, 2)) return true;
  const bool reverses = one.name == "brev", as_shift = one.has("shiftamt");
  operation.d = decoder.result(decoder.operand(0), reverses ? bits_of(type) : 32);
  operation.a = decoder.source(decoder.operand(1), type);
  if (one.name == "bfind") {
    operation.run = with_integer(type, [&](auto zero) -> Run {
      using T = decltype(zero);
      return as_shift ? unary<FindBit<true>, std::uint32_t, T> : unary<FindBit<false>, std::uint32_t, T>;
    });
  } else {
    operation.run = with_word(bits_of(type), [&](auto zero) -> Run {
      using T = decltype(zero);
      if (reverses) return unary<Reverse, T, T>;
      return one.name == "popc" ? unary<Count, std::uint32_t, T> : unary<LeadingZeros, std::uint32_t, T>;
    });
  }
  return operation.run != nullptr;
}

bool decode_three_words(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const bool table = one.name == "lop3";
  if (!decoder.has_operands(table ? 5 : 4, table ? 5 : 4)) return true;
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  operation.c = decoder.source(decoder.operand(3), Type::b32);
  if (table) {
    const auto bits = decoder.constant(decoder.operand(4));
    if (!bits || *bits > 255) return decoder.fail("the table of `lop3` is a number from 0 to 255");
    operation.mode = static_cast<std::uint16_t>(*bits);
    operation.run = lop3;
    return !one.has("or") && !one.has("and");
  }
  if (one.name == "prmt") {
    static constexpr std::string_view modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    for (std::size_t k = 0; k < std::size(modes); ++k) {
      if (one.has(modes[k])) operation.mode = static_cast<std::uint16_t>(k + 1);
    }
    operation.run = permute;
    return true;
  }
  using U = std::uint32_t;
  const bool left = one.has("l"), wraps = one.has("wrap");
  if (left == one.has("r") && !left) return decoder.fail("`shf` shifts to the left (.l) or to the right (.r)");
  operation.run = left ? (wraps ? ternary<Funnel<true, true>, U, U, U, U> : ternary<Funnel<true, false>, U, U, U, U>)
                       : (wraps ? ternary<Funnel<false, true>, U, U, U, U> : ternary<Funnel<false, false>, U, U, U, U>);
  return true;
}

bool decode_masks(Decoder& decoder, Operation& operation, Type type) {
  const Instruction& one = decoder.instruction();
  if (!decoder.has_operands(3, 3)) return true;
  using U = std::uint32_t;
  operation.d = decoder.result(decoder.operand(0), 32);
  operation.a = decoder.source(decoder.operand(1), Type::b32);
  operation.b = decoder.source(decoder.operand(2), Type::b32);
  const bool wraps = one.has("wrap");
  if (one.name == "bmsk") operation.run = wraps ? binary<MakeMask<true>, U, U, U> : binary<MakeMask<false>, U, U, U>;
  else if (is_signed(type))
    operation.run = wraps ? binary<Extend<true, true>, U, U, U> : binary<Extend<false, true>, U, U, U>;
  else operation.run = wraps ? binary<Extend<true, false>, U, U, U> : binary<Extend<false, false>, U, U, U>;
  return true;
}

}  // namespace

bool decode_bits(Decoder& decoder, Operation& operation) {
  const std::string_view name = decoder.instruction().name;
  if (name == "lop3" || name == "prmt" || name == "shf") return decode_three_words(decoder, operation);
  const auto types = decoder.types();
  if (types.size() != 1) return false;
  if (name == "and" || name == "or" || name == "xor" || name == "not" || name == "cnot")
    return decode_logic(decoder, operation, types[0]);
  if (name == "shl" || name == "shr") return decode_shift(decoder, operation, types[0]);
  if (name == "bfe" || name == "bfi") return decode_fields(decoder, operation, types[0]);
  if (name == "popc" || name == "clz" || name == "brev" || name == "bfind")
    return decode_count(decoder, operation, types[0]);
  if (name == "bmsk" || name == "szext") return decode_masks(decoder, operation, types[0]);
  return false;
}

}  // namespace reckon::ptx
