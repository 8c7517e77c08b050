// Literals, arguments and constants as elements of the ring `padic`.
#include "codegen/compile.h"
#include "codegen/literal.h"
#include "diagnostics/codes/undefined_result.h"
#include "ir/words.h"
#include "numerics/padic/padic.h"

namespace reckon::codegen {

namespace padic = numerics::padic;

std::optional<padic::Value> literal_in_ring(const ir::Literal& literal, ir::Scalar scalar) {
  using Kind = ir::Literal::Kind;
  if (!ir::is_float(scalar)) return std::nullopt;
  switch (literal.kind) {
    case Kind::rational: return padic::from_rational(literal.value);
    case Kind::bits: return padic::from_pattern(literal.bits, ir::format_of(scalar));
    case Kind::infinity: return literal.negative ? std::optional(padic::minus_infinity()) : std::nullopt;
    case Kind::not_a_number:
    case Kind::boolean: return std::nullopt;
    case Kind::real: break;
  }
  const padic::Value factor = padic::from_rational(literal.value);
  switch (literal.constant) {
    case ir::RealConstant::pi: return padic::mul(factor, padic::constant_pi());
    case ir::RealConstant::e: return padic::mul(factor, padic::constant_e());
    case ir::RealConstant::ln2: return padic::mul(factor, padic::constant_ln2());
    case ir::RealConstant::log2e: return padic::mul(factor, padic::constant_log2e());
    case ir::RealConstant::one: break;
  }
  return padic::mul(factor, padic::from_integer(1));
}

Diagnostic no_element(const std::string& what, SourceSpan place) {
  Diagnostic out(code::undefined_result, place, padic::refusal(what));
  if (const std::string help = padic::refusal_help(what); !help.empty()) out.helps.push_back(help);
  return out;
}

Diagnostic no_element(const ir::Literal& literal, ir::Scalar scalar, SourceSpan place) {
  using Kind = ir::Literal::Kind;
  return no_element(literal.kind == Kind::infinity ? "inf"
                    : literal.kind == Kind::bits   ? numerics::shortest_decimal(literal.bits, ir::format_of(scalar))
                                                   : "nan",
                    place);
}

}  // namespace reckon::codegen
