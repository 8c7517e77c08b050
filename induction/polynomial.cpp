#include "induction/polynomial.h"

#include <algorithm>

namespace reckon::ir::steps {

using proof::TermKind;
using proof::TermRef;

namespace {

constexpr int most_pivots = 3000;

bool is_whole(const TermRef& term) {
  return term->kind == TermKind::number && term->value.get_den() == 1 && term->value >= 0;
}

}  // namespace

Expansion Expander::multiply(const Expansion& a, const Expansion& b) {
  Expansion out;
  for (const auto& [left, first] : a) {
    for (const auto& [right, second] : b) {
      auto product = left;
      for (const auto& [name, power] : right) product[name] += power;
      mpq_class& sum = out[product];
      sum += first * second;
      if (sum == 0) out.erase(product);
    }
  }
  return out;
}

void Expander::add(Expansion& into, const Expansion& other, const mpq_class& factor) {
  for (const auto& [monomial, coefficient] : other) {
    mpq_class& sum = into[monomial];
    sum += factor * coefficient;
    if (sum == 0) into.erase(monomial);
  }
}

Expansion Expander::part(const TermRef& term) {
  const std::string name = proof::text(term);
  parts_[name] = term;
  return {{{{name, 1}}, 1}};
}

/// |a b| is |a| |b|.
Expansion Expander::magnitude(const TermRef& term) {
  const Expansion inner = of(term);
  if (inner.empty()) return {};
  if (inner.size() > 1) {
    // |p| is |-p|.
    const bool negative = inner.begin()->second < 0;
    return part(proof::call("abs", {negative ? proof::negate(term) : term}));
  }
  const auto& [monomial, coefficient] = *inner.begin();
  Expansion out{{{}, coefficient < 0 ? mpq_class(-coefficient) : coefficient}};
  for (const auto& [name, power] : monomial) {
    const TermRef factor = parts_.at(name);
    const bool plain = factor->kind == TermKind::call && factor->name == "abs";
    const Expansion each = plain ? part(factor) : part(proof::call("abs", {factor}));
    for (int k = 0; k < power; ++k) out = multiply(out, each);
  }
  return out;
}

Expansion Expander::of(const TermRef& term) {
  switch (term->kind) {
    case TermKind::number: return term->value == 0 ? Expansion{} : Expansion{{{}, term->value}};
    case TermKind::add: {
      Expansion out;
      for (const TermRef& each : term->parts) add(out, of(each), 1);
      return out;
    }
    case TermKind::multiply: {
      Expansion out{{{}, 1}};
      for (const TermRef& each : term->parts) out = multiply(out, of(each));
      return out;
    }
    case TermKind::divide:
      if (term->parts[1]->kind == TermKind::number && term->parts[1]->value != 0) {
        return multiply(of(term->parts[0]), {{{}, 1 / term->parts[1]->value}});
      }
      return part(term);
    case TermKind::power: {
      if (!is_whole(term->parts[1]) || term->parts[1]->value > 8) return part(term);
      Expansion out{{{}, 1}};
      for (mpq_class k = 0; k < term->parts[1]->value; ++k) out = multiply(out, of(term->parts[0]));
      return out;
    }
    case TermKind::call: return term->name == "abs" ? magnitude(term->parts[0]) : part(term);
    default: return part(term);
  }
}

std::optional<std::vector<mpq_class>> nonnegative_solution(const std::vector<std::map<std::size_t, mpq_class>>& columns,
                                                           const std::vector<mpq_class>& target) {
  // One artificial variable for each row, whose sum becomes as small as possible.
  const std::size_t rows = target.size(), count = columns.size();
  std::vector<std::map<std::size_t, mpq_class>> table(rows);
  std::vector<mpq_class> right(rows);
  std::vector<std::size_t> basis(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    right[r] = abs(target[r]);
    basis[r] = count + r;
  }
  for (std::size_t c = 0; c < count; ++c) {
    for (const auto& [r, value] : columns[c]) table[r][c] = target[r] < 0 ? mpq_class(-value) : value;
  }
  std::map<std::size_t, mpq_class> cost;
  for (std::size_t r = 0; r < rows; ++r) {
    for (const auto& [c, value] : table[r]) cost[c] -= value;
  }
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    const auto entering = std::ranges::find_if(cost, [](const auto& each) { return each.second < 0; });
    if (entering == cost.end()) break;
    const std::size_t column = entering->first;
    std::optional<std::size_t> row;
    mpq_class best;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto found = table[r].find(column);
      if (found == table[r].end() || found->second <= 0) continue;
      const mpq_class ratio = right[r] / found->second;
      if (!row || ratio < best || (ratio == best && basis[r] < basis[*row])) {
        row = r;
        best = ratio;
      }
    }
    if (!row) return {};
    const mpq_class scale = table[*row].at(column);
    for (auto& [c, value] : table[*row]) value /= scale;
    right[*row] /= scale;
    const auto subtract = [&](std::map<std::size_t, mpq_class>& from, const mpq_class& factor) {
      for (const auto& [c, value] : table[*row]) {
        mpq_class& entry = from[c];
        entry -= factor * value;
        if (entry == 0) from.erase(c);
      }
    };
    for (std::size_t r = 0; r < rows; ++r) {
      const auto found = table[r].find(column);
      if (r == *row || found == table[r].end()) continue;
      const mpq_class factor = found->second;
      subtract(table[r], factor);
      right[r] -= factor * right[*row];
    }
    subtract(cost, mpq_class(cost.at(column)));
    basis[*row] = column;
  }
  std::vector<mpq_class> out(count, 0);
  for (std::size_t r = 0; r < rows; ++r) {
    if (basis[r] < count) out[basis[r]] = right[r];
    else if (right[r] != 0) return {};
  }
  return out;
}

}  // namespace reckon::ir::steps
