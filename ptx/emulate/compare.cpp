// Comparisons and choices (PTX ISA 9.0, 9.7.6): setp, set, selp, slct, testp, copysign.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "numerics/native.h"
#include "ptx/emulate/decode.h"
#include "ptx/emulate/floats.h"
#include "ptx/emulate/lanes.h"

namespace reckon::ptx {
namespace {

enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

std::optional<Relation> relation_named(std::string_view name, bool is_float) {
  static constexpr std::string_view names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                               "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (std::size_t k = 0; k < std::size(names); ++k) {
    if (names[k] == name && (is_float || k < 6)) return static_cast<Relation>(k);
  }
  if (is_float) return std::nullopt;
  if (name == "lo") return Relation::lt;
  if (name == "ls") return Relation::le;
  if (name == "hi") return Relation::gt;
  if (name == "hs") return Relation::ge;
  return std::nullopt;
}

// A number and what its register holds.
template <class T>
struct Plain {
  using Word = T;
  static T value(T word) { return word; }
};
template <numerics::Format format>
struct PlainHalf {
  using Word = std::uint16_t;
  static float value(Word word) { return Half<format>::wide(word); }
};
using PlainF16 = PlainHalf<numerics::Format::f16>;
using PlainBf16 = PlainHalf<numerics::Format::bf16>;
struct FlushedF32 {
  using Word = float;
  static float value(float word) { return flushed(word); }
};

template <class N, class F>
Mask compare_lanes(const typename N::Word* a, const typename N::Word* b, F&& f) {
  Mask out = 0;
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    out |= static_cast<Mask>(f(N::value(a[lane]), N::value(b[lane])) ? 1u : 0u) << lane;
  return out;
}

template <class N>
Mask compare(Relation relation, const typename N::Word* a, const typename N::Word* b) {
  const auto lanes = [&](auto f) { return compare_lanes<N>(a, b, f); };
  switch (relation) {
    case Relation::eq: return lanes([](auto x, auto y) { return x == y; });
    case Relation::ne: return lanes([](auto x, auto y) { return x < y || x > y; });
    case Relation::lt: return lanes([](auto x, auto y) { return x < y; });
    case Relation::le: return lanes([](auto x, auto y) { return x <= y; });
    case Relation::gt: return lanes([](auto x, auto y) { return x > y; });
    case Relation::ge: return lanes([](auto x, auto y) { return x >= y; });
    case Relation::equ: return lanes([](auto x, auto y) { return !(x < y || x > y); });
    case Relation::neu: return lanes([](auto x, auto y) { return !(x == y); });
    case Relation::ltu: return lanes([](auto x, auto y) { return !(x >= y); });
    case Relation::leu: return lanes([](auto x, auto y) { return !(x > y); });
    case Relation::gtu: return lanes([](auto x, auto y) { return !(x <= y); });
    case Relation::geu: return lanes([](auto x, auto y) { return !(x < y); });
    case Relation::num: return lanes([](auto x, auto y) { return x == x && y == y; });
    case Relation::nan: return lanes([](auto x, auto y) { return x != x || y != y; });
  }
  return 0;
}

// Mode: the relation; 0x10 and, 0x20 or, 0x30 xor with the predicate in c.
Mask joined(const Operation& operation, Warp& warp, Mask value) {
  const int how = operation.mode >> 4 & 3;
  if (how == 0) return value;
  const Mask other = warp.predicate(operation, operation.c, 2);
  return how == 1 ? value & other : how == 2 ? value | other : value ^ other;
}

template <class N>
void set_predicate(const Operation& operation, Warp& warp, Mask on) {
  using W = typename N::Word;
  const Mask value =
      compare<N>(static_cast<Relation>(operation.mode & 15), warp.at<W>(operation.a), warp.at<W>(operation.b));
  const Mask first = joined(operation, warp, value), second = joined(operation, warp, ~value);
  warp.put(operation.d, first, on);
  warp.put(operation.e, second, on);
}

/// `extra`: what true is.
template <class N, class D>
void set_number(const Operation& operation, Warp& warp, Mask on) {
  using W = typename N::Word;
  const Mask value =
      joined(operation, warp,
             compare<N>(static_cast<Relation>(operation.mode & 15), warp.at<W>(operation.a), warp.at<W>(operation.b)));
  D* d = warp.at<D>(operation.d);
  for_lanes(on, [&](int lane) { d[lane] = (value >> lane & 1) != 0 ? static_cast<D>(operation.extra) : D{0}; });
}

/// Of each half: the relations of the low and the high one go to two predicates.
template <class N>
void set_predicates_of_pair(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<std::uint16_t>(operation.a);
  const auto* b = warp.at<std::uint16_t>(operation.b);
  for (int half = 0; half < 2; ++half) {
    std::uint16_t x[lanes_of_warp], y[lanes_of_warp];
    for (int lane = 0; lane < lanes_of_warp; ++lane) x[lane] = a[2 * lane + half], y[lane] = b[2 * lane + half];
    const Mask value = compare<N>(static_cast<Relation>(operation.mode & 15), x, y);
    warp.put(half == 0 ? operation.d : operation.e, joined(operation, warp, value), on);
  }
}

/// The same to the halves of a register. `extra`: what true is, in 16 bits.
template <class N>
void set_halves(const Operation& operation, Warp& warp, Mask on) {
  const auto* a = warp.at<std::uint16_t>(operation.a);
  const auto* b = warp.at<std::uint16_t>(operation.b);
  Mask values[2];
  for (int half = 0; half < 2; ++half) {
    std::uint16_t x[lanes_of_warp], y[lanes_of_warp];
    for (int lane = 0; lane < lanes_of_warp; ++lane) x[lane] = a[2 * lane + half], y[lane] = b[2 * lane + half];
    values[half] = joined(operation, warp, compare<N>(static_cast<Relation>(operation.mode & 15), x, y));
  }
  auto* d = warp.at<std::uint32_t>(operation.d);
  for_lanes(on, [&](int lane) {
    d[lane] = ((values[0] >> lane & 1) != 0 ? operation.extra : 0) |
              ((values[1] >> lane & 1) != 0 ? operation.extra << 16 : 0);
  });
}

template <class T>
void select(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  const Mask chosen = warp.predicate(operation, operation.c, 2);
  for_lanes(on, [&](int lane) { d[lane] = (chosen >> lane & 1) != 0 ? a[lane] : b[lane]; });
}

template <class T, class C>
void select_by_sign(const Operation& operation, Warp& warp, Mask on) {
  T* d = warp.at<T>(operation.d);
  const T* a = warp.at<T>(operation.a);
  const T* b = warp.at<T>(operation.b);
  const C* c = warp.at<C>(operation.c);
  for_lanes(on, [&](int lane) { d[lane] = c[lane] >= 0 ? a[lane] : b[lane]; });
}

/// Mode: finite, infinite, number, notanumber, normal, subnormal.
template <class T>
void test_number(const Operation& operation, Warp& warp, Mask on) {
  const T* a = warp.at<T>(operation.a);
  Mask out = 0;
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    const T x = a[lane];
    const bool value = operation.mode == 0   ? std::isfinite(x)
                       : operation.mode == 1 ? std::isinf(x)
                       : operation.mode == 2 ? !std::isnan(x)
                       : operation.mode == 3 ? std::isnan(x)
                       : operation.mode == 4 ? std::isnormal(x)
                                             : std::fpclassify(x) == FP_SUBNORMAL;
    out |= static_cast<Mask>(value ? 1u : 0u) << lane;
  }
  warp.put(operation.d, out, on);
}

