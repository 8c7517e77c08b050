// FPSan's arithmetic: it embeds a float's pattern (the carrier) into the integers modulo 2^width (the payload), and
// defines every operation on payloads. One source over a word builder, instantiated with machine words
// (fpsan_native.h) and, in the code generator, with LLVM IR values: the payloads are the same.
//
// It gives the bits of Triton's FpSanitizer pass (docs/semantics.md, "fpsan"). FPSan is by Adam P. Goucher and Pawel
// Szczerbuk (Triton). Carriers must stay in integer registers: a float instruction may quiet a NaN.
//
// A word builder B has, for the widths 8, 16, 32 and 64:
//   template <int width> using Word      a cheap copyable value of that many bits. With machine words each width
//                                        has its own type; IR values may all have one.
//   Bool
//   constant<width>(uint64)              the low `width` bits
//   add, sub, mul(Word, Word)            wrapping around
//   bit_and, bit_or, bit_xor(Word, Word)
//   shl, lshr, ashr(Word, int)           distance from 0 to width - 1
//   equal, less_signed(Word, Word)       -> Bool
//   select(Bool, Word, Word)             both are evaluated
//   remainder_signed(Word, Word)         truncating; never called with a divisor 0 or -1
//   sign_extend<from, to>(Word<from>), truncate<from, to>(Word<from>)
// Everything here is straight-line code; loops have constant bounds and can be unrolled completely.
#pragma once

#include <cstdint>
#include <string_view>

#include "numerics/format.h"
#include "numerics/fpsan_constants.h"

