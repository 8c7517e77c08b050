// Random circuits of scalars, and boxes of their inputs.
#pragma once

#include <random>

#include "worst/box_bound.h"

namespace reckon::worst::random_circuits {

struct Made {
  Circuit circuit;
  NodeNumber output = 0;
  Box box;
};

inline std::size_t below(std::mt19937_64& random, std::size_t limit) { return random() % limit; }

/// A range of numbers of the format: about 0, of one sign, across powers of two, narrow, or of small numbers.
inline Interval range(std::mt19937_64& random, Format format) {
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto rounded = [&](double value) { return numerics::widen(numerics::round_f64(value, format), format); };
  double low = 0, high = 0;
  switch (below(random, 6)) {
    case 0: low = -number(), high = number(); break;
    case 1: low = 0, high = 4 * number(); break;
    case 2: low = 1 + number(), high = low + 6 * number(); break;
    case 3: low = 0.5 + number(), high = low * (1 + number() / 16); break;
    case 4: low = -3 * number() - 0.25, high = -0.25; break;
    default: low = std::ldexp(number(), -8), high = low * 3; break;
  }
  low = rounded(low), high = rounded(high);
  return {std::min(low, high), std::max(low, high)};
}

/// `functions`: whether there are elementary functions and roots; `selections`: whether inputs decide between operands.
inline Made make(std::mt19937_64& random, Format format, std::size_t inputs, std::size_t operations, bool functions,
                 bool selections = false, const numerics::FloatMode& mode = {}) {
  using ir::Op;
  Made out;
  out.circuit = Circuit(mode);
  std::vector<NodeNumber> nodes;
  for (std::size_t k = 0; k < inputs; ++k) {
    nodes.push_back(out.circuit.input(format));
    out.box.push_back(range(random, format));
  }
  const mpq_class constants[] = {mpq_class(1, 10), 1, 2, mpq_class(1, 2), mpq_class(-3, 7), 3, mpq_class(5, 4)};
  const auto operand = [&] {
    if (below(random, 5) == 0) {
      return out.circuit.number(constants[below(random, std::size(constants))], ir::RealConstant::one, format);
    }
    // Most operations are about what was made last.
    const std::size_t back = std::min(below(random, nodes.size()), below(random, nodes.size()));
    return nodes[nodes.size() - 1 - back];
  };
  const Op arithmetic[] = {Op::add, Op::sub, Op::mul, Op::div, Op::fma, Op::add,
                           Op::sub, Op::mul, Op::neg, Op::abs, Op::min, Op::max};
  const Op elementary[] = {Op::sqrt,  Op::exp,   Op::log,      Op::sin,   Op::cos,   Op::atan,  Op::tanh,
                           Op::rsqrt, Op::cbrt,  Op::pow,      Op::pow,   Op::log1p, Op::expm1, Op::tan,
                           Op::asin,  Op::erf,   Op::sinh,     Op::exp2,  Op::pow,   Op::atan2, Op::atan2,
                           Op::hypot, Op::hypot, Op::acos,     Op::acosh, Op::floor, Op::ceil,  Op::trunc,
                           Op::round, Op::sign,  Op::copysign, Op::rem,   Op::rem};
  for (std::size_t k = 0; k < operations; ++k) {
    const bool function = functions && below(random, 5) == 0;
    const Op op =
        function ? elementary[below(random, std::size(elementary))] : arithmetic[below(random, std::size(arithmetic))];
    const NodeNumber a = operand(), b = operand(), c = operand();
    if (selections && below(random, 3) == 0) {
      const Op comparisons[] = {Op::less, Op::less_equal, Op::equal, Op::not_equal};
      std::uint32_t condition = out.circuit.condition({comparisons[below(random, 4)], c, operand()});
      if (below(random, 3) == 0) condition = out.circuit.condition({Op::logical_not, condition, 0});
      if (below(random, 3) == 0) {
        const std::uint32_t other = out.circuit.condition({comparisons[below(random, 2)], operand(), operand()});
        condition = out.circuit.condition({below(random, 2) == 0 ? Op::logical_and : Op::logical_or, condition, other});
      }
      nodes.push_back(out.circuit.operation(Op::select, format, a, b, condition));
      continue;
    }
    if (op == Op::add && mode == numerics::FloatMode{} && below(random, 3) == 0) {
      // What the rounding of a sum leaves out, and the sum.
      const NodeNumber sum = out.circuit.operation(op, format, a, b);
      if (out.circuit[sum].kind == Kind::constant) continue;
      nodes.push_back(out.circuit.residual(sum));
      nodes.push_back(sum);
      continue;
    }
    const int count = ir::traits(op).arity;
    const NodeNumber made = out.circuit.operation(op, format, a, count > 1 ? b : 0, count > 2 ? c : 0);
    if (out.circuit[made].kind != Kind::constant) nodes.push_back(made);
  }
  std::vector<NodeNumber> outputs{nodes.back()};
  out.circuit.reduce(outputs);
  out.output = outputs.front();
  return out;
}

}  // namespace reckon::worst::random_circuits
