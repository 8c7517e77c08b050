// Proofs by cases: two forms that differ may be equal wherever p >= 0, and equal wherever p <= 0, for a p on whose
// sign a part of them depends: log(e^x + e^y) and max(x, y) + log(1 + e^-|x - y|). In each case the forms are made
// again under the assumption. Sums are compared under the sum sign, so that cases may differ from element to
// element.
#include <algorithm>

#include "prove/terms.h"

namespace reckon::ir::normal {

void Terms::assume(PolynomialId of, bool strictly) {
  assumptions_.push_back({of, strictly});
  revisited_.clear();
  for (auto& found : positive_) found.clear();
}

void Terms::assume_zero(PolynomialId of) {
  assume(of, false);
  assume(negate(of), false);
  for (const Term& term : std::vector<Term>((*this)[of])) {
    const Monomial& monomial = (*this)[term.monomial];
    if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) continue;
    const AtomId atom = monomial.factors[0].atom;
    const AtomKind kind = (*this)[atom].kind;
    if (kind != AtomKind::element && kind != AtomKind::operand) continue;
    const PolynomialId rest = subtract(of, this->monomial(term.monomial, term.coefficient));
    std::set<PolynomialId> seen;
    if (mentions(rest, atom, seen)) continue;
    equated_[atom] = scale(rest, -1 / term.coefficient);
    return;
  }
}

bool Terms::mentions(PolynomialId id, AtomId atom, std::set<PolynomialId>& seen) const {
  if (!seen.insert(id).second) return false;
  for (const Term& term : (*this)[id]) {
    const Monomial& monomial = (*this)[term.monomial];
    if (monomial.exponent.valid() && mentions(monomial.exponent, atom, seen)) return true;
    for (const Factor& factor : monomial.factors) {
      if (factor.atom == atom) return true;
      for (PolynomialId part : (*this)[factor.atom].parts) {
        if (mentions(part, atom, seen)) return true;
      }
    }
  }
  return false;
}

PolynomialId Terms::revisit(PolynomialId id) {
  const bool before = revisiting_;
  revisiting_ = true;
  const PolynomialId out = substitute(id, {});
  revisiting_ = before;
  return out;
}

void Terms::collect_orders(PolynomialId id, std::set<PolynomialId>& seen, std::set<PolynomialId>& orders,
                           bool& conditions) {
  if (!facts(id).ordered || !seen.insert(id).second) return;
  for (const Term& term : std::vector<Term>((*this)[id])) {
    const Monomial monomial = (*this)[term.monomial];
    if (monomial.exponent.valid()) collect_orders(monomial.exponent, seen, orders, conditions);
    for (const Factor& factor : monomial.factors) {
      const Atom atom = (*this)[factor.atom];
      PolynomialId order;
      if (atom.kind == AtomKind::positive_part) order = atom.parts[0];
      if (atom.kind == AtomKind::maximum) order = subtract(atom.parts[0], atom.parts[1]);
      if (atom.kind == AtomKind::positive || atom.kind == AtomKind::is_zero) {
        order = atom.parts[0];
        conditions = true;
      }
      const auto bound = [](VariableId variable) { return variable.index < VariableId::first_temporary; };
      if (order.valid()) {
        order = of_same_sign(order);
        const std::vector<VariableId>& all = variables(order);
        if (std::none_of(all.begin(), all.end(), bound) && !as_constant(order)) {
          orders.insert(scale(order, 1 / lead(order).coefficient));
        }
      }
      for (PolynomialId part : atom.parts) collect_orders(part, seen, orders, conditions);
    }
  }
}

