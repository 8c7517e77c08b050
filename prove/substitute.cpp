// Substitution of index expressions for variables. The result is a form like any other: it may have other terms than
// the original (a sum over 0..2 of written-out elements, x[0] - x[i] at i = 0).
#include <algorithm>

#include "prove/terms.h"

namespace reckon::ir::normal {
namespace {

bool any_of(const std::vector<VariableId>& variables, const std::map<VariableId, IndexId>& replacements) {
  return std::any_of(variables.begin(), variables.end(), [&](VariableId v) { return replacements.contains(v); });
}

}  // namespace

PolynomialId Terms::substitute(PolynomialId id, const std::map<VariableId, IndexId>& replacements) {
  if (failed_) return zero_;
  const bool affected = any_of(variables(id), replacements);
  if (!affected && !revisiting_) return id;
  if (!affected) {
    if (auto found = revisited_.find(id); found != revisited_.end()) return found->second;
    if (!step(static_cast<std::int64_t>((*this)[id].size()))) return zero_;
  }
  PolynomialId out = zero_;
  for (const Term& term : std::vector<Term>((*this)[id])) {
    out = add(out, scale(substitute(term.monomial, replacements), term.coefficient));
  }
  if (!affected) revisited_[id] = out;
  return out;
}

PolynomialId Terms::substitute(MonomialId id, const std::map<VariableId, IndexId>& replacements) {
  if (failed_) return zero_;
  if (!any_of(variables(id), replacements) && !revisiting_) return monomial(id);
  const Monomial monomial = (*this)[id];
  PolynomialId out = monomial.exponent.valid() ? exp(substitute(monomial.exponent, replacements)) : one_;
  for (const Factor& factor : monomial.factors) {
    if (revisiting_ || any_of(variables(factor.atom), replacements)) {
      const Atom& atom = (*this)[factor.atom];
      const bool group = atom.kind == AtomKind::group;
      const PolynomialId base = group ? substitute(atom.parts[0], replacements) : substitute(factor.atom, replacements);
      out = multiply(out, power(base, factor.power));
    } else {
      out = multiply(out, power(factor.atom, factor.power));
    }
  }
  return out;
}

PolynomialId Terms::substitute(AtomId id, const std::map<VariableId, IndexId>& replacements) {
  if (failed_ || !step()) return zero_;
  if (!any_of(variables(id), replacements) && !revisiting_) return power(id, 1);
  if (auto found = equated_.find(id); found != equated_.end()) return substitute(found->second, replacements);
  Atom atom = (*this)[id];
  if (!atom.bound.empty()) {
    // Binders are opened: what is put in is captured by none, and the result is ordered anew.
    std::map<VariableId, IndexId> inside = replacements;
    std::vector<Binder> binders;
    for (std::size_t k = 0; k < atom.bound.size(); ++k) {
      const IndexId extent = substitute(atom.indices[k], inside);
      const VariableId variable = fresh(extent);
      inside[atom.bound[k]] = indices_.variable(variable);
      binders.push_back({variable, extent, (atom.certain >> k & 1) != 0});
    }
    const PolynomialId body = substitute(atom.parts[0], inside);
    switch (atom.kind) {
      case AtomKind::sum: return sum(binders, body);
      case AtomKind::product: return product(binders, body);
      default: return supremum(binders, body);
    }
  }
  for (PolynomialId& part : atom.parts) part = substitute(part, replacements);
  for (IndexId& index : atom.indices) index = substitute(index, replacements);
  switch (atom.kind) {
    case AtomKind::index: return number(atom.indices[0]);
    case AtomKind::function: return apply(static_cast<Op>(atom.attribute), atom.parts);
    case AtomKind::positive: return positive(atom.parts[0]);
    case AtomKind::is_zero: return is_zero(atom.parts[0]);
    case AtomKind::select: return select(atom.parts[0], atom.parts[1], atom.parts[2]);
    case AtomKind::positive_part: return positive_part(atom.parts[0]);
    case AtomKind::maximum: return maximum(std::move(atom.parts));
    case AtomKind::lookup: return lookup(std::move(atom));
    default: return this->atom(std::move(atom));
  }
}

}  // namespace reckon::ir::normal
