#include "kernel/builder.h"

#include <algorithm>
#include <utility>

namespace reckon::kernel {

Value Builder::zero(Type type) const {
  if (type.kind == Kind::index) return index(0);
  if (type.kind == Kind::flag) return flag(false);
  return program().constant({Constant::Kind::zero, type});
}

Value Builder::rounded(ir::Scalar scalar, std::uint64_t bits) const {
  return program().constant({Constant::Kind::bits, Type::number(scalar), bits});
}

Value Builder::literal(const ir::Literal& literal, ir::Scalar scalar) const {
  const auto found = std::find(program().literals.begin(), program().literals.end(), literal);
  const auto which = static_cast<std::uint64_t>(found - program().literals.begin());
  if (found == program().literals.end()) program().literals.push_back(literal);
  return program().constant({Constant::Kind::literal, Type::number(scalar), which});
}

Value Builder::neutral(ir::Scalar scalar) const {
  return program().constant({Constant::Kind::neutral, Type::number(scalar)});
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

Values Builder::apply_rounded(ir::Op op, ir::Scalar to, std::span<const Value> values, ir::NodeId site) {
  const std::vector<Type> results(values.size(), Type::number(to));
  Operation& made = append(Op::apply_rounded, values, results);
  made.number_op = op;
  made.from = ir::Scalar::f32;
  made.site = site;
  Values out;
  for (std::uint32_t k = 0; k < made.results; ++k) out.push_back(made.result(k));
  return out;
}

Value Builder::from_index(ir::Scalar scalar, Value index) {
  return simple(Op::from_index, Type::number(scalar), {index});
}
Value Builder::bounded_index(Value integer, Value limit, std::int64_t fault) {
  const Value operands[] = {integer, limit};
  const Type result = Type::index();
  Operation& made = append(Op::bounded_index, operands, {&result, 1});
  made.number = fault;
  return made.result();
}

Value Builder::clamped_index(Value integer, Value limit) {
  return simple(Op::clamped_index, Type::index(), {integer, limit});
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
  made.number = static_cast<std::int64_t>(program().tables.size());
  program().tables.push_back(std::move(elements));
  return made.result();
}

Value Builder::stack(Type element, std::int64_t count) {
  const Type result = Type::memory(Space::local, element);
  Operation& made = append(Op::stack, {}, {&result, 1});
  made.number = count;
  return made.result();
}

Value Builder::shared(std::int64_t offset, std::int64_t bytes, Type element, Form form) {
  const Type result = Type::memory(Space::shared, element, form);
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

void Builder::atomic_add(Value memory, Value index, Value value) {
  const Value operands[] = {memory, index, value};
  append(Op::atomic_add, operands, {});
}

void Builder::barrier() { append(Op::barrier, {}, {}); }
Value Builder::barrier_or(Value flag) { return simple(Op::barrier_or, Type::flag(), {flag}); }

Value Builder::shuffle_xor(Value value, std::int64_t bits) {
  const Type result = type(value);
  Operation& made = append(Op::shuffle_xor, {&value, 1}, {&result, 1});
  made.number = bits;
  return made.result();
}

void Builder::warp_barrier() { append(Op::warp_barrier, {}, {}); }

Builder::Peers Builder::peers(Value index) {
  const Value operands[] = {index};
  const Type results[] = {Type::index(), Type::index()};
  Operation& made = append(Op::peers, operands, results);
  return {made.result(0), made.result(1)};
}

Values Builder::mma_f64(ir::NodeId site, Value leaf, const Values& elements) {
  Values operands{leaf};
  operands.append(elements);
  const std::vector<Type> results(MmaF64::sums, Type::number(ir::Scalar::f64));
  Operation& made = append(Op::mma_f64, operands, results);
  made.site = site;
  Values out;
  for (std::uint32_t k = 0; k < made.results; ++k) out.push_back(made.result(k));
  return out;
}

Value Builder::arrive(Value counters, Value index, Value last) {
  return simple(Op::arrive, Type::flag(), {counters, index, last});
}

Value Builder::ticket(Value counters, Value index, Value last) {
  return simple(Op::ticket, Type::index(), {counters, index, last});
}

void Builder::publish(Value words, Value index, Value value) { append(Op::publish, Values{words, index, value}, {}); }

Builder::Found Builder::look_up(Value words, Value index, Type type) {
  const Value operands[] = {words, index};
  const Type results[] = {type, Type::flag()};
  Operation& made = append(Op::look_up, operands, results);
  return {made.result(0), made.result(1)};
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

Values Builder::call(std::int64_t function, const Values& arguments, std::span<const Type> results) {
  Operation& made = append(Op::call, arguments, results);
  made.number = function;
  Values out;
  for (std::uint32_t k = 0; k < made.results; ++k) out.push_back(made.result(k));
  return out;
}

}  // namespace reckon::kernel
