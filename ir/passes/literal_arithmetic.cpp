#include "ir/passes/literal_arithmetic.h"

#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::ir {
namespace {

/// Whether a result is short enough to be kept: each squaring doubles the number of digits, and repeated squaring must
/// not exhaust the memory.
bool is_short(const mpq_class& value) {
  constexpr std::size_t max_bits = 8192;
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) <= max_bits && mpz_sizeinbase(value.get_den_mpz_t(), 2) <= max_bits;
}

using Values = std::vector<mpq_class>;

std::optional<mpq_class> compute(Op op, const Values& x) {
  switch (op) {
    case Op::add: return mpq_class(x[0] + x[1]);
    case Op::sub: return mpq_class(x[0] - x[1]);
    case Op::mul: return mpq_class(x[0] * x[1]);
    case Op::div:
      if (x[1] == 0) return std::nullopt;
      return mpq_class(x[0] / x[1]);
    case Op::neg: return mpq_class(-x[0]);
    case Op::abs: return mpq_class(abs(x[0]));
    case Op::fma: return mpq_class(x[0] * x[1] + x[2]);
    case Op::min: return x[1] < x[0] ? x[1] : x[0];
    case Op::max: return x[0] < x[1] ? x[1] : x[0];
    default: return std::nullopt;
  }
}

std::optional<bool> compare(Op op, const Values& x) {
  switch (op) {
    case Op::less: return x[0] < x[1];
    case Op::less_equal: return x[0] <= x[1];
    case Op::equal: return x[0] == x[1];
    case Op::not_equal: return x[0] != x[1];
    default: return std::nullopt;
  }
}

std::optional<Values> values(const Module& module, const std::vector<NodeId>& operands,
                             std::optional<mpq_class> (*value_of)(const Module&, NodeId)) {
  Values out;
  for (NodeId operand : operands) {
    auto value = value_of(module, operand);
    if (!value || !is_short(*value)) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return out;
}

}  // namespace

std::optional<mpq_class> rational_literal(const Module& module, NodeId id) {
  // Integers have arithmetic modulo a power of 2 instead.
  if (module[id].op != Op::literal || is_integer(module.type(id).scalar)) return std::nullopt;
  const Literal& literal = module.literal_of(id);
  if (literal.kind != Literal::Kind::rational) return std::nullopt;
  return literal.value;
}

std::optional<mpq_class> rounded_literal(const Module& module, NodeId id) {
  if (module[id].op != Op::literal || !is_float(module.type(id).scalar)) return std::nullopt;
  const Format format = format_of(module.type(id).scalar);
  const Literal& literal = module.literal_of(id);
  if (literal.kind == Literal::Kind::bits) return numerics::exact_value(literal.bits, format);
  if (literal.kind != Literal::Kind::rational) return std::nullopt;
  return numerics::exact_value(numerics::round_rational(literal.value, format), format);
}

std::optional<mpq_class> exact_arithmetic(const Module& module, Op op, const std::vector<NodeId>& operands) {
  const auto x = values(module, operands, rational_literal);
  auto out = x ? compute(op, *x) : std::nullopt;
  return out && is_short(*out) ? out : std::nullopt;
}

std::optional<mpq_class> rounded_arithmetic(const Module& module, Op op, const std::vector<NodeId>& operands) {
  const auto x = values(module, operands, rounded_literal);
  const auto exact = x ? compute(op, *x) : std::nullopt;
  if (!exact) return std::nullopt;
  const Format format = format_of(module.type(operands[0]).scalar);
  auto out = numerics::exact_value(numerics::round_rational(*exact, format), format);
  return out && *out != 0 ? out : std::nullopt;
}

std::optional<bool> exact_comparison(const Module& module, Op op, const std::vector<NodeId>& operands) {
  const auto x = values(module, operands, rational_literal);
  return x ? compare(op, *x) : std::nullopt;
}

std::optional<bool> rounded_comparison(const Module& module, Op op, const std::vector<NodeId>& operands) {
  const auto x = values(module, operands, rounded_literal);
  return x ? compare(op, *x) : std::nullopt;
}

}  // namespace reckon::ir
