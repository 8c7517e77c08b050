// Tilings, directions and orders of bound variables.
#include "prove/binding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "prove/indices.h"
#include "prove/substitute.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_orders = 24;

}  // namespace

/// Whether the expression is evidently 0 or more for all values of its dimensions and variables.
bool evidently_natural(const IndexStore& indices, IndexId id) {
  const IndexNode& node = indices[id];
  const auto all = [&] {
    return std::all_of(node.operands.begin(), node.operands.end(),
                       [&](IndexId each) { return evidently_natural(indices, each); });
  };
  switch (node.op) {
    case IndexOp::constant: return node.value >= 0;
    case IndexOp::dimension:
    case IndexOp::variable: return true;
    case IndexOp::sum:
      return node.value >= 0 && all() &&
             std::all_of(node.coefficients.begin(), node.coefficients.end(), [](std::int64_t c) { return c > 0; });
    case IndexOp::product:
    case IndexOp::minimum:
    case IndexOp::floor_div: return all();
    default: return false;
  }
}

std::optional<Tiling> tiled(Terms& terms, const Binder& binder, IndexId size) {
  IndexStore& indices = terms.indices();
  const IndexNode least = indices[size];
  if (least.op != IndexOp::minimum) return std::nullopt;
  const IndexId tile = indices.variable(binder.variable);
  for (const std::size_t k : {0, 1}) {
    const IndexId width = least.operands[k];
    if (indices.mentions(width, binder.variable)) continue;
    const IndexId total = indices.add(least.operands[1 - k], indices.multiply(width, tile));
    const IndexId rounded_up = indices.subtract(indices.add(total, width), indices.constant(1));
    if (indices.mentions(total, binder.variable) ||
        simplified(terms, indices.floor_div(rounded_up, width)) != binder.extent)
      continue;
    // If n or b is negative, there may be no tile, and then no error.
    if (!evidently_natural(indices, total) || !evidently_natural(indices, width)) continue;
    return Tiling{width, total};
  }
  return std::nullopt;
}

bool Binding::merge(Terms& terms, std::size_t outer, std::size_t inner) {
  IndexStore& indices = terms.indices();
  const Binder s = binders[outer], q = binders[inner];
  if (indices.mentions(s.extent, q.variable)) return false;
  const IndexId of_s = indices.variable(s.variable);
  IndexId width = q.extent, total;
  if (!indices.mentions(q.extent, s.variable)) {
    total = indices.multiply(s.extent, width);
  } else {
    const auto tiling = tiled(terms, s, q.extent);
    if (!tiling) return false;
    width = tiling->width;
    total = tiling->total;
  }
  // With q = k - b s, s must vanish. (As expressions in k and s: then the body depends on k = b s + q alone.)
  const VariableId k = terms.fresh(total);
  const Replacements put_in{{q.variable, indices.subtract(indices.variable(k), indices.multiply(width, of_s))}};
  std::vector<Binder> merged;
  for (std::size_t each = 0; each < binders.size(); ++each) {
    if (each == inner) continue;
    Binder binder = binders[each];
    if (each == outer) {
      binder = {k, total, s.certain && q.certain};
    } else {
      binder.extent = substitute(terms, binder.extent, put_in);
      if (indices.mentions(binder.extent, s.variable)) return false;
    }
    merged.push_back(binder);
  }
  const PolynomialId changed = substitute(terms, body, put_in);
  if (terms.failed() || terms.mentions(changed, s.variable)) return false;
  // An extent may now mention the variable of a later binder, which is not allowed.
  for (std::size_t i = 0; i < merged.size(); ++i) {
    for (std::size_t j = i; j < merged.size(); ++j) {
      if (indices.mentions(merged[i].extent, merged[j].variable)) return false;
    }
  }
  binders = std::move(merged);
  body = changed;
  return true;
}

