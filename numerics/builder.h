// The arithmetic builder. Numerical algorithms that must give the same bits everywhere are templates over it.
//
// functions/ and round_bits.h hold one source for each algorithm. The interpreter instantiates it with NativeBuilder
// (native_builder.h), the code generator with a builder whose values are LLVM IR; both compute the same f64 and
// i64 operations in the same order, so the results agree to the last bit. To make that possible the algorithms
// have no branches, no tables and no loops over data, and use only the members below. All of them are total:
// no operation here has undefined behaviour or poison on any operand.
#pragma once

#include <concepts>
#include <cstdint>

namespace reckon::numerics {

/// F64, I64 and Bool are cheap, copyable values (a double, a word, a flag; or handles to IR values, which may
/// just as well be vectors).
///
/// Floating, each one IEEE binary64 operation rounded to nearest even, never contracted or reassociated:
///   f64_const(double), add, sub, mul, div, sqrt, and fma (one rounding); neg, of the sign bit alone.
///   f_less(a, b): false if either is a NaN.        is_nan(a).
/// Patterns:
///   bits(F64) -> I64 and from_bits(I64) -> F64, bit casts.
/// 64-bit words, wrapping around; shift distances are C++ ints from 0 to 63:
///   i64_const(uint64), iadd, isub, iand, ior, ixor, shl(a, int), lshr(a, int), ashr(a, int).
///   i_equal, i_less_unsigned, i_less_signed -> Bool.
/// Choices, both operands being evaluated:
///   select(Bool, F64, F64), select(Bool, I64, I64), and both(Bool, Bool), the conjunction.
///
/// Conversions between numbers and integers are not needed: the algorithms add 1.5 * 2^52 to round to an
/// integer and read it from the low bits of the sum.
template <class B>
concept ArithmeticBuilder = requires(B b, typename B::F64 f, typename B::I64 i, typename B::Bool c) {
  { b.f64_const(1.0) } -> std::same_as<typename B::F64>;
  { b.add(f, f) } -> std::same_as<typename B::F64>;
  { b.sub(f, f) } -> std::same_as<typename B::F64>;
  { b.mul(f, f) } -> std::same_as<typename B::F64>;
  { b.div(f, f) } -> std::same_as<typename B::F64>;
  { b.sqrt(f) } -> std::same_as<typename B::F64>;
  { b.neg(f) } -> std::same_as<typename B::F64>;
  { b.fma(f, f, f) } -> std::same_as<typename B::F64>;
  { b.f_less(f, f) } -> std::same_as<typename B::Bool>;
  { b.is_nan(f) } -> std::same_as<typename B::Bool>;
  { b.bits(f) } -> std::same_as<typename B::I64>;
  { b.from_bits(i) } -> std::same_as<typename B::F64>;
  { b.i64_const(std::uint64_t{1}) } -> std::same_as<typename B::I64>;
  { b.iadd(i, i) } -> std::same_as<typename B::I64>;
  { b.isub(i, i) } -> std::same_as<typename B::I64>;
  { b.iand(i, i) } -> std::same_as<typename B::I64>;
  { b.ior(i, i) } -> std::same_as<typename B::I64>;
  { b.ixor(i, i) } -> std::same_as<typename B::I64>;
  { b.shl(i, 1) } -> std::same_as<typename B::I64>;
  { b.lshr(i, 1) } -> std::same_as<typename B::I64>;
  { b.ashr(i, 1) } -> std::same_as<typename B::I64>;
  { b.i_equal(i, i) } -> std::same_as<typename B::Bool>;
  { b.i_less_unsigned(i, i) } -> std::same_as<typename B::Bool>;
  { b.i_less_signed(i, i) } -> std::same_as<typename B::Bool>;
  { b.select(c, f, f) } -> std::same_as<typename B::F64>;
  { b.select(c, i, i) } -> std::same_as<typename B::I64>;
  { b.both(c, c) } -> std::same_as<typename B::Bool>;
};

}  // namespace reckon::numerics
