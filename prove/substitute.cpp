// Substitution of index expressions for variables. The result is a form like any other: it may have other terms than
// the original (a sum over 0..2 of written-out elements, x[0] - x[i] at i = 0).
#include "prove/substitute.h"

#include <algorithm>
#include <utility>

#include "prove/binders.h"
#include "prove/conditions.h"
#include "prove/functions.h"
#include "prove/indices.h"
#include "prove/maxima.h"

namespace reckon::ir::normal {
namespace {

bool any_of(const std::vector<VariableId>& variables, const Replacements& replacements) {
  return std::any_of(variables.begin(), variables.end(), [&](VariableId v) { return replacements.contains(v); });
}

}  // namespace

PolynomialId substitute(Terms& t, PolynomialId id, const Replacements& replacements) {
  if (t.failed()) return t.zero();
  const bool affected = any_of(t.variables(id), replacements);
  if (!affected && !t.revision.running) return id;
  if (!affected) {
    const auto& made = t.revision.made;
    if (const auto found = made.find(id); found != made.end()) return found->second;
    if (!t.step(static_cast<std::int64_t>(t[id].size()))) return t.zero();
  }
  PolynomialId out = t.zero();
  for (const Term& term : std::vector<Term>(t[id])) {
    out = t.add(out, t.scale(substitute(t, term.monomial, replacements), term.coefficient));
  }
  if (!affected) t.revision.made[id] = out;
  return out;
}

PolynomialId substitute(Terms& t, MonomialId id, const Replacements& replacements) {
  if (t.failed()) return t.zero();
  if (!any_of(t.variables(id), replacements) && !t.revision.running) return t.monomial(id);
  const Monomial monomial = t[id];
  PolynomialId out = monomial.exponent.valid() ? t.exp(substitute(t, monomial.exponent, replacements)) : t.one();
  for (const Factor& factor : monomial.factors) {
    if (t.revision.running || any_of(t.variables(factor.atom), replacements)) {
      const Atom& atom = t[factor.atom];
      const bool group = atom.kind == AtomKind::group;
      const PolynomialId base =
          group ? substitute(t, atom.parts[0], replacements) : substitute(t, factor.atom, replacements);
      out = t.multiply(out, t.power(base, factor.power));
    } else {
      out = t.multiply(out, t.power(factor.atom, factor.power));
    }
  }
  return out;
}

PolynomialId substitute(Terms& t, AtomId id, const Replacements& replacements) {
  if (t.failed() || !t.step()) return t.zero();
  if (!any_of(t.variables(id), replacements) && !t.revision.running) return t.power(id, 1);
  if (const auto other = t.assumptions.equated(id)) return substitute(t, *other, replacements);
  Atom atom = t[id];
  if (!atom.bound.empty()) {
    // Binders are opened: what is put in is captured by none, and the result is ordered anew.
    Replacements inside = replacements;
    std::vector<Binder> binders;
    for (std::size_t k = 0; k < atom.bound.size(); ++k) {
      const IndexId extent = substitute(t, atom.indices[k], inside);
      const VariableId variable = t.fresh(extent);
      inside[atom.bound[k]] = t.indices().variable(variable);
      binders.push_back({variable, extent, (atom.certain >> k & 1) != 0});
    }
    const PolynomialId body = substitute(t, atom.parts[0], inside);
    switch (atom.kind) {
      case AtomKind::sum: return sum(t, binders, body);
      case AtomKind::product: return product(t, binders, body);
      default: return supremum(t, binders, body);
    }
  }
  for (PolynomialId& part : atom.parts) part = substitute(t, part, replacements);
  for (IndexId& index : atom.indices) index = substitute(t, index, replacements);
  switch (atom.kind) {
    case AtomKind::index: return number(t, atom.indices[0]);
    case AtomKind::function: return apply(t, static_cast<Op>(atom.attribute), atom.parts);
    case AtomKind::positive: return positive(t, atom.parts[0]);
    case AtomKind::is_zero: return is_zero(t, atom.parts[0]);
    case AtomKind::select: return select(t, atom.parts[0], atom.parts[1], atom.parts[2]);
    case AtomKind::positive_part: return positive_part(t, atom.parts[0]);
    case AtomKind::maximum: return maximum(t, std::move(atom.parts));
    case AtomKind::lookup: return lookup(t, std::move(atom));
    default: return t.atom(std::move(atom));
  }
}

IndexId substitute(Terms& t, IndexId id, const Replacements& replacements) {
  if (!any_of(t.indices().variables(id), replacements)) return id;
  return simplified(t, t.indices().substitute(id, {{}, replacements}));
}

PolynomialId revisit(Terms& t, PolynomialId id) {
  const bool before = std::exchange(t.revision.running, true);
  const PolynomialId out = substitute(t, id, {});
  t.revision.running = before;
  return out;
}

}  // namespace reckon::ir::normal
