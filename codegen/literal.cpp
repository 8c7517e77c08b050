#include "codegen/literal.h"

#include <cmath>
#include <limits>

#include "numerics/elementary.h"

namespace reckon::codegen {

std::optional<std::uint64_t> literal_bits(const ir::Literal& literal, ir::Scalar scalar) {
  using Kind = ir::Literal::Kind;
  if (literal.kind == Kind::boolean) return literal.bits;
  if (scalar == ir::Scalar::u32) return literal.value.get_num().get_ui();
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

std::optional<LiteralEndpoints> literal_endpoints(const ir::Literal& literal, ir::Scalar scalar, ir::Format endpoints) {
  using Kind = ir::Literal::Kind;
  using numerics::Rounding;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double largest = numerics::widen(numerics::finite_end(endpoints) - 1, endpoints);
  const auto beyond = [&](bool negative) {
    return negative ? LiteralEndpoints{-infinity, -largest} : LiteralEndpoints{largest, infinity};
  };
  const auto around = [&](auto&& rounded) {
    return LiteralEndpoints{numerics::widen(rounded(Rounding::downward), endpoints) + 0.0,
                            numerics::widen(rounded(Rounding::upward), endpoints) + 0.0};
  };
  const auto rational = [&](Rounding rounding) { return numerics::round_rational(literal.value, endpoints, rounding); };
  if (!ir::is_float(scalar)) return std::nullopt;
  switch (literal.kind) {
    case Kind::infinity: return beyond(literal.negative);
    case Kind::bits: {
      const double value = numerics::widen(literal.bits, ir::format_of(scalar)) + 0.0;
      if (std::isnan(value)) return std::nullopt;
      if (std::isinf(value)) return beyond(value < 0);
      return around([&](Rounding rounding) { return numerics::round_f64(value, endpoints, rounding); });
    }
    case Kind::rational: return around(rational);
    case Kind::real: {
      const auto real = [&](numerics::RealConstant constant) {
        return around(
            [&](Rounding rounding) { return numerics::round_real(literal.value, constant, endpoints, rounding); });
      };
      switch (literal.constant) {
        case ir::RealConstant::one: return around(rational);
        case ir::RealConstant::pi: return real(numerics::RealConstant::pi);
        case ir::RealConstant::e: return real(numerics::RealConstant::e);
        case ir::RealConstant::ln2: return real(numerics::RealConstant::ln2);
        case ir::RealConstant::log2e: return real(numerics::RealConstant::log2e);
      }
      break;
    }
    case Kind::not_a_number:
    case Kind::boolean: break;
  }
  return std::nullopt;
}

}  // namespace reckon::codegen
