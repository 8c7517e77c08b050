#include "kernel/cursor.h"

namespace reckon::kernel {

Operation& Cursor::append(Op op, std::span<const Value> operands, std::span<const Type> results) {
  const auto number = static_cast<std::uint32_t>(program_.operations.size());
  Operation& out = program_.operations.emplace_back();
  out.op = op;
  out.origin = program_.origin;
  out.operands.assign(operands.begin(), operands.end());
  out.results = static_cast<std::uint32_t>(results.size());
  for (const Type& type : results) {
    const Value value = program_.fresh(type, {Program::Definition::Kind::operation, number});
    if (out.first_result == Value::none) out.first_result = value.id;
  }
  region_->operations.push_back(number);
  return out;
}

Value Cursor::simple(Op op, Type result, std::initializer_list<Value> operands) {
  return append(op, std::span(operands.begin(), operands.size()), {&result, 1}).result();
}

Cursor::Open Cursor::open(Op op, const Values& operands, std::size_t regions) {
  const Open out{static_cast<std::uint32_t>(program_.operations.size())};
  Operation& made = program_.operations.emplace_back();
  made.op = op;
  made.origin = program_.origin;
  made.operands = operands;
  made.regions.resize(regions);
  return out;
}

Value Cursor::region_parameter(Open open, std::size_t region, Type type) {
  const Value value = program_.fresh(type, {Program::Definition::Kind::parameter, open.operation});
  region_of(open, region).parameters.push_back(value);
  return value;
}

Values Cursor::close(Open open, std::span<const Type> results, Region& around) {
  Operation& made = operation(open);
  made.results = static_cast<std::uint32_t>(results.size());
  Values out;
  for (const Type& type : results) {
    out.push_back(program_.fresh(type, {Program::Definition::Kind::operation, open.operation}));
  }
  if (!out.empty()) made.first_result = out.front().id;
  around.operations.push_back(open.operation);
  return out;
}

}  // namespace reckon::kernel
