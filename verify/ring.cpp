#include "verify/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace reckon::verify {

using proof::Term;
using proof::TermKind;
using proof::TermRef;

namespace {

constexpr std::size_t most_terms = 4000;  ///< of a polynomial
constexpr int most_clearings = 12;
constexpr int largest_power = 16;  ///< of a sum that is multiplied out

bool is_one(const Monomial& monomial) { return monomial.factors.empty() && monomial.exponential.empty(); }

std::optional<mpq_class> value_of(const Polynomial& p) {
  if (p.empty()) return 0;
  if (p.size() > 1 || !is_one(p.begin()->first)) return {};
  return p.begin()->second;
}

bool is_constant(const Linear& linear) { return linear.empty() || (linear.size() == 1 && linear.contains("")); }

mpq_class constant_of(const Linear& linear) {
  const auto found = linear.find("");
  return found == linear.end() ? mpq_class(0) : found->second;
}

void add_to(Linear& into, const Linear& other) {
  for (const auto& [name, coefficient] : other) {
    mpq_class& sum = into[name];
    sum += coefficient;
    if (sum == 0) into.erase(name);
  }
}

std::string text_of(const Linear& linear) {
  std::string out;
  for (const auto& [name, coefficient] : linear)
    out += fmt::format("{}{}{}", out.empty() ? "" : "+", coefficient.get_str(), name);
  return out;
}

std::string text_of(const Monomial& monomial) {
  std::string out;
  for (const auto& [atom, exponent] : monomial.factors) out += fmt::format("*{}^({})", atom, text_of(exponent));
  if (!monomial.exponential.empty()) out += fmt::format("*e^({})", monomial.exponential);
  return out;
}

}  // namespace

bool operator<(const Monomial& a, const Monomial& b) {
  return std::tie(a.exponential, a.factors) < std::tie(b.exponential, b.factors);
}

Ring::Ring(const proof::Proof& proof) {
  for (const proof::Variable& each : proof.variables) declared_[each.name] = each;
  for (const TermRef& each : proof.nonzero) accept_divisor(each);
}

Polynomial Ring::refuse(const std::string& why) {
  if (!refusal_) refusal_ = why;
  return {};
}

Polynomial Ring::constant(const mpq_class& value) {
  if (value == 0) return {};
  return {{Monomial{}, value}};
}

Polynomial Ring::variable(const std::string& name) {
  return atom({.kind = AtomKind::variable, .name = name, .parts = {}, .free = {name}});
}

Polynomial Ring::add(const Polynomial& a, const Polynomial& b, const mpq_class& factor) {
  Polynomial out = a;
  for (const auto& [monomial, coefficient] : b) {
    mpq_class& sum = out[monomial];
    sum += coefficient * factor;
    if (sum == 0) out.erase(monomial);
  }
  return out;
}

std::optional<Monomial> Ring::multiply(const Monomial& a, const Monomial& b) {
  Monomial out = a;
  for (const auto& [name, exponent] : b.factors) {
    const auto [found, is_new] = out.factors.try_emplace(name, exponent);
    if (is_new) continue;
    // x^a x^b is x^(a + b) for all x only if neither exponent is below 0; x^-1 is a divisor, which is not 0.
    for (const Linear& each : {found->second, exponent}) {
      if (is_constant(each) || nonnegative(from(each))) continue;
      refuse(fmt::format("the exponent {} may be below 0", text_of(each)));
      return {};
    }
    add_to(found->second, exponent);
    if (found->second.empty()) out.factors.erase(found);
  }
  if (out.exponential.empty()) {
    out.exponential = b.exponential;
  } else if (!b.exponential.empty()) {
    const Polynomial sum = add(exponents_.at(out.exponential), exponents_.at(b.exponential));
    out.exponential = text(sum);
    exponents_[out.exponential] = sum;
  }
  return out;
}

Polynomial Ring::multiply(const Polynomial& a, const Polynomial& b) {
  if (a.size() * b.size() > most_terms) return refuse("a polynomial has too many terms");
  Polynomial out;
  for (const auto& [left, first] : a) {
    for (const auto& [right, second] : b) {
      const auto monomial = multiply(left, right);
      if (!monomial) return {};
      mpq_class& sum = out[*monomial];
      sum += first * second;
      if (sum == 0) out.erase(*monomial);
    }
  }
  return out;
}

std::string Ring::text(const Polynomial& p) const {
  std::string out;
  for (const auto& [monomial, coefficient] : p)
    out += fmt::format("{}{}{}", out.empty() ? "" : "+", coefficient.get_str(), text_of(monomial));
  return out;
}

