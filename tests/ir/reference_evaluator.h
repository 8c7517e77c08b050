// A circuit's meaning under IEEE floats, as plainly as it can be said: one element at a time, schedules written out as
// trees, no sharing. For f32, f64 and bool; to test passes against.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "ir/module.h"
#include "ir/op.h"
#include "numerics/format.h"

namespace reckon::ir::testing {

struct Value {
  std::vector<double> elements;  ///< one for a scalar; a bool is 0 or 1
  std::vector<Value> parts;      ///< of a tuple
};

/// Equal to the bit, NaN equal to NaN.
inline bool same_bits(const Value& a, const Value& b) {
  if (a.elements.size() != b.elements.size() || a.parts.size() != b.parts.size()) return false;
  for (std::size_t k = 0; k < a.elements.size(); ++k) {
    const double x = a.elements[k], y = b.elements[k];
    if (std::isnan(x) || std::isnan(y) ? std::isnan(x) != std::isnan(y)
                                       : x != y || std::signbit(x) != std::signbit(y)) {
      return false;
    }
  }
  for (std::size_t k = 0; k < a.parts.size(); ++k) {
    if (!same_bits(a.parts[k], b.parts[k])) return false;
  }
  return true;
}

class ReferenceEvaluator {
 public:
  ReferenceEvaluator(Module& module, std::map<SymbolId, std::int64_t> dimensions, std::vector<Value> arguments)
      : m_(module), arguments_(std::move(arguments)) {
    environment_.dimensions = std::move(dimensions);
  }

  Value run(NodeId id) {
    const bool closed = m_.free_variables(id).empty();
    if (closed) {
      if (auto found = closed_.find(id); found != closed_.end()) return found->second;
    }
    Value out = compute(id);
    if (closed) closed_[id] = out;
    return out;
  }

 private:
  std::int64_t index(IndexId id) {
    const auto value = m_.indices().evaluate(id, environment_);
    if (!value) throw std::runtime_error("an index has no value");
    return *value;
  }

  static double rounded(double value, Scalar scalar) {
    return scalar == Scalar::f32 ? static_cast<float>(value) : value;
  }

  Value compute(NodeId id) {
    const Node node = m_[id];
    const Scalar scalar = m_.type(id).scalar;
    switch (node.op) {
      case Op::parameter: return arguments_[node.attribute];
      case Op::literal: return {{literal(m_.literal_of(node), scalar)}, {}};
      case Op::index_value: return {{rounded(static_cast<double>(index(node.indices[0])), scalar)}, {}};
      case Op::index_condition: return {{index(node.indices[0]) ? 1.0 : 0.0}, {}};
      case Op::operand: return operands_.at(node.variables[0]);
      case Op::element: {
        const Value tensor = run(node.operands[0]);
        const std::vector<IndexId> extents = m_.type(node.operands[0]).extents;
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < extents.size(); ++d) {
          const std::int64_t at = index(node.indices[d]), size = index(extents[d]);
          if (at < 0 || at >= size) throw std::runtime_error("a subscript is out of range");
          offset = offset * size + at;
        }
        return {{tensor.elements.at(static_cast<std::size_t>(offset))}, {}};
      }
      case Op::map: {
        Value out;
        nest(node, 0, out);
        return out;
      }
      case Op::reduce: {
        const std::vector<Value> leaves = leaves_of(node);
        if (leaves.empty()) return run(node.operands.back());
        return fold(node, leaves);
      }
      case Op::scan: {
        const std::vector<Value> leaves = leaves_of(node);
        Value out;
        for (std::size_t n = 1; n <= leaves.size(); ++n) {
          const Value each = fold(node, {leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(n)});
          if (each.parts.empty()) out.elements.push_back(each.elements[0]);
          out.parts.resize(each.parts.size());
          for (std::size_t k = 0; k < each.parts.size(); ++k)
            out.parts[k].elements.push_back(each.parts[k].elements[0]);
        }
        return out;
      }
      case Op::tuple: {
        Value out;
        for (NodeId operand : node.operands) out.parts.push_back(run(operand));
        return out;
      }
      case Op::get: return run(node.operands[0]).parts.at(node.attribute);
      case Op::array: {
        Value out;
        for (NodeId operand : node.operands) out.elements.push_back(run(operand).elements[0]);
        return out;
      }
      case Op::source: throw std::runtime_error("sources are not evaluated here");
      default: break;
    }
    std::vector<double> x;
    for (NodeId operand : node.operands) x.push_back(run(operand).elements[0]);
    return {{rounded(scalar_operation(node.op, x, scalar), scalar)}, {}};
  }

  void nest(const Node& node, std::size_t depth, Value& out) {
    if (depth == node.variables.size()) {
      out.elements.push_back(run(node.operands[0]).elements[0]);
      return;
    }
    const std::int64_t extent = index(node.indices[depth]);
    for (std::int64_t i = 0; i < extent; ++i) {
      environment_.variables[node.variables[depth]] = i;
      nest(node, depth + 1, out);
    }
    environment_.variables.erase(node.variables[depth]);
  }

