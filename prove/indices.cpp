// Integer expressions: simplifying them, and reading them as numbers and conditions.
#include "prove/indices.h"

#include <algorithm>
#include <iterator>

#include "ir/op.h"
#include "prove/conditions.h"
#include "prove/functions.h"

namespace reckon::ir::normal {
namespace {

/// An integer multiple of a product of atoms.
struct IndexTerm {
  std::int64_t coefficient = 1;
  std::vector<IndexId> factors;  ///< ascending
};

IndexTerm term_of(const IndexStore& indices, IndexId atom, std::int64_t coefficient) {
  const IndexNode& node = indices[atom];
  if (node.op == IndexOp::product) return {coefficient, node.operands};
  return {coefficient, {atom}};
}

/// A sum as its constant and its terms.
std::pair<std::int64_t, std::vector<IndexTerm>> terms_of(const IndexStore& indices, IndexId id) {
  const IndexNode& node = indices[id];
  if (node.op == IndexOp::constant) return {node.value, {}};
  if (node.op != IndexOp::sum) return {0, {term_of(indices, id, 1)}};
  std::vector<IndexTerm> terms;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    terms.push_back(term_of(indices, node.operands[k], node.coefficients[k]));
  }
  return {node.value, std::move(terms)};
}

IndexId index_of(IndexStore& indices, const IndexTerm& term) {
  IndexId out = indices.constant(term.coefficient);
  for (const IndexId each : term.factors) out = indices.multiply(out, each);
  return out;
}

/// The number as one term, if it is one. A sum is an atom of its own.
IndexTerm divisor_of(const IndexStore& indices, IndexId b) {
  const auto [constant, terms] = terms_of(indices, b);
  if (terms.empty()) return {constant, {}};
  return constant == 0 && terms.size() == 1 ? terms[0] : IndexTerm{1, {b}};
}

/// a / b, if it is a term.
std::optional<IndexTerm> exact_quotient(const IndexTerm& a, const IndexTerm& b) {
  if (a.coefficient % b.coefficient != 0) return std::nullopt;
  if (!std::ranges::includes(a.factors, b.factors, {}, &IndexId::index, &IndexId::index)) return std::nullopt;
  IndexTerm out{a.coefficient / b.coefficient, {}};
  std::ranges::set_difference(a.factors, b.factors, std::back_inserter(out.factors), {}, &IndexId::index, &IndexId::index);
  return out;
}

/// Whether 0 <= id < bound for all values of the variables, as of a number in mixed radix: (i * m + j) < n * m for i < n
/// and j < m. Each term is a variable times a number that is not negative.
bool counts_below(Terms& t, IndexId id, IndexId bound) {
  IndexStore& indices = t.indices();
  const auto [constant, terms] = terms_of(indices, id);
  if (constant < 0) return false;
  IndexId largest = indices.constant(constant);
  for (const IndexTerm& term : terms) {
    std::optional<VariableId> variable;
    IndexTerm factor{term.coefficient, {}};
    for (const IndexId each : term.factors) {
      const IndexNode& node = indices[each];
      if (node.op == IndexOp::variable && !variable) variable = node.variable;
      else if (node.op == IndexOp::dimension) factor.factors.push_back(each);
      else return false;
    }
    const auto extent = variable ? t.extent_of(*variable) : std::nullopt;
    if (!extent || term.coefficient < 0) return false;
    const IndexId last = indices.subtract(simplified(t, *extent), indices.constant(1));
    largest = indices.add(largest, indices.multiply(index_of(indices, factor), last));
  }
  const auto room = indices.as_constant(indices.subtract(bound, largest));
  return room && *room > 0;
}

/// (b q + r) // b = q + r // b: terms of a that are multiples of b are taken out.
IndexId simplified_quotient(Terms& t, IndexId a, IndexId b) {
  IndexStore& indices = t.indices();
  if (a == b) return indices.constant(1);
  const auto number = indices.as_constant(b);
  const IndexTerm divisor = divisor_of(indices, b);
  if (divisor.coefficient <= 0) return indices.floor_div(a, b);
  const auto [constant, terms] = terms_of(indices, a);
  IndexId whole = indices.constant(number ? floor_quotient(constant, *number) : 0);
  IndexId rest = indices.constant(number ? floor_remainder(constant, *number) : constant);
  for (const IndexTerm& term : terms) {
    // Only whole multiples are taken out; the other terms stay together.
    if (const auto quotient = exact_quotient(term, divisor)) whole = indices.add(whole, index_of(indices, *quotient));
    else rest = indices.add(rest, index_of(indices, term));
  }
  // Whether the rest is between 0 and b, by the ranges of its variables. (Where b is 0, nothing has a value.)
  bool below = indices.as_constant(rest) == 0 || counts_below(t, rest, b);
  if (number && !below) {
    std::map<VariableId, IndexRange> ranges;
    for (VariableId variable : indices.variables(rest)) {
      const auto range = t.extent_of(variable);
      if (!range) continue;
      if (auto extent = indices.as_constant(*range)) ranges[variable] = {0, std::max<std::int64_t>(*extent - 1, 0)};
    }
    const auto range = indices.range(rest, ranges, {});
    below = range && range->low >= 0 && range->high < *number;
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
