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

bool must_be_embedded(const Buffer& buffer, const ir::HostTensor& tensor) {
  return buffer.endpoints == Endpoints::ring && tensor.scalar == buffer.scalar &&
         tensor.shape.size() == buffer.extents.size();
}

Expected<ir::HostTensor> in_ring(const ir::Module& module, const ir::Function& function, const Buffer& buffer,
                                 const ir::HostTensor& tensor) {
  if (!must_be_embedded(buffer, tensor)) return tensor;
  ir::HostTensor out = tensor_of(buffer, tensor.shape);
  const ir::Format format = ir::format_of(tensor.scalar);
  static_assert(sizeof(padic::Value) == 2 * sizeof(std::uint64_t));
  const std::int64_t count = tensor.size();
  std::uint8_t* place = out.bytes.data();
  const auto refused = ir::by_words(tensor, [&](const auto& words) -> std::optional<std::uint64_t> {
    for (std::int64_t i = 0; i < count; ++i, place += sizeof(padic::Value)) {
      const auto value = padic::from_pattern(words[i], format);
      if (!value) return words[i];
      std::memcpy(place, &*value, sizeof *value);
    }
    return std::nullopt;
  });
  if (!refused) return out;
  const bool argument = buffer.role == Buffer::Role::parameter;
  Diagnostic problem = no_element(numerics::shortest_decimal(*refused, format),
                                  argument ? function.parameters[buffer.position].span : module.span(buffer.source, function.places));
  if (argument) {
    problem.message =
        "argument `" + std::string(module.name(function.parameters[buffer.position].name)) + "`: " + problem.message;
  }
  return problem;
}

}  // namespace reckon::codegen