bool Binding::merge_tiles(Terms& terms) {
  for (std::size_t a = 0; a < binders.size(); ++a) {
    for (std::size_t b = 0; b < binders.size(); ++b) {
      if (a == b || !terms.mentions(body, binders[a].variable) || !terms.mentions(body, binders[b].variable)) continue;
      if (merge(terms, a, b)) return true;
      if (terms.failed()) return false;
    }
  }
  return false;
}

int direction(const IndexStore& indices, IndexId id, VariableId variable) {
  if (!indices.mentions(id, variable)) return 0;
  const IndexNode& node = indices[id];
  if (node.op == IndexOp::variable) return 1;
  const auto of_atom = [&](IndexId atom) {
    const IndexNode& part = indices[atom];
    if (part.op == IndexOp::variable) return 1;
    if (part.op != IndexOp::product) return 2;
    const auto count = std::count_if(part.operands.begin(), part.operands.end(),
                                     [&](IndexId each) { return indices.mentions(each, variable); });
    const bool itself = std::any_of(part.operands.begin(), part.operands.end(), [&](IndexId each) {
      return indices[each].op == IndexOp::variable && indices[each].variable == variable;
    });
    return count == 1 && itself ? 1 : 2;
  };
  if (node.op != IndexOp::sum) return of_atom(id);
  int out = 0;
  for (std::size_t k = 0; k < node.operands.size(); ++k) {
    if (!indices.mentions(node.operands[k], variable)) continue;
    const int of = of_atom(node.operands[k]);
    const int way = of == 2 ? 2 : node.coefficients[k] > 0 ? 1 : -1;
    out = out == 0 || out == way ? way : 2;
  }
  return out;
}

namespace {

void collect(const TermStore& terms, PolynomialId id, VariableId variable, std::set<PolynomialId>& seen,
             Occurrences& out) {
  if (!terms.mentions(id, variable) || !seen.insert(id).second) return;
  for (const Term& term : terms[id]) {
    const Monomial& monomial = terms[term.monomial];
    if (monomial.exponent.valid()) collect(terms, monomial.exponent, variable, seen, out);
    for (const Factor& factor : monomial.factors) {
      if (!terms.mentions(factor.atom, variable)) continue;
      const Atom& atom = terms[factor.atom];
      if (atom.kind == AtomKind::index && terms.indices()[atom.indices[0]].op == IndexOp::variable) {
        out.as_number = true;
        continue;
      }
      for (IndexId index : atom.indices) {
        if (terms.indices().mentions(index, variable)) out.subscripts.push_back(index);
      }
      for (PolynomialId part : atom.parts) collect(terms, part, variable, seen, out);
    }
  }
}

}  // namespace

Occurrences occurrences(const TermStore& terms, PolynomialId id, VariableId variable) {
  Occurrences out;
  std::set<PolynomialId> seen;
  collect(terms, id, variable, seen, out);
  return out;
}

bool Binding::reverse_index(Terms& terms) {
  IndexStore& indices = terms.indices();
  for (Binder& binder : binders) {
    std::vector<IndexId> subscripts = occurrences(terms, body, binder.variable).subscripts;
    for (const Binder& other : binders) {
      if (indices.mentions(other.extent, binder.variable)) subscripts.push_back(other.extent);
    }
    if (subscripts.empty()) continue;
    const bool down = std::all_of(subscripts.begin(), subscripts.end(),
                                  [&](IndexId each) { return direction(indices, each, binder.variable) == -1; });
    if (!down) continue;
    const VariableId turned = terms.fresh(binder.extent);
    const IndexId last = indices.subtract(binder.extent, indices.constant(1));
    const Replacements back{{binder.variable, indices.subtract(last, indices.variable(turned))}};
    body = substitute(terms, body, back);
    for (Binder& other : binders) other.extent = substitute(terms, other.extent, back);
    binder.variable = turned;
    return true;
  }
  return false;
}

