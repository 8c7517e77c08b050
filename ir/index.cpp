#include "ir/index.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>

namespace reckon::ir {
namespace {

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}
std::optional<std::int64_t> checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// total += a * b; false if that does not fit.
bool add_product(std::int64_t& total, std::int64_t a, std::int64_t b) {
  const auto product = checked_multiply(a, b);
  const auto sum = product ? checked_add(total, *product) : std::nullopt;
  if (sum) total = *sum;
  return sum.has_value();
}

}  // namespace

std::size_t IndexStore::Hash::operator()(const IndexNode& node) const {
  std::size_t seed = static_cast<std::size_t>(node.op);
  seed = hash_combine(seed, static_cast<std::size_t>(node.value));
  seed = hash_combine(seed, node.symbol.index);
  seed = hash_combine(seed, node.variable.index);
  for (IndexId operand : node.operands) seed = hash_combine(seed, operand.index);
  for (std::int64_t c : node.coefficients) seed = hash_combine(seed, static_cast<std::size_t>(c));
  return seed;
}

IndexStore::IndexStore() { constant(0); }

IndexId IndexStore::intern(IndexNode node) {
  auto [found, inserted] = interned_.try_emplace(node, IndexId{static_cast<std::uint32_t>(nodes_.size())});
  if (!inserted) return found->second;
  std::set<VariableId> variables;
  if (node.op == IndexOp::variable) variables.insert(node.variable);
  for (IndexId operand : node.operands) {
    variables.insert(variables_[operand.index].begin(), variables_[operand.index].end());
  }
  nodes_.push_back(std::move(node));
  variables_.emplace_back(variables.begin(), variables.end());
  return found->second;
}

IndexId IndexStore::constant(std::int64_t value) { return intern({.op = IndexOp::constant, .value = value}); }
IndexId IndexStore::dimension(SymbolId symbol) { return intern({.op = IndexOp::dimension, .symbol = symbol}); }
IndexId IndexStore::variable(VariableId variable) { return intern({.op = IndexOp::variable, .variable = variable}); }

std::optional<std::int64_t> IndexStore::as_constant(IndexId id) const {
  const IndexNode& node = nodes_[id.index];
  if (node.op == IndexOp::constant) return node.value;
  return std::nullopt;
}

bool IndexStore::add_terms(IndexId id, std::int64_t factor, Terms& out) const {
  const IndexNode& node = nodes_[id.index];
  const bool leaf = node.op != IndexOp::constant && node.op != IndexOp::sum;
  if (leaf) return add_product(out.atoms[id], factor, 1);
  bool fits = add_product(out.constant, node.value, factor);
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    fits = add_product(out.atoms[node.operands[k]], node.coefficients[k], factor) && fits;
  }
  return fits;
}

IndexId IndexStore::unrepresentable() {
  return intern({.op = IndexOp::floor_div, .operands = {constant(1), constant(0)}});
}

IndexId IndexStore::make_sum(Terms terms) {
  std::erase_if(terms.atoms, [](const auto& term) { return term.second == 0; });
  if (terms.atoms.empty()) return constant(terms.constant);
  if (terms.atoms.size() == 1 && terms.constant == 0 && terms.atoms.begin()->second == 1) {
    return terms.atoms.begin()->first;
  }
  IndexNode node{.op = IndexOp::sum, .value = terms.constant};
  for (const auto& [atom, coefficient] : terms.atoms) {
    node.operands.push_back(atom);
    node.coefficients.push_back(coefficient);
  }
  return intern(std::move(node));
}

IndexId IndexStore::add(IndexId a, IndexId b) {
  Terms terms;
  if (!add_terms(a, 1, terms) || !add_terms(b, 1, terms)) return unrepresentable();
  return make_sum(std::move(terms));
}

IndexId IndexStore::subtract(IndexId a, IndexId b) {
  Terms terms;
  if (!add_terms(a, 1, terms) || !add_terms(b, -1, terms)) return unrepresentable();
  return make_sum(std::move(terms));
}

IndexId IndexStore::negate(IndexId a) { return subtract(constant(0), a); }

