#include "codegen/literal.h"

#include "numerics/elementary.h"

namespace reckon::codegen {

std::optional<std::uint64_t> literal_bits(const ir::Literal& literal, ir::Scalar scalar) {
  using Kind = ir::Literal::Kind;
  if (literal.kind == Kind::boolean) return literal.bits;
  if (!ir::is_float(scalar)) return std::nullopt;
  const ir::Format format = ir::format_of(scalar);
  switch (literal.kind) {
    case Kind::rational: return numerics::round_rational(literal.value, format);
    case Kind::bits: return literal.bits;
    case Kind::infinity: return numerics::infinity_bits(format) | (literal.negative ? numerics::sign_bit(format) : 0);
    case Kind::not_a_number: return numerics::canonical_nan(format);
    default: break;
  }
  switch (literal.constant) {
    case ir::RealConstant::one: return numerics::round_rational(literal.value, format);
    case ir::RealConstant::pi: return numerics::round_real(literal.value, numerics::RealConstant::pi, format);
    case ir::RealConstant::e: return numerics::round_real(literal.value, numerics::RealConstant::e, format);
    case ir::RealConstant::ln2: return numerics::round_real(literal.value, numerics::RealConstant::ln2, format);
    case ir::RealConstant::log2e: return numerics::round_real(literal.value, numerics::RealConstant::log2e, format);
  }
  return std::nullopt;
}

}  // namespace reckon::codegen