/// Of a goes the sign, of b the rest.
template <class W>
void copy_sign(const Operation& operation, Warp& warp, Mask on) {
  W* d = warp.at<W>(operation.d);
  const W* a = warp.at<W>(operation.a);
  const W* b = warp.at<W>(operation.b);
  constexpr W top = W{1} << (8 * sizeof(W) - 1);
  for_lanes(on, [&](int lane) { d[lane] = (a[lane] & top) | (b[lane] & ~top); });
}

/// Calls f with the C++ type of what is compared.
template <class F>
Run with_numbers(Type type, bool ftz, F&& f) {
  switch (type) {
    case Type::f32: return ftz ? f(FlushedF32{}) : f(Plain<float>{});
    case Type::f64: return f(Plain<double>{});
    case Type::f16: return f(PlainF16{});
    case Type::bf16: return f(PlainBf16{});
    default: return with_integer(type, [&](auto zero) -> Run { return f(Plain<decltype(zero)>{}); });
  }
}

/// What `set` gives for true, in so many bits as the result has; of pairs, in each half.
std::optional<std::uint32_t> truth_in(Type type, bool of_pair) {
  switch (type) {
    case Type::f32: return of_pair ? std::nullopt : std::optional(0x3f800000u);
    case Type::u32:
    case Type::s32: return of_pair ? 0xffffu : ~0u;
    case Type::u16:
    case Type::s16: return of_pair ? std::nullopt : std::optional(0xffffu);
    case Type::f16: return of_pair ? std::nullopt : std::optional(0x3c00u);
    case Type::bf16: return of_pair ? std::nullopt : std::optional(0x3f80u);
    case Type::f16x2: return of_pair ? std::optional(0x3c00u) : std::nullopt;
    case Type::bf16x2: return of_pair ? std::optional(0x3f80u) : std::nullopt;
    default: return std::nullopt;
  }
}