IndexId IndexStore::multiply(IndexId a, IndexId b) {
  Terms left, right, terms;
  if (!add_terms(a, 1, left) || !add_terms(b, 1, right)) return unrepresentable();
  auto product_of = [&](IndexId x, IndexId y) {
    std::vector<IndexId> factors;
    for (IndexId id : {x, y}) {
      const IndexNode& node = nodes_[id.index];
      if (node.op == IndexOp::product) factors.insert(factors.end(), node.operands.begin(), node.operands.end());
      else factors.push_back(id);
    }
    std::sort(factors.begin(), factors.end());
    return intern({.op = IndexOp::product, .operands = std::move(factors)});
  };
  bool fits = add_product(terms.constant, left.constant, right.constant);
  for (const auto& [atom, c] : left.atoms) fits = add_product(terms.atoms[atom], c, right.constant) && fits;
  for (const auto& [atom, c] : right.atoms) fits = add_product(terms.atoms[atom], c, left.constant) && fits;
  for (const auto& [x, c] : left.atoms) {
    for (const auto& [y, d] : right.atoms) fits = add_product(terms.atoms[product_of(x, y)], c, d) && fits;
  }
  return fits ? make_sum(std::move(terms)) : unrepresentable();
}

/// `id` as divisor * whole + rest: the terms of a sum that the divisor (> 1) divides, and the others.
std::pair<IndexStore::Terms, IndexStore::Terms> IndexStore::divided(IndexId id, std::int64_t divisor) const {
  Terms terms, whole, rest;
  if (!add_terms(id, 1, terms)) return {{}, {}};
  whole.constant = floor_quotient(terms.constant, divisor);
  rest.constant = floor_remainder(terms.constant, divisor);
  for (const auto& [atom, coefficient] : terms.atoms) {
    if (coefficient % divisor == 0) whole.atoms[atom] = coefficient / divisor;
    else rest.atoms[atom] = coefficient;
  }
  return {whole, rest};
}

IndexId IndexStore::floor_div(IndexId a, IndexId b) {
  auto x = as_constant(a), y = as_constant(b);
  if (y && *y == 1) return a;
  if (x && y && *y != 0 && !(*x == std::numeric_limits<std::int64_t>::min() && *y == -1)) {
    return constant(floor_quotient(*x, *y));
  }
  if (y && *y > 1) {
    // (y*u + v) // y is u + v // y.
    const auto [whole, rest] = divided(a, *y);
    if (!whole.atoms.empty() || whole.constant != 0) return add(make_sum(whole), floor_div(make_sum(rest), b));
  }
  return intern({.op = IndexOp::floor_div, .operands = {a, b}});
}

IndexId IndexStore::floor_mod(IndexId a, IndexId b) {
  auto x = as_constant(a), y = as_constant(b);
  if (y && *y == 1) return constant(0);
  if (x && y && *y != 0 && *y != -1) return constant(floor_remainder(*x, *y));
  if (y && *y > 1) {
    const auto [whole, rest] = divided(a, *y);
    if (!whole.atoms.empty() || whole.constant != 0) return floor_mod(make_sum(rest), b);
  }
  return intern({.op = IndexOp::floor_mod, .operands = {a, b}});
}

/// c*m * (x // m) + c * (x % m) is c*x: a number that was split into coordinates and joined again.
bool IndexStore::join_quotients(Terms& terms) const {
  for (const auto& [atom, coefficient] : terms.atoms) {
    const IndexNode& rest = nodes_[atom.index];
    if (rest.op != IndexOp::floor_mod) continue;
    const auto divisor = as_constant(rest.operands[1]);
    for (const auto& [other, factor] : terms.atoms) {
      const IndexNode& node = nodes_[other.index];
      bool matches = false;
      if (node.op == IndexOp::floor_div) {
        std::int64_t wanted;
        matches = divisor && node.operands == rest.operands &&
                  !__builtin_mul_overflow(coefficient, *divisor, &wanted) && factor == wanted;
      } else if (node.op == IndexOp::product && node.operands.size() == 2 && factor == coefficient) {
        for (int k = 0; k < 2; ++k) {
          const IndexNode& quotient = nodes_[node.operands[k].index];
          matches = matches || (quotient.op == IndexOp::floor_div && quotient.operands == rest.operands &&
                                node.operands[1 - k] == rest.operands[1]);
        }
      }
      if (!matches) continue;
      const IndexId joined = rest.operands[0];
      const std::int64_t times = coefficient;
      const IndexId first = atom, second = other;
      terms.atoms.erase(first);
      terms.atoms.erase(second);
      return add_terms(joined, times, terms);
    }
  }
  return false;
}

