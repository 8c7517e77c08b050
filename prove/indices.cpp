// Integer expressions: simplifying them, and reading them as numbers and conditions.
#include <algorithm>

#include "ir/op.h"
#include "prove/terms.h"

namespace reckon::ir::normal {

VariableId Terms::fresh(IndexId extent) {
  const VariableId out = module_.fresh_variable();
  extents_[out] = extent;
  return out;
}

/// (b q + r) // b = q + r // b: terms of a that are multiples of b are taken out.
IndexId Terms::simplified_quotient(IndexId a, IndexId b) {
  const auto divisor = indices_.as_constant(b);
  if (divisor && *divisor <= 0) return indices_.floor_div(a, b);
  const IndexNode sum = indices_[a];
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
  IndexId whole = indices_.constant(0), rest = indices_.constant(0);
  const auto plus = [&](IndexId to, std::int64_t coefficient, IndexId atom) {
    return indices_.add(to, indices_.multiply(indices_.constant(coefficient), atom));
  };
  if (divisor) {
    whole = indices_.constant(floor_quotient(constant, *divisor));
    rest = indices_.constant(floor_remainder(constant, *divisor));
  } else {
    rest = indices_.constant(constant);
  }
  for (const Part& part : parts) {
    const IndexNode factor = indices_[part.atom];
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
    IndexId product = indices_.constant(1);
    for (IndexId each : others) product = indices_.multiply(product, each);
    whole = plus(whole, part.coefficient, product);
  }
  // Whether the rest is between 0 and b, by the ranges of its variables. (Where b is 0, nothing has a value.)
  bool below = indices_.as_constant(rest) == 0;
  const IndexNode left = indices_[rest];
  if (left.op == IndexOp::variable) {
    auto range = extents_.find(left.variable);
    below = range != extents_.end() && range->second == b;
  }
  if (divisor && !below) {
    std::map<VariableId, IndexRange> ranges;
    for (VariableId variable : indices_.variables(rest)) {
      auto range = extents_.find(variable);
      if (range == extents_.end()) continue;
      if (auto extent = indices_.as_constant(range->second))
        ranges[variable] = {0, std::max<std::int64_t>(*extent - 1, 0)};
    }
    const auto range = indices_.range(rest, ranges, {});
    below = range && range->low >= 0 && range->high < *divisor;
  }
  if (below) return whole;
  return indices_.add(whole, indices_.floor_div(rest, b));
}

IndexId Terms::simplified(IndexId id) {
  const IndexNode node = indices_[id];
  switch (node.op) {
    case IndexOp::constant:
    case IndexOp::dimension:
    case IndexOp::variable: return id;
    case IndexOp::sum: {
      IndexId out = indices_.constant(node.value);
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        out =
            indices_.add(out, indices_.multiply(indices_.constant(node.coefficients[k]), simplified(node.operands[k])));
      }
      return out;
    }
    case IndexOp::product: {
      IndexId out = indices_.constant(1);
      for (IndexId operand : node.operands) out = indices_.multiply(out, simplified(operand));
      return out;
    }
    case IndexOp::logical_not: return indices_.logical_not(simplified(node.operands[0]));
    default: break;
  }
  const IndexId a = simplified(node.operands[0]), b = simplified(node.operands[1]);
  // a % b = a - b (a // b).
  if (node.op == IndexOp::floor_mod) {
    return indices_.subtract(a, indices_.multiply(b, simplified(indices_.floor_div(a, b))));
  }
  if (node.op != IndexOp::floor_div) return indices_.apply(node.op, a, b);

  return simplified_quotient(a, b);
}

IndexId Terms::substitute(IndexId id, const std::map<VariableId, IndexId>& replacements) {
  const auto& all = indices_.variables(id);
  const bool affected = std::any_of(all.begin(), all.end(), [&](VariableId v) { return replacements.contains(v); });
  if (!affected) return id;
  return simplified(indices_.substitute(id, {{}, replacements}));
}

PolynomialId Terms::number(IndexId id) {
  if (failed_) return zero_;
  const IndexNode node = indices_[id];
  switch (node.op) {
    case IndexOp::constant: return constant(mpq_class(static_cast<long>(node.value)));
    case IndexOp::sum: {
      PolynomialId out = constant(mpq_class(static_cast<long>(node.value)));
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        out = add(out, scale(number(node.operands[k]), mpq_class(static_cast<long>(node.coefficients[k]))));
      }
      return out;
    }
    case IndexOp::product: {
      PolynomialId out = one_;
      for (IndexId operand : node.operands) out = multiply(out, number(operand));
      return out;
    }
    case IndexOp::less:
    case IndexOp::less_equal:
    case IndexOp::equal:
    case IndexOp::logical_and:
    case IndexOp::logical_or:
    case IndexOp::logical_not: return condition(id);
    default: return atom({.kind = AtomKind::index, .indices = {id}});
  }
}

PolynomialId Terms::condition(IndexId id) {
  if (failed_) return zero_;
  const IndexNode node = indices_[id];
  const auto operand = [&](int k) { return condition(node.operands[static_cast<std::size_t>(k)]); };
  const auto difference = [&](int a, int b) {
    return subtract(number(node.operands[static_cast<std::size_t>(a)]),
                    number(node.operands[static_cast<std::size_t>(b)]));
  };
  switch (node.op) {
    case IndexOp::less: return positive(difference(1, 0));
    case IndexOp::less_equal: return positive(add(difference(1, 0), one_));
    case IndexOp::equal: return is_zero(difference(0, 1));
    case IndexOp::logical_and: return multiply(operand(0), operand(1));
    case IndexOp::logical_or: return apply(Op::logical_or, {operand(0), operand(1)});
    case IndexOp::logical_not: return subtract(one_, operand(0));
    default: return subtract(one_, is_zero(number(id)));
  }
}

}  // namespace reckon::ir::normal
