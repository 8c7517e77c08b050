// The maximum of two and of several forms. max(a, b) is b + ramp(a - b), which is linear in what both have in common,
// and satisfies the laws of abs and relu; the maximum of three or more is an atom over the set.
#include "prove/maxima.h"

#include <algorithm>

namespace reckon::ir::normal {
namespace {

constexpr std::size_t max_parts = 16;

/// c m e^a, c m e^b, ... with c m > 0: the one with the largest exponent is the maximum.
std::optional<PolynomialId> maximum_of_powers(Terms& t, const std::vector<PolynomialId>& all) {
  if (all.size() < 2) return std::nullopt;
  std::vector<PolynomialId> exponents;
  std::optional<Term> first;
  for (PolynomialId part : all) {
    if (t[part].size() != 1) return std::nullopt;
    const Term& term = t[part].front();
    const Monomial& monomial = t[term.monomial];
    if (term.coefficient < 0) return std::nullopt;
    if (!first) first = term;
    if (term.coefficient != first->coefficient || monomial.factors != t[first->monomial].factors) return std::nullopt;
    for (const Factor& factor : monomial.factors) {
      if (!t.assumptions.is_positive(factor.atom, false)) return std::nullopt;
    }
    exponents.push_back(monomial.exponent.valid() ? monomial.exponent : t.zero());
  }
  const PolynomialId beside = t.monomial(t.intern(Monomial{{}, t[first->monomial].factors}), first->coefficient);
  return t.multiply(beside, t.exp(maximum(t, std::move(exponents))));
}

}  // namespace

PolynomialId positive_part(Terms& t, PolynomialId a) {
  if (t.failed()) return t.zero();
  if (const auto value = t.as_constant(a)) return *value > 0 ? a : t.zero();
  if (t.assumptions.is_positive(a, false) || t.assumptions.follows(a, false)) return a;
  if (t.assumptions.is_positive(t.negate(a), false) || t.assumptions.follows(t.negate(a), false)) return t.zero();
  // ramp(m p) = m ramp(p) for m >= 0.
  if (const MonomialId common = t.assumptions.common_positive(a); common.valid()) {
    return t.multiply(t.monomial(common), positive_part(t, t.multiply(a, t.inverse(t.monomial(common)))));
  }
  const mpq_class first = t.lead(a).coefficient;
  const PolynomialId up = t.scale(a, 1 / first);
  const PolynomialId of_up = t.atom({.kind = AtomKind::positive_part, .parts = {up}});
  // ramp(-p) = ramp(p) - p.
  return t.scale(first > 0 ? of_up : t.subtract(of_up, up), abs(first));
}

std::optional<std::pair<PolynomialId, PolynomialId>> split_positive_part(Terms& t, PolynomialId a) {
  for (const Term& term : t[a]) {
    const Monomial& monomial = t[term.monomial];
    if (term.coefficient < 0 || monomial.exponent.valid() || monomial.factors.size() != 1) continue;
    const Atom& atom = t[monomial.factors[0].atom];
    if (atom.kind != AtomKind::positive_part || monomial.factors[0].power != 1) continue;
    const mpq_class coefficient = term.coefficient;
    const PolynomialId part = atom.parts[0];
    const PolynomialId low = t.subtract(a, t.monomial(term.monomial, coefficient));
    return std::pair{t.add(low, t.scale(part, coefficient)), low};
  }
  return std::nullopt;
}

PolynomialId maximum(Terms& t, std::vector<PolynomialId> parts) {
  if (t.failed()) return t.zero();
  // Inner maxima are taken apart: t + max(...) is the maximum of t + ....
  std::vector<PolynomialId> all;
  while (!parts.empty()) {
    const PolynomialId part = parts.back();
    parts.pop_back();
    if (parts.size() + all.size() > max_parts) return t.fail();
    if (const auto sides = split_positive_part(t, part)) {
      parts.push_back(sides->first);
      parts.push_back(sides->second);
      continue;
    }
    const auto inner = std::find_if(t[part].begin(), t[part].end(), [&](const Term& term) {
      const Monomial& monomial = t[term.monomial];
      return term.coefficient == 1 && !monomial.exponent.valid() && monomial.factors.size() == 1 &&
             monomial.factors[0].power == 1 && t[monomial.factors[0].atom].kind == AtomKind::maximum;
    });
    if (inner == t[part].end()) {
      all.push_back(part);
      continue;
    }
    const MonomialId id = inner->monomial;
    const PolynomialId beside = t.subtract(part, t.monomial(id));
    for (PolynomialId each : std::vector<PolynomialId>(t[t[id].factors[0].atom].parts)) {
      parts.push_back(t.add(beside, each));
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (const auto powers = maximum_of_powers(t, all)) return *powers;
  // Of parts that differ by a constant, only the largest is kept.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size();) {
      const PolynomialId difference = t.subtract(all[i], all[j]);
      const auto apart = t.as_constant(difference);
      const bool above = apart ? *apart >= 0 : t.assumptions.follows(difference, false);
      const bool below = apart ? *apart < 0 : !above && t.assumptions.follows(t.negate(difference), false);
      if (!above && !below) {
        ++j;
        continue;
      }
      if (below) all[i] = all[j];
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  if (t.failed()) return t.zero();
  if (all.size() == 1) return all[0];
  std::sort(all.begin(), all.end());
  if (all.size() == 2) return t.add(all[1], positive_part(t, t.subtract(all[0], all[1])));
  // One part is subtracted from all: the one that leaves the least set, compared first without the names of variables.
  using Parts = std::vector<std::pair<std::size_t, PolynomialId>>;
  Parts least;
  PolynomialId taken;
  for (PolynomialId each : all) {
    Parts rest;
    for (PolynomialId other : all) {
      const PolynomialId apart = t.subtract(other, each);
      rest.emplace_back(t.shape(apart), apart);
    }
    std::sort(rest.begin(), rest.end());
    if (!least.empty() && least <= rest) continue;
    least = std::move(rest);
    taken = each;
  }
  std::vector<PolynomialId> best;
  for (const auto& [shape, part] : least) best.push_back(part);
  std::sort(best.begin(), best.end());
  return t.add(taken, t.atom({.kind = AtomKind::maximum, .parts = std::move(best)}));
}

}  // namespace reckon::ir::normal