IndexId IndexStore::rejoined(IndexId id) {
  Terms terms;
  if (nodes_[id.index].op != IndexOp::sum || !add_terms(id, 1, terms)) return id;
  for (Terms joined = terms; join_quotients(joined); joined = terms) {
    terms = joined;
    std::erase_if(terms.atoms, [](const auto& term) { return term.second == 0; });
  }
  return make_sum(std::move(terms));
}

IndexId IndexStore::minimum(IndexId a, IndexId b) {
  if (auto difference = as_constant(subtract(a, b))) return *difference <= 0 ? a : b;
  if (b < a) std::swap(a, b);
  return intern({.op = IndexOp::minimum, .operands = {a, b}});
}

IndexId IndexStore::maximum(IndexId a, IndexId b) {
  if (auto difference = as_constant(subtract(a, b))) return *difference >= 0 ? a : b;
  if (b < a) std::swap(a, b);
  return intern({.op = IndexOp::maximum, .operands = {a, b}});
}

IndexId IndexStore::less(IndexId a, IndexId b) {
  if (auto difference = as_constant(subtract(a, b))) return constant(*difference < 0);
  return intern({.op = IndexOp::less, .operands = {a, b}});
}

IndexId IndexStore::less_equal(IndexId a, IndexId b) {
  if (auto difference = as_constant(subtract(a, b))) return constant(*difference <= 0);
  return intern({.op = IndexOp::less_equal, .operands = {a, b}});
}

IndexId IndexStore::equal(IndexId a, IndexId b) {
  if (auto difference = as_constant(subtract(a, b))) return constant(*difference == 0);
  if (b < a) std::swap(a, b);
  return intern({.op = IndexOp::equal, .operands = {a, b}});
}

IndexId IndexStore::logical_and(IndexId a, IndexId b) {
  if (auto x = as_constant(a)) return *x ? b : a;
  if (auto y = as_constant(b)) return *y ? a : b;
  if (b < a) std::swap(a, b);
  return a == b ? a : intern({.op = IndexOp::logical_and, .operands = {a, b}});
}

IndexId IndexStore::logical_or(IndexId a, IndexId b) {
  if (auto x = as_constant(a)) return *x ? a : b;
  if (auto y = as_constant(b)) return *y ? b : a;
  if (b < a) std::swap(a, b);
  return a == b ? a : intern({.op = IndexOp::logical_or, .operands = {a, b}});
}

IndexId IndexStore::logical_not(IndexId a) {
  if (auto x = as_constant(a)) return constant(!*x);
  const IndexNode node = nodes_[a.index];
  switch (node.op) {
    case IndexOp::less: return less_equal(node.operands[1], node.operands[0]);
    case IndexOp::less_equal: return less(node.operands[1], node.operands[0]);
    case IndexOp::logical_not: return node.operands[0];
    default: return intern({.op = IndexOp::logical_not, .operands = {a}});
  }
}

IndexId IndexStore::apply(IndexOp op, IndexId a, IndexId b) {
  switch (op) {
    case IndexOp::floor_div: return floor_div(a, b);
    case IndexOp::floor_mod: return floor_mod(a, b);
    case IndexOp::minimum: return minimum(a, b);
    case IndexOp::maximum: return maximum(a, b);
    case IndexOp::less: return less(a, b);
    case IndexOp::less_equal: return less_equal(a, b);
    case IndexOp::equal: return equal(a, b);
    case IndexOp::logical_and: return logical_and(a, b);
    case IndexOp::logical_or: return logical_or(a, b);
    case IndexOp::logical_not: return logical_not(a);
    case IndexOp::product: return multiply(a, b);
    case IndexOp::sum: return add(a, b);
    case IndexOp::constant:
    case IndexOp::dimension:
    case IndexOp::variable: break;
  }
  assert(false && "a leaf is not an operation");
  return a;
}

