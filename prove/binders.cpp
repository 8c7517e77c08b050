// Products and suprema over ranges, and written-out tensors.
#include "prove/binders.h"

#include <algorithm>
#include <set>

#include "prove/binding.h"
#include "prove/maxima.h"
#include "prove/substitute.h"

namespace reckon::ir::normal {
namespace {

/// An exponent that is constant, if the extent of the range is.
std::optional<int> small(const std::optional<std::int64_t>& extent) {
  if (!extent || *extent < 0 || *extent > 64) return std::nullopt;
  return static_cast<int>(*extent);
}

bool looks_up(const TermStore& t, PolynomialId id, VariableId variable, std::set<PolynomialId>& seen) {
  if (!t.mentions(id, variable) || !seen.insert(id).second) return false;
  for (const Term& term : t[id]) {
    const Monomial& monomial = t[term.monomial];
    if (monomial.exponent.valid() && looks_up(t, monomial.exponent, variable, seen)) return true;
    for (const Factor& factor : monomial.factors) {
      if (!t.mentions(factor.atom, variable)) continue;
      const Atom& atom = t[factor.atom];
      if (atom.kind == AtomKind::lookup && std::any_of(atom.indices.begin(), atom.indices.end(), [&](IndexId index) {
            return t.indices().mentions(index, variable);
          })) {
        return true;
      }
      for (PolynomialId part : atom.parts) {
        if (looks_up(t, part, variable, seen)) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool looks_up(const TermStore& t, PolynomialId id, VariableId variable) {
  std::set<PolynomialId> seen;
  return looks_up(t, id, variable, seen);
}

PolynomialId lookup(Terms& t, Atom atom) {
  if (t.failed()) return t.zero();
  const std::size_t rank = atom.indices.size() / 2;
  std::int64_t place = 0;
  bool known = true;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto subscript = t.indices().as_constant(atom.indices[d]),
               extent = t.indices().as_constant(atom.indices[rank + d]);
    known = known && subscript && extent && *subscript >= 0 && *subscript < *extent;
    if (known) place = place * *extent + *subscript;
  }
  if (known) return atom.parts[static_cast<std::size_t>(place)];
  return t.atom(std::move(atom));
}

PolynomialId product(Terms& t, const std::vector<Binder>& binders, PolynomialId body) {
  IndexStore& indices = t.indices();
  if (t.failed()) return t.zero();
  if (binders.empty()) return body;
  for (std::size_t k = 0; k < binders.size(); ++k) {
    const auto extent = indices.as_constant(binders[k].extent);
    if (!extent) continue;
    const bool expand =
        *extent <= std::max<std::int64_t>(1, t.limits.expansion) || looks_up(t, body, binders[k].variable);
    const bool occurs =
        t.mentions(body, binders[k].variable) || std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices.mentions(other.extent, binders[k].variable);
        });
    const auto count = small(extent);
    std::vector<Binder> others = binders;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (!occurs && count && *count > 0) return t.power(product(t, others, body), *count);
    if (!expand || !count || *count == 0) continue;
    PolynomialId out = t.one();
    for (int value = 0; value < *count && !t.failed(); ++value) {
      const Replacements here{{binders[k].variable, indices.constant(value)}};
      std::vector<Binder> inner = others;
      for (Binder& binder : inner) binder.extent = substitute(t, binder.extent, here);
      out = t.multiply(out, product(t, inner, substitute(t, body, here)));
    }
    return out;
  }
  const std::vector<Term> terms = t[body];
  // The product of c f is that of c times that of f.
  if (!terms.empty() && t.lead(body).coefficient != 1 && !t.as_constant(body)) {
    const mpq_class factor = t.lead(body).coefficient;
    return t.multiply(product(t, binders, t.constant(factor)), product(t, binders, t.scale(body, 1 / factor)));
  }
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    const Monomial monomial = t[terms[0].monomial];
    // The product of e^f is e to the sum of f; that of f g is the product of f times that of g.
    if (monomial.exponent.valid()) {
      return t.multiply(t.exp(sum(t, binders, monomial.exponent)),
                        product(t, binders, t.monomial(t.intern(Monomial{{}, monomial.factors}))));
    }
    if (monomial.factors.empty()) return t.one();
    if (monomial.factors.size() > 1 ||
        (monomial.factors[0].power != 1 && t[monomial.factors[0].atom].kind != AtomKind::group)) {
      PolynomialId out = t.one();
      for (const auto& [id, exponent] : monomial.factors) {
        if (t[id].kind == AtomKind::group) {
          out = t.multiply(out, t.power(product(t, binders, t[id].parts[0]), exponent));
        } else {
          out = t.multiply(out, t.power(product(t, binders, t.power(id, 1)), exponent));
        }
      }
      return out;
    }
  }
  Binding binding{AtomKind::product, binders, body};
  if (binding.merge_tiles(t) || binding.reverse_index(t)) return product(t, binding.binders, binding.body);
  for (Binder& binder : binding.binders) binder.certain = false;
  return t.failed() ? t.zero() : binding.close(t);
}

PolynomialId supremum(Terms& t, const std::vector<Binder>& binders, PolynomialId body) {
  IndexStore& indices = t.indices();
  if (t.failed()) return t.zero();
  if (t.too_deep()) return t.fail();
  for (std::size_t k = binders.size(); k-- > 0;) {
    const bool occurs =
        t.mentions(body, binders[k].variable) || std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices.mentions(other.extent, binders[k].variable);
        });
    std::vector<Binder> others = binders;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (!occurs) return supremum(t, others, body);  // no range is empty
    const auto extent = indices.as_constant(binders[k].extent);
    if (!extent || *extent < 1) continue;
    if (*extent > std::max<std::int64_t>(1, t.limits.expansion) && !looks_up(t, body, binders[k].variable)) continue;
    std::vector<PolynomialId> parts;
    for (std::int64_t value = 0; value < *extent && !t.failed(); ++value) {
      const Replacements here{{binders[k].variable, indices.constant(value)}};
      std::vector<Binder> inner = others;
      for (Binder& binder : inner) binder.extent = substitute(t, binder.extent, here);
      parts.push_back(supremum(t, inner, substitute(t, body, here)));
    }
    return t.failed() ? t.zero() : maximum(t, std::move(parts));
  }
  if (binders.empty()) return body;
  // The supremum of a maximum of two is the maximum of two suprema.
  if (const auto sides = split_positive_part(t, body)) {
    return maximum(t, {supremum(t, binders, sides->first), supremum(t, binders, sides->second)});
  }
  // Terms that do not vary are taken out, and so is a positive rational factor.
  PolynomialId outside = t.zero();
  for (const Term& term : std::vector<Term>(t[body])) {
    const bool varies = std::any_of(binders.begin(), binders.end(),
                                    [&](const Binder& b) { return t.mentions(term.monomial, b.variable); });
    if (!varies) outside = t.add(outside, t.monomial(term.monomial, term.coefficient));
  }
  if (outside != t.zero()) return t.add(outside, supremum(t, binders, t.subtract(body, outside)));
  const std::vector<Term>& terms = t[body];
  if (terms.empty()) return t.zero();
  // The largest power of e is the one with the largest exponent.
  if (terms.size() == 1 && terms[0].coefficient > 0 && t[terms[0].monomial].factors.empty()) {
    return t.scale(t.exp(supremum(t, binders, t[terms[0].monomial].exponent)), terms[0].coefficient);
  }
  if (const mpq_class size = abs(t.lead(body).coefficient); size != 1) {
    return t.scale(supremum(t, binders, t.scale(body, 1 / size)), size);
  }
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    const Monomial& monomial = t[terms[0].monomial];
    if (!monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1) {
      const Atom atom = t[monomial.factors[0].atom];
      if (atom.kind == AtomKind::maximum) {
        std::vector<PolynomialId> parts;
        for (PolynomialId part : atom.parts) parts.push_back(supremum(t, binders, part));
        return t.failed() ? t.zero() : maximum(t, std::move(parts));
      }
      // A supremum inside becomes part of this one.
      if (atom.kind == AtomKind::supremum) {
        std::vector<Binder> all = binders;
        Replacements names;
        for (std::size_t v = 0; v < atom.bound.size(); ++v) {
          const IndexId extent = substitute(t, atom.indices[v], names);
          all.push_back({t.fresh(extent), extent, true});
          names[atom.bound[v]] = indices.variable(all.back().variable);
        }
        return supremum(t, all, substitute(t, atom.parts[0], names));
      }
    }
  }
  Binding binding{AtomKind::supremum, binders, body};
  if (binding.merge_tiles(t) || binding.reverse_index(t)) return supremum(t, binding.binders, binding.body);
  for (Binder& binder : binding.binders) binder.certain = false;
  return t.failed() ? t.zero() : binding.close(t);
}

}  // namespace reckon::ir::normal
