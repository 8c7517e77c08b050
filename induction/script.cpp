#include "induction/script.h"

namespace reckon::ir::steps {

namespace {
constexpr std::size_t most_steps = 1000;
}

Number Script::add(Step step) {
  if (proof_.steps.size() >= most_steps) return {};
  proof_.steps.push_back(std::move(step));
  const std::size_t number = proof_.steps.size() - 1;
  if (checker_.step(number).empty()) return number;
  back_to(number);
  return {};
}

Number Script::combine(Formula claim, const std::vector<std::pair<std::size_t, TermRef>>& premises) {
  Step step{.rule = Rule::combine, .conclusion = std::move(claim)};
  for (const auto& [premise, factor] : premises) {
    step.premises.push_back(premise);
    step.terms.push_back(factor);
  }
  return add(std::move(step));
}

Number Script::rewrite(const TermRef& term, std::size_t by) {
  const Formula rule = (*this)[by];
  return add({.rule = Rule::rewrite,
              .conclusion = {term, proof::Relation::equal, replaced(term, rule.left, rule.right)},
              .premises = {by}});
}

Number Script::peel(const TermRef& whole, const TermRef& count) {
  const TermRef& body = whole->parts[1];
  const TermRef before = proof::over_range(whole->kind, whole->name, count, body);
  const TermRef last = proof::substitute(body, {{whole->name, count}});
  const TermRef joined = whole->kind == proof::TermKind::sum       ? proof::add({before, last})
                         : whole->kind == proof::TermKind::product ? proof::multiply({before, last})
                                                                   : proof::call("max", {before, last});
  return add({.rule = Rule::peel, .conclusion = {whole, proof::Relation::equal, joined}, .terms = {whole, count}});
}

namespace {

const proof::Recurrence& recurrence_of(const proof::Proof& proof, const TermRef& state) {
  for (const proof::Recurrence& each : proof.recurrences) {
    if (each.name == state->name) return each;
  }
  return proof.recurrences.front();
}

}  // namespace

Number Script::next(const TermRef& state, const TermRef& count) {
  const proof::Recurrence& of = recurrence_of(proof_, state);
  proof::Replacement arguments, all;
  for (std::size_t k = 0; k < of.arguments.size(); ++k) arguments[of.arguments[k]] = state->parts[k];
  proof::Replacement at = arguments;
  at[of.index] = count;
  all = arguments;
  for (std::size_t k = 0; k < of.leaf.size(); ++k) {
    std::vector<TermRef> before(state->parts.begin(), state->parts.end() - 1);
    before.push_back(count);
    all[of.left[k]] = proof::state(of.name, k, before);
    all[of.right[k]] = proof::substitute(of.leaf[k], at);
  }
  return add({.rule = Rule::next,
              .conclusion = {state, proof::Relation::equal, proof::substitute(of.joined[state->part], all)},
              .terms = {state, count}});
}

Number Script::first(const TermRef& state) {
  const proof::Recurrence& of = recurrence_of(proof_, state);
  proof::Replacement at;
  for (std::size_t k = 0; k < of.arguments.size(); ++k) at[of.arguments[k]] = state->parts[k];
  at[of.index] = proof::number(0);
  return add({.rule = Rule::first,
              .conclusion = {state, proof::Relation::equal, proof::substitute(of.leaf[state->part], at)},
              .terms = {state}});
}

Number Script::instance(std::size_t of, const proof::Replacement& by) {
  const Formula general = (*this)[of];
  Step step{.rule = Rule::instance,
            .conclusion = {proof::substitute(general.left, by), general.relation, proof::substitute(general.right, by)},
            .premises = {of}};
  for (const auto& [name, term] : by) {
    step.variables.push_back(name);
    step.terms.push_back(term);
  }
  return add(std::move(step));
}

Number Script::induction(Formula claim, const std::string& over, std::size_t first, std::size_t hypothesis,
                         std::size_t next) {
  return add({.rule = Rule::induction,
              .conclusion = std::move(claim),
              .premises = {first, hypothesis, next},
              .variables = {over}});
}

Number Script::axiom(const std::string& name, Formula claim, std::vector<TermRef> terms,
                     std::vector<std::size_t> premises) {
  return add({.rule = Rule::axiom,
              .conclusion = std::move(claim),
              .premises = std::move(premises),
              .terms = std::move(terms),
              .axiom = name});
}

TermRef replaced(const TermRef& term, const TermRef& old, const TermRef& by) {
  if (term->kind == old->kind && term->name == old->name && proof::text(term) == proof::text(old)) return by;
  if (term->parts.empty()) return term;
  std::vector<TermRef> parts;
  for (const TermRef& each : term->parts) parts.push_back(replaced(each, old, by));
  return proof::with_parts(term, std::move(parts));
}

bool Chain::rewrite(std::size_t by) {
  const Formula rule = script_[by];
  const TermRef next = replaced(term_, rule.left, rule.right);
  if (next == term_ || proof::text(next) == proof::text(term_)) return true;
  // The whole term is rewritten: the premise itself says so.
  const bool whole = term_->kind == rule.left->kind && proof::text(term_) == proof::text(rule.left);
  const Number step = whole ? Number(by) : script_.rewrite(term_, by);
  if (!step) return false;
  steps_.push_back(*step);
  term_ = next;
  return true;
}

void Chain::append_to(std::vector<std::pair<std::size_t, TermRef>>& premises, int factor) const {
  for (const std::size_t each : steps_) premises.emplace_back(each, proof::number(factor));
}

}  // namespace reckon::ir::steps
