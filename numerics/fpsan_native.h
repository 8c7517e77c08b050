// FPSan on machine words: the word builder for fpsan.h, and functions that choose by format at run time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "numerics/format.h"
#include "numerics/fpsan.h"

namespace reckon::numerics::fpsan {

/// Words are plain std::uint8_t, uint16_t, uint32_t and uint64_t, so that loops over arrays vectorise. C++ promotes the
/// smaller ones to int, whose overflow is undefined, so every operation goes through an unsigned type.
struct NativeWords {
  template <int width>
  using Word = std::conditional_t<
      width == 8, std::uint8_t,
      std::conditional_t<width == 16, std::uint16_t, std::conditional_t<width == 32, std::uint32_t, std::uint64_t>>>;
  using Bool = bool;

  template <class W>
  using Wide = std::conditional_t<(sizeof(W) < sizeof(unsigned)), unsigned, W>;

  template <int width>
  static constexpr Word<width> constant(std::uint64_t value) {
    return static_cast<Word<width>>(value);
  }
  template <class W>
  static constexpr W add(W a, W b) {
    return static_cast<W>(Wide<W>{a} + Wide<W>{b});
  }
  template <class W>
  static constexpr W sub(W a, W b) {
    return static_cast<W>(Wide<W>{a} - Wide<W>{b});
  }
  template <class W>
  static constexpr W mul(W a, W b) {
    return static_cast<W>(Wide<W>{a} * Wide<W>{b});
  }
  template <class W>
  static constexpr W bit_and(W a, W b) {
    return static_cast<W>(a & b);
  }
  template <class W>
  static constexpr W bit_or(W a, W b) {
    return static_cast<W>(a | b);
  }
  template <class W>
  static constexpr W bit_xor(W a, W b) {
    return static_cast<W>(a ^ b);
  }
  template <class W>
  static constexpr W shl(W a, int distance) {
    return static_cast<W>(Wide<W>{a} << distance);
  }
  template <class W>
  static constexpr W lshr(W a, int distance) {
    return static_cast<W>(a >> distance);
  }
  template <class W>
  static constexpr W ashr(W a, int distance) {
    return static_cast<W>(static_cast<std::make_signed_t<W>>(a) >> distance);
  }
  template <class W>
  static constexpr Bool equal(W a, W b) {
    return a == b;
  }
  template <class W>
  static constexpr Bool less_signed(W a, W b) {
    return static_cast<std::make_signed_t<W>>(a) < static_cast<std::make_signed_t<W>>(b);
  }
  template <class W>
  static constexpr W select(Bool condition, W a, W b) {
    return condition ? a : b;
  }
  template <class W>
  static constexpr W remainder_signed(W a, W b) {
    return static_cast<W>(static_cast<std::make_signed_t<W>>(a) % static_cast<std::make_signed_t<W>>(b));
  }
  template <int from, int to>
  static constexpr Word<to> sign_extend(Word<from> a) {
    return static_cast<Word<to>>(static_cast<std::make_signed_t<Word<from>>>(a));
  }
  template <int from, int to>
  static constexpr Word<to> truncate(Word<from> a) {
    return static_cast<Word<to>>(a);
  }
};

/// Operations on payloads, for callers that choose at run time. Unused operands are ignored.
enum class Operation : std::uint8_t {
  add, sub, mul, div, rem, neg, fma, min, max,
  exp, exp2, sin, cos,
  log, log2, sqrt, rsqrt, erf, floor, ceil
};

// All of these functions take and return words right-aligned in 64 bits, and use `now` unless told otherwise.
std::uint64_t fpsan_embed(std::uint64_t carrier, Format format, const Generation& generation = now);
std::uint64_t fpsan_unembed(std::uint64_t payload, Format format, const Generation& generation = now);
std::uint64_t fpsan_cast(std::uint64_t payload, Format from, Format to, const Generation& generation = now);
std::uint64_t fpsan_apply(Operation operation, Format format, std::uint64_t p, std::uint64_t q = 0, std::uint64_t r = 0,
                          const Generation& generation = now);

}  // namespace reckon::numerics::fpsan
