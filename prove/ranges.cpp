// Ranges that a body divides: a condition on the variable shortens its range, and a quotient of the variable splits it
// into two ranges.
#include <algorithm>

#include "prove/binding.h"

namespace reckon::ir::normal {

std::optional<IndexId> Terms::as_index(PolynomialId id) {
  if (!is_integral(id)) return std::nullopt;
  IndexId out = indices_.constant(0);
  for (const Term& term : (*this)[id]) {
    if (!term.coefficient.get_num().fits_slong_p()) return std::nullopt;
    IndexId product = indices_.constant(term.coefficient.get_num().get_si());
    for (const Factor& factor : (*this)[term.monomial].factors) {
      for (int k = 0; k < factor.power; ++k) product = indices_.multiply(product, (*this)[factor.atom].indices[0]);
    }
    out = indices_.add(out, product);
  }
  return out;
}

bool Terms::at_most(IndexId a, IndexId b) {
  // b - a, with every variable that decreases it replaced by the variable's largest value.
  IndexId apart = indices_.subtract(b, a);
  for (int round = 0; round < 4; ++round) {
    if (evidently_natural(indices_, apart)) return true;
    std::map<VariableId, IndexId> largest;
    for (VariableId variable : indices_.variables(apart)) {
      auto range = extents_.find(variable);
      if (range == extents_.end() || direction(indices_, apart, variable) != -1) continue;
      const IndexNode& sum = indices_[apart];
      if (!std::all_of(sum.operands.begin(), sum.operands.end(),
                       [&](IndexId each) { return evidently_natural(indices_, each); }))
        continue;
      largest[variable] = indices_.subtract(range->second, indices_.constant(1));
    }
    if (largest.empty()) return false;
    apart = substitute(apart, largest);
  }
  return false;
}

std::optional<PolynomialId> Terms::cut_range(std::vector<Binder> binders, MonomialId id) {
  const Monomial whole = (*this)[id];
  for (std::size_t place = 0; place < whole.factors.size(); ++place) {
    const Atom& atom = (*this)[whole.factors[place].atom];
    if (atom.kind != AtomKind::positive || whole.factors[place].power != 1) continue;
    const PolynomialId tested = atom.parts[0];
    const auto index = as_index(tested);
    if (!index) continue;
    for (std::size_t k = 0; k < binders.size(); ++k) {
      const IndexId variable = indices_.variable(binders[k].variable);
      const auto varies = [&](IndexId other) { return indices_.mentions(other, binders[k].variable); };
      if (!varies(*index)) continue;
      Monomial rest = whole;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(place));
      const PolynomialId body = monomial(intern(std::move(rest)));
      const IndexId below = indices_.add(*index, variable), above = indices_.subtract(*index, variable);
      if (!varies(below)) {
        // [c - k > 0]: k < c.
        const bool others = std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices_.mentions(below, other.variable) && &other > &binders[k];
        });
        if (others || !evidently_natural(indices_, below) || !at_most(below, binders[k].extent)) continue;
        const VariableId shorter = fresh(below);
        const std::map<VariableId, IndexId> name{{binders[k].variable, indices_.variable(shorter)}};
        for (Binder& other : binders) other.extent = substitute(other.extent, name);
        binders[k] = {shorter, below, evidently_natural(indices_, indices_.subtract(below, indices_.constant(1)))};
        return sum(binders, substitute(body, name));
      }
      if (!varies(above)) {
        // [k + c > 0] is not [1 - c - k > 0].
        const IndexId end = indices_.subtract(indices_.constant(1), above);
        if (!evidently_natural(indices_, end) || !at_most(end, binders[k].extent)) continue;
        const PolynomialId opposite = atom_positive(number(indices_.subtract(end, variable)));
        return subtract(sum(binders, body), sum(binders, multiply(opposite, body)));
      }
    }
  }
  return std::nullopt;
}

std::optional<PolynomialId> Terms::split_range(std::vector<Binder> binders, MonomialId id) {
  for (std::size_t k = 0; k < binders.size(); ++k) {
    const PolynomialId body = monomial(id);
    std::vector<IndexId> widths;
    const auto find = [&](auto&& self, IndexId at) -> void {
      const IndexNode node = indices_[at];
      if (node.op == IndexOp::floor_div && indices_.mentions(node.operands[0], binders[k].variable)) {
        widths.push_back(node.operands[1]);
      }
      for (IndexId operand : node.operands) self(self, operand);
    };
    for (IndexId each : occurrences(*this, body, binders[k].variable).subscripts) find(find, each);
    for (IndexId width : widths) {
      if (indices_.mentions(width, binders[k].variable) || !evidently_natural(indices_, width)) continue;
      const IndexId count = simplified(indices_.floor_div(binders[k].extent, width));
      if (indices_.multiply(count, width) != binders[k].extent || indices_.as_constant(count) == 1) continue;
      const VariableId tile = fresh(count), inside = fresh(width);
      const IndexId both = indices_.add(indices_.multiply(width, indices_.variable(tile)), indices_.variable(inside));
      const std::map<VariableId, IndexId> name{{binders[k].variable, both}};
      std::vector<Binder> split;
      for (std::size_t other = 0; other < binders.size(); ++other) {
        Binder binder = binders[other];
        binder.extent = substitute(binder.extent, name);
        if (other != k) {
          split.push_back(binder);
          continue;
        }
        split.push_back({tile, count, binder.certain});
        split.push_back({inside, width, binder.certain});
      }
      return sum(split, substitute(body, name));
    }
  }
  return std::nullopt;
}

}  // namespace reckon::ir::normal
