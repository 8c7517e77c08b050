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

MmaOperands::MmaOperands(const Operation& operation, const MmaTiles& tiles) {
  std::size_t at = 0;
  for (Value* each : {&room, &first, &limit, &step, &leaves}) *each = operation.operands[at++];
  for (Factor* factor : {&x, &y}) {
    const auto& [rank, of_leaf, of_side, map, has_copy] = factor == &x ? tiles.x : tiles.y;
    factor->memory = operation.operands[at++];
    if (has_copy) {
      factor->copy = operation.operands[at++];
      factor->copied = operation.operands[at++];
    }
    for (std::size_t d = 0; d < rank; ++d) factor->extents.push_back(operation.operands[at++]);
    for (std::size_t d = 1; d < rank; ++d) factor->strides.push_back(operation.operands[at++]);
  }
}

Values MmaOperands::list() const {
  Values out{room, first, limit, step, leaves};
  for (const Factor* factor : {&x, &y}) {
    out.push_back(factor->memory);
    if (factor->copy) {
      out.push_back(factor->copy);
      out.push_back(factor->copied);
    }
    out.append(factor->extents);
    out.append(factor->strides);
  }
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
