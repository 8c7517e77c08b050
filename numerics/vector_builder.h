// The arithmetic builder of four f64s in one AVX register (avx2 and fma). Only for sources that are compiled for such a
// machine; wide_functions.h chooses between them.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "numerics/builder.h"

namespace reckon::numerics {

struct VectorBuilder {
  static constexpr int lanes = 4;
  typedef double F64 __attribute__((vector_size(32)));
  typedef long long I64 __attribute__((vector_size(32)));
  /// A lane is -1 if the condition holds there.
  struct Bool {
    I64 mask;
  };

  static F64 f64_const(double value) { return F64{value, value, value, value}; }
  static F64 add(F64 a, F64 b) { return a + b; }
  static F64 sub(F64 a, F64 b) { return a - b; }
  static F64 mul(F64 a, F64 b) { return a * b; }
  static F64 div(F64 a, F64 b) { return a / b; }
  static F64 fma(F64 a, F64 b, F64 c) { return _mm256_fmadd_pd(a, b, c); }
  static F64 sqrt(F64 a) { return _mm256_sqrt_pd(a); }
  static F64 neg(F64 a) { return from_bits(ixor(bits(a), i64_const(std::uint64_t{1} << 63))); }
  static Bool f_less(F64 a, F64 b) { return {a < b}; }
  static Bool is_nan(F64 a) { return {bits(_mm256_cmp_pd(a, a, _CMP_UNORD_Q))}; }

  static I64 bits(F64 a) { return reinterpret_cast<I64>(a); }
  static F64 from_bits(I64 a) { return reinterpret_cast<F64>(a); }

  static I64 i64_const(std::uint64_t value) {
    const auto word = static_cast<long long>(value);
    return I64{word, word, word, word};
  }
  static I64 iadd(I64 a, I64 b) { return _mm256_add_epi64(v(a), v(b)); }
  static I64 isub(I64 a, I64 b) { return _mm256_sub_epi64(v(a), v(b)); }
  static I64 iand(I64 a, I64 b) { return a & b; }
  static I64 ior(I64 a, I64 b) { return a | b; }
  static I64 ixor(I64 a, I64 b) { return a ^ b; }
  static I64 shl(I64 a, int distance) { return _mm256_slli_epi64(v(a), distance); }
  static I64 lshr(I64 a, int distance) { return _mm256_srli_epi64(v(a), distance); }
  /// AVX2 has no such instruction: the moved sign bit is inverted and subtracted, which copies it to the bits above.
  static I64 ashr(I64 a, int distance) {
    if (distance == 63) return i_less_signed(a, i64_const(0)).mask;
    const I64 sign = i64_const((std::uint64_t{1} << 63) >> distance);
    return isub(ixor(lshr(a, distance), sign), sign);
  }
  static Bool i_equal(I64 a, I64 b) { return {_mm256_cmpeq_epi64(v(a), v(b))}; }
  static Bool i_less_signed(I64 a, I64 b) { return {_mm256_cmpgt_epi64(v(b), v(a))}; }
  static Bool i_less_unsigned(I64 a, I64 b) {
    const I64 sign = i64_const(std::uint64_t{1} << 63);
    return i_less_signed(a ^ sign, b ^ sign);
  }

  static F64 select(Bool condition, F64 a, F64 b) { return _mm256_blendv_pd(b, a, reinterpret_cast<F64>(condition.mask)); }
  static I64 select(Bool condition, I64 a, I64 b) {
    return bits(select(condition, from_bits(a), from_bits(b)));
  }
  static Bool both(Bool a, Bool b) { return {a.mask & b.mask}; }

 private:
  static __m256i v(I64 a) { return reinterpret_cast<__m256i>(a); }
};
static_assert(ArithmeticBuilder<VectorBuilder>);

}  // namespace reckon::numerics
