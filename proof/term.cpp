#include "proof/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reckon::proof {
namespace {

TermRef made(Term term) { return std::make_shared<const Term>(std::move(term)); }

enum Binding { in_sum, in_product, in_power };

std::string joined(const std::vector<TermRef>& parts, std::size_t from, std::size_t to) {
  std::string out;
  for (std::size_t k = from; k < to; ++k) out += (k > from ? ", " : "") + text(parts[k]);
  return out;
}

std::string within(const TermRef& term, Binding outer) {
  const auto open = [&](bool parenthesised, const std::string& inner) {
    return parenthesised ? "(" + inner + ")" : inner;
  };
  switch (term->kind) {
    case TermKind::number:
      return open(outer > in_sum && (term->value < 0 || term->value.get_den() != 1), term->value.get_str());
    case TermKind::variable: return term->name;
    case TermKind::element:
      return term->name + (term->parts.empty() ? "" : "[" + joined(term->parts, 0, term->parts.size()) + "]");
    case TermKind::call:
      if (term->parts.empty()) return term->name;
      return term->name + "(" + joined(term->parts, 0, term->parts.size()) + ")";
    case TermKind::state:
      return fmt::format("{}.{}({})", term->name, term->part, joined(term->parts, 0, term->parts.size()));
    case TermKind::add: {
      std::string out;
      for (const TermRef& each : term->parts) {
        // What has a negative factor is subtracted.
        const bool product = each->kind == TermKind::multiply && each->parts[0]->kind == TermKind::number;
        const mpq_class factor = each->kind == TermKind::number ? each->value
                                 : product                      ? each->parts[0]->value
                                                                : mpq_class(1);
        if (factor < 0 && !out.empty()) out += " - " + within(negate(each), in_product);
        else out += (out.empty() ? "" : " + ") + within(each, in_sum);
      }
      return open(outer > in_sum, out);
    }
    case TermKind::multiply: {
      if (term->parts[0]->kind == TermKind::number && term->parts[0]->value == -1) {
        return open(outer > in_sum, "-" + within(negate(term), in_product));
      }
      std::string out;
      for (const TermRef& each : term->parts) out += (out.empty() ? "" : " * ") + within(each, in_product);
      return open(outer > in_product, out);
    }
    case TermKind::divide:
      return open(outer > in_sum, within(term->parts[0], in_product) + " / " + within(term->parts[1], in_power));
    case TermKind::power: return within(term->parts[0], in_power) + "^" + within(term->parts[1], in_power);
    default: break;
  }
  const char* name = term->kind == TermKind::sum ? "sum" : term->kind == TermKind::product ? "product" : "largest";
  return fmt::format("{}({} < {}: {})", name, term->name, text(term->parts[0]), text(term->parts[1]));
}

void collect(const TermRef& term, std::set<std::string>& bound, std::set<std::string>& out) {
  if (term->kind == TermKind::variable && !bound.contains(term->name)) out.insert(term->name);
  if (!is_binder(term->kind)) {
    for (const TermRef& each : term->parts) collect(each, bound, out);
    return;
  }
  collect(term->parts[0], bound, out);
  const bool first = bound.insert(term->name).second;
  collect(term->parts[1], bound, out);
  if (first) bound.erase(term->name);
}

}  // namespace

TermRef number(const mpq_class& value) { return made({.kind = TermKind::number, .value = value}); }
TermRef variable(const std::string& name) { return made({.kind = TermKind::variable, .name = name}); }
TermRef element(const std::string& tensor, std::vector<TermRef> subscripts) {
  return made({.kind = TermKind::element, .name = tensor, .parts = std::move(subscripts)});
}
TermRef call(const std::string& function, std::vector<TermRef> operands) {
  return made({.kind = TermKind::call, .name = function, .parts = std::move(operands)});
}
TermRef state(const std::string& recurrence, std::size_t part, std::vector<TermRef> arguments_and_count) {
  return made({.kind = TermKind::state, .name = recurrence, .part = part, .parts = std::move(arguments_and_count)});
}

