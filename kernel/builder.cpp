#include "kernel/builder.h"

#include <algorithm>
#include <bit>

#include "kernel/integer.h"

namespace reckon::kernel {

Value Builder::index(std::int64_t value) const {
  return program_.constant({Constant::Kind::integer, Type::index(), static_cast<std::uint64_t>(value)});
}

Value Builder::flag(bool value) const { return program_.constant({Constant::Kind::integer, Type::flag(), value}); }

Value Builder::zero(Type type) const {
  if (type.kind == Kind::index) return index(0);
  if (type.kind == Kind::flag) return flag(false);
  return program_.constant({Constant::Kind::zero, type});
}

Value Builder::rounded(ir::Scalar scalar, std::uint64_t bits) const {
  return program_.constant({Constant::Kind::bits, Type::number(scalar), bits});
}

Value Builder::literal(const ir::Literal& literal, ir::Scalar scalar) const {
  const auto found = std::find(program_.literals.begin(), program_.literals.end(), literal);
  const auto which = static_cast<std::uint64_t>(found - program_.literals.begin());
  if (found == program_.literals.end()) program_.literals.push_back(literal);
  return program_.constant({Constant::Kind::literal, Type::number(scalar), which});
}

Value Builder::neutral(ir::Scalar scalar) const {
  return program_.constant({Constant::Kind::neutral, Type::number(scalar)});
}

std::optional<std::int64_t> Builder::known(Value value) const {
  const Constant* constant = program_.as_constant(value);
  if (constant == nullptr || constant->kind != Constant::Kind::integer) return std::nullopt;
  return static_cast<std::int64_t>(constant->value);
}

int Builder::known_trailing_zeros(Value value) const {
  if (const auto fixed = known(value)) return std::countr_zero(static_cast<std::uint64_t>(*fixed));
  const Operation* operation = program_.as_operation(value);
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

Operation& Builder::append(Op op, std::span<const Value> operands, std::span<const Type> results) {
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

Value Builder::simple(Op op, Type result, std::initializer_list<Value> operands) {
  return append(op, std::span(operands.begin(), operands.size()), {&result, 1}).result();
}

Value Builder::integer(Op op, std::span<const Value> operands, Fits fits) {
  const Type of = type(operands[0]);
  const Type result = is_comparison(op) || op == Op::odd ? Type::flag() : op == Op::extend ? Type::index() : of;
  std::vector<std::uint64_t> words;
  for (const Value operand : operands) {
    if (const auto fixed = known(operand)) words.push_back(static_cast<std::uint64_t>(*fixed));
  }
  if (words.size() == operands.size()) {
    if (const auto out = integer_result(op, words, Fits::unknown, of.kind == Kind::flag ? 1 : 64)) {
      return program_.constant({Constant::Kind::integer, result, *out});
    }
  }
  Operation& made = append(op, operands, {&result, 1});
  made.fits = fits;
  return made.result();
}

Value Builder::complement(Value x) { return bit_xor(x, type(x).kind == Kind::flag ? flag(true) : index(-1)); }

Value Builder::select(Value condition, Value yes, Value no) {
  if (const auto decided = known(condition); decided && program_.as_constant(yes) && program_.as_constant(no)) {
    return *decided ? yes : no;
  }
  return simple(Op::select, type(yes), {condition, yes, no});
}

Value Builder::apply(ir::Op op, ir::Scalar from, ir::Scalar to, std::span<const Value> operands, ir::NodeId site,
                     bool joins) {
  const Type result = Type::number(to);
  Operation& made = append(Op::apply, operands, {&result, 1});
  made.number_op = op;
  made.from = from;
  made.site = site;
  made.number = joins ? 1 : 0;
  return made.result();
}

Value Builder::from_index(ir::Scalar scalar, Value index) {
  return simple(Op::from_index, Type::number(scalar), {index});
}
Value Builder::bounded_index(Value u32, Value limit, std::int64_t fault) {
  const Value operands[] = {u32, limit};
  const Type result = Type::index();
  Operation& made = append(Op::bounded_index, operands, {&result, 1});
  made.number = fault;
  return made.result();
}
Value Builder::from_flag(Value flag) { return simple(Op::from_flag, Type::number(ir::Scalar::boolean), {flag}); }
Value Builder::to_flag(Value boolean) { return simple(Op::to_flag, Type::flag(), {boolean}); }
Value Builder::bits(Value f64) { return simple(Op::bits, Type::index(), {f64}); }
Value Builder::from_bits(Value index) { return simple(Op::from_bits, Type::number(ir::Scalar::f64), {index}); }

Value Builder::prepare_divisor(Value divisor) {
  return simple(Op::prepare_divisor, {Kind::divisor, type(divisor).scalar}, {divisor});
}

Builder::Quotient Builder::divide_quick(Value dividend, Value divisor, Value prepared, Value sizes) {
  const Type results[] = {type(dividend), {Kind::sizes, type(dividend).scalar}};
  const Value operands[] = {dividend, divisor, prepared, sizes ? sizes : zero(results[1])};
  const Operation& made = append(Op::divide_quick, operands, results);
  return {made.result(0), made.result(1)};
}

Value Builder::divide_unusual(Value dividend, Value divisor) {
  return simple(Op::divide_unusual, type(dividend), {dividend, divisor});
}
Value Builder::may_be_wrong(Value prepared, Value sizes) {
  return simple(Op::may_be_wrong, Type::flag(), {prepared, sizes});
}

void Builder::fault(std::int64_t number, ir::Op op, ir::Scalar from, std::span<const Value> operands) {
  Operation& made = append(Op::fault, operands, {});
  made.number = number;
  made.number_op = op;
  made.from = from;
}

Value Builder::leaf(ir::NodeId site, Value value, Value position) {
  const Type result = type(value);
  const Value operands[] = {value, position};
  Operation& made = append(Op::leaf, operands, {&result, 1});
  made.site = site;
  return made.result();
}

Value Builder::node(ir::NodeId site, Value value, Value left, Value right) {
  const Type result = type(value);
  const Value operands[] = {value, left, right};
  Operation& made = append(Op::node, operands, {&result, 1});
  made.site = site;
  return made.result();
}

Value Builder::root(ir::NodeId site, Value value) {
  const Type result = type(value);
  Operation& made = append(Op::root, {&value, 1}, {&result, 1});
  made.site = site;
  return made.result();
}

Value Builder::table(std::vector<std::int64_t> elements) {
  const Type result = Type::memory(Space::global, Type::index());
  Operation& made = append(Op::table, {}, {&result, 1});
  made.number = static_cast<std::int64_t>(program_.tables.size());
  program_.tables.push_back(std::move(elements));
  return made.result();
}

Value Builder::stack(Type element, std::int64_t count) {
  const Type result = Type::memory(Space::local, element);
  Operation& made = append(Op::stack, {}, {&result, 1});
  made.number = count;
  return made.result();
}

Value Builder::shared(std::int64_t offset, std::int64_t bytes, Type element) {
  const Type result = Type::memory(Space::shared, element);
  Operation& made = append(Op::shared, {}, {&result, 1});
  made.number = bytes;
  made.offset = offset;
  return made.result();
}

Value Builder::advance(Value memory, Value bytes) { return simple(Op::advance, type(memory), {memory, bytes}); }

void Builder::clear(Value memory, std::int64_t count) { append(Op::clear, {&memory, 1}, {}).number = count; }

Value Builder::load(Value memory, Value index, Stream stream, std::int64_t offset) {
  const Type result = type(memory).element_type();
  const Value operands[] = {memory, index};
  Operation& made = append(Op::load, operands, {&result, 1});
  made.stream = stream;
  made.offset = offset;
  return made.result();
}

void Builder::store(Value memory, Value index, Value value, std::int64_t offset) {
  const Value operands[] = {memory, index, value};
  append(Op::store, operands, {}).offset = offset;
}

Values Builder::load_vector(Value memory, Value index, std::uint32_t count, std::int64_t offset) {
  const std::vector<Type> results(count, type(memory).element_type());
  const Value operands[] = {memory, index};
  Operation& made = append(Op::load_vector, operands, results);
  made.offset = offset;
  Values out;
  for (std::uint32_t k = 0; k < count; ++k) out.push_back(made.result(k));
  return out;
}

void Builder::store_vector(Value memory, Value index, std::span<const Value> values, std::int64_t offset) {
  Values operands{memory, index};
  operands.append(values);
  append(Op::store_vector, operands, {}).offset = offset;
}

void Builder::barrier() { append(Op::barrier, {}, {}); }
Value Builder::barrier_or(Value flag) { return simple(Op::barrier_or, Type::flag(), {flag}); }

Value Builder::shuffle_xor(Value value, std::int64_t bits) {
  const Type result = type(value);
  Operation& made = append(Op::shuffle_xor, {&value, 1}, {&result, 1});
  made.number = bits;
  return made.result();
}

Value Builder::arrive(Value counters, Value index, Value last) {
  return simple(Op::arrive, Type::flag(), {counters, index, last});
}

void Builder::launch_next() { append(Op::launch_next, {}, {}); }

Values Builder::await_previous(std::span<const Value> memory) {
  std::vector<Type> results;
  for (const Value place : memory) results.push_back(type(place));
  const Operation& made = append(Op::await_previous, memory, results);
  Values out;
  for (std::uint32_t k = 0; k < made.results; ++k) out.push_back(made.result(k));
  return out;
}

Builder::Open Builder::open(Op op, const Values& operands, std::size_t regions) {
  const Open out{static_cast<std::uint32_t>(program_.operations.size())};
  Operation& made = program_.operations.emplace_back();
  made.op = op;
  made.origin = program_.origin;
  made.operands = operands;
  made.regions.resize(regions);
  return out;
}

Value Builder::region_parameter(Open open, std::size_t region, Type type) {
  const Value value = program_.fresh(type, {Program::Definition::Kind::parameter, open.operation});
  region_of(open, region).parameters.push_back(value);
  return value;
}

Values Builder::close(Open open, std::span<const Type> results, Region& around) {
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

Values Builder::call(std::int64_t function, const Values& arguments, std::span<const Type> results) {
  Operation& made = append(Op::call, arguments, results);
  made.number = function;
  Values out;
  for (std::uint32_t k = 0; k < made.results; ++k) out.push_back(made.result(k));
  return out;
}

}  // namespace reckon::kernel
