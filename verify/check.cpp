#include "verify/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "verify/checker.h"

namespace reckon::verify {

using proof::Formula;
using proof::Recurrence;
using proof::Relation;
using proof::Rule;
using proof::TermKind;
using proof::TermRef;

namespace {

constexpr std::size_t deepest_term = 400;

bool is_name(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '\''; });
}

std::size_t arity(TermKind kind) {
  return kind == TermKind::divide || kind == TermKind::power || proof::is_binder(kind) ? 2 : 0;
}

bool is_well_formed(const TermRef& term, std::size_t depth) {
  if (!term || depth > deepest_term) return false;
  const bool leaf = term->kind == TermKind::number || term->kind == TermKind::variable;
  const bool has_name = leaf ? term->kind == TermKind::variable
                             : term->kind == TermKind::element || term->kind == TermKind::call ||
                                   term->kind == TermKind::state || proof::is_binder(term->kind);
  if (has_name && !is_name(term->name)) return false;
  if (leaf && !term->parts.empty()) return false;
  if (const std::size_t parts = arity(term->kind); parts > 0 && term->parts.size() != parts) return false;
  return std::ranges::all_of(term->parts, [&](const TermRef& each) { return is_well_formed(each, depth + 1); });
}

bool is_well_formed(const proof::Step& step, std::size_t number) {
  return is_well_formed(step.conclusion.left, 0) && is_well_formed(step.conclusion.right, 0) &&
         std::ranges::all_of(step.terms, [](const TermRef& each) { return is_well_formed(each, 0); }) &&
         std::ranges::all_of(step.variables, is_name) &&
         std::ranges::all_of(step.premises, [&](std::size_t each) { return each < number; });
}

}  // namespace

Formula substitute(const Formula& formula, const proof::Replacement& by) {
  return {proof::substitute(formula.left, by), formula.relation, proof::substitute(formula.right, by)};
}

std::set<std::string> free_variables(const Formula& formula) {
  std::set<std::string> out = proof::free_variables(formula.left);
  out.merge(proof::free_variables(formula.right));
  return out;
}

std::string Checker::header() {
  std::set<std::string> names;
  for (const proof::Variable& each : proof_.variables) {
    if (!is_name(each.name) || !names.insert(each.name).second) return "a name is declared twice, or is none";
    if (each.least < 0 || (each.below && !is_well_formed(each.below, 0))) return "a range is none";
  }
  for (const Recurrence& each : proof_.recurrences) {
    const std::size_t parts = each.leaf.size();
    if (!is_name(each.name) || !names.insert(each.name).second) return "a name is declared twice, or is none";
    if (parts == 0 || each.joined.size() != parts || each.left.size() != parts || each.right.size() != parts) {
      return "a recurrence lacks parts";
    }
    std::set<std::string> own;
    for (const std::vector<std::string>& list : {each.left, each.right, std::vector{each.index}}) {
      for (const std::string& name : list) {
        // A name with a mark is the third operand's in the law of associativity.
        if (!is_name(name) || name.ends_with('\'') || !own.insert(name).second)
          return "a recurrence has one name for two things";
      }
    }
    for (std::size_t k = 0; k < parts; ++k) {
      if (!is_well_formed(each.leaf[k], 0) || !is_well_formed(each.joined[k], 0)) return "a recurrence has no meaning";
    }
  }
  for (const proof::Range& each : proof_.ranges) {
    const bool of_a_group = std::ranges::any_of(proof_.recurrences, [&](const Recurrence& of) {
      return std::ranges::find(of.left, each.input) != of.left.end() ||
             std::ranges::find(of.right, each.input) != of.right.end() || of.index == each.input ||
             each.input.ends_with('\'');
    });
    if (of_a_group || declared(each.input) != nullptr) return "a range is none of an input";
  }
  for (const TermRef& each : proof_.nonzero) {
    if (!is_well_formed(each, 0)) return "a divisor has no meaning";
  }
  return ring_.refusal().value_or("");
}

