// Products over ranges, and written-out tensors.
#include <algorithm>

#include "prove/binding.h"

namespace reckon::ir::normal {
namespace {

/// An exponent that is constant, if the extent of the range is.
std::optional<int> small(const std::optional<std::int64_t>& extent) {
  if (!extent || *extent < 0 || *extent > 64) return std::nullopt;
  return static_cast<int>(*extent);
}

}  // namespace

bool Terms::looks_up(PolynomialId id, VariableId variable) const {
  std::set<PolynomialId> seen;
  return looks_up(id, variable, seen);
}

bool Terms::looks_up(PolynomialId id, VariableId variable, std::set<PolynomialId>& seen) const {
  if (!mentions(id, variable) || !seen.insert(id).second) return false;
  for (const Term& term : (*this)[id]) {
    const Monomial& monomial = (*this)[term.monomial];
    if (monomial.exponent.valid() && looks_up(monomial.exponent, variable, seen)) return true;
    for (const Factor& factor : monomial.factors) {
      if (!mentions(factor.atom, variable)) continue;
      const Atom& atom = (*this)[factor.atom];
      if (atom.kind == AtomKind::lookup && std::any_of(atom.indices.begin(), atom.indices.end(), [&](IndexId index) {
            return indices_.mentions(index, variable);
          })) {
        return true;
      }
      for (PolynomialId part : atom.parts) {
        if (looks_up(part, variable, seen)) return true;
      }
    }
  }
  return false;
}

PolynomialId Terms::lookup(Atom atom) {
  if (failed_) return zero_;
  const std::size_t rank = atom.indices.size() / 2;
  std::int64_t place = 0;
  bool known = true;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto subscript = indices_.as_constant(atom.indices[d]), extent = indices_.as_constant(atom.indices[rank + d]);
    known = known && subscript && extent && *subscript >= 0 && *subscript < *extent;
    if (known) place = place * *extent + *subscript;
  }
  if (known) return atom.parts[static_cast<std::size_t>(place)];
  return this->atom(std::move(atom));
}

PolynomialId Terms::product(const std::vector<Binder>& binders, PolynomialId body) {
  if (failed_) return zero_;
  if (binders.empty()) return body;
  for (std::size_t k = 0; k < binders.size(); ++k) {
    const auto extent = indices_.as_constant(binders[k].extent);
    if (!extent) continue;
    const bool expand = *extent <= std::max<std::int64_t>(1, limits_.expansion) || looks_up(body, binders[k].variable);
    const bool occurs =
        mentions(body, binders[k].variable) || std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices_.mentions(other.extent, binders[k].variable);
        });
    const auto count = small(extent);
    std::vector<Binder> others = binders;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (!occurs && count && *count > 0) return power(product(others, body), *count);
    if (!expand || !count || *count == 0) continue;
    PolynomialId out = one_;
    for (int value = 0; value < *count && !failed_; ++value) {
      const std::map<VariableId, IndexId> here{{binders[k].variable, indices_.constant(value)}};
      std::vector<Binder> inner = others;
      for (Binder& binder : inner) binder.extent = substitute(binder.extent, here);
      out = multiply(out, product(inner, substitute(body, here)));
    }
    return out;
  }
  const std::vector<Term> terms = (*this)[body];
  // The product of c f is that of c times that of f.
  if (!terms.empty() && lead(body).coefficient != 1 && !as_constant(body)) {
    const mpq_class factor = lead(body).coefficient;
    return multiply(product(binders, constant(factor)), product(binders, scale(body, 1 / factor)));
  }
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    const Monomial monomial = (*this)[terms[0].monomial];
    // The product of e^f is e to the sum of f; that of f g is the product of f times that of g.
    if (monomial.exponent.valid()) {
      return multiply(exp(sum(binders, monomial.exponent)),
                      product(binders, this->monomial(intern(Monomial{{}, monomial.factors}))));
    }
    if (monomial.factors.empty()) return one_;
    if (monomial.factors.size() > 1 ||
        (monomial.factors[0].power != 1 && (*this)[monomial.factors[0].atom].kind != AtomKind::group)) {
      PolynomialId out = one_;
      for (const auto& [id, exponent] : monomial.factors) {
        if ((*this)[id].kind == AtomKind::group) {
          out = multiply(out, power(product(binders, (*this)[id].parts[0]), exponent));
        } else {
          out = multiply(out, power(product(binders, power(id, 1)), exponent));
        }
      }
      return out;
    }
  }
  Binding binding{AtomKind::product, binders, body};
  if (binding.merge_tiles(*this) || binding.reverse_index(*this)) return product(binding.binders, binding.body);
  for (Binder& binder : binding.binders) binder.certain = false;
  return failed_ ? zero_ : binding.close(*this);
}

}  // namespace reckon::ir::normal
