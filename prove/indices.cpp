// Integer expressions: simplifying them, and reading them as numbers and conditions.
#include "prove/indices.h"

#include <algorithm>

#include "ir/op.h"
#include "prove/conditions.h"
#include "prove/functions.h"

namespace reckon::ir::normal {
namespace {

/// (b q + r) // b = q + r // b: terms of a that are multiples of b are taken out.
IndexId simplified_quotient(Terms& t, IndexId a, IndexId b) {
  IndexStore& indices = t.indices();
  const auto divisor = indices.as_constant(b);
  if (divisor && *divisor <= 0) return indices.floor_div(a, b);
  const IndexNode sum = indices[a];
  struct Part {
    IndexId atom;
    std::int64_t coefficient;
  };
  std::vector<Part> parts;
  std::int64_t constant = 0;
  if (sum.op == IndexOp::sum || sum.op == IndexOp::constant) {
    constant = sum.value;
    for (std::size_t k = 0; k < sum.operands.size(); ++k) parts.push_back({sum.operands[k], sum.coefficients[k]});
  } else {
    parts.push_back({a, 1});
  }
  IndexId whole = indices.constant(0), rest = indices.constant(0);
  const auto plus = [&](IndexId to, std::int64_t coefficient, IndexId atom) {
    return indices.add(to, indices.multiply(indices.constant(coefficient), atom));
  };
  if (divisor) {
    whole = indices.constant(floor_quotient(constant, *divisor));
    rest = indices.constant(floor_remainder(constant, *divisor));
  } else {
    rest = indices.constant(constant);
  }
  for (const Part& part : parts) {
    const IndexNode factor = indices[part.atom];
    if (divisor) {
      // Only whole multiples are taken out; the other terms stay together.
      const bool multiple = part.coefficient % *divisor == 0;
      if (multiple) whole = plus(whole, part.coefficient / *divisor, part.atom);
      else rest = plus(rest, part.coefficient, part.atom);
      continue;
    }
    std::vector<IndexId> others;
    bool found = part.atom == b;
    if (factor.op == IndexOp::product) {
      for (IndexId each : factor.operands) {
        if (each == b && !found) found = true;
        else others.push_back(each);
      }
    }
    if (!found) {
      rest = plus(rest, part.coefficient, part.atom);
      continue;
    }
    IndexId product = indices.constant(1);
    for (IndexId each : others) product = indices.multiply(product, each);
    whole = plus(whole, part.coefficient, product);
  }
  // Whether the rest is between 0 and b, by the ranges of its variables. (Where b is 0, nothing has a value.)
  bool below = indices.as_constant(rest) == 0;
  const IndexNode left = indices[rest];
  if (left.op == IndexOp::variable) below = t.extent_of(left.variable) == b;
  if (divisor && !below) {
    std::map<VariableId, IndexRange> ranges;
    for (VariableId variable : indices.variables(rest)) {
      const auto range = t.extent_of(variable);
      if (!range) continue;
      if (auto extent = indices.as_constant(*range)) ranges[variable] = {0, std::max<std::int64_t>(*extent - 1, 0)};
    }
    const auto range = indices.range(rest, ranges, {});
    below = range && range->low >= 0 && range->high < *divisor;
  }
  if (below) return whole;
  return indices.add(whole, indices.floor_div(rest, b));
}

}  // namespace

IndexId simplified(Terms& t, IndexId id) {
  IndexStore& indices = t.indices();
  const IndexNode node = indices[id];
  switch (node.op) {
    case IndexOp::constant:
    case IndexOp::dimension:
    case IndexOp::variable: return id;
    case IndexOp::sum: {
      IndexId out = indices.constant(node.value);
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        out =
            indices.add(out, indices.multiply(indices.constant(node.coefficients[k]), simplified(t, node.operands[k])));
      }
      return out;
    }
    case IndexOp::product: {
      IndexId out = indices.constant(1);
      for (IndexId operand : node.operands) out = indices.multiply(out, simplified(t, operand));
      return out;
    }
    case IndexOp::logical_not: return indices.logical_not(simplified(t, node.operands[0]));
    default: break;
  }
  const IndexId a = simplified(t, node.operands[0]), b = simplified(t, node.operands[1]);
  // a % b = a - b (a // b).
  if (node.op == IndexOp::floor_mod) {
    return indices.subtract(a, indices.multiply(b, simplified(t, indices.floor_div(a, b))));
  }
  if (node.op != IndexOp::floor_div) return indices.apply(node.op, a, b);

  return simplified_quotient(t, a, b);
}

PolynomialId number(Terms& t, IndexId id) {
  if (t.failed()) return t.zero();
  const IndexNode node = t.indices()[id];
  switch (node.op) {
    case IndexOp::constant: return t.constant(mpq_class(static_cast<long>(node.value)));
    case IndexOp::sum: {
      PolynomialId out = t.constant(mpq_class(static_cast<long>(node.value)));
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        out = t.add(out, t.scale(number(t, node.operands[k]), mpq_class(static_cast<long>(node.coefficients[k]))));
      }
      return out;
    }
    case IndexOp::product: {
      PolynomialId out = t.one();
      for (IndexId operand : node.operands) out = t.multiply(out, number(t, operand));
      return out;
    }
    case IndexOp::less:
    case IndexOp::less_equal:
    case IndexOp::equal:
    case IndexOp::logical_and:
    case IndexOp::logical_or:
    case IndexOp::logical_not: return condition(t, id);
    default: return t.atom({.kind = AtomKind::index, .indices = {id}});
  }
}

PolynomialId condition(Terms& t, IndexId id) {
  if (t.failed()) return t.zero();
  const IndexNode node = t.indices()[id];
  const auto operand = [&](int k) { return condition(t, node.operands[static_cast<std::size_t>(k)]); };
  const auto difference = [&](int a, int b) {
    return t.subtract(number(t, node.operands[static_cast<std::size_t>(a)]),
                      number(t, node.operands[static_cast<std::size_t>(b)]));
  };
  switch (node.op) {
    case IndexOp::less: return positive(t, difference(1, 0));
    case IndexOp::less_equal: return positive(t, t.add(difference(1, 0), t.one()));
    case IndexOp::equal: return is_zero(t, difference(0, 1));
    case IndexOp::logical_and: return t.multiply(operand(0), operand(1));
    case IndexOp::logical_or: return apply(t, Op::logical_or, {operand(0), operand(1)});
    case IndexOp::logical_not: return t.subtract(t.one(), operand(0));
    default: return t.subtract(t.one(), is_zero(t, number(t, id)));
  }
}

}  // namespace reckon::ir::normal
