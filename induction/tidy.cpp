#include "induction/tidy.h"

#include <algorithm>

namespace reckon::ir::steps {

using proof::TermKind;
using proof::TermRef;

namespace {

bool is_exp(const TermRef& term) { return term->kind == TermKind::call && term->name == "exp"; }

TermRef tidy_sum(const TermRef& term) {
  std::vector<TermRef> parts = term->parts;
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      if (proof::text(parts[b]) != proof::text(proof::negate(parts[a]))) continue;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(b));
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(a));
      return tidy(proof::add(parts));
    }
  }
  return term;
}

TermRef tidy_product(const TermRef& term) {
  std::vector<TermRef> others, exponents;
  for (const TermRef& each : term->parts) {
    if (is_exp(each)) exponents.push_back(each->parts[0]);
    else others.push_back(each);
  }
  if (exponents.size() > 1) {
    others.push_back(proof::call("exp", {proof::add(exponents)}));
    return tidy(proof::multiply(others));
  }
  const auto sum = std::ranges::find(term->parts, TermKind::sum, [](const TermRef& each) { return each->kind; });
  if (sum == term->parts.end()) return term;
  std::vector<TermRef> factors;
  for (auto each = term->parts.begin(); each != term->parts.end(); ++each) {
    if (each == sum) continue;
    if (proof::free_variables(*each).contains((*sum)->name)) return term;
    factors.push_back(*each);
  }
  factors.push_back((*sum)->parts[1]);
  return tidy(proof::over_range(TermKind::sum, (*sum)->name, (*sum)->parts[0], proof::multiply(factors)));
}

}  // namespace

TermRef tidy(const TermRef& term) {
  if (term->parts.empty()) return term;
  std::vector<TermRef> parts;
  for (const TermRef& each : term->parts) parts.push_back(tidy(each));
  const TermRef out = proof::with_parts(term, std::move(parts));
  if (is_exp(out) && out->parts[0]->kind == TermKind::number && out->parts[0]->value == 0) return proof::number(1);
  if (out->kind == TermKind::add) return tidy_sum(out);
  return out->kind == TermKind::multiply ? tidy_product(out) : out;
}

}  // namespace reckon::ir::steps
