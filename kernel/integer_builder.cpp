#include "kernel/integer_builder.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernel/integer.h"

namespace reckon::kernel {

Value IntegerBuilder::index(std::int64_t value) const {
  return program().constant({Constant::Kind::integer, Type::index(), static_cast<std::uint64_t>(value)});
}

Value IntegerBuilder::flag(bool value) const {
  return program().constant({Constant::Kind::integer, Type::flag(), value});
}

std::optional<std::int64_t> IntegerBuilder::known(Value value) const {
  const Constant* constant = program().as_constant(value);
  if (constant == nullptr || constant->kind != Constant::Kind::integer) return std::nullopt;
  return static_cast<std::int64_t>(constant->value);
}

int IntegerBuilder::known_trailing_zeros(Value value) const {
  if (const auto fixed = known(value)) return std::countr_zero(static_cast<std::uint64_t>(*fixed));
  const Operation* operation = program().as_operation(value);
  if (operation == nullptr) return 0;
  const auto of = [&](std::size_t k) { return known_trailing_zeros(operation->operands[k]); };
  switch (operation->op) {
    case Op::add:
    case Op::sub:
    case Op::bit_or:
    case Op::bit_xor: return std::min(of(0), of(1));
    case Op::bit_and: return std::max(of(0), of(1));
    case Op::mul: return std::min(64, of(0) + of(1));
    case Op::shl: return std::min<int>(64, of(0) + static_cast<int>(known(operation->operands[1]).value_or(0)));
    case Op::select: return std::min(of(1), of(2));
    default: return 0;
  }
}

Value IntegerBuilder::integer(Op op, std::span<const Value> operands, Fits fits) {
  const Type of = type(operands[0]);
  const Type result = is_comparison(op) || op == Op::odd ? Type::flag() : op == Op::extend ? Type::index() : of;
  std::vector<std::uint64_t> words;
  for (const Value operand : operands) {
    if (const auto fixed = known(operand)) words.push_back(static_cast<std::uint64_t>(*fixed));
  }
  if (words.size() == operands.size()) {
    if (const auto out = integer_result(op, words, Fits::unknown, of.kind == Kind::flag ? 1 : 64)) {
      return program().constant({Constant::Kind::integer, result, *out});
    }
  }
  Operation& made = append(op, operands, {&result, 1});
  made.fits = fits;
  return made.result();
}

Value IntegerBuilder::complement(Value x) { return bit_xor(x, type(x).kind == Kind::flag ? flag(true) : index(-1)); }

Value IntegerBuilder::select(Value condition, Value yes, Value no) {
  if (const auto decided = known(condition); decided && program().as_constant(yes) && program().as_constant(no)) {
    return *decided ? yes : no;
  }
  return simple(Op::select, type(yes), {condition, yes, no});
}

}  // namespace reckon::kernel