std::string Checker::step(std::size_t number) {
  const Step& step = proof_.steps[number];
  open_.emplace_back();
  if (!is_well_formed(step, number)) return "a term has no meaning, or a premise comes later";
  ring_.clear();
  for (const std::size_t each : step.premises) open_[number].insert(open_[each].begin(), open_[each].end());
  switch (step.rule) {
    case Rule::hypothesis: open_[number] = {number}; return step.premises.empty() ? "" : "a hypothesis has no premises";
    case Rule::combine: return combine(step);
    case Rule::peel: return peel(step);
    case Rule::empty: return empty(step);
    case Rule::first:
    case Rule::next: return state(step);
    case Rule::blocks: return blocks(step);
    case Rule::rewrite: return rewrite(step);
    case Rule::instance: return instance(step);
    case Rule::induction: return induction(step);
    case Rule::order_induction: return order_induction(step);
    case Rule::monotone: return monotone(step);
    case Rule::axiom: return axiom(step);
  }
  return "there is no such rule";
}

std::string Checker::refusal(const std::string& fallback) {
  const std::string out = ring_.refusal().value_or(fallback);
  return out.empty() ? "it does not follow" : out;
}

bool Checker::matches(const Formula& a, const Formula& b) {
  return a.relation == b.relation && ring_.equal(a.left, b.left) && ring_.equal(a.right, b.right);
}

std::string Checker::derived(const Step& step, const Formula& formula) {
  return matches(formula, step.conclusion) ? "" : refusal(fmt::format("the rule gives {}", proof::text(formula)));
}

bool Checker::nonnegative(const TermRef& term) {
  const Polynomial p = ring_.of(term);
  return !ring_.refusal() && ring_.nonnegative(p);
}

const Recurrence* Checker::recurrence(const std::string& name) const {
  const auto found = std::ranges::find(proof_.recurrences, name, &Recurrence::name);
  return found == proof_.recurrences.end() ? nullptr : &*found;
}

const proof::Variable* Checker::declared(const std::string& name) const {
  const auto found = std::ranges::find(proof_.variables, name, &proof::Variable::name);
  return found == proof_.variables.end() ? nullptr : &*found;
}

bool Checker::is_fixed(const std::string& name, const Formula& formula) const {
  for (const std::string& each : free_variables(formula)) {
    const proof::Variable* other = declared(each);
    if (each != name && other != nullptr && other->below && proof::free_variables(other->below).contains(name))
      return true;
  }
  for (const Recurrence& each : proof_.recurrences) {
    std::set<std::string> own(each.left.begin(), each.left.end());
    own.insert(each.right.begin(), each.right.end());
    own.insert(each.arguments.begin(), each.arguments.end());
    own.insert(each.index);
    if (own.contains(name)) continue;
    for (const std::vector<TermRef>& terms : {each.leaf, each.joined}) {
      for (const TermRef& term : terms) {
        if (proof::free_variables(term).contains(name)) return true;
      }
    }
  }
  return std::ranges::any_of(proof_.nonzero,
                             [&](const TermRef& each) { return proof::free_variables(each).contains(name); });
}

bool Checker::rests_on(const std::set<std::size_t>& hypotheses, const std::string& name) const {
  return std::ranges::any_of(hypotheses, [&](std::size_t each) {
    return free_variables(proof_.steps[each].conclusion).contains(name);
  });
}

std::optional<Refusal> check(const proof::Proof& proof) {
  Checker checker(proof);
  if (const std::string problem = checker.header(); !problem.empty()) return Refusal{0, problem};
  for (std::size_t k = 0; k < proof.steps.size(); ++k) {
    if (const std::string problem = checker.step(k); !problem.empty()) return Refusal{k, problem};
  }
  const std::size_t all = proof.steps.size();
  if (all == 0) return Refusal{0, "there are no steps"};
  if (!checker.open(all - 1).empty()) return Refusal{all, "a hypothesis is left"};
  if (!proof.statement.left || !proof.statement.right ||
      !checker.matches(proof.statement, proof.steps[all - 1].conclusion)) {
    return Refusal{all, "the last step is not the statement"};
  }
  return std::nullopt;
}

}  // namespace reckon::verify