PolynomialId Terms::without_equal_sums(PolynomialId difference, int depth) {
  // Terms c_k m_k sum(f_k) over the same ranges add up to 0 if the sum of all c_k m_k f_k under the sum sign is 0.
  struct Group {
    std::vector<IndexId> extents;
    std::vector<std::pair<AtomId, PolynomialId>> sums;  ///< each with the factors beside it
    PolynomialId all;
  };
  std::vector<Group> groups;
  for (const Term& term : std::vector<Term>((*this)[difference])) {
    const Monomial monomial = (*this)[term.monomial];
    const auto found = std::find_if(monomial.factors.begin(), monomial.factors.end(), [&](const Factor& factor) {
      return factor.power == 1 && (*this)[factor.atom].kind == AtomKind::sum;
    });
    if (found == monomial.factors.end()) continue;
    Monomial rest = monomial;
    rest.factors.erase(rest.factors.begin() + (found - monomial.factors.begin()));
    const PolynomialId beside = this->monomial(intern(std::move(rest)), term.coefficient);
    const std::vector<IndexId> extents = (*this)[found->atom].indices;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.extents == extents; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{extents, {}, zero_});
    group->sums.emplace_back(found->atom, beside);
    group->all = add(group->all, this->monomial(term.monomial, term.coefficient));
  }
  for (const Group& group : groups) {
    std::vector<VariableId> opened;
    PolynomialId added = zero_;
    for (const auto& [id, beside] : group.sums) {
      const Atom atom = (*this)[id];
      std::map<VariableId, IndexId> names;
      for (std::size_t k = 0; k < atom.bound.size(); ++k) {
        if (k == opened.size()) opened.push_back(fresh(substitute(atom.indices[k], names)));
        names[atom.bound[k]] = indices_.variable(opened[k]);
      }
      added = add(added, multiply(beside, substitute(atom.parts[0], names)));
    }
    if (failed_) return difference;
    if (!facts(added).ordered && cleared(added) != zero_) continue;
    if (equal_by_cases(added, zero_, depth)) difference = subtract(difference, group.all);
  }
  return difference;
}

bool Terms::equal_by_cases(PolynomialId a, PolynomialId b, int depth) {
  if (same_where_defined(a, b)) return true;
  if (failed_) return false;
  const PolynomialId difference = subtract(a, b);
  const PolynomialId rest = without_equal_sums(difference, depth);
  if (rest != difference) {
    a = rest;
    b = zero_;
    if (same_where_defined(a, b)) return true;
  }
  if (depth == 0 || failed_) return false;
  std::set<PolynomialId> seen, orders;
  bool conditions = false;
  collect_orders(a, seen, orders, conditions);
  collect_orders(b, seen, orders, conditions);
  if (orders.empty()) return false;
  // Simple ones first, because they often decide others.
  const auto degree = [&](PolynomialId id) {
    std::size_t out = 0;
    for (const Term& term : (*this)[id]) out = std::max(out, (*this)[term.monomial].factors.size());
    return out;
  };
  const PolynomialId order = *std::min_element(orders.begin(), orders.end(), [&](PolynomialId x, PolynomialId y) {
    const auto key = [&](PolynomialId id) {
      return std::tuple(is_integral(id), facts(id).ordered, degree(id), (*this)[id].size(), facts(id).shape, id);
    };
    return key(x) < key(y);
  });
  // Only conditions distinguish p = 0 from p > 0; a ramp of p is both p and 0 there.
  enum class Case : std::uint8_t { above, below, zero };
  for (const Case each : {Case::above, Case::below, Case::zero}) {
    if (each == Case::zero && !conditions) continue;
    const auto assumptions = assumptions_;
    const auto equated = equated_;
    if (each == Case::zero) assume_zero(order);
    else assume(each == Case::above ? order : negate(order), conditions);
    const bool impossible = contradictory(std::nullopt);
    bool equal = impossible;
    if (!impossible && !failed_) {
      const PolynomialId left = revisit(a), right = revisit(b);
      equal = !failed_ && equal_by_cases(left, right, depth - 1);
    }
    assumptions_ = assumptions;
    equated_ = equated;
    revisited_.clear();
    for (auto& found : positive_) found.clear();
    if (!equal) return false;
  }
  return true;
}

}  // namespace reckon::ir::normal
