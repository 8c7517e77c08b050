#include "worst/circuit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "interp/algebra/real_constant.h"
#include "numerics/wide_float.h"
#include "worst/rounding.h"

namespace reckon::worst {

using ir::Op;

namespace {

/// Beyond so many nodes, equal ones are no longer looked for: long sums have none, and the table would take most of the
/// time.
constexpr std::size_t shared_nodes = 1 << 17;
/// Rationals of more bits are not computed with.
constexpr std::size_t folded_bits = 1 << 12;

Ends enclosing(const mpq_class& value) {
  const auto rounded = [&](numerics::Rounding way) {
    return std::bit_cast<double>(numerics::round_rational(value, Format::f64, way));
  };
  return {rounded(numerics::Rounding::downward), rounded(numerics::Rounding::upward)};
}

mpq_class exactly(double value) { return *numerics::exact_value(std::bit_cast<std::uint64_t>(value), Format::f64); }

std::size_t bits_of(const mpq_class& value) {
  return mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
}

/// The operation on rationals, for those that give rationals.
bool rational_value(Op op, const mpq_class& a, const mpq_class& b, const mpq_class& c, mpq_class& out) {
  switch (op) {
    case Op::add: out = a + b; return true;
    case Op::sub: out = a - b; return true;
    case Op::mul: out = a * b; return true;
    case Op::div:
      if (b == 0) return false;
      out = a / b;
      return true;
    case Op::fma: out = a * b + c; return true;
    case Op::neg: out = -a; return true;
    case Op::abs: out = abs(a); return true;
    case Op::min: out = a < b ? a : b; return true;
    case Op::max: out = a < b ? b : a; return true;
    case Op::convert: out = a; return true;
    default: return false;
  }
}

/// The number of the format, as a double; false beyond its range, unless it saturates.
bool rounded(const mpq_class& value, Format format, numerics::Rounding rounding, double& out) {
  const std::uint64_t bits = numerics::round_rational(value, format, rounding);
  if (!numerics::exact_value(bits, format)) return false;
  out = numerics::widen(bits, format) + 0.0;
  return numerics::saturates(format) || abs(value) <= exactly(largest(format));
}

/// What moves bits, whose operands nobody flushes.
bool moves_bits(Op op) { return op == Op::neg || op == Op::abs || op == Op::copysign || op == Op::select; }
/// What chooses among its operands, or gives an integer, whose result nobody flushes.
bool chooses(Op op) {
  switch (op) {
    case Op::min:
    case Op::max:
    case Op::minnum:
    case Op::maxnum:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round: return true;
    default: return moves_bits(op);
  }
}

}  // namespace

int arity(const Node& node) {
  switch (node.kind) {
    case Kind::input:
    case Kind::constant: return 0;
    case Kind::exact:
    case Kind::block:
    case Kind::difference: return 2;
    case Kind::flushed:
    case Kind::residual: return 1;
    case Kind::operation: return node.op == Op::select ? 2 : ir::traits(node.op).arity;
  }
  return 0;
}

NodeNumber Circuit::make(const Node& node) {
  const bool shared = nodes_.size() < shared_nodes && node.kind != Kind::input && node.kind != Kind::constant;
  const Key key{static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.op) << 8 |
                    static_cast<std::uint64_t>(node.format) << 16 | static_cast<std::uint64_t>(node.third) << 32,
                node.first | static_cast<std::uint64_t>(node.second) << 32};
  if (shared) {
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  const auto number = static_cast<NodeNumber>(nodes_.size());
  nodes_.push_back(node);
  if (shared) known_.emplace(key, number);
  return number;
}

NodeNumber Circuit::input(Format format) {
  return make({.kind = Kind::input, .format = format, .first = static_cast<NodeNumber>(inputs_++)});
}

NodeNumber Circuit::constant(Constant value, Format format) {
  const std::string key =
      fmt::format("{} {} {} {} {}", value.real.get_str(62), static_cast<int>(value.named),
                  std::bit_cast<std::uint64_t>(value.rounded), static_cast<int>(format), value.is_exact);
  const auto [found, added] = known_constants_.try_emplace(key, static_cast<NodeNumber>(nodes_.size()));
  if (!added) return found->second;
  constants_.push_back(std::move(value));
  return make({.kind = Kind::constant, .format = format, .first = static_cast<NodeNumber>(constants_.size() - 1)});
}

/// What the mode makes of a literal's rounding.
double Circuit::literal(double rounded, Format format) const {
  return mode_.flush ? worst::flushed(rounded, format) + 0.0 : rounded;
}

NodeNumber Circuit::number(const mpq_class& factor, ir::RealConstant named, Format format) {
  Constant made{.real = factor, .named = named};
  if (named != ir::RealConstant::one && factor != 0) {
    const auto constant = interp::real_constant(named);
    made.rounded =
        literal(numerics::widen(numerics::round_real(factor, *constant, format, mode_.rounding), format), format);
    const auto [low, high] = numerics::enclose_real(factor, *constant);
    made.value = {low, high};
    // The enclosure is as wide as an f64's error: what the real is beyond it comes from more bits.
    const auto end = [&](numerics::Toward side) {
      return numerics::wide_real(factor, *constant, 400, side).rational();
    };
    const mpq_class float_value = exactly(made.rounded);
    made.error = {enclosing(float_value - end(numerics::Toward::above)).low,
                  enclosing(float_value - end(numerics::Toward::below)).high};
  } else {
    made.value = enclosing(factor);
    if (rounded(factor, format, mode_.rounding, made.rounded)) {
      made.rounded = literal(made.rounded, format);
      made.error = enclosing(exactly(made.rounded) - factor);
    } else {
      made.rounded = numerics::widen(numerics::largest_finite(format), format);
      made.error = {-HUGE_VAL, HUGE_VAL};
    }
  }
  return constant(std::move(made), format);
}

NodeNumber Circuit::approximate_number(const mpq_class& near, Format format) {
  Constant made{.real = near, .is_exact = false};
  double to_nearest = 0;
  if (!rounded(near, format, numerics::Rounding::nearest_even, to_nearest) ||
      !rounded(near, format, mode_.rounding, made.rounded)) {
    return number(near, ir::RealConstant::one, format);
  }
  made.rounded = literal(made.rounded, format);
  const mpq_class centre = exactly(to_nearest);
  mpq_class distance = abs(centre - near);
  // Of a number whose sign is not known, `near` is 0, and it is less than half of the least number.
  if (near == 0) distance = exactly(numerics::widen(1 << numerics::traits(format).unused, format)) / 2;
  const mpq_class low = centre - distance, high = centre + distance, float_value = exactly(made.rounded);
  made.value = {enclosing(low).low, enclosing(high).high};
  made.error = {enclosing(float_value - high).low, enclosing(float_value - low).high};
  return constant(std::move(made), format);
}

/// What the circuit makes of constants is computed once and for all, in reals and in floats.
bool Circuit::folded(const Node& node, Constant& out) const {
  const int count = arity(node);
  const NodeNumber operands[] = {node.first, node.second, node.third};
  mpq_class reals[3], floats[3];
  for (int k = 0; k < count; ++k) {
    const Node& operand = nodes_[operands[k]];
    if (operand.kind != Kind::constant) return false;
    const Constant& value = constant_of(operand);
    if (!value.is_exact || value.named != ir::RealConstant::one || value.error.low == -HUGE_VAL ||
        bits_of(value.real) > folded_bits)
      return false;
    reals[k] = value.real;
    floats[k] = exactly(value.rounded);
  }
  mpq_class float_value;
  if (!rational_value(node.op, reals[0], reals[1], reals[2], out.real)) return false;
  if (!rational_value(node.op, floats[0], floats[1], floats[2], float_value)) return false;
  if (!rounded(float_value, node.format, mode_.rounding, out.rounded)) return false;
  out.value = enclosing(out.real);
  out.error = enclosing(exactly(out.rounded) - out.real);
  return true;
}

NodeNumber Circuit::operation(Op op, Format format, NodeNumber first, NodeNumber second, NodeNumber third) {
  if (op == Op::convert && nodes_[first].format == format && nodes_[first].kind != Kind::exact) return first;
  const int count = ir::traits(op).arity;
  if (mode_.flush_inputs && !moves_bits(op)) {
    first = flushed(first);
    if (count > 1) second = flushed(second);
    if (count > 2) third = flushed(third);
  }
  const Node node{.op = op, .format = format, .first = first, .second = second, .third = third};
  const NodeNumber out = folded_or_made(node);
  return mode_.flush && !chooses(op) ? flushed(out) : out;
}

NodeNumber Circuit::folded_or_made(const Node& node) {
  if (folds_ && nodes_[node.first].kind == Kind::constant) {
    if (Constant value; folded(node, value)) return constant(std::move(value), node.format);
  }
  return make(node);
}

NodeNumber Circuit::flushed(NodeNumber node) {
  const Node of = nodes_[node];
  if (of.kind == Kind::flushed || of.kind == Kind::exact) return node;
  if (of.kind != Kind::constant) return make({.kind = Kind::flushed, .format = of.format, .first = node});
  Constant value = constant_of(of);
  const double now = worst::flushed(value.rounded, of.format) + 0.0;
  if (now == value.rounded) return node;
  value.rounded = now;
  value.error = {-value.value.high, -value.value.low};
  return constant(std::move(value), of.format);
}

NodeNumber Circuit::difference(NodeNumber left, NodeNumber right) {
  return make({.kind = Kind::difference, .format = Format::f64, .first = left, .second = right});
}

NodeNumber Circuit::exact(Op op, NodeNumber first, NodeNumber second) {
  return make({.kind = Kind::exact, .op = op, .format = Format::f64, .first = first, .second = second});
}

NodeNumber Circuit::block(const Block& block, NodeNumber sum, NodeNumber scale, Format format) {
  blocks_.push_back(block);
  return make({.kind = Kind::block,
               .format = format,
               .first = sum,
               .second = scale,
               .third = static_cast<NodeNumber>(blocks_.size() - 1)});
}

NodeNumber Circuit::residual(NodeNumber sum) {
  return make({.kind = Kind::residual, .format = nodes_[sum].format, .first = sum});
}

std::uint32_t Circuit::condition(Condition condition) {
  if (condition.compares()) {
    condition.left = flushed_operand(condition.left);
    condition.right = flushed_operand(condition.right);
  }
  // Circuits have few.
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    const Condition& known = conditions_[k];
    if (known.op == condition.op && known.left == condition.left && known.right == condition.right) {
      return static_cast<std::uint32_t>(k);
    }
  }
  conditions_.push_back(condition);
  return static_cast<std::uint32_t>(conditions_.size() - 1);
}