namespace {

/// The parts with those of parts of the same kind in their places, and the numbers among them as one.
std::vector<TermRef> flattened(TermKind kind, const std::vector<TermRef>& parts, mpq_class& number) {
  std::vector<TermRef> out;
  for (const TermRef& each : parts) {
    if (each->kind == kind) {
      for (const TermRef& inner : flattened(kind, each->parts, number)) out.push_back(inner);
    } else if (each->kind != TermKind::number) {
      out.push_back(each);
    } else if (kind == TermKind::add) {
      number += each->value;
    } else {
      number *= each->value;
    }
  }
  return out;
}

bool is_number(const TermRef& term, int value) { return term->kind == TermKind::number && term->value == value; }

}  // namespace

TermRef add(std::vector<TermRef> parts) {
  mpq_class constant = 0;
  std::vector<TermRef> out = flattened(TermKind::add, parts, constant);
  if (constant != 0 || out.empty()) out.push_back(number(constant));
  return out.size() == 1 ? out[0] : made({.kind = TermKind::add, .parts = std::move(out)});
}

TermRef multiply(std::vector<TermRef> parts) {
  mpq_class constant = 1;
  std::vector<TermRef> out = flattened(TermKind::multiply, parts, constant);
  // 0 times what is infinite is no number.
  if (constant == 0 && std::ranges::none_of(out, has_infinity)) return number(0);
  if (constant != 1 && out.size() == 1 && out[0]->kind == TermKind::add) {
    std::vector<TermRef> scaled;
    for (const TermRef& each : out[0]->parts) scaled.push_back(multiply({number(constant), each}));
    return add(std::move(scaled));
  }
  if (constant != 1 || out.empty()) out.insert(out.begin(), number(constant));
  return out.size() == 1 ? out[0] : made({.kind = TermKind::multiply, .parts = std::move(out)});
}

TermRef divide(TermRef a, TermRef b) {
  if (is_number(b, 1)) return a;
  return made({.kind = TermKind::divide, .parts = {std::move(a), std::move(b)}});
}

TermRef power(TermRef base, TermRef exponent) {
  if (is_number(exponent, 1)) return base;
  return made({.kind = TermKind::power, .parts = {std::move(base), std::move(exponent)}});
}
TermRef negate(TermRef a) { return multiply({number(-1), std::move(a)}); }
TermRef subtract(TermRef a, TermRef b) { return add({std::move(a), negate(std::move(b))}); }
TermRef over_range(TermKind kind, const std::string& index, TermRef count, TermRef body) {
  return made({.kind = kind, .name = index, .parts = {std::move(count), std::move(body)}});
}

bool has_infinity(const TermRef& term) {
  if (term->kind == TermKind::call && term->name == minus_infinity) return true;
  return std::ranges::any_of(term->parts, has_infinity);
}

std::set<std::string> free_variables(const TermRef& term) {
  std::set<std::string> bound, out;
  collect(term, bound, out);
  return out;
}

TermRef substitute(const TermRef& term, const Replacement& by) {
  if (by.empty()) return term;
  if (term->kind == TermKind::variable) {
    const auto found = by.find(term->name);
    return found == by.end() ? term : found->second;
  }
  if (term->parts.empty()) return term;
  Term out = *term;
  if (!is_binder(term->kind)) {
    for (TermRef& each : out.parts) each = substitute(each, by);
    return with_parts(term, std::move(out.parts));
  }
  out.parts[0] = substitute(out.parts[0], by);
  Replacement inside = by;
  inside.erase(out.name);
  std::set<std::string> taken = free_variables(out.parts[1]);
  bool captured = false;
  for (const auto& [name, put_in] : inside) {
    for (const std::string& each : free_variables(put_in)) {
      captured = captured || each == out.name;
      taken.insert(each);
    }
  }
  if (captured) {
    std::string fresh = out.name + "'";
    while (taken.contains(fresh)) fresh += "'";
    inside[out.name] = variable(fresh);
    out.name = fresh;
  }
  out.parts[1] = substitute(out.parts[1], inside);
  return made(std::move(out));
}

TermRef with_parts(const TermRef& term, std::vector<TermRef> parts) {
  switch (term->kind) {
    case TermKind::add: return add(std::move(parts));
    case TermKind::multiply: return multiply(std::move(parts));
    case TermKind::divide: return divide(parts[0], parts[1]);
    case TermKind::power: return power(parts[0], parts[1]);
    default: break;
  }
  Term out = *term;
  out.parts = std::move(parts);
  return made(std::move(out));
}

std::string text(const TermRef& term) { return within(term, in_sum); }

}  // namespace reckon::proof
