// Signs by what forms are made of, and what is assumed. What follows of assumptions together is in inequalities.cpp.
#include "prove/assumptions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/op.h"
#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

/// Whether the form is made of the atom, among others.
bool mentions(const TermStore& t, PolynomialId id, AtomId atom, std::set<PolynomialId>& seen) {
  if (!seen.insert(id).second) return false;
  for (const Term& term : t[id]) {
    const Monomial& monomial = t[term.monomial];
    if (monomial.exponent.valid() && mentions(t, monomial.exponent, atom, seen)) return true;
    for (const Factor& factor : monomial.factors) {
      if (factor.atom == atom) return true;
      for (PolynomialId part : t[factor.atom].parts) {
        if (mentions(t, part, atom, seen)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool Assumptions::is_assumed(AtomId atom, bool strictly) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Assumption& each) {
    const std::vector<Term>& terms = t_[each.of];
    if (terms.size() != 1 || terms[0].coefficient < 0 || (strictly && !each.strictly)) return false;
    const Monomial& monomial = t_[terms[0].monomial];
    return !monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0] == Factor{atom, 1};
  });
}

bool Assumptions::is_positive(AtomId id, bool strictly) const {
  const Atom& atom = t_[id];
  switch (atom.kind) {
    case AtomKind::pi: return true;
    case AtomKind::element: return t_.limits.positive.contains(atom.attribute) || is_assumed(id, strictly);
    case AtomKind::sum: {
      const bool counted = std::all_of(atom.indices.begin(), atom.indices.end(), [&](IndexId extent) {
        return t_.indices().as_constant(extent).value_or(0) > 0;
      });
      return (counted || !strictly) && is_positive(atom.parts[0], strictly);
    }
    case AtomKind::group:
    case AtomKind::product:
    case AtomKind::supremum: return is_positive(atom.parts[0], strictly);
    case AtomKind::index:
      // A dimension is a size, which is 0 or more.
      return !strictly && t_.indices()[atom.indices[0]].op == IndexOp::dimension;
    case AtomKind::positive_part: return is_positive(atom.parts[0], strictly) || (!strictly && t_.total(id));
    case AtomKind::maximum:
      return std::any_of(atom.parts.begin(), atom.parts.end(),
                         [&](PolynomialId part) { return is_positive(part, strictly); });
    case AtomKind::function: {
      const auto value = t_.as_constant(atom.parts[0]);
      if (static_cast<Op>(atom.attribute) == Op::log) return value && *value > 1;
      return static_cast<Op>(atom.attribute) == Op::sqrt && is_positive(atom.parts[0], strictly);
    }
    default: return is_assumed(id, strictly);
  }
}

bool Assumptions::is_positive(PolynomialId id, bool strictly) const {
  const auto [found, inserted] = positive_[strictly].try_emplace(id, false);
  if (!inserted) return found->second;
  const bool out = every_term_is_positive(id, strictly);
  positive_[strictly][id] = out;
  return out;
}

bool Assumptions::every_term_is_positive(PolynomialId id, bool strictly) const {
  // The sum is not below 0 if no term is, and above 0 if one of the terms is.
  bool any_above = false;
  for (const Term& term : t_[id]) {
    if (term.coefficient < 0) return false;
    bool above = true;
    for (const Factor& factor : t_[term.monomial].factors) {
      if (is_positive(factor.atom, true)) continue;
      above = false;
      if (factor.power % 2 != 0 && !is_positive(factor.atom, false)) return false;
    }
    any_above = any_above || above;
  }
  return !t_[id].empty() && (any_above || !strictly);
}

MonomialId Assumptions::common_positive(PolynomialId a) const {
  const std::vector<Term>& terms = t_[a];
  std::map<AtomId, int> least;
  std::map<AtomId, std::size_t> occurrences;
  for (const Term& term : terms) {
    for (const Factor& factor : t_[term.monomial].factors) {
      if (!is_positive(factor.atom, false)) continue;
      auto [found, inserted] = least.try_emplace(factor.atom, factor.power);
      found->second = std::min(found->second, factor.power);
      ++occurrences[factor.atom];
    }
  }
  Monomial out;
  for (auto [atom, power] : least) {
    if (occurrences[atom] < terms.size()) power = std::min(power, 0);
    if (power != 0) out.factors.push_back({atom, power});
  }
  const PolynomialId exponent = t_[terms.front().monomial].exponent;
  const bool same =
      std::all_of(terms.begin(), terms.end(), [&](const Term& t) { return t_[t.monomial].exponent == exponent; });
  if (same) out.exponent = exponent;
  return out.factors.empty() && !out.exponent.valid() ? MonomialId{} : t_.intern(std::move(out));
}

void Assumptions::assume(PolynomialId of, bool strictly) {
  all_.push_back({of, strictly});
  forget();
}

void Assumptions::forget() {
  t_.revision.made.clear();
  for (auto& found : positive_) found.clear();
}

void Assumptions::assume_zero(PolynomialId of) {
  assume(of, false);
  assume(t_.negate(of), false);
  for (const Term& term : std::vector<Term>(t_[of])) {
    const Monomial& monomial = t_[term.monomial];
    if (monomial.exponent.valid() || monomial.factors.size() != 1 || monomial.factors[0].power != 1) continue;
    const AtomId atom = monomial.factors[0].atom;
    const AtomKind kind = t_[atom].kind;
    if (kind != AtomKind::element && kind != AtomKind::operand) continue;
    const PolynomialId rest = t_.subtract(of, t_.monomial(term.monomial, term.coefficient));
    std::set<PolynomialId> seen;
    if (mentions(t_, rest, atom, seen)) continue;
    equated_[atom] = t_.scale(rest, -1 / term.coefficient);
    return;
  }
}

std::optional<PolynomialId> Assumptions::equated(AtomId atom) const {
  const auto found = equated_.find(atom);
  return found == equated_.end() ? std::nullopt : std::optional(found->second);
}

Assumptions::Scope::Scope(Assumptions& of) : of_(of), all_(of.all_), equated_(of.equated_) {}

Assumptions::Scope::~Scope() {
  of_.all_ = std::move(all_);
  of_.equated_ = std::move(equated_);
  of_.forget();
}

}  // namespace reckon::ir::normal
