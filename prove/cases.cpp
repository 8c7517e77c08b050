// Proofs by cases: two forms that differ may be equal wherever p >= 0, and equal wherever p <= 0, for a p on whose
// sign a part of them depends: log(e^x + e^y) and max(x, y) + log(1 + e^-|x - y|). In each case the forms are made
// again under the assumption. Sums are compared under the sum sign, so that cases may differ from element to
// element.
#include "prove/cases.h"

#include <algorithm>
#include <set>

#include "prove/conditions.h"
#include "prove/division.h"
#include "prove/substitute.h"

namespace reckon::ir::normal {
namespace {

void collect_orders(Terms& t, PolynomialId id, std::set<PolynomialId>& seen, std::set<PolynomialId>& orders,
                    bool& conditions) {
  if (!t.ordered(id) || !seen.insert(id).second) return;
  for (const Term& term : std::vector<Term>(t[id])) {
    const Monomial monomial = t[term.monomial];
    if (monomial.exponent.valid()) collect_orders(t, monomial.exponent, seen, orders, conditions);
    for (const Factor& factor : monomial.factors) {
      const Atom atom = t[factor.atom];
      PolynomialId order;
      if (atom.kind == AtomKind::positive_part) order = atom.parts[0];
      if (atom.kind == AtomKind::maximum) order = t.subtract(atom.parts[0], atom.parts[1]);
      if (atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero) {
        order = atom.parts[0];
        conditions = true;
      }
      const auto bound = [](VariableId variable) { return variable.index < VariableId::first_temporary; };
      if (order.valid()) {
        order = t.assumptions.of_same_sign(order);
        const std::vector<VariableId>& all = t.variables(order);
        if (std::none_of(all.begin(), all.end(), bound) && !t.as_constant(order)) {
          orders.insert(t.scale(order, 1 / t.lead(order).coefficient));
        }
      }
      for (PolynomialId part : atom.parts) collect_orders(t, part, seen, orders, conditions);
    }
  }
}

PolynomialId without_equal_sums(Terms& t, PolynomialId difference, int depth) {
  // Terms c_k m_k sum(f_k) over the same ranges add up to 0 if the sum of all c_k m_k f_k under the sum sign is 0.
  struct Group {
    std::vector<IndexId> extents;
    std::vector<std::pair<AtomId, PolynomialId>> sums;  ///< each with the factors beside it
    PolynomialId all;
  };
  std::vector<Group> groups;
  for (const Term& term : std::vector<Term>(t[difference])) {
    const Monomial monomial = t[term.monomial];
    const auto found = std::find_if(monomial.factors.begin(), monomial.factors.end(), [&](const Factor& factor) {
      return factor.power == 1 && t[factor.atom].kind == AtomKind::sum;
    });
    if (found == monomial.factors.end()) continue;
    Monomial rest = monomial;
    rest.factors.erase(rest.factors.begin() + (found - monomial.factors.begin()));
    const PolynomialId beside = t.monomial(t.intern(std::move(rest)), term.coefficient);
    const std::vector<IndexId> extents = t[found->atom].indices;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.extents == extents; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{extents, {}, t.zero()});
    group->sums.emplace_back(found->atom, beside);
    group->all = t.add(group->all, t.monomial(term.monomial, term.coefficient));
  }
  for (const Group& group : groups) {
    std::vector<VariableId> opened;
    PolynomialId added = t.zero();
    for (const auto& [id, beside] : group.sums) {
      const Atom atom = t[id];
      Replacements names;
      for (std::size_t k = 0; k < atom.bound.size(); ++k) {
        if (k == opened.size()) opened.push_back(t.fresh(substitute(t, atom.indices[k], names)));
        names[atom.bound[k]] = t.indices().variable(opened[k]);
      }
      added = t.add(added, t.multiply(beside, substitute(t, atom.parts[0], names)));
    }
    if (t.failed()) return difference;
    if (!t.ordered(added) && cleared(t, added) != t.zero()) continue;
    if (equal_by_cases(t, added, t.zero(), depth)) difference = t.subtract(difference, group.all);
  }
  return difference;
}

enum class Case : std::uint8_t { above, below, zero };

/// Whether the forms are equal where the order is above 0, below or equal to it. `strictly`: not where it is 0, unless
/// that is the case.
bool equal_in_case(Terms& t, PolynomialId a, PolynomialId b, PolynomialId order, Case each, bool strictly, int depth) {
  const Assumptions::Scope scope(t.assumptions);
  if (each == Case::zero) t.assumptions.assume_zero(order);
  else t.assumptions.assume(each == Case::above ? order : t.negate(order), strictly);
  if (t.assumptions.contradictory()) return true;
  if (t.failed()) return false;
  const PolynomialId left = revisit(t, a), right = revisit(t, b);
  return !t.failed() && equal_by_cases(t, left, right, depth);
}

}  // namespace

bool equal_by_cases(Terms& t, PolynomialId a, PolynomialId b, int depth) {
  if (same_where_defined(t, a, b)) return true;
  if (t.failed()) return false;
  const PolynomialId difference = t.subtract(a, b);
  const PolynomialId rest = without_equal_sums(t, difference, depth);
  if (rest != difference) {
    a = rest;
    b = t.zero();
    if (same_where_defined(t, a, b)) return true;
  }
  if (depth == 0 || t.failed()) return false;
  std::set<PolynomialId> seen, orders;
  bool conditions = false;
  collect_orders(t, a, seen, orders, conditions);
  collect_orders(t, b, seen, orders, conditions);
  if (orders.empty()) return false;
  // Simple ones first, because they often decide others.
  const auto degree = [&](PolynomialId id) {
    std::size_t out = 0;
    for (const Term& term : t[id]) out = std::max(out, t[term.monomial].factors.size());
    return out;
  };
  const PolynomialId order = *std::min_element(orders.begin(), orders.end(), [&](PolynomialId x, PolynomialId y) {
    const auto key = [&](PolynomialId id) {
      return std::tuple(is_integral(t, id), t.ordered(id), degree(id), t[id].size(), t.shape(id), id);
    };
    return key(x) < key(y);
  });
  const auto equal_if = [&](Case each) { return equal_in_case(t, a, b, order, each, conditions, depth - 1); };
  // Only conditions distinguish p = 0 from p > 0; a ramp of p is both p and 0 there.
  return equal_if(Case::above) && equal_if(Case::below) && (!conditions || equal_if(Case::zero));
}

}  // namespace reckon::ir::normal
