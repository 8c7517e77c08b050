// u32, an integer modulo 2^32: the same under every semantics that has it.
#pragma once

#include <algorithm>
#include <cstring>

#include "interp/semantics.h"

namespace reckon::interp {

/// The algebra (array_semantics.h). A shift takes its distance modulo 32, as in WGSL, Rust's wrapping_shl and PTX's
/// `shf.wrap`.
struct WordAlgebra {
  using Value = std::uint32_t;
  using V = Value;
  static V add(V a, V b) { return a + b; }
  static V sub(V a, V b) { return a - b; }
  static V mul(V a, V b) { return a * b; }
  static V neg(V a) { return -a; }
  static V min(V a, V b) { return std::min(a, b); }
  static V max(V a, V b) { return std::max(a, b); }
  static V bit_and(V a, V b) { return a & b; }
  static V bit_or(V a, V b) { return a | b; }
  static V bit_xor(V a, V b) { return a ^ b; }
  static V shift_left(V a, V b) { return a << (b & 31); }
  static V shift_right(V a, V b) { return a >> (b & 31); }
  static bool less(V a, V b) { return a < b; }
  static bool less_equal(V a, V b) { return a <= b; }
  static bool equal(V a, V b) { return a == b; }
  static bool not_equal(V a, V b) { return a != b; }
};

namespace words {

inline std::uint32_t at(const std::byte* value) {
  std::uint32_t out = 0;
  std::memcpy(&out, value, sizeof out);
  return out;
}
inline void put(std::uint32_t word, std::byte* out) { std::memcpy(out, &word, sizeof word); }

inline void put_literal(const ir::Literal& literal, std::byte* out) {
  put(static_cast<std::uint32_t>(literal.value.get_num().get_ui()), out);
}
/// Stores indices modulo 2^32.
inline void put_indices(const std::int64_t* values, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) put(static_cast<std::uint32_t>(values[i]), out + i * sizeof(std::uint32_t));
}
inline void load(const std::uint8_t* bytes, std::size_t count, std::byte* out) {
  if (count > 0) std::memcpy(out, bytes, count * sizeof(std::uint32_t));
}
Rendering render(const std::byte* value);
inline Truth equal(const std::byte* a, const std::byte* b) { return at(a) == at(b) ? Truth::yes : Truth::no; }
inline Enclosure enclosure(const std::byte* value) {
  const mpq_class number(static_cast<unsigned long>(at(value)));
  return {number, number};
}

}  // namespace words

}  // namespace reckon::interp
