// What is known of signs, and of divisors.
#include <algorithm>

#include "verify/ring.h"

namespace reckon::verify {
namespace {

constexpr int most_ranges = 16;

bool is_natural_constant(const Linear& linear) {
  return linear.size() == 1 && linear.contains("") && linear.at("").get_den() == 1;
}

bool is_bound_name(const std::string& name) { return name.starts_with('%') || name.starts_with('$'); }

}  // namespace

bool Ring::is_integer(const Polynomial& p) const {
  return std::ranges::all_of(p, [&](const auto& term) {
    const auto& [monomial, coefficient] = term;
    return coefficient.get_den() == 1 && monomial.exponential.empty() &&
           std::ranges::all_of(monomial.factors, [&](const auto& factor) {
             const auto& [name, exponent] = factor;
             const auto found = declared_.find(name);
             const bool whole = is_bound_name(name) || (found != declared_.end() && found->second.is_integer);
             return whole && is_natural_constant(exponent) && exponent.at("") > 0;
           });
  });
}

Polynomial Ring::at_least(Polynomial p) {
  // An index that occurs linearly is at one end of its range, whichever makes the polynomial small.
  for (int round = 0; round < most_ranges; ++round) {
    bool changed = false;
    std::set<std::string> names;
    collect_names(p, names);
    for (const std::string& name : names) {
      std::optional<Polynomial> count;
      mpz_class least = 0;
      if (const auto open = counts_.find(name); open != counts_.end()) count = open->second;
      else if (const auto found = declared_.find(name); found != declared_.end() && found->second.below) {
        count = of(found->second.below);
        least = found->second.least;
      }
      if (!count) continue;
      mpq_class slope = 0;
      bool is_linear = true;
      for (const auto& [monomial, coefficient] : p) {
        if (!mentions(monomial, name)) continue;
        const bool alone = monomial.exponential.empty() && monomial.factors.size() == 1 &&
                           monomial.factors.begin()->first == name &&
                           monomial.factors.begin()->second == Linear{{"", 1}};
        is_linear = is_linear && alone;
        if (alone) slope = coefficient;
      }
      if (!is_linear) continue;
      p = put_in(p, name, slope < 0 ? add(*count, constant(-1)) : constant(mpq_class(least)));
      changed = true;
      break;
    }
    if (!changed) break;
  }
  for (const auto& [name, each] : declared_) {
    if (!each.is_integer || each.least == 0 || each.below) continue;
    bool plain = true;
    for (const auto& [monomial, coefficient] : p) {
      const auto found = monomial.factors.find(name);
      plain = plain &&
              (found == monomial.factors.end() || (is_natural_constant(found->second) && found->second.at("") > 0));
    }
    if (plain && mentions(p, name)) p = put_in(p, name, add(variable(name), constant(mpq_class(each.least))));
  }
  return p;
}

Ring::Sign Ring::sign(const std::string& name) {
  const Atom atom = atoms_.at(name);
  switch (atom.kind) {
    case AtomKind::variable: {
      const auto found = declared_.find(name);
      const bool known =
          is_bound_name(name) || (found != declared_.end() &&
                                  (found->second.is_integer ? found->second.least >= 0 : found->second.is_natural));
      return known ? Sign::nonnegative : Sign::unknown;
    }
    case AtomKind::call:
      if (atom.name == "ln2" || atom.name == "pi") return Sign::positive;
      return atom.name == "abs" || atom.name == "sqrt" ? Sign::nonnegative : Sign::unknown;
    case AtomKind::sum:
      if (positive(atom.parts[1]) && positive(atom.parts[0])) return Sign::positive;
      return nonnegative(atom.parts[1]) ? Sign::nonnegative : Sign::unknown;
    case AtomKind::product:
    case AtomKind::largest:
    case AtomKind::base: {
      const Polynomial& body = atom.parts.back();
      return positive(body) ? Sign::positive : nonnegative(body) ? Sign::nonnegative : Sign::unknown;
    }
    case AtomKind::inverse: return positive(atom.parts[0]) ? Sign::positive : Sign::unknown;
    default: return Sign::unknown;
  }
}

Ring::Sign Ring::sign(const Monomial& monomial, const mpq_class& coefficient) {
  if (coefficient < 0) return Sign::unknown;
  Sign out = Sign::positive;
  for (const auto& [name, exponent] : monomial.factors) {
    Sign each = sign(name);
    const bool even = is_natural_constant(exponent) && mpz_even_p(exponent.at("").get_num_mpz_t());
    if (each == Sign::unknown && even) each = Sign::nonnegative;
    if (each == Sign::unknown) return each;
    out = std::min(out, each);
  }
  return out;
}

bool Ring::nonnegative(const Polynomial& p) {
  return std::ranges::all_of(at_least(p),
                             [&](const auto& term) { return sign(term.first, term.second) != Sign::unknown; });
}

bool Ring::positive(const Polynomial& p) {
  const Polynomial low = at_least(p);
  bool above = false;
  for (const auto& [monomial, coefficient] : low) {
    const Sign each = sign(monomial, coefficient);
    if (each == Sign::unknown) return false;
    above = above || each == Sign::positive;
  }
  return above;
}

std::string Ring::divisor_key(const Polynomial& divisor) const {
  Polynomial scaled;
  for (const auto& [monomial, coefficient] : divisor) scaled[monomial] = coefficient / divisor.begin()->second;
  return text(scaled);
}

void Ring::accept_divisor(const proof::TermRef& divisor) {
  const Polynomial p = of(divisor);
  if (!p.empty()) divisors_.insert(divisor_key(p));
}

bool Ring::is_accepted(const Polynomial& divisor) {
  if (positive(divisor) || positive(add({}, divisor, -1)) || divisors_.contains(divisor_key(divisor))) return true;
  if (divisor.size() != 1) return false;
  // A product is not 0 if none of its factors is.
  return std::ranges::all_of(divisor.begin()->first.factors, [&](const auto& factor) {
    return sign(factor.first) == Sign::positive ||
           divisors_.contains(divisor_key({{Monomial{{{factor.first, Linear{{"", 1}}}}, {}}, 1}}));
  });
}

}  // namespace reckon::verify
