// The maximum of two and of several forms. max(a, b) is b + ramp(a - b), which is linear in what both have in common,
// and satisfies the laws of abs and relu; the maximum of three or more is an atom over the set.
#include <algorithm>

#include "prove/binding.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_parts = 16;

}  // namespace

PolynomialId Terms::positive_part(PolynomialId a) {
  if (failed_) return zero_;
  if (const auto value = as_constant(a)) return *value > 0 ? a : zero_;
  if (is_positive(a, false) || follows(a, false)) return a;
  if (is_positive(negate(a), false) || follows(negate(a), false)) return zero_;
  // ramp(m p) = m ramp(p) for m >= 0.
  if (const MonomialId common = common_positive(a); common.valid()) {
    return multiply(monomial(common), positive_part(multiply(a, inverse(monomial(common)))));
  }
  const mpq_class first = lead(a).coefficient;
  const PolynomialId up = scale(a, 1 / first);
  const PolynomialId of_up = atom({.kind = AtomKind::positive_part, .parts = {up}});
  // ramp(-p) = ramp(p) - p.
  return scale(first > 0 ? of_up : subtract(of_up, up), abs(first));
}

std::optional<std::pair<PolynomialId, PolynomialId>> Terms::split_positive_part(PolynomialId a) {
  for (const Term& term : (*this)[a]) {
    const Monomial& monomial = (*this)[term.monomial];
    if (term.coefficient < 0 || monomial.exponent.valid() || monomial.factors.size() != 1) continue;
    const Atom& atom = (*this)[monomial.factors[0].atom];
    if (atom.kind != AtomKind::positive_part || monomial.factors[0].power != 1) continue;
    const mpq_class coefficient = term.coefficient;
    const PolynomialId part = atom.parts[0];
    const PolynomialId low = subtract(a, this->monomial(term.monomial, coefficient));
    return std::pair{add(low, scale(part, coefficient)), low};
  }
  return std::nullopt;
}

/// c m e^a, c m e^b, ... with c m > 0: the one with the largest exponent is the maximum.
std::optional<PolynomialId> Terms::maximum_of_powers(const std::vector<PolynomialId>& all) {
  if (all.size() < 2) return std::nullopt;
  std::vector<PolynomialId> exponents;
  std::optional<Term> first;
  for (PolynomialId part : all) {
    if ((*this)[part].size() != 1) return std::nullopt;
    const Term& term = (*this)[part].front();
    const Monomial& monomial = (*this)[term.monomial];
    if (term.coefficient < 0) return std::nullopt;
    if (!first) first = term;
    if (term.coefficient != first->coefficient || monomial.factors != (*this)[first->monomial].factors)
      return std::nullopt;
    for (const Factor& factor : monomial.factors) {
      if (!is_positive(factor.atom, false)) return std::nullopt;
    }
    exponents.push_back(monomial.exponent.valid() ? monomial.exponent : zero_);
  }
  const PolynomialId beside = monomial(intern(Monomial{{}, (*this)[first->monomial].factors}), first->coefficient);
  return multiply(beside, exp(maximum(std::move(exponents))));
}

