// Integers modulo a power of 2: the same under every semantics that has them.
//
// A value is the machine's integer of the type. The kernels are compiled once, in words.cpp, and the semantics share
// them: ArraySemantics (array_semantics.h) sends operations on integers there.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "interp/semantics.h"
#include "ir/integer.h"

namespace reckon::interp {

/// Why one element has no result. The text is constant, so that a kernel can return it cheaply.
struct FaultText {
  Code code;
  const char* message;
  const char* help;
};

inline Fault as_fault(const FaultText& text) { return {text.code, text.message, text.help}; }

/// The fault of `//` and `%` whose divisor is 0.
extern const FaultText divided_by_zero;

/// The algebra (array_semantics.h) of the integers of a C++ type. A shift takes its distance modulo the width, as in
/// WGSL, Rust's wrapping_shl and PTX's `shf.wrap`; `>>` of a signed integer repeats its sign. A quotient is rounded
/// down, and a remainder has the divisor's sign, as in Python.
template <class Word>
struct WordAlgebra {
  using Value = Word;
  using V = Word;
  using Bits = std::make_unsigned_t<Word>;
  // Arithmetic is done without a sign, where C++ defines it modulo 2^width, and in 64 bits, since C++ would make a
  // signed int of narrower operands.
  static constexpr std::uint64_t wide(V a) { return static_cast<std::uint64_t>(a); }
  static constexpr V narrow(std::uint64_t a) { return static_cast<V>(static_cast<Bits>(a)); }
  static constexpr unsigned distance(V b) { return static_cast<unsigned>(wide(b) & (8 * sizeof(V) - 1)); }

  static V add(V a, V b) { return narrow(wide(a) + wide(b)); }
  static V sub(V a, V b) { return narrow(wide(a) - wide(b)); }
  static V mul(V a, V b) { return narrow(wide(a) * wide(b)); }
  static V neg(V a) { return narrow(0 - wide(a)); }
  static bool is_negative(V a) {
    if constexpr (std::is_signed_v<V>) return a < 0;
    else return false;
  }
  static V abs(V a) { return is_negative(a) ? neg(a) : a; }
  static V sign(V a) { return static_cast<V>((a > 0) - is_negative(a)); }
  static V min(V a, V b) { return std::min(a, b); }
  static V max(V a, V b) { return std::max(a, b); }
  static V clamp(V a, V low, V high) { return min(max(a, low), high); }
  static V bit_and(V a, V b) { return narrow(wide(a) & wide(b)); }
  static V bit_or(V a, V b) { return narrow(wide(a) | wide(b)); }
  static V bit_xor(V a, V b) { return narrow(wide(a) ^ wide(b)); }
  static V shift_left(V a, V b) { return narrow(wide(a) << distance(b)); }
  static V shift_right(V a, V b) { return static_cast<V>(a >> distance(b)); }
  static const FaultText* floor_div(V& out, V a, V b) {
    if (b == 0) return &divided_by_zero;
    if constexpr (std::is_signed_v<V>) {
      if (b == -1) return out = neg(a), nullptr;  // the least number has no opposite, and C++ no quotient
      const V quotient = static_cast<V>(a / b);
      out = static_cast<V>(quotient - (a % b != 0 && (a < 0) != (b < 0)));
    } else {
      out = static_cast<V>(a / b);
    }
    return nullptr;
  }
  static const FaultText* floor_mod(V& out, V a, V b) {
    if (b == 0) return &divided_by_zero;
    if constexpr (std::is_signed_v<V>) {
      if (b == -1) return out = 0, nullptr;
      const V rest = static_cast<V>(a % b);
      out = rest != 0 && (a < 0) != (b < 0) ? static_cast<V>(rest + b) : rest;
    } else {
      out = static_cast<V>(a % b);
    }
    return nullptr;
  }
  template <class From>
  static V convert(From, typename From::Value value) {
    return static_cast<V>(value);
  }
  static bool less(V a, V b) { return a < b; }
  static bool less_equal(V a, V b) { return a <= b; }
  static bool equal(V a, V b) { return a == b; }
  static bool not_equal(V a, V b) { return a != b; }
};

namespace words {

/// What `function(Word{})` gives for the C++ type of the integers.
template <class Function>
auto with_word(ir::Scalar scalar, Function&& function) {
#define RECKON_INTEGER(name, word, npy) \
  if (scalar == ir::Scalar::name) return function(word{});
#include "numerics/integers.def"
  return function(std::uint32_t{});
}

/// The pattern of a value.
inline std::uint64_t at(ir::Scalar scalar, const std::byte* value) {
  std::uint64_t out = 0;
  std::memcpy(&out, value, static_cast<std::size_t>(ir::byte_width(scalar)));
  return out;
}
/// Stores a number modulo 2^width.
inline void put(ir::Scalar scalar, std::uint64_t pattern, std::byte* out) {
  std::memcpy(out, &pattern, static_cast<std::size_t>(ir::byte_width(scalar)));
}
inline void put_literal(ir::Scalar scalar, const ir::Literal& literal, std::byte* out) {
  put(scalar, ir::integer_pattern(scalar, literal.value.get_num()), out);
}
/// Stores indices modulo 2^width.
inline void put_indices(ir::Scalar scalar, const std::int64_t* values, std::size_t count, std::byte* out) {
  const auto width = static_cast<std::size_t>(ir::byte_width(scalar));
  for (std::size_t i = 0; i < count; ++i) put(scalar, static_cast<std::uint64_t>(values[i]), out + i * width);
}
inline void load(ir::Scalar scalar, const std::uint8_t* bytes, std::size_t count, std::byte* out) {
  if (count > 0) std::memcpy(out, bytes, count * static_cast<std::size_t>(ir::byte_width(scalar)));
}
Rendering render(ir::Scalar scalar, const std::byte* value);
inline Truth equal(ir::Scalar scalar, const std::byte* a, const std::byte* b) {
  return at(scalar, a) == at(scalar, b) ? Truth::yes : Truth::no;
}
inline Enclosure enclosure(ir::Scalar scalar, const std::byte* value) {
  const mpq_class number(ir::integer_of(scalar, at(scalar, value)));
  return {number, number};
}

/// Semantics::apply of an operation whose operands, or for `select` whose results, are integers, and which makes no
/// float. `name`: of the semantics, for messages.
std::optional<Fault> apply(std::string_view name, ir::Op op, ir::Scalar from, ir::Scalar to, const Rows* operands,
                           std::byte* out, std::ptrdiff_t out_row_stride, std::size_t rows, std::size_t columns);
/// Semantics::accumulate.
std::optional<Fault> accumulate(std::string_view name, ir::Op op, ir::Scalar scalar, std::byte* accumulator,
                                Rows operand, std::size_t rows, std::size_t columns);
/// An integer as a number of a format: from_index of the semantics, whose literal stands for what no index is.
std::optional<Fault> to_number(const Semantics& semantics, ir::Scalar from, const std::byte* value, ir::Scalar to,
                               std::byte* out);

}  // namespace words

}  // namespace reckon::interp