namespace reckon::numerics::fpsan {

constexpr bool has_payloads(Format format) { return fills_words(format); }
/// Why a format has none: what is embedded are words.
inline constexpr std::string_view without_payloads = "its patterns do not use all bits of their words";

template <class B, int width>
using WordOf = typename B::template Word<width>;

template <class B, Format format>
using PayloadOf = WordOf<B, traits(format).width>;

// --- Between carriers and payloads (1.1, 1.2) ---

template <Format format, class B>
[[gnu::always_inline]] inline PayloadOf<B, format> embed(B& b, const Embedding& constants,
                                                         PayloadOf<B, format> carrier) {
  constexpr int width = traits(format).width;
  const auto mask = b.template constant<width>(magnitude_bits(format));
  // The sign bit only affects a bit that the mask removes, so it need not be cleared first (and must not be:
  // LLVM would recognise fabs).
  const auto mixed = b.bit_and(b.mul(carrier, b.template constant<width>(constants.mixer)), mask);
  const auto folded = b.bit_xor(mixed, b.lshr(mixed, zeros_of_one(format)));
  // For a negative carrier the multiplier is -B: (B xor s) - s with s = 0 or -1 needs no selection.
  const auto sign = b.ashr(carrier, width - 1);
  const auto product = b.mul(folded, b.template constant<width>(constants.positive));
  const auto negated = b.sub(b.bit_xor(product, sign), sign);
  return b.bit_or(b.bit_and(negated, mask), b.bit_and(carrier, b.template constant<width>(sign_bit(format))));
}

template <Format format, class B>
[[gnu::always_inline]] inline PayloadOf<B, format> unembed(B& b, const Embedding& constants,
                                                           PayloadOf<B, format> payload) {
  constexpr int width = traits(format).width;
  const auto mask = b.template constant<width>(magnitude_bits(format));
  const auto sign = b.ashr(payload, width - 1);
  const auto product = b.mul(payload, b.template constant<width>(constants.positive_inverse));
  auto word = b.bit_and(b.sub(b.bit_xor(product, sign), sign), mask);
  // Inverts w ^= w >> s: each step doubles the distance over which it is undone.
  for (int distance = zeros_of_one(format); distance < width; distance *= 2) {
    word = b.bit_xor(word, b.lshr(word, distance));
  }
  const auto magnitude = b.bit_and(b.mul(word, b.template constant<width>(constants.mixer_inverse)), mask);
  return b.bit_or(magnitude, b.bit_and(payload, b.template constant<width>(sign_bit(format))));
}

// --- Ring operations, on payloads of any width. add, sub, mul are the builder's own. ---

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> negate(B& b, WordOf<B, width> p) {
  return b.sub(b.template constant<width>(0), p);
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> fma(B& b, WordOf<B, width> p, WordOf<B, width> q, WordOf<B, width> r) {
  return b.add(b.mul(p, q), r);
}

/// I(q): the inverse of an odd q; an even q keeps its parity, I(q) = 1/(q + 1) - 1.
template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> inverse(B& b, WordOf<B, width> q) {
  const auto one = b.template constant<width>(1);
  const auto two = b.template constant<width>(2);
  const auto odd = b.bit_or(q, one);
  // (3a) xor 2 is the inverse of a modulo 2^5 (Montgomery); Newton's iteration doubles the bits.
  auto inverse = b.bit_xor(b.mul(odd, b.template constant<width>(3)), two);
  for (int correct = 5; correct < width; correct *= 2) inverse = b.mul(inverse, b.sub(two, b.mul(odd, inverse)));
  // The inverse is odd, so clearing its bit 0 for an even q is flipping it.
  return b.bit_xor(inverse, b.bit_xor(b.bit_and(q, one), one));
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> divide(B& b, WordOf<B, width> p, WordOf<B, width> q) {
  return b.mul(p, inverse<width>(b, q));
}

/// The truncating remainder of the signed payloads by q or 1.
template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> remainder(B& b, WordOf<B, width> p, WordOf<B, width> q) {
  const auto one = b.template constant<width>(1);
  const auto odd = b.bit_or(q, one);
  // The remainder by -1 is 0, as it is by 1; machines trap on (least integer) rem -1.
  const auto minus_one = b.template constant<width>(low_bits(width));
  return b.remainder_signed(p, b.select(b.equal(odd, minus_one), one, odd));
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> minimum(B& b, WordOf<B, width> p, WordOf<B, width> q) {
  return b.select(b.less_signed(q, p), q, p);
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> maximum(B& b, WordOf<B, width> p, WordOf<B, width> q) {
  return b.select(b.less_signed(p, q), q, p);
}

// --- exp2 and exp ---

/// C(p, 2) and C(p, 3) modulo 2^(width-1): the products are known modulo 2^width and lose one bit when they are halved;
/// 3 is a unit.
template <int width, class B>
struct Binomials {
  WordOf<B, width> second, third;
};

template <int width, class B>
[[gnu::always_inline]] inline Binomials<width, B> binomials(B& b, WordOf<B, width> p) {
  const auto descending = b.mul(p, b.sub(p, b.template constant<width>(1)));
  const auto further = b.mul(descending, b.sub(p, b.template constant<width>(2)));
  const auto third = b.template constant<width>(inverse_of_odd(3));
  return {b.lshr(descending, 1), b.mul(b.lshr(further, 1), third)};
}

/// base^p, where the base is 1 + 2^k with 4k >= width: the binomial series ends after its fourth term.
template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> exp2(B& b, const Generation& generation, WordOf<B, width> p) {
  if (generation.exp2_base == 0) {
    constexpr int k = (width + 3) / 4;
    const Binomials<width, B> choose = binomials<width>(b, p);
    const auto linear = b.add(b.template constant<width>(1), b.shl(p, k));
    return b.add(b.add(linear, b.shl(choose.second, 2 * k)), b.shl(choose.third, 3 * k));
  } else {
    // Any other base: one factor for each bit of p.
    auto power = b.template constant<width>(1);
    std::uint64_t factor = generation.exp2_base;
    for (int bit = 0; bit < width; ++bit, factor *= factor) {
      // 1 + (factor - 1) * (that bit of p) needs no selection.
      const auto chosen = b.bit_and(b.lshr(p, bit), b.template constant<width>(1));
      const auto term = b.mul(chosen, b.template constant<width>(factor - 1));
      power = b.add(power, b.mul(power, term));
    }
    return power;
  }
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> exp(B& b, const Generation& generation, WordOf<B, width> p) {
  return exp2<width>(b, generation, b.mul(p, b.template constant<width>(generation.exp_premultiplier)));
}

// --- sin and cos ---

template <int width, class B>
struct CosineSine {
  WordOf<B, width> cosine, sine;
};

/// g^p in the Gaussian integers modulo 2^width, g = -3/5 + 4/5 i. FPSan's own loop over all bits of p is shortened:
/// g^(2^j) = 1 + w with w divisible by 2^(j+2), so for j = width/4 - 2 the power (1 + w)^q ends after the term in
/// w^3, q being p >> j; only the j bits below need a factor each.
template <int width, class B>
[[gnu::always_inline]] inline CosineSine<width, B> cosine_sine(B& b, WordOf<B, width> p) {
  constexpr int low_count = (width + 3) / 4 - 2;
  constexpr Gaussian w{rotation_power(low_count).real - 1, rotation_power(low_count).imaginary};
  constexpr Gaussian w2 = multiply(w, w);
  constexpr Gaussian w3 = multiply(w2, w);
  const auto constant = [&](std::uint64_t value) { return b.template constant<width>(value); };

  const auto q = b.lshr(p, low_count);
  const Binomials<width, B> choose = binomials<width>(b, q);
  const auto series = [&](std::uint64_t first, std::uint64_t second, std::uint64_t third) {
    const auto linear = b.mul(q, constant(first));
    return b.add(b.add(linear, b.mul(choose.second, constant(second))), b.mul(choose.third, constant(third)));
  };
  auto cosine = b.add(constant(1), series(w.real, w2.real, w3.real));
  auto sine = series(w.imaginary, w2.imaginary, w3.imaginary);

  for (int bit = 0; bit < low_count; ++bit) {
    // Times 1 + (g^(2^bit) - 1) * (that bit of p).
    const Gaussian factor = rotation_power(bit);
    const auto chosen = b.bit_and(b.lshr(p, bit), constant(1));
    const auto real = b.mul(chosen, constant(factor.real - 1));
    const auto imaginary = b.mul(chosen, constant(factor.imaginary));
    const auto new_cosine = b.add(cosine, b.sub(b.mul(cosine, real), b.mul(sine, imaginary)));
    sine = b.add(sine, b.add(b.mul(cosine, imaginary), b.mul(sine, real)));
    cosine = new_cosine;
  }
  return {cosine, sine};
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> cos(B& b, WordOf<B, width> p) {
  return cosine_sine<width>(b, p).cosine;
}

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> sin(B& b, WordOf<B, width> p) {
  return cosine_sine<width>(b, p).sine;
}

// --- Tagged operations ---

template <int width, class B>
[[gnu::always_inline]] inline WordOf<B, width> tagged(B& b, WordOf<B, width> p, Tag tag) {
  const auto multiplier = b.template constant<width>(tag_multiplier);
  return b.mul(b.bit_xor(b.mul(p, multiplier), b.template constant<width>(tag_hash(tag))), multiplier);
}

// --- Functions without a rule ---

/// For f64 or f32 payloads: the sum of the operands, the i-th one rotated by i bits, xor the hash of the symbol.
template <int width, class B, class... Words>
[[gnu::always_inline]] inline WordOf<B, width> external_wide(B& b, External function, Words... operands) {
  static_assert(width == 64 || width == 32);
  auto total = b.template constant<width>(0);
  int distance = 0;
  const auto add = [&](WordOf<B, width> word) {
    const auto rotated =
        distance == 0 ? word : b.bit_or(b.shl(word, distance), b.lshr(word, width - distance));
    total = b.add(total, rotated);
    ++distance;
  };
  (add(operands), ...);
  const std::string_view symbol = external_symbols[static_cast<int>(function)][width == 64 ? 0 : 1];
  return b.bit_xor(total, b.template constant<width>(symbol_hash(symbol)));
}

// --- Casts ---

/// A payload of width `from` as one of width `to`: widening extends the sign, equal widths change nothing.
template <int from, int to, class B>
[[gnu::always_inline]] inline WordOf<B, to> cast(B& b, const Generation& generation, WordOf<B, from> payload) {
  if constexpr (from == to) {
    return payload;
  } else if constexpr (from < to) {
    return b.template sign_extend<from, to>(payload);
  } else {
    const auto low = b.template truncate<from, to>(payload);
    if (generation.narrowing == Narrowing::truncate) return low;
    // The lost bits, relative to the sign extension of the kept ones, are folded back in. They are 0 for a payload that
    // was widened, so widening and then narrowing changes nothing.
    constexpr std::uint64_t repeated = [] {
      std::uint64_t pattern = 0;
      for (int at = 0; at < from; at += to) pattern |= (fold_constant & low_bits(to)) << at;
      return pattern;
    }();
    const auto lost = b.bit_xor(payload, b.template sign_extend<to, from>(low));
    const auto hashed = b.mul(lost, b.template constant<from>(repeated));
    const auto top = b.template truncate<from, to>(b.lshr(hashed, from - to));
    return b.bit_xor(b.bit_xor(low, top), b.lshr(top, to / 2));
  }
}

/// The functions without a rule in any width. libdevice has them for f64 and f32 only, so narrower operands are widened
/// to f32 and the result is narrowed.
template <int width, class B, class... Words>
[[gnu::always_inline]] inline WordOf<B, width> external(B& b, const Generation& generation, External function,
                                                        Words... operands) {
  if constexpr (width >= 32) return external_wide<width>(b, function, operands...);
  else {
    return cast<32, width>(b, generation,
                           external_wide<32>(b, function, cast<width, 32>(b, generation, operands)...));
  }
}

/// The table of operations on payloads of one width: a member for each one that FPSan has, named as in ir/ops.def.
template <class B, int width>
struct Rules {
  using V = WordOf<B, width>;
  Generation generation;
  [[no_unique_address]] B words;

  V add(V p, V q) { return words.add(p, q); }
  V sub(V p, V q) { return words.sub(p, q); }
  V mul(V p, V q) { return words.mul(p, q); }
  V div(V p, V q) { return divide<width>(words, p, q); }
  V rem(V p, V q) { return remainder<width>(words, p, q); }
  V neg(V p) { return negate<width>(words, p); }
  V fma(V p, V q, V r) { return fpsan::fma<width>(words, p, q, r); }
  V min(V p, V q) { return minimum<width>(words, p, q); }
  V max(V p, V q) { return maximum<width>(words, p, q); }
  V minnum(V p, V q) { return min(p, q); }
  V maxnum(V p, V q) { return max(p, q); }
  V clamp(V p, V low, V high) { return min(max(p, low), high); }
  V exp(V p) { return fpsan::exp<width>(words, generation, p); }
  V exp2(V p) { return fpsan::exp2<width>(words, generation, p); }
  V sin(V p) { return fpsan::sin<width>(words, p); }
  V cos(V p) { return fpsan::cos<width>(words, p); }
  V log(V p) { return tagged<width>(words, p, Tag::log); }
  V log2(V p) { return tagged<width>(words, p, Tag::log2); }
  V sqrt(V p) { return tagged<width>(words, p, Tag::sqrt); }
  V rsqrt(V p) { return tagged<width>(words, p, Tag::rsqrt); }
  V erf(V p) { return tagged<width>(words, p, Tag::erf); }
  V floor(V p) { return tagged<width>(words, p, Tag::floor); }
  V ceil(V p) { return tagged<width>(words, p, Tag::ceil); }
#define RECKON_EXTERNAL(name, symbol) \
  V name(V p) { return external<width>(words, generation, External::name, p); }
#define RECKON_EXTERNAL_OF_TWO(name, symbol) \
  V name(V p, V q) { return external<width>(words, generation, External::name, p, q); }
#include "numerics/fpsan_externals.def"
};

}  // namespace reckon::numerics::fpsan