PolynomialId Terms::maximum(std::vector<PolynomialId> parts) {
  if (failed_) return zero_;
  // Inner maxima are taken apart: t + max(...) is the maximum of t + ....
  std::vector<PolynomialId> all;
  while (!parts.empty()) {
    const PolynomialId part = parts.back();
    parts.pop_back();
    if (parts.size() + all.size() > max_parts) return fail();
    if (const auto sides = split_positive_part(part)) {
      parts.push_back(sides->first);
      parts.push_back(sides->second);
      continue;
    }
    const auto inner = std::find_if((*this)[part].begin(), (*this)[part].end(), [&](const Term& term) {
      const Monomial& monomial = (*this)[term.monomial];
      return term.coefficient == 1 && !monomial.exponent.valid() && monomial.factors.size() == 1 &&
             monomial.factors[0].power == 1 && (*this)[monomial.factors[0].atom].kind == AtomKind::maximum;
    });
    if (inner == (*this)[part].end()) {
      all.push_back(part);
      continue;
    }
    const MonomialId id = inner->monomial;
    const PolynomialId beside = subtract(part, monomial(id));
    for (PolynomialId each : std::vector<PolynomialId>((*this)[(*this)[id].factors[0].atom].parts)) {
      parts.push_back(add(beside, each));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (const auto powers = maximum_of_powers(all)) return *powers;
  // Of parts that differ by a constant, only the largest is kept.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size();) {
      const PolynomialId difference = subtract(all[i], all[j]);
      const auto apart = as_constant(difference);
      const bool above = apart ? *apart >= 0 : follows(difference, false);
      const bool below = apart ? *apart < 0 : !above && follows(negate(difference), false);
      if (!above && !below) {
        ++j;
        continue;
      }
      if (below) all[i] = all[j];
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  if (failed_) return zero_;
  if (all.size() == 1) return all[0];
  std::sort(all.begin(), all.end());
  if (all.size() == 2) return add(all[1], positive_part(subtract(all[0], all[1])));
  // One part is subtracted from all: the one that leaves the least set, compared first without the names of variables.
  using Parts = std::vector<std::pair<std::size_t, PolynomialId>>;
  Parts least;
  PolynomialId taken;
  for (PolynomialId each : all) {
    Parts rest;
    for (PolynomialId other : all) {
      const PolynomialId apart = subtract(other, each);
      rest.emplace_back(facts(apart).shape, apart);
    }
    std::sort(rest.begin(), rest.end());
    if (!least.empty() && least <= rest) continue;
    least = std::move(rest);
    taken = each;
  }
  std::vector<PolynomialId> best;
  for (const auto& [shape, part] : least) best.push_back(part);
  std::sort(best.begin(), best.end());
  return add(taken, atom({.kind = AtomKind::maximum, .parts = std::move(best)}));
}

PolynomialId Terms::supremum(const std::vector<Binder>& binders, PolynomialId body) {
  if (failed_) return zero_;
  if (depth_ > 400) return fail();
  for (std::size_t k = binders.size(); k-- > 0;) {
    const bool occurs =
        mentions(body, binders[k].variable) || std::any_of(binders.begin(), binders.end(), [&](const Binder& other) {
          return indices_.mentions(other.extent, binders[k].variable);
        });
    std::vector<Binder> others = binders;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    if (!occurs) return supremum(others, body);  // no range is empty
    const auto extent = indices_.as_constant(binders[k].extent);
    if (!extent || *extent < 1) continue;
    if (*extent > std::max<std::int64_t>(1, limits_.expansion) && !looks_up(body, binders[k].variable)) continue;
    std::vector<PolynomialId> parts;
    for (std::int64_t value = 0; value < *extent && !failed_; ++value) {
      const std::map<VariableId, IndexId> here{{binders[k].variable, indices_.constant(value)}};
      std::vector<Binder> inner = others;
      for (Binder& binder : inner) binder.extent = substitute(binder.extent, here);
      parts.push_back(supremum(inner, substitute(body, here)));
    }
    return failed_ ? zero_ : maximum(std::move(parts));
  }
  if (binders.empty()) return body;
  // The supremum of a maximum of two is the maximum of two suprema.
  if (const auto sides = split_positive_part(body)) {
    return maximum({supremum(binders, sides->first), supremum(binders, sides->second)});
  }
  // Terms that do not vary are taken out, and so is a positive rational factor.
  PolynomialId outside = zero_;
  for (const Term& term : std::vector<Term>((*this)[body])) {
    const bool varies = std::any_of(binders.begin(), binders.end(),
                                    [&](const Binder& b) { return mentions(term.monomial, b.variable); });
    if (!varies) outside = add(outside, monomial(term.monomial, term.coefficient));
  }
  if (outside != zero_) return add(outside, supremum(binders, subtract(body, outside)));
  const std::vector<Term>& terms = (*this)[body];
  if (terms.empty()) return zero_;
  // The largest power of e is the one with the largest exponent.
  if (terms.size() == 1 && terms[0].coefficient > 0 && (*this)[terms[0].monomial].factors.empty()) {
    return scale(exp(supremum(binders, (*this)[terms[0].monomial].exponent)), terms[0].coefficient);
  }
  if (const mpq_class size = abs(lead(body).coefficient); size != 1) {
    return scale(supremum(binders, scale(body, 1 / size)), size);
  }
  if (terms.size() == 1 && terms[0].coefficient == 1) {
    const Monomial& monomial = (*this)[terms[0].monomial];
    if (!monomial.exponent.valid() && monomial.factors.size() == 1 && monomial.factors[0].power == 1) {
      const Atom atom = (*this)[monomial.factors[0].atom];
      if (atom.kind == AtomKind::maximum) {
        std::vector<PolynomialId> parts;
        for (PolynomialId part : atom.parts) parts.push_back(supremum(binders, part));
        return failed_ ? zero_ : maximum(std::move(parts));
      }
      // A supremum inside becomes part of this one.
      if (atom.kind == AtomKind::supremum) {
        std::vector<Binder> all = binders;
        std::map<VariableId, IndexId> names;
        for (std::size_t v = 0; v < atom.bound.size(); ++v) {
          const IndexId extent = substitute(atom.indices[v], names);
          all.push_back({fresh(extent), extent, true});
          names[atom.bound[v]] = indices_.variable(all.back().variable);
        }
        return supremum(all, substitute(atom.parts[0], names));
      }
    }
  }
  Binding binding{AtomKind::supremum, binders, body};
  if (binding.merge_tiles(*this) || binding.reverse_index(*this)) return supremum(binding.binders, binding.body);
  for (Binder& binder : binding.binders) binder.certain = false;
  return failed_ ? zero_ : binding.close(*this);
}

}  // namespace reckon::ir::normal
