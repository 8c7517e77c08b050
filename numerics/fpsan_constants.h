// The constants of FPSan: those that differ between its generations, and those that follow from a format.
// FPSan is by Adam P. Goucher and Pawel Szczerbuk (Triton); constants are facts of that project.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "numerics/format.h"

namespace reckon::numerics::fpsan {

enum class Narrowing : std::uint8_t { fold, truncate };

/// Constants that changed between generations. Results of two generations must never be mixed.
struct Generation {
  std::uint64_t mixer;              ///< multiplier of the embedding
  std::uint64_t exp_premultiplier;  ///< the embedded f32 nearest to log2(e), in this generation
  /// Base of exp2, cut to the width; 0 stands for 1 + 2^(width/4), whose powers have a closed form.
  std::uint64_t exp2_base;
  Narrowing narrowing;

  friend constexpr auto operator<=>(const Generation&, const Generation&) = default;
};

/// Triton's main branch since 2026-07-30.
inline constexpr Generation now{14940041, 0x26A29A75, 0, Narrowing::fold};
/// The same with TRITON_FPSAN_HOMOMORPHIC_CASTS: narrowing casts are ring homomorphisms.
inline constexpr Generation now_homomorphic{14940041, 0x26A29A75, 0, Narrowing::truncate};
/// Triton 3.8.
inline constexpr Generation v38{922291, 0x236EE9BF, 0, Narrowing::truncate};
/// The article of 2026-05-03.
inline constexpr Generation article{922291, 0x236EE9BF, 0xA343836D, Narrowing::truncate};

/// The generation that the arguments of `fpsan(...)` name: "" and "now", "now, homomorphic", "v38", "article".
constexpr std::optional<Generation> generation_named(std::string_view arguments) {
  if (arguments.empty() || arguments == "now") return now;
  if (arguments == "now, homomorphic") return now_homomorphic;
  if (arguments == "v38") return v38;
  if (arguments == "article") return article;
  return std::nullopt;
}

// These are common to all generations.
inline constexpr std::uint64_t tag_multiplier = 314159;
inline constexpr std::uint64_t fold_constant = 3511;

/// Operations without a law of their own. Each one is a fixed bijection, a different one for each id.
enum class Tag : std::uint8_t {
  log = 1,
  log2 = 3,
  sqrt = 6,
  rsqrt = 7,
  erf = 8,
  floor = 9,
  ceil = 10,
  precise_sqrt = 11
};

/// The 64-bit finalizer of MurmurHash3 (Austin Appleby), applied to the operation's id.
constexpr std::uint64_t tag_hash(Tag tag) {
  std::uint64_t hash = static_cast<std::uint64_t>(tag);
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53;
  hash ^= hash >> 33;
  return hash;
}

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo) of the symbol of a function that has no rule.
constexpr std::uint64_t symbol_hash(std::string_view symbol) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : symbol) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// Functions without a rule.
enum class External : std::uint8_t {
#define RECKON_EXTERNAL(name, symbol) name,
#define RECKON_EXTERNAL_OF_TWO(name, symbol) name,
#include "numerics/fpsan_externals.def"
};
constexpr std::string_view external_symbols[][2] = {  // of f64, of f32
#define RECKON_EXTERNAL(name, symbol) {symbol, symbol "f"},
#define RECKON_EXTERNAL_OF_TWO(name, symbol) {symbol, symbol "f"},
#include "numerics/fpsan_externals.def"
};

constexpr std::uint64_t low_bits(int count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// The inverse of an odd number modulo 2^64, and so modulo every smaller power. Newton's iteration doubles
/// the correct low bits, from 2 to 64.
constexpr std::uint64_t inverse_of_odd(std::uint64_t odd) {
  std::uint64_t inverse = 2 - odd;
  for (int correct = 2; correct < 64; correct *= 2) inverse *= 2 - odd * inverse;
  return inverse;
}

constexpr std::uint64_t magnitude_bits(Format format) { return low_bits(traits(format).width - 1); }
constexpr std::uint64_t pattern_of_one(Format format) {
  return static_cast<std::uint64_t>(bias(format)) << mantissa_bits(format);
}
/// The number of trailing zeros of the pattern of 1.
constexpr int zeros_of_one(Format format) { return std::countr_zero(pattern_of_one(format)); }

/// The embedding's multipliers for one format (FpSanitizer in Triton); all arithmetic modulo 2^(width-1).
struct Embedding {
  std::uint64_t mixer, mixer_inverse;
  std::uint64_t positive, positive_inverse;  ///< the second multiplier, for positive numbers
};

constexpr Embedding embedding(const Generation& generation, Format format) {
  const std::uint64_t mask = magnitude_bits(format);
  const std::uint64_t mixer = generation.mixer & mask;
  // 1 must map to 1, so the second multiplier undoes what the first two steps do to the pattern of 1.
  std::uint64_t mixed_one = (pattern_of_one(format) * mixer) & mask;
  mixed_one ^= mixed_one >> zeros_of_one(format);
  return {mixer, inverse_of_odd(mixer) & mask, inverse_of_odd(mixed_one) & mask, mixed_one};
}

/// A Gaussian integer modulo a power of two.
struct Gaussian {
  std::uint64_t real, imaginary;
};

constexpr Gaussian multiply(Gaussian a, Gaussian b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

/// The 2^doublings-th power of the rotation -3/5 + 4/5 i.
constexpr Gaussian rotation_power(int doublings) {
  const std::uint64_t fifth = inverse_of_odd(5);
  Gaussian power{0 - 3 * fifth, 4 * fifth};
  for (int i = 0; i < doublings; ++i) power = multiply(power, power);
  return power;
}

}  // namespace reckon::numerics::fpsan