std::optional<std::int64_t> IndexStore::evaluate(IndexId id, const IndexEnvironment& environment) const {
  const IndexNode& node = nodes_[id.index];
  std::optional<std::int64_t> a, b;
  if (node.op >= IndexOp::floor_div) {
    a = evaluate(node.operands[0], environment);
    if (!a) return std::nullopt;
    if (node.operands.size() > 1) {
      b = evaluate(node.operands[1], environment);
      if (!b) return std::nullopt;
    }
  }
  switch (node.op) {
    case IndexOp::constant: return node.value;
    case IndexOp::dimension: {
      auto found = environment.dimensions.find(node.symbol);
      if (found == environment.dimensions.end()) return std::nullopt;
      return found->second;
    }
    case IndexOp::variable: {
      auto found = environment.variables.find(node.variable);
      if (found == environment.variables.end()) return std::nullopt;
      return found->second;
    }
    case IndexOp::sum: {
      std::optional<std::int64_t> total = node.value;
      for (std::size_t k = 0; k < node.operands.size() && total; ++k) {
        auto value = evaluate(node.operands[k], environment);
        if (!value) return std::nullopt;
        auto term = checked_multiply(*value, node.coefficients[k]);
        if (!term) return std::nullopt;
        total = checked_add(*total, *term);
      }
      return total;
    }
    case IndexOp::product: {
      std::optional<std::int64_t> total = 1;
      for (IndexId operand : node.operands) {
        auto value = evaluate(operand, environment);
        if (!value || !total) return std::nullopt;
        total = checked_multiply(*total, *value);
      }
      return total;
    }
    case IndexOp::floor_div:
      if (*b == 0 || (*b == -1 && *a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
      return floor_quotient(*a, *b);
    case IndexOp::floor_mod:
      if (*b == 0) return std::nullopt;
      return *b == -1 ? 0 : floor_remainder(*a, *b);
    case IndexOp::minimum: return std::min(*a, *b);
    case IndexOp::maximum: return std::max(*a, *b);
    case IndexOp::less: return *a < *b;
    case IndexOp::less_equal: return *a <= *b;
    case IndexOp::equal: return *a == *b;
    case IndexOp::logical_and: return *a && *b;
    case IndexOp::logical_or: return *a || *b;
    case IndexOp::logical_not: return !*a;
  }
  return std::nullopt;
}

IndexId IndexStore::substitute(IndexId id, const IndexSubstitution& substitution) {
  if (substitution.empty()) return id;
  const IndexNode node = nodes_[id.index];  // a copy: the store may grow
  switch (node.op) {
    case IndexOp::constant: return id;
    case IndexOp::dimension: {
      auto found = substitution.dimensions.find(node.symbol);
      return found == substitution.dimensions.end() ? id : found->second;
    }
    case IndexOp::variable: {
      auto found = substitution.variables.find(node.variable);
      return found == substitution.variables.end() ? id : found->second;
    }
    case IndexOp::sum: {
      IndexId total = constant(node.value);
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        total = add(total, multiply(constant(node.coefficients[k]), substitute(node.operands[k], substitution)));
      }
      return total;
    }
    case IndexOp::product: {
      IndexId total = constant(1);
      for (IndexId operand : node.operands) total = multiply(total, substitute(operand, substitution));
      return total;
    }
    case IndexOp::logical_not: return logical_not(substitute(node.operands[0], substitution));
    default: {
      IndexId a = substitute(node.operands[0], substitution);
      return apply(node.op, a, substitute(node.operands[1], substitution));
    }
  }
}

bool IndexStore::mentions(IndexId id, VariableId variable) const {
  const auto& all = variables_[id.index];
  return std::binary_search(all.begin(), all.end(), variable);
}

void IndexStore::dimensions(IndexId id, std::vector<SymbolId>& out) const {
  const IndexNode& node = nodes_[id.index];
  if (node.op == IndexOp::dimension && std::find(out.begin(), out.end(), node.symbol) == out.end()) {
    out.push_back(node.symbol);
  }
  for (IndexId operand : node.operands) dimensions(operand, out);
}

std::optional<IndexRange> IndexStore::range(IndexId id, const std::map<VariableId, IndexRange>& ranges,
                                            const std::map<SymbolId, std::int64_t>& dimensions) const {
  const IndexNode& node = nodes_[id.index];
  auto product_range = [](IndexRange x, IndexRange y) -> std::optional<IndexRange> {
    std::optional<IndexRange> out;
    for (std::int64_t p : {x.low, x.high}) {
      for (std::int64_t q : {y.low, y.high}) {
        auto value = checked_multiply(p, q);
        if (!value) return std::nullopt;
        if (!out) out = IndexRange{*value, *value};
        out->low = std::min(out->low, *value);
        out->high = std::max(out->high, *value);
      }
    }
    return out;
  };
  auto operand = [&](int k) { return range(node.operands[k], ranges, dimensions); };
  switch (node.op) {
    case IndexOp::constant: return IndexRange{node.value, node.value};
    case IndexOp::dimension: {
      auto found = dimensions.find(node.symbol);
      if (found == dimensions.end()) return std::nullopt;
      return IndexRange{found->second, found->second};
    }
    case IndexOp::variable: {
      auto found = ranges.find(node.variable);
      if (found == ranges.end()) return std::nullopt;
      return found->second;
    }
    case IndexOp::sum: {
      IndexRange total{node.value, node.value};
      for (std::size_t k = 0; k < node.operands.size(); ++k) {
        auto part = range(node.operands[k], ranges, dimensions);
        if (!part) return std::nullopt;
        part = product_range(*part, {node.coefficients[k], node.coefficients[k]});
        if (!part) return std::nullopt;
        auto low = checked_add(total.low, part->low), high = checked_add(total.high, part->high);
        if (!low || !high) return std::nullopt;
        total = {*low, *high};
      }
      return total;
    }
    case IndexOp::product: {
      std::optional<IndexRange> total = IndexRange{1, 1};
      for (IndexId factor : node.operands) {
        auto part = range(factor, ranges, dimensions);
        if (!part || !total) return std::nullopt;
        total = product_range(*total, *part);
      }
      return total;
    }
    case IndexOp::floor_div: {
      auto a = operand(0), b = operand(1);
      if (!a || !b || (b->low <= 0 && b->high >= 0)) return std::nullopt;
      if (a->low == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      std::int64_t values[] = {floor_quotient(a->low, b->low), floor_quotient(a->low, b->high),
                               floor_quotient(a->high, b->low), floor_quotient(a->high, b->high)};
      return IndexRange{*std::min_element(values, values + 4), *std::max_element(values, values + 4)};
    }
    case IndexOp::floor_mod: {
      auto a = operand(0), b = operand(1);
      if (!a || !b || (b->low <= 0 && b->high >= 0)) return std::nullopt;
      if (b->low == b->high && b->low > 0 &&
          floor_quotient(a->low, b->low) == floor_quotient(a->high, b->low)) {
        return IndexRange{floor_remainder(a->low, b->low), floor_remainder(a->high, b->low)};
      }
      return b->low > 0 ? IndexRange{0, b->high - 1} : IndexRange{b->low + 1, 0};
    }
    case IndexOp::minimum: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      return IndexRange{std::min(a->low, b->low), std::min(a->high, b->high)};
    }
    case IndexOp::maximum: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return std::nullopt;
      return IndexRange{std::max(a->low, b->low), std::max(a->high, b->high)};
    }
    case IndexOp::less: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return IndexRange{0, 1};
      return IndexRange{a->high < b->low, a->low < b->high};
    }
    case IndexOp::less_equal: {
      auto a = operand(0), b = operand(1);
      if (!a || !b) return IndexRange{0, 1};
      return IndexRange{a->high <= b->low, a->low <= b->high};
    }
    default: break;
  }
  return IndexRange{0, 1};
}

std::optional<IndexStore::Affine> IndexStore::affine_in(IndexId id, VariableId variable_id) {
  const IndexId x = variable(variable_id);
  if (!mentions(id, variable_id)) return Affine{id, constant(0)};
  if (id == x) return Affine{constant(0), constant(1)};
  const IndexNode node = nodes_[id.index];
  if (node.op == IndexOp::product) {
    IndexId stride = constant(1);
    int occurrences = 0;
    for (IndexId factor : node.operands) {
      if (factor == x) ++occurrences;
      else if (mentions(factor, variable_id)) return std::nullopt;
      else stride = multiply(stride, factor);
    }
    if (occurrences != 1) return std::nullopt;
    return Affine{constant(0), stride};
  }
  if (node.op == IndexOp::sum) {
    IndexId base = constant(node.value), stride = constant(0);
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      auto part = affine_in(node.operands[k], variable_id);
      if (!part) return std::nullopt;
      IndexId coefficient = constant(node.coefficients[k]);
      base = add(base, multiply(coefficient, part->base));
      stride = add(stride, multiply(coefficient, part->stride));
    }
    return Affine{base, stride};
  }
  return std::nullopt;
}

}  // namespace reckon::ir