Polynomial Ring::atom(Atom atom, const Linear& exponent) {
  std::string key =
      atom.kind == AtomKind::variable ? atom.name : fmt::format("{}:{}{{", static_cast<int>(atom.kind), atom.name);
  for (const Polynomial& part : atom.parts) {
    key += text(part) + ";";
    for (const auto& [monomial, coefficient] : part) atom.height = std::max(atom.height, height(monomial));
    collect_names(part, atom.free);
  }
  if (atom.kind != AtomKind::variable) key += "}";
  if (atom.kind == AtomKind::sum || atom.kind == AtomKind::product || atom.kind == AtomKind::largest) {
    atom.free.erase(atom.name);
    ++atom.height;
  }
  atoms_.try_emplace(key, atom);
  return {{Monomial{{{key, exponent}}, {}}, 1}};
}

int Ring::height(const Monomial& monomial) const {
  int out = 0;
  for (const auto& [name, exponent] : monomial.factors) out = std::max(out, atoms_.at(name).height);
  if (!monomial.exponential.empty()) {
    for (const auto& [inner, coefficient] : exponents_.at(monomial.exponential)) out = std::max(out, height(inner));
  }
  return out;
}

void Ring::collect_names(const Polynomial& p, std::set<std::string>& out) const {
  for (const auto& [monomial, coefficient] : p) {
    for (const auto& [name, exponent] : monomial.factors) {
      const std::set<std::string>& inner = atoms_.at(name).free;
      out.insert(inner.begin(), inner.end());
      for (const auto& [each, factor] : exponent) {
        if (!each.empty()) out.insert(each);
      }
    }
    if (!monomial.exponential.empty()) collect_names(exponents_.at(monomial.exponential), out);
  }
}

bool Ring::mentions(const Polynomial& p, const std::string& name) const {
  std::set<std::string> names;
  collect_names(p, names);
  return names.contains(name);
}

bool Ring::mentions(const Monomial& monomial, const std::string& name) const {
  return mentions(Polynomial{{monomial, 1}}, name);
}

std::optional<Linear> Ring::linear(const Polynomial& p) const {
  Linear out;
  for (const auto& [monomial, coefficient] : p) {
    if (is_one(monomial)) {
      out[""] = coefficient;
      continue;
    }
    const bool plain = monomial.exponential.empty() && monomial.factors.size() == 1 &&
                       atoms_.at(monomial.factors.begin()->first).kind == AtomKind::variable &&
                       monomial.factors.begin()->second == Linear{{"", 1}};
    if (!plain) return {};
    out[monomial.factors.begin()->first] = coefficient;
  }
  return out;
}

Polynomial Ring::from(const Linear& linear) {
  Polynomial out;
  for (const auto& [name, coefficient] : linear)
    out = add(out, name.empty() ? constant(1) : variable(name), coefficient);
  return out;
}

Polynomial Ring::of(const TermRef& term, const Names& names) {
  if (refusal_) return {};
  std::vector<Polynomial> parts;
  if (!is_binder(term->kind)) {
    for (const TermRef& each : term->parts) parts.push_back(of(each, names));
  }
  if (refusal_) return {};
  switch (term->kind) {
    case TermKind::number: return constant(term->value);
    case TermKind::variable: {
      const auto found = names.find(term->name);
      return variable(found == names.end() ? term->name : found->second);
    }
    case TermKind::element: return atom({.kind = AtomKind::element, .name = term->name, .parts = std::move(parts)});
    case TermKind::state:
      return atom(
          {.kind = AtomKind::state, .name = fmt::format("{}.{}", term->name, term->part), .parts = std::move(parts)});
    case TermKind::call: return call(term->name, std::move(parts));
    case TermKind::add: {
      Polynomial out;
      for (const Polynomial& each : parts) out = add(out, each);
      return out;
    }
    case TermKind::multiply: {
      Polynomial out = constant(1);
      for (const Polynomial& each : parts) out = multiply(out, each);
      return out;
    }
    case TermKind::divide: {
      if (parts[1].empty()) return refuse("a divisor is 0");
      if (!is_accepted(parts[1])) return refuse(fmt::format("the divisor {} may be 0", proof::text(term->parts[1])));
      return multiply(parts[0], inverse(parts[1]));
    }
    case TermKind::power: return power(parts[0], parts[1]);
    default: return of_binder(*term, names);
  }
}