void Circuit::made_at(SourceSpan place) {
  if (placed_ == nodes_.size()) return;
  if (!(places_.back() == place)) places_.push_back(place);
  for (; placed_ < nodes_.size(); ++placed_) nodes_[placed_].place = static_cast<std::uint32_t>(places_.size() - 1);
}

void Circuit::reduce(std::vector<NodeNumber>& outputs, const std::vector<std::uint32_t>& conditions) {
  std::vector<std::uint8_t> needed(nodes_.size(), 0);
  for (const std::uint32_t condition : conditions) {
    visit_compared(condition, [&](NodeNumber compared) { needed[compared] = 1; });
  }
  for (const NodeNumber output : outputs) needed[output] = 1;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    if (needed[k] == 0) continue;
    const Node& node = nodes_[k];
    const int count = arity(node);
    if (count > 0) needed[node.first] = 1;
    if (count > 1) needed[node.second] = 1;
    if (count > 2) needed[node.third] = 1;
    if (node.kind == Kind::operation && node.op == Op::select)
      visit_compared(node.third, [&](NodeNumber compared) { needed[compared] = 1; });
  }
  known_.clear();
  known_constants_.clear();
  if (std::find(needed.begin(), needed.end(), std::uint8_t{0}) == needed.end()) return;
  // A node's operands stand before it, and so do their new places.
  std::vector<NodeNumber> renamed(nodes_.size(), 0);
  NodeNumber kept = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (needed[k] == 0) continue;
    Node node = nodes_[k];
    const int count = arity(node);
    if (count > 0) node.first = renamed[node.first];
    if (count > 1) node.second = renamed[node.second];
    if (count > 2) node.third = renamed[node.third];
    renamed[k] = kept;
    nodes_[kept++] = node;
  }
  nodes_.resize(kept);
  placed_ = kept;
  // The terms of a block are operands of its sum, and so they are kept. Of a block that no node has any more, they mean
  // nothing.
  std::map<const void*, std::shared_ptr<std::vector<NodeNumber>>> terms;
  for (Block& block : blocks_) {
    auto& mine = terms[block.terms.get()];
    if (!mine) {
      mine = std::make_shared<std::vector<NodeNumber>>();
      for (const NodeNumber term : *block.terms) mine->push_back(renamed[term]);
    }
    block.terms = mine;
  }
  for (Condition& condition : conditions_) {
    if (!condition.compares()) continue;
    condition.left = renamed[condition.left];
    condition.right = renamed[condition.right];
  }
  for (NodeNumber& output : outputs) output = renamed[output];
}

}  // namespace reckon::worst