bool decode_set(Decoder& decoder, Operation& operation, const std::vector<Type>& types) {
  const Instruction& one = decoder.instruction();
  const bool to_predicate = one.name == "setp";
  if (types.size() != (to_predicate ? 1u : 2u) || one.parts.empty()) return false;
  const Type type = types.back();
  const bool is_pair = type == Type::f16x2 || type == Type::bf16x2;
  const auto relation = relation_named(one.parts[0], is_pair || is_float(type));
  if (!relation) return decoder.fail(fmt::format("`{}` names no comparison of such numbers", one.opcode));
  const int how = one.has("and") ? 1 : one.has("or") ? 2 : one.has("xor") ? 3 : 0;
  const std::size_t count = how != 0 ? 4 : 3;
  if (!decoder.has_operands(count, count)) return true;
  operation.mode = static_cast<std::uint16_t>(static_cast<int>(*relation) | how << 4);
  operation.a = decoder.source(decoder.operand(1), type);
  operation.b = decoder.source(decoder.operand(2), type);
  if (how != 0) operation.c = decoder.predicate(decoder.operand(3), 2, operation);
  if (!to_predicate) {
    const auto truth = truth_in(types[0], is_pair);
    const bool ftz = one.has("ftz");
    if (!truth || (ftz && type != Type::f32)) return false;
    operation.extra = *truth;
    operation.d = decoder.result(decoder.operand(0), bits_of(types[0]));
    if (is_pair) {
      operation.run = type == Type::f16x2 ? set_halves<PlainF16> : set_halves<PlainBf16>;
    } else if (bits_of(types[0]) == 16) {
      operation.run =
          with_numbers(type, ftz, [](auto numbers) -> Run { return set_number<decltype(numbers), std::uint16_t>; });
    } else {
      operation.run =
          with_numbers(type, ftz, [](auto numbers) -> Run { return set_number<decltype(numbers), std::uint32_t>; });
    }
    return operation.run != nullptr;
  }
  const Operand& out = decoder.operand(0);
  if (out.kind == Operand::Kind::pair) {
    operation.d = decoder.predicate_result(decoder.child(out, 0));
    operation.e = decoder.predicate_result(decoder.child(out, 1));
  } else {
    operation.d = decoder.predicate_result(out);
  }
  if (is_pair) {
    if (one.has("ftz")) return false;
    operation.run = type == Type::f16x2 ? set_predicates_of_pair<PlainF16> : set_predicates_of_pair<PlainBf16>;
    return true;
  }
  if (one.has("ftz") && type != Type::f32) return false;
  operation.run =
      with_numbers(type, one.has("ftz"), [](auto numbers) -> Run { return set_predicate<decltype(numbers)>; });
  return operation.run != nullptr;
}

bool decode_select(Decoder& decoder, Operation& operation, const std::vector<Type>& types) {
  const Instruction& one = decoder.instruction();
  const bool by_sign = one.name == "slct";
  if (types.size() != (by_sign ? 2u : 1u)) return false;
  if (!decoder.has_operands(4, 4)) return true;
  const int bits = bits_of(types[0]);
  operation.d = decoder.result(decoder.operand(0), bits);
  operation.a = decoder.source(decoder.operand(1), types[0]);
  operation.b = decoder.source(decoder.operand(2), types[0]);
  if (!by_sign) {
    operation.c = decoder.predicate(decoder.operand(3), 2, operation);
    operation.run = with_word(bits, [](auto zero) -> Run { return select<decltype(zero)>; });
    operation.effect = Effect::select;
    return operation.run != nullptr;
  }
  operation.c = decoder.source(decoder.operand(3), types[1]);
  operation.run = with_word(bits, [&](auto zero) -> Run {
    using T = decltype(zero);
    return types[1] == Type::s32   ? select_by_sign<T, std::int32_t>
           : types[1] == Type::f32 ? select_by_sign<T, float>
                                   : nullptr;
  });
  return operation.run != nullptr;
}

}  // namespace

bool decode_compare(Decoder& decoder, Operation& operation) {
  const Instruction& one = decoder.instruction();
  const auto types = decoder.types();
  if (one.name == "setp" || one.name == "set") return decode_set(decoder, operation, types);
  if (one.name == "selp" || one.name == "slct") return decode_select(decoder, operation, types);
  if (types.size() != 1 || (types[0] != Type::f32 && types[0] != Type::f64)) return false;
  const bool wide = types[0] == Type::f64;
  if (one.name == "testp") {
    static constexpr std::string_view tests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    if (!decoder.has_operands(2, 2)) return true;
    for (std::size_t k = 0; k < std::size(tests); ++k) {
      if (one.has(tests[k])) operation.mode = static_cast<std::uint16_t>(k);
    }
    operation.d = decoder.predicate_result(decoder.operand(0));
    operation.a = decoder.source(decoder.operand(1), types[0]);
    operation.run = wide ? test_number<double> : test_number<float>;
    return true;
  }
  if (one.name == "copysign") {
    if (!decoder.has_operands(3, 3)) return true;
    operation.d = decoder.result(decoder.operand(0), bits_of(types[0]));
    operation.a = decoder.source(decoder.operand(1), types[0]);
    operation.b = decoder.source(decoder.operand(2), types[0]);
    operation.run = wide ? copy_sign<std::uint64_t> : copy_sign<std::uint32_t>;
    return true;
  }
  return false;
}

}  // namespace reckon::ptx