Polynomial Ring::of_binder(const Term& term, const Names& names) {
  const Polynomial count = of(term.parts[0], names);
  if (refusal_) return {};
  if (!is_integer(count)) return refuse(fmt::format("{} is no number of values", proof::text(term.parts[0])));
  const bool some = term.kind == TermKind::largest;
  if (!nonnegative(some ? add(count, constant(-1)) : count)) {
    return refuse(fmt::format("the number of values {} may be {}", proof::text(term.parts[0]), some ? "0" : "below 0"));
  }
  const std::string index = fmt::format("${}", opened_++);
  Names inside = names;
  inside[term.name] = index;
  counts_[index] = count;
  const Polynomial body = of(term.parts[1], inside);
  counts_.erase(index);
  if (refusal_) return {};
  if (term.kind == TermKind::sum) return sum(index, count, body);
  return term.kind == TermKind::product ? product(index, count, body) : largest(index, count, body);
}

Polynomial Ring::exp(const Polynomial& p) {
  if (p.empty()) return constant(1);
  const std::string key = text(p);
  exponents_[key] = p;
  return {{Monomial{{}, key}, 1}};
}

Polynomial Ring::inverse(const Polynomial& p) {
  if (p.size() != 1) return atom({.kind = AtomKind::inverse, .parts = {p}});
  const auto& [monomial, coefficient] = *p.begin();
  Polynomial out = constant(1 / coefficient);
  for (const auto& [name, exponent] : monomial.factors) {
    if (!is_constant(exponent)) return atom({.kind = AtomKind::inverse, .parts = {p}});
    // 1 / (1 / p) is p.
    if (atoms_.at(name).kind == AtomKind::inverse) {
      for (mpq_class k = 0; k < constant_of(exponent); ++k) out = multiply(out, Polynomial(atoms_.at(name).parts[0]));
    } else {
      out = multiply(out, {{Monomial{{{name, Linear{{"", -constant_of(exponent)}}}}, {}}, 1}});
    }
  }
  if (!monomial.exponential.empty()) out = multiply(out, exp(add({}, exponents_.at(monomial.exponential), -1)));
  return out;
}

Polynomial Ring::power(const Polynomial& base, const Polynomial& exponent) {
  const auto form = linear(exponent);
  if (!form || !is_integer(exponent)) return refuse("an exponent is no linear expression in sizes");
  if (!nonnegative(exponent)) return refuse(fmt::format("the exponent {} may be below 0", text(exponent)));
  if (form->empty() || value_of(base) == mpq_class(1)) return constant(1);
  if (is_constant(*form)) {
    if (constant_of(*form) > largest_power) return refuse("an exponent is too large");
    Polynomial out = constant(1);
    for (mpq_class k = 0; k < constant_of(*form); ++k) out = multiply(out, base);
    return out;
  }
  if (base.empty()) return refuse("a power of 0");
  if (base.size() == 1 && base.begin()->second == 1 && base.begin()->first.exponential.empty()) {
    Polynomial out = constant(1);
    for (const auto& [name, of_factor] : base.begin()->first.factors) {
      if (of_factor != Linear{{"", 1}}) return refuse("a power of a power");
      out = multiply(out, {{Monomial{{{name, *form}}, {}}, 1}});
    }
    return out;
  }
  // p^(c + k) is p^k p^c, with the largest c for which k cannot be below 0.
  Linear rest = *form;
  const Polynomial low = at_least(exponent);
  const auto known = low.find(Monomial{});
  const mpq_class whole = std::min(known == low.end() ? mpq_class(0) : known->second, mpq_class(largest_power));
  Polynomial out = constant(1);
  Linear smaller = rest;
  add_to(smaller, {{"", -whole}});
  if (whole > 0 && nonnegative(from(smaller))) {
    rest = smaller;
    for (mpq_class k = 0; k < whole; ++k) out = multiply(out, base);
  }
  return multiply(out, atom({.kind = AtomKind::base, .parts = {base}}, rest));
}

Polynomial Ring::call(const std::string& name, std::vector<Polynomial> parts) {
  if (parts.empty() && (name == "exp" || name == "abs" || name == "max" || name == "min"))
    return refuse(name + " of nothing");
  if (name == "exp") return exp(parts.at(0));
  if (name == "abs") return absolute(parts.at(0));
  if (name == "max") return largest_of(std::move(parts));
  if (name == "min") {
    for (Polynomial& each : parts) each = add({}, each, -1);
    return add({}, largest_of(std::move(parts)), -1);
  }
  return atom({.kind = AtomKind::call, .name = name, .parts = std::move(parts)});
}

