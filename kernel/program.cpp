#include "kernel/program.h"

namespace reckon::kernel {

std::string_view spelling(Op op) {
  static constexpr std::string_view spellings[] = {
#define RECKON_KERNEL_INTEGER(name, arity, spelling, result) spelling,
#define RECKON_KERNEL_OP(name, spelling) spelling,
#include "kernel/ops.def"
  };
  return spellings[static_cast<std::size_t>(op)];
}

Value Program::fresh(Type type, Definition definition) {
  const Value out(static_cast<std::uint32_t>(types.size()));
  types.push_back(type);
  definitions.push_back(definition);
  return out;
}

Value Program::constant(const Constant& constant) {
  const auto [found, is_new] = known_constants.try_emplace(constant);
  if (is_new) {
    found->second = fresh(constant.type, {Definition::Kind::constant, static_cast<std::uint32_t>(constants.size())});
    constants.push_back(constant);
  }
  return found->second;
}

namespace {

/// The operands of a factor: memory, a copy and its condition, an extent for each dimension, strides for all but one.
std::size_t count_of(const MmaFactor& factor) { return 2 * std::size_t{factor.rank} + (factor.has_copy ? 2 : 0); }

/// Reads the factor's operands from number `at` on.
MmaOperands::Factor take(const MmaFactor& shape, const Values& operands, std::size_t& at) {
  MmaOperands::Factor out;
  out.memory = operands[at++];
  if (shape.has_copy) {
    out.copy = operands[at++];
    out.copied = operands[at++];
  }
  for (std::size_t d = 0; d < shape.rank; ++d) out.extents.push_back(operands[at++]);
  for (std::size_t d = 1; d < shape.rank; ++d) out.strides.push_back(operands[at++]);
  return out;
}

void append(Values& out, const MmaOperands::Factor& factor) {
  out.push_back(factor.memory);
  if (factor.copy) {
    out.push_back(factor.copy);
    out.push_back(factor.copied);
  }
  out.append(factor.extents);
  out.append(factor.strides);
}

}  // namespace

std::size_t MmaOperands::count(const MmaTiles& tiles) { return 5 + count_of(tiles.x) + count_of(tiles.y); }

MmaOperands::MmaOperands(const Operation& operation, const MmaTiles& tiles) {
  std::size_t at = 0;
  for (Value* each : {&room, &first, &limit, &step, &leaves}) *each = operation.operands[at++];
  x = take(tiles.x, operation.operands, at);
  y = take(tiles.y, operation.operands, at);
}

Values MmaOperands::list() const {
  Values out{room, first, limit, step, leaves};
  append(out, x);
  append(out, y);
  return out;
}

std::size_t MmaRowsOperands::count(const MmaRows& rows) {
  return 4 + count_of(rows.x) + count_of(rows.y) + count_of(rows.z);
}

MmaRowsOperands::MmaRowsOperands(const Operation& operation, const MmaRows& rows) {
  std::size_t at = 0;
  for (Value* each : {&room, &first, &limit, &step}) *each = operation.operands[at++];
  x = take(rows.x, operation.operands, at);
  y = take(rows.y, operation.operands, at);
  z = take(rows.z, operation.operands, at);
}

Values MmaRowsOperands::list() const {
  Values out{room, first, limit, step};
  for (const MmaOperands::Factor* factor : {&x, &y, &z}) append(out, *factor);
  return out;
}

const Constant* Program::as_constant(Value value) const {
  const Definition& definition = definitions[value.id];
  return definition.kind == Definition::Kind::constant ? &constants[definition.index] : nullptr;
}

const Operation* Program::as_operation(Value value) const {
  const Definition& definition = definitions[value.id];
  return definition.kind == Definition::Kind::operation ? &operations[definition.index] : nullptr;
}

}  // namespace reckon::kernel