PolynomialId Binding::close(Terms& terms) const {
  IndexStore& indices = terms.indices();
  const std::size_t count = binders.size();
  // Variables that have equal signatures are tried in every order.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::size_t> signs(count, 0);
  if (count > 1) {
    for (std::size_t k = 0; k < count; ++k) {
      signs[k] = signature(terms, body, binders[k].variable, binders);
      // The highest bits count the variables in the binder's extent: it must come after these.
      std::size_t rank = 0;
      for (std::size_t other = 0; other < count; ++other)
        rank += indices.mentions(binders[k].extent, binders[other].variable);
      signs[k] = (signs[k] >> 4) | (std::min<std::size_t>(rank, 15) << 60);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return signs[a] < signs[b]; });
  }
  // Variables that may run in both directions are tried in both.
  std::vector<std::size_t> both_ways;
  for (std::size_t k = 0; k < count && both_ways.size() < 3; ++k) {
    auto [subscripts, as_number] = occurrences(terms, body, binders[k].variable);
    bool up = false, down = false;
    for (const Binder& other : binders) {
      if (indices.mentions(other.extent, binders[k].variable)) subscripts.push_back(other.extent);
    }
    for (IndexId each : subscripts) {
      const int way = direction(indices, each, binders[k].variable);
      up = up || way != -1;
      down = down || way != 1;
    }
    if ((up && down) || as_number) both_ways.push_back(k);
  }

  const std::uint32_t base = terms.height(body);
  AtomId best;
  mpq_class factor = 1;
  std::size_t tried = 0;
  const auto attempt = [&](std::size_t turned) {
    Replacements names;
    Atom atom{.kind = kind};
    for (std::size_t place = 0; place < count && !terms.failed(); ++place) {
      const Binder& binder = binders[order[place]];
      const VariableId name{base + static_cast<std::uint32_t>(place)};
      const IndexId extent = substitute(terms, binder.extent, names);
      for (const Binder& other : binders) {
        if (indices.mentions(extent, other.variable)) return;  // that variable must come first
      }
      IndexId value = indices.variable(name);
      const auto way = std::find(both_ways.begin(), both_ways.end(), order[place]);
      if (way != both_ways.end() && turned >> (way - both_ways.begin()) & 1) {
        value = indices.subtract(indices.subtract(extent, indices.constant(1)), value);
      }
      names[binder.variable] = value;
      atom.indices.push_back(extent);
      atom.bound.push_back(name);
      if (binder.certain) atom.certain |= std::uint32_t{1} << place;
    }
    const PolynomialId inside = substitute(terms, body, names);
    // If a binder inside is now numbered as high as these, it would capture them.
    if (terms.failed() || terms.height(inside) > base) return;
    mpq_class coefficient = 1;
    if (kind == AtomKind::sum) {
      if (terms[inside].size() != 1) return;
      coefficient = terms[inside].front().coefficient;
    }
    atom.parts = {terms.scale(inside, 1 / coefficient)};
    const AtomId made = terms.intern(std::move(atom));
    if (best.valid() && best <= made) return;
    best = made;
    factor = coefficient;
  };
  const auto turns = [&] {
    for (std::size_t turned = 0; turned < (std::size_t{1} << both_ways.size()); ++turned) attempt(turned);
    return ++tried < max_orders && !terms.failed();
  };
  // Tries all orders within the groups of equal signatures.
  const auto permute = [&](auto& self, std::size_t from) -> bool {
    if (from == count) return turns();
    std::size_t end = from + 1;
    while (end < count && signs[order[end]] == signs[order[from]]) ++end;
    std::vector<std::size_t> group(order.begin() + static_cast<std::ptrdiff_t>(from),
                                   order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(group.begin(), group.end());
    do {
      std::copy(group.begin(), group.end(), order.begin() + static_cast<std::ptrdiff_t>(from));
      if (!self(self, end)) return false;
    } while (std::next_permutation(group.begin(), group.end()));
    return true;
  };
  permute(permute, 0);
  return best.valid() ? terms.scale(terms.power(best, 1), factor) : terms.fail();
}

}  // namespace reckon::ir::normal