Polynomial Ring::largest_of(std::vector<Polynomial> parts) {
  // max(max(a, b), c) is max(a, b, c), in any order.
  std::map<std::string, Polynomial> sorted;
  for (const Polynomial& each : parts) {
    const bool alone = each.size() == 1 && each.begin()->second == 1 && each.begin()->first.exponential.empty() &&
                       each.begin()->first.factors.size() == 1 &&
                       each.begin()->first.factors.begin()->second == Linear{{"", 1}};
    const Atom* inner = alone ? &atoms_.at(each.begin()->first.factors.begin()->first) : nullptr;
    const bool nested = inner != nullptr && inner->kind == AtomKind::call && inner->name == "max";
    for (const Polynomial& part : nested ? inner->parts : std::vector{each}) sorted.emplace(text(part), part);
  }
  if (sorted.size() == 1) return sorted.begin()->second;
  parts.clear();
  for (const auto& [key, each] : sorted) parts.push_back(each);
  return atom({.kind = AtomKind::call, .name = "max", .parts = std::move(parts)});
}

Polynomial Ring::absolute(const Polynomial& p) {
  if (nonnegative(p)) return p;
  if (p.size() > 1) {
    const Polynomial canonical = p.begin()->second < 0 ? add({}, p, -1) : p;
    return atom({.kind = AtomKind::call, .name = "abs", .parts = {canonical}});
  }
  const auto& [monomial, coefficient] = *p.begin();
  Polynomial out = {{Monomial{{}, monomial.exponential}, coefficient < 0 ? mpq_class(-coefficient) : coefficient}};
  for (const auto& [name, exponent] : monomial.factors) {
    const Polynomial factor = {{Monomial{{{name, Linear{{"", 1}}}}, {}}, 1}};
    const Polynomial size =
        sign(name) != Sign::unknown ? factor : atom({.kind = AtomKind::call, .name = "abs", .parts = {factor}});
    out = multiply(out, {{Monomial{{{size.begin()->first.factors.begin()->first, exponent}}, {}}, 1}});
  }
  return out;
}

std::pair<Monomial, Monomial> Ring::split(const Monomial& monomial, const std::string& name) {
  Monomial outside, inside;
  for (const auto& factor : monomial.factors) {
    (mentions(Monomial{{factor}, {}}, name) ? inside : outside).factors.insert(factor);
  }
  if (!monomial.exponential.empty()) {
    Polynomial fixed, moving;
    for (const auto& each : exponents_.at(monomial.exponential))
      (mentions(each.first, name) ? moving : fixed).insert(each);
    for (auto [part, into] : {std::pair(fixed, &outside), std::pair(moving, &inside)}) {
      if (part.empty()) continue;
      into->exponential = text(part);
      exponents_[into->exponential] = part;
    }
  }
  return {outside, inside};
}

Polynomial Ring::binder(AtomKind kind, const std::string& index, const Polynomial& count, const Polynomial& body) {
  int inner = 0;
  for (const auto& [monomial, coefficient] : body) inner = std::max(inner, height(monomial));
  const std::string name = fmt::format("%{}", inner + 1);
  return atom({.kind = kind, .name = name, .parts = {count, rename(body, index, name)}});
}

Polynomial Ring::sum(const std::string& index, const Polynomial& count, const Polynomial& body) {
  Polynomial out;
  if (count.empty()) return out;
  for (const auto& [whole, coefficient] : body) {
    const auto [smallest, monomial] = smallest_power(whole, index, count);
    const auto [outside, inside] = split(monomial, index);
    const Polynomial total = is_one(inside) ? count : binder(AtomKind::sum, index, count, {{inside, 1}});
    out = add(out, multiply(multiply({{smallest, 1}}, {{outside, coefficient}}), total));
  }
  return out;
}

/// What every value has as a factor of a power that depends on the index, and the rest: x^(n - i) for i < n is x x^(n -
/// 1 - i).
std::pair<Monomial, Monomial> Ring::smallest_power(const Monomial& monomial, const std::string& index,
                                                   const Polynomial& count) {
  std::pair<Monomial, Monomial> out{{}, monomial};
  const auto values = linear(count);
  for (const auto& [name, exponent] : monomial.factors) {
    const auto slope = exponent.find(index);
    if (slope == exponent.end() || !values || atoms_.at(name).free.contains(index)) continue;
    Linear least = exponent;
    least.erase(index);
    if (slope->second < 0) {
      for (const auto& [each, factor] : *values) add_to(least, {{each, factor * slope->second}});
      add_to(least, {{"", -slope->second}});
    }
    if (least.empty() || !nonnegative(from(least))) continue;
    out.first.factors[name] = least;
    for (const auto& [each, factor] : least) add_to(out.second.factors[name], {{each, -factor}});
  }
  return out;
}