  std::vector<Value> leaves_of(const Node& node) {
    std::vector<Value> out;
    const std::int64_t extent = index(node.indices[0]);
    for (std::int64_t i = 0; i < extent; ++i) {
      environment_.variables[node.variables[0]] = i;
      out.push_back(run(node.operands[0]));
    }
    environment_.variables.erase(node.variables[0]);
    return out;
  }

  Value fold(const Node& node, const std::vector<Value>& leaves) {
    IndexSubstitution dimensions;
    for (auto [symbol, value] : environment_.dimensions) dimensions.dimensions[symbol] = m_.indices().constant(value);
    const ScheduleId schedule = m_.schedules().substitute(m_.reduction_of(node).schedule, dimensions);
    const auto [tree, problem] = m_.schedules().expand(schedule, static_cast<std::int64_t>(leaves.size()));
    if (problem) throw std::runtime_error("a schedule has no tree");
    return walk(node, tree, leaves);
  }

  Value walk(const Node& node, TreeId tree, const std::vector<Value>& leaves) {
    const TreeNode at = m_.schedules().trees()[tree];
    if (at.leaf >= 0) return leaves[static_cast<std::size_t>(at.leaf)];
    const Value left = walk(node, at.left, leaves), right = walk(node, at.right, leaves);
    const Reduction reduction = m_.reduction_of(node);
    if (!reduction.user) {
      const Scalar scalar = m_.type(node.operands[0]).scalar;
      return {{rounded(scalar_operation(reduction.operation, {left.elements[0], right.elements[0]}, scalar), scalar)},
              {}};
    }
    operands_[node.variables[1]] = left;
    operands_[node.variables[2]] = right;
    Value out = run(node.operands[1]);
    operands_.erase(node.variables[1]);
    operands_.erase(node.variables[2]);
    return out;
  }

  static double literal(const Literal& literal, Scalar scalar) {
    switch (literal.kind) {
      case Literal::Kind::rational:
        return numerics::widen(numerics::round_rational(literal.value, format_of(scalar)), format_of(scalar));
      case Literal::Kind::bits: return numerics::widen(literal.bits, format_of(scalar));
      case Literal::Kind::infinity: return literal.negative ? -INFINITY : INFINITY;
      case Literal::Kind::not_a_number: return NAN;
      case Literal::Kind::boolean: return static_cast<double>(literal.bits);
      case Literal::Kind::real: break;
    }
    throw std::runtime_error("named reals are not evaluated here");
  }

  static double least(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return NAN;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }

  static double scalar_operation(Op op, const std::vector<double>& x, Scalar scalar) {
    switch (op) {
      case Op::add: return x[0] + x[1];
      case Op::sub: return x[0] - x[1];
      case Op::mul: return x[0] * x[1];
      case Op::div: return x[0] / x[1];
      case Op::neg: return -x[0];
      case Op::abs: return std::fabs(x[0]);
      case Op::fma:
        return scalar == Scalar::f32
                   ? std::fma(static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]))
                   : std::fma(x[0], x[1], x[2]);
      case Op::sqrt: return std::sqrt(x[0]);
      case Op::floor: return std::floor(x[0]);
      case Op::min: return least(x[0], x[1]);
      case Op::max: return -least(-x[0], -x[1]);
      case Op::less: return x[0] < x[1];
      case Op::less_equal: return x[0] <= x[1];
      case Op::equal: return x[0] == x[1];
      case Op::not_equal: return x[0] != x[1];
      case Op::logical_and: return x[0] != 0 && x[1] != 0;
      case Op::logical_or: return x[0] != 0 || x[1] != 0;
      case Op::logical_not: return x[0] == 0;
      case Op::select: return x[0] != 0 ? x[1] : x[2];
      case Op::convert: return x[0];
      default: throw std::runtime_error("an operation is not evaluated here");
    }
  }

  Module& m_;
  IndexEnvironment environment_;
  std::vector<Value> arguments_;
  std::map<VariableId, Value> operands_;
  std::map<NodeId, Value> closed_;
};

/// Arguments for RandomCircuit's parameters with n = 3, k = 2.
inline std::vector<Value> sample_arguments(std::uint64_t seed) {
  std::uint64_t state = seed * 77 + 1;
  auto next = [&](bool narrow) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const double table[] = {0.0, -0.0, 1.0, -1.0, INFINITY, NAN, 1e-45, 3.4e38};
    const std::uint64_t high = state >> 40;
    const double value = high % 5 == 0 ? table[high / 5 % 8] : static_cast<double>(high) / 16777216.0 * 8 - 4;
    return narrow ? static_cast<double>(static_cast<float>(value)) : value;
  };
  auto tensor = [&](int count, bool narrow) {
    Value out;
    for (int k = 0; k < count; ++k) out.elements.push_back(next(narrow));
    return out;
  };
  return {tensor(3, true), tensor(6, true), tensor(1, true), tensor(1, false), tensor(4, false)};
}

}  // namespace reckon::ir::testing
