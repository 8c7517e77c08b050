// Ranges that a body divides: a condition on the variable shortens its range, and a quotient of the variable splits it
// into two ranges.
#include "prove/ranges.h"

#include <algorithm>

#include "prove/binders.h"
#include "prove/binding.h"
#include "prove/conditions.h"
#include "prove/indices.h"
#include "prove/substitute.h"

namespace reckon::ir::normal {
namespace {

/// The form as an integer expression, if it is one.
std::optional<IndexId> as_index(Terms& t, PolynomialId id) {
  IndexStore& indices = t.indices();
  if (!is_integral(t, id)) return std::nullopt;
  IndexId out = indices.constant(0);
  for (const Term& term : t[id]) {
    if (!term.coefficient.get_num().fits_slong_p()) return std::nullopt;
    IndexId product = indices.constant(term.coefficient.get_num().get_si());
    for (const Factor& factor : t[term.monomial].factors) {
      for (int k = 0; k < factor.power; ++k) product = indices.multiply(product, t[factor.atom].indices[0]);
    }
    out = indices.add(out, product);
  }
  return out;
}

/// Whether a <= b for every value of the variables in their ranges; false if that is not evident.
bool at_most(Terms& t, IndexId a, IndexId b) {
  IndexStore& indices = t.indices();
  // b - a, with every variable that decreases it replaced by the variable's largest value.
  IndexId apart = indices.subtract(b, a);
  for (int round = 0; round < 4; ++round) {
    if (evidently_natural(indices, apart)) return true;
    Replacements largest;
    for (VariableId variable : indices.variables(apart)) {
      const auto range = t.extent_of(variable);
      if (!range || direction(indices, apart, variable) != -1) continue;
      const IndexNode& sum = indices[apart];
      if (!std::all_of(sum.operands.begin(), sum.operands.end(),
                       [&](IndexId each) { return evidently_natural(indices, each); }))
        continue;
      largest[variable] = indices.subtract(*range, indices.constant(1));
    }
    if (largest.empty()) return false;
    apart = substitute(t, apart, largest);
  }
  return false;
}

}  // namespace

std::optional<PolynomialId> cut_range(Terms& t, std::vector<Binder> binders, MonomialId id) {
  IndexStore& indices = t.indices();
  const Monomial whole = t[id];
  for (std::size_t place = 0; place < whole.factors.size(); ++place) {
    const Atom& atom = t[whole.factors[place].atom];
    if (atom.kind != AtomKind::positive || whole.factors[place].power != 1) continue;
    const PolynomialId tested = atom.parts[0];
    const auto index = as_index(t, tested);
    if (!index) continue;
    for (std::size_t k = 0; k < binders.size(); ++k) {
      const IndexId variable = indices.variable(binders[k].variable);
      const auto varies = [&](IndexId other) { return indices.mentions(other, binders[k].variable); };
      if (!varies(*index)) continue;
      Monomial rest = whole;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(place));
      const PolynomialId body = t.monomial(t.intern(std::move(rest)));
      const IndexId below = indices.add(*index, variable), above = indices.subtract(*index, variable);
      if (!varies(below)) {
        // [c - k > 0]: k < c.
        const bool others = std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices.mentions(below, other.variable) && &other > &binders[k];
        });
        if (others || !evidently_natural(indices, below) || !at_most(t, below, binders[k].extent)) continue;
        const VariableId shorter = t.fresh(below);
        const Replacements name{{binders[k].variable, indices.variable(shorter)}};
        for (Binder& other : binders) other.extent = substitute(t, other.extent, name);
        binders[k] = {shorter, below, evidently_natural(indices, indices.subtract(below, indices.constant(1)))};
        return sum(t, binders, substitute(t, body, name));
      }
      if (!varies(above)) {
        // [k + c > 0] is not [1 - c - k > 0].
        const IndexId end = indices.subtract(indices.constant(1), above);
        if (!evidently_natural(indices, end) || !at_most(t, end, binders[k].extent)) continue;
        const PolynomialId opposite =
            t.atom({.kind = AtomKind::positive, .parts = {number(t, indices.subtract(end, variable))}});
        return t.subtract(sum(t, binders, body), sum(t, binders, t.multiply(opposite, body)));
      }
    }
  }
  return std::nullopt;
}

std::optional<PolynomialId> split_range(Terms& t, std::vector<Binder> binders, MonomialId id) {
  IndexStore& indices = t.indices();
  for (std::size_t k = 0; k < binders.size(); ++k) {
    const PolynomialId body = t.monomial(id);
    std::vector<IndexId> widths;
    const auto find = [&](auto&& self, IndexId at) -> void {
      const IndexNode node = indices[at];
      if (node.op == IndexOp::floor_div && indices.mentions(node.operands[0], binders[k].variable)) {
        widths.push_back(node.operands[1]);
      }
      for (IndexId operand : node.operands) self(self, operand);
    };
    for (IndexId each : occurrences(t, body, binders[k].variable).subscripts) find(find, each);
    for (IndexId width : widths) {
      if (indices.mentions(width, binders[k].variable) || !evidently_natural(indices, width)) continue;
      const IndexId count = simplified(t, indices.floor_div(binders[k].extent, width));
      if (indices.multiply(count, width) != binders[k].extent || indices.as_constant(count) == 1) continue;
      const VariableId tile = t.fresh(count), inside = t.fresh(width);
      const IndexId both = indices.add(indices.multiply(width, indices.variable(tile)), indices.variable(inside));
      const Replacements name{{binders[k].variable, both}};
      std::vector<Binder> split;
      for (std::size_t other = 0; other < binders.size(); ++other) {
        Binder binder = binders[other];
        binder.extent = substitute(t, binder.extent, name);
        if (other != k) {
          split.push_back(binder);
          continue;
        }
        split.push_back({tile, count, binder.certain});
        split.push_back({inside, width, binder.certain});
      }
      return sum(t, split, substitute(t, body, name));
    }
  }
  return std::nullopt;
}

}  // namespace reckon::ir::normal