Polynomial Ring::product(const std::string& index, const Polynomial& count, const Polynomial& body) {
  if (count.empty()) return constant(1);
  if (!mentions(body, index)) return power(body, count);
  if (body.size() != 1) return binder(AtomKind::product, index, count, body);
  const auto& [monomial, coefficient] = *body.begin();
  Polynomial out = coefficient == 1 ? constant(1) : power(constant(coefficient), count);
  if (!monomial.exponential.empty()) out = multiply(out, exp(sum(index, count, exponents_.at(monomial.exponential))));
  for (const auto& factor : monomial.factors) {
    const Polynomial each = {{Monomial{{factor}, {}}, 1}};
    out = multiply(out, mentions(each, index) ? binder(AtomKind::product, index, count, each) : power(each, count));
  }
  return out;
}

Polynomial Ring::largest(const std::string& index, const Polynomial& count, const Polynomial& body) {
  Polynomial outside, inside;
  for (const auto& each : body) (mentions(each.first, index) ? inside : outside).insert(each);
  return inside.empty() ? outside : add(outside, binder(AtomKind::largest, index, count, inside));
}

Polynomial Ring::rename(const Polynomial& p, const std::string& from, const std::string& to) {
  if (!mentions(p, from)) return p;
  Polynomial out;
  for (const auto& [monomial, coefficient] : p) {
    Monomial renamed;
    for (const auto& [name, exponent] : monomial.factors) {
      Linear new_exponent;
      for (const auto& [each, factor] : exponent) new_exponent[each == from ? to : each] = factor;
      Atom inner = atoms_.at(name);
      for (Polynomial& part : inner.parts) part = rename(part, from, to);
      if (inner.kind == AtomKind::variable && inner.name == from) inner.name = to;
      inner.free.clear();
      if (inner.kind == AtomKind::variable) inner.free.insert(inner.name);
      inner.height = 0;
      renamed.factors[atom(inner).begin()->first.factors.begin()->first] = new_exponent;
    }
    if (!monomial.exponential.empty()) {
      const Polynomial exponent = rename(Polynomial(exponents_.at(monomial.exponential)), from, to);
      renamed.exponential = text(exponent);
      exponents_[renamed.exponential] = exponent;
    }
    out[renamed] += coefficient;
  }
  return out;
}

/// The value for a name that occurs as a factor alone.
Polynomial Ring::put_in(const Polynomial& p, const std::string& name, const Polynomial& value) {
  Polynomial out;
  for (const auto& [monomial, coefficient] : p) {
    Monomial rest = monomial;
    Polynomial factor = constant(coefficient);
    if (const auto found = rest.factors.find(name); found != rest.factors.end()) {
      if (!is_constant(found->second) || constant_of(found->second) < 0) return refuse("a size in a divisor");
      for (mpq_class k = 0; k < constant_of(found->second); ++k) factor = multiply(factor, value);
      rest.factors.erase(found);
    }
    out = add(out, multiply(factor, {{rest, 1}}));
  }
  return out;
}

bool Ring::is_zero(Polynomial p) {
  for (int round = 0; !p.empty() && round < most_clearings && !refusal_; ++round) {
    // A divisor of several terms is no unit of the ring: both sides are multiplied by it as often as needed.
    std::string divisor;
    mpq_class most = 0;
    for (const auto& [monomial, coefficient] : p) {
      for (const auto& [name, exponent] : monomial.factors) {
        if (atoms_.at(name).kind != AtomKind::inverse || !is_constant(exponent)) continue;
        if (divisor.empty()) divisor = name;
        if (name == divisor) most = std::max(most, constant_of(exponent));
      }
    }
    if (divisor.empty()) return false;
    const Polynomial by = atoms_.at(divisor).parts[0];
    Polynomial cleared;
    for (const auto& [monomial, coefficient] : p) {
      Monomial rest = monomial;
      mpq_class missing = most;
      if (const auto found = rest.factors.find(divisor); found != rest.factors.end()) {
        missing -= constant_of(found->second);
        rest.factors.erase(found);
      }
      Polynomial each = {{rest, coefficient}};
      for (mpq_class k = 0; k < missing; ++k) each = multiply(each, by);
      for (const auto& [product, factor] : each) {
        mpq_class& sum = cleared[product];
        sum += factor;
        if (sum == 0) cleared.erase(product);
      }
      if (cleared.size() <= most_terms) continue;
      refuse("a polynomial has too many terms");
      return false;
    }
    p = cleared;
  }
  return p.empty() && !refusal_;
}

bool Ring::equal(const TermRef& a, const TermRef& b) {
  const Polynomial difference = add(of(a), of(b), -1);
  return !refusal_ && is_zero(difference);
}

}  // namespace reckon::verify
