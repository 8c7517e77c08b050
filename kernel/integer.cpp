#include "kernel/integer.h"

#include <bit>
#include <limits>

namespace reckon::kernel {
namespace {

using Word = std::uint64_t;
__extension__ using WideWord = unsigned __int128;

std::int64_t as_signed(Word x) { return static_cast<std::int64_t>(x); }

bool fits_as(Op op, Word x, Word y, Fits fits) {
  if (fits == Fits::unknown) return true;
  std::int64_t of_signed = 0;
  Word of_unsigned = 0;
  bool wrong_signed = false, wrong_unsigned = false;
  switch (op) {
    case Op::add:
      wrong_signed = __builtin_add_overflow(as_signed(x), as_signed(y), &of_signed);
      wrong_unsigned = __builtin_add_overflow(x, y, &of_unsigned);
      break;
    case Op::sub:
      wrong_signed = __builtin_sub_overflow(as_signed(x), as_signed(y), &of_signed);
      wrong_unsigned = __builtin_sub_overflow(x, y, &of_unsigned);
      break;
    case Op::mul:
      wrong_signed = __builtin_mul_overflow(as_signed(x), as_signed(y), &of_signed);
      wrong_unsigned = __builtin_mul_overflow(x, y, &of_unsigned);
      break;
    case Op::shl:
      wrong_signed = as_signed(x << y) >> y != as_signed(x);
      wrong_unsigned = (x << y) >> y != x;
      break;
    default: return true;
  }
  return !wrong_signed && (fits == Fits::as_signed || !wrong_unsigned);
}

std::optional<Word> quotient(Op op, Word x, Word y) {
  if (y == 0) return std::nullopt;
  if (op == Op::udiv) return x / y;
  if (op == Op::urem) return x % y;
  if (x == Word{1} << 63 && as_signed(y) == -1) return std::nullopt;
  return static_cast<Word>(op == Op::sdiv ? as_signed(x) / as_signed(y) : as_signed(x) % as_signed(y));
}

Word reversed(Word x) {
  Word out = 0;
  for (int k = 0; k < 64; ++k) out |= (x >> k & 1) << (63 - k);
  return out;
}

std::optional<Word> of_one(Op op, Word x) {
  switch (op) {
    case Op::leading_zeros: return static_cast<Word>(std::countl_zero(x));
    case Op::trailing_zeros: return static_cast<Word>(std::countr_zero(x));
    case Op::reversed_bits: return reversed(x);
    case Op::odd: return x & 1;
    case Op::extend: return x;
    default: return std::nullopt;
  }
}

std::optional<Word> of_two(Op op, Word x, Word y) {
  switch (op) {
    case Op::add: return x + y;
    case Op::sub: return x - y;
    case Op::mul: return x * y;
    case Op::mul_high: return static_cast<Word>(static_cast<WideWord>(x) * y >> 64);
    case Op::bit_and: return x & y;
    case Op::bit_or: return x | y;
    case Op::bit_xor: return x ^ y;
    case Op::shl: return y < 64 ? std::optional(x << y) : std::nullopt;
    case Op::lshr: return y < 64 ? std::optional(x >> y) : std::nullopt;
    case Op::ashr: return y < 64 ? std::optional(static_cast<Word>(as_signed(x) >> y)) : std::nullopt;
    case Op::minimum: return as_signed(x) < as_signed(y) ? x : y;
    case Op::maximum: return as_signed(x) > as_signed(y) ? x : y;
    case Op::equal: return x == y;
    case Op::not_equal: return x != y;
    case Op::less: return as_signed(x) < as_signed(y);
    case Op::less_equal: return as_signed(x) <= as_signed(y);
    case Op::greater: return as_signed(x) > as_signed(y);
    case Op::greater_equal: return as_signed(x) >= as_signed(y);
    case Op::below: return x < y;
    case Op::above: return x > y;
    default: return quotient(op, x, y);
  }
}

}  // namespace

std::optional<std::uint64_t> integer_result(Op op, std::span<const std::uint64_t> operands, Fits fits, int bits) {
  if (operands.size() == 1) return of_one(op, operands[0]);
  const Word x = operands[0], y = operands[1];
  if ((op == Op::shl || op == Op::lshr || op == Op::ashr) && y >= 64) return std::nullopt;
  if (!fits_as(op, x, y, fits)) return std::nullopt;
  const auto out = of_two(op, x, y);
  return out && bits == 1 ? std::optional(*out & 1) : out;
}

}  // namespace reckon::kernel
