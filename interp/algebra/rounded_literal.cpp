#include "interp/algebra/rounded_literal.h"

#include "interp/algebra/real_constant.h"

namespace reckon::interp {

std::uint64_t literal_bits(const ir::Literal& literal, ir::Format format, numerics::Rounding rounding) {
  using Kind = ir::Literal::Kind;
  const auto unsigned_zero = [&](std::uint64_t bits) { return bits == numerics::sign_bit(format) ? 0 : bits; };
  switch (literal.kind) {
    case Kind::rational: return unsigned_zero(numerics::round_rational(literal.value, format, rounding));
    case Kind::real:
      if (const auto constant = real_constant(literal.constant))
        return unsigned_zero(numerics::round_real(literal.value, *constant, format, rounding));
      return unsigned_zero(numerics::round_rational(literal.value, format, rounding));
    case Kind::infinity: return numerics::infinity_bits(format) | (literal.negative ? numerics::sign_bit(format) : 0);
    case Kind::not_a_number: return numerics::canonical_nan(format);
    case Kind::bits:
    case Kind::boolean: return literal.bits;
  }
  return 0;
}

std::uint64_t integer_bits(std::int64_t value, ir::Format format) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  if (format == ir::Format::f64 || (value >= -exact && value <= exact)) {
    return numerics::round_f64(static_cast<double>(value), format);
  }
  return numerics::round_rational(mpq_class(static_cast<long>(value)), format);  // f64 would round twice
}

}  // namespace reckon::interp
