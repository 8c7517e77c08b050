// Arithmetic on indices and flags, which is done at once where the operands are known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "kernel/cursor.h"

namespace reckon::kernel {

class IntegerBuilder : public Cursor {
 public:
  using Cursor::Cursor;

  Value index(std::int64_t value) const;
  Value flag(bool value) const;
  /// The number of a constant index or flag.
  std::optional<std::int64_t> known(Value value) const;
  /// Trailing zero bits that the index has at least.
  int known_trailing_zeros(Value value) const;

  Value integer(Op op, std::span<const Value> operands, Fits fits = Fits::unknown);
  Value integer(Op op, std::initializer_list<Value> operands, Fits fits = Fits::unknown) {
    return integer(op, std::span(operands.begin(), operands.size()), fits);
  }
#define RECKON_KERNEL_UNARY(name) \
  Value name(Value x) { return integer(Op::name, {x}); }
#define RECKON_KERNEL_BINARY(name)                                   \
  Value name(Value x, Value y) { return integer(Op::name, {x, y}); } \
  Value name(Value x, std::uint64_t y) { return integer(Op::name, {x, index(static_cast<std::int64_t>(y))}); }
#define RECKON_KERNEL_FITTING(name) \
  Value name(Value x, Value y, Fits fits = Fits::unknown) { return integer(Op::name, {x, y}, fits); }
  RECKON_KERNEL_FITTING(add)
  RECKON_KERNEL_FITTING(sub)
  RECKON_KERNEL_FITTING(mul)
  Value shl(Value x, Value y, Fits fits = Fits::unknown) { return integer(Op::shl, {x, y}, fits); }
  Value shl(Value x, std::uint64_t y, Fits fits = Fits::unknown) {
    return integer(Op::shl, {x, index(static_cast<std::int64_t>(y))}, fits);
  }
  RECKON_KERNEL_BINARY(mul_high)
  RECKON_KERNEL_BINARY(udiv)
  RECKON_KERNEL_BINARY(urem)
  RECKON_KERNEL_BINARY(sdiv)
  RECKON_KERNEL_BINARY(srem)
  RECKON_KERNEL_BINARY(bit_and)
  RECKON_KERNEL_BINARY(bit_or)
  RECKON_KERNEL_BINARY(bit_xor)
  RECKON_KERNEL_BINARY(lshr)
  RECKON_KERNEL_BINARY(ashr)
  RECKON_KERNEL_BINARY(minimum)
  RECKON_KERNEL_BINARY(maximum)
  RECKON_KERNEL_BINARY(equal)
  RECKON_KERNEL_BINARY(not_equal)
  RECKON_KERNEL_BINARY(less)
  RECKON_KERNEL_BINARY(less_equal)
  RECKON_KERNEL_BINARY(greater)
  RECKON_KERNEL_BINARY(greater_equal)
  RECKON_KERNEL_BINARY(below)
  RECKON_KERNEL_BINARY(above)
  RECKON_KERNEL_UNARY(leading_zeros)
  RECKON_KERNEL_UNARY(trailing_zeros)
  RECKON_KERNEL_UNARY(reversed_bits)
  RECKON_KERNEL_UNARY(odd)
  RECKON_KERNEL_UNARY(extend)
#undef RECKON_KERNEL_UNARY
#undef RECKON_KERNEL_BINARY
#undef RECKON_KERNEL_FITTING
  Value negative(Value x) { return sub(index(0), x); }
  Value complement(Value flag_or_index);
  Value select(Value condition, Value yes, Value no);
};

}  // namespace reckon::kernel
