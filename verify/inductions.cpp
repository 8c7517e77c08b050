// Inductions, and axioms.
#include <fmt/format.h>

#include <algorithm>

#include "verify/checker.h"

namespace reckon::verify {

using proof::Formula;
using proof::Relation;
using proof::Rule;
using proof::TermKind;
using proof::TermRef;

std::string Checker::induction(const Step& step) {
  if (step.premises.size() != 3 || step.variables.size() != 1)
    return "a first case, a hypothesis and a next case are needed";
  const std::string& name = step.variables[0];
  const proof::Variable* variable = declared(name);
  if (variable == nullptr || !variable->is_integer || variable->below)
    return fmt::format("{} has no first value alone", name);
  if (is_fixed(name, step.conclusion)) return fmt::format("a range or a recurrence depends on {}", name);
  const auto [first, assumed, next] = std::tuple(step.premises[0], step.premises[1], step.premises[2]);
  if (proof_.steps[assumed].rule != Rule::hypothesis) return "the second premise is no hypothesis";
  if (open_[first].contains(assumed)) return "the first case rests on the hypothesis";
  const Formula at_first = substitute(step.conclusion, {{name, proof::number(mpq_class(variable->least))}});
  const Formula at_next = substitute(step.conclusion, {{name, proof::add({proof::variable(name), proof::number(1)})}});
  if (!matches(premise(step, 0), at_first)) return refusal("the first case is another one");
  if (!matches(premise(step, 1), step.conclusion)) return refusal("the hypothesis is another one");
  if (!matches(premise(step, 2), at_next)) return refusal("the next case is another one");
  std::set<std::size_t>& open = open_[open_.size() - 1];
  open.erase(assumed);
  if (rests_on(open, name)) return fmt::format("another hypothesis is about {}", name);
  return "";
}

namespace {

/// The formula with terms for the states of the recurrence after `count` leaves; `found` counts them.
TermRef with_states(const TermRef& term, const proof::Recurrence& of, const std::string& count,
                    const std::vector<TermRef>& by, bool& wrong) {
  if (term->kind == TermKind::state && term->name == of.name) {
    const TermRef& last = term->parts.back();
    wrong = wrong || term->part >= by.size() || last->kind != TermKind::variable || last->name != count;
    for (std::size_t k = 0; k + 1 < term->parts.size() && !wrong; ++k) {
      wrong = term->parts[k]->kind != TermKind::variable || term->parts[k]->name != of.arguments[k];
    }
    return wrong ? term : by[term->part];
  }
  if (term->parts.empty()) return term;
  proof::Term out = *term;
  wrong = wrong || proof::is_binder(term->kind);
  for (TermRef& each : out.parts) each = with_states(each, of, count, by, wrong);
  return std::make_shared<const proof::Term>(std::move(out));
}

}  // namespace

/// A hypothesis is the formula for one of the two groups that are joined, or another one that holds for every group:
/// one that was proved by induction over the order before.
std::string Checker::hypothesis_of(const Step& step, std::size_t hypothesis, const proof::Recurrence& of,
                                   const std::vector<TermRef>& left, const std::vector<TermRef>& right) {
  const Step& assumed = proof_.steps[hypothesis];
  if (assumed.rule != Rule::hypothesis) return "a premise is no hypothesis";
  const auto is_about = [&](const Formula& formula) {
    for (const std::vector<TermRef>* by : {&left, &right}) {
      bool wrong = false;
      const Formula group{with_states(formula.left, of, step.variables[1], *by, wrong), formula.relation,
                          with_states(formula.right, of, step.variables[1], *by, wrong)};
      if (!wrong && matches(assumed.conclusion, group)) return true;
    }
    return false;
  };
  if (is_about(step.conclusion)) return "";
  const std::size_t here = open_.size() - 1;
  for (std::size_t k = 0; k < here; ++k) {
    const Step& known = proof_.steps[k];
    if (known.rule == Rule::order_induction && known.variables == step.variables && open_[k].empty() &&
        is_about(known.conclusion))
      return "";
  }
  return refusal("a hypothesis is another one");
}

std::string Checker::order_induction(const Step& step) {
  if (step.premises.size() < 3 || step.variables.size() != 2)
    return "the case of a leaf, hypotheses and that of a join are needed";
  const proof::Recurrence* of = recurrence(step.variables[0]);
  const proof::Variable* count = declared(step.variables[1]);
  if (of == nullptr || count == nullptr || !count->is_integer || count->least < 1)
    return "there is no such recurrence or number of leaves";
  const Formula& whole = step.conclusion;
  const auto with = [&](const std::vector<TermRef>& by, bool& wrong) {
    return Formula{with_states(whole.left, *of, count->name, by, wrong), whole.relation,
                   with_states(whole.right, *of, count->name, by, wrong)};
  };
  std::set<std::string> own(of->left.begin(), of->left.end());
  own.insert(of->right.begin(), of->right.end());
  own.insert(of->index);
  std::vector<TermRef> left, right;
  for (const std::string& each : of->left) left.push_back(proof::variable(each));
  for (const std::string& each : of->right) right.push_back(proof::variable(each));
  bool wrong = false;
  const Formula of_leaf = with(of->leaf, wrong), of_join = with(of->joined, wrong);
  const Formula of_nothing = with(std::vector<TermRef>(left.size(), proof::number(0)), wrong);
  if (wrong) return "a state of other leaves occurs";
  for (const std::string& each : free_variables(of_nothing)) {
    if (own.contains(each) || each == count->name) return fmt::format("the formula is about {}", each);
  }
  for (const std::string& each : own) {
    const proof::Variable* variable = declared(each);
    if (each != of->index && variable != nullptr) return fmt::format("{} is declared", each);
    if (each == of->index && (variable == nullptr || variable->least != 0 || variable->below))
      return "the leaf is not any leaf";
  }
  const std::size_t first = step.premises.front(), last = step.premises.back();
  if (!matches(premise(step, 0), of_leaf)) return refusal("the case of a leaf is another one");
  if (!matches(proof_.steps[last].conclusion, of_join)) return refusal("the case of a join is another one");
  std::set<std::size_t> open = open_[last];
  for (std::size_t k = 1; k + 1 < step.premises.size(); ++k) {
    if (const std::string problem = hypothesis_of(step, step.premises[k], *of, left, right); !problem.empty())
      return problem;
    open.erase(step.premises[k]);
  }
  if (!open_[first].empty()) return "the case of a leaf rests on a hypothesis";
  for (const std::string& each : own) {
    if (rests_on(open, each)) return fmt::format("another hypothesis is about {}", each);
  }
  open_[open_.size() - 1] = open;
  return "";
}

bool Checker::is_associative(const proof::Recurrence& of, std::size_t before) {
  if (of.associative.size() != of.leaf.size()) return false;
  std::vector<TermRef> third;
  proof::Replacement left_join, right_join, shifted;
  for (std::size_t k = 0; k < of.leaf.size(); ++k) {
    third.push_back(proof::variable(of.right[k] + "'"));
    shifted[of.left[k]] = proof::variable(of.right[k]);
    shifted[of.right[k]] = third[k];
  }
  for (std::size_t k = 0; k < of.leaf.size(); ++k) {
    left_join[of.left[k]] = of.joined[k];
    left_join[of.right[k]] = third[k];
    right_join[of.right[k]] = proof::substitute(of.joined[k], shifted);
  }
  for (std::size_t k = 0; k < of.leaf.size(); ++k) {
    const std::size_t step = of.associative[k];
    if (step >= before || !open_[step].empty()) return false;
    const Formula law{proof::substitute(of.joined[k], left_join), Relation::equal,
                      proof::substitute(of.joined[k], right_join)};
    if (!matches(proof_.steps[step].conclusion, law)) return false;
  }
  // Its names stand for any real numbers.
  return std::ranges::all_of(of.left, [&](const std::string& each) { return declared(each) == nullptr; }) &&
         std::ranges::all_of(of.right, [&](const std::string& each) {
           return declared(each) == nullptr && declared(each + "'") == nullptr;
         });
}

std::string Checker::axiom(const Step& step) {
  const std::string& name = step.axiom;
  const std::vector<TermRef>& terms = step.terms;
  const auto takes = [&](std::size_t count, std::size_t premises = 0) {
    return terms.size() == count && step.premises.size() == premises;
  };
  const auto absolute = [](const TermRef& term) { return proof::call("abs", {term}); };
  if (name == "reversal" || name == "exchange" || name == "split") return rearranged(step);
  if (name == "square" && takes(1)) {
    return derived(step, {proof::number(0), Relation::at_most, proof::multiply({terms[0], terms[0]})});
  }
  if (name == "product" && takes(0, 2)) {
    std::vector<TermRef> differences;
    for (const std::size_t each : {0u, 1u})
      differences.push_back(proof::subtract(premise(step, each).right, premise(step, each).left));
    return derived(step, {proof::number(0), Relation::at_most, proof::multiply(differences)});
  }
  if ((name == "lower end" || name == "upper end") && takes(1)) return range(step);
  if (name == "member" && takes(2)) return member(step);
  if (name == "triangle" && takes(2)) {
    return derived(step, {absolute(proof::add({terms[0], terms[1]})), Relation::at_most,
                          proof::add({absolute(terms[0]), absolute(terms[1])})});
  }
  if (name == "magnitude" && takes(1)) return derived(step, {terms[0], Relation::at_most, absolute(terms[0])});
  if (name == "larger" && takes(2))
    return derived(step, {terms[0], Relation::at_most, proof::call("max", {terms[0], terms[1]})});
  if ((name == "least magnitude" || name == "least maximum") && takes(3, 2)) {
    const bool magnitude = name == "least magnitude";
    const auto at_most = [&](const TermRef& each) { return Formula{each, Relation::at_most, terms[2]}; };
    if (magnitude && !ring_.equal(terms[1], proof::negate(terms[0]))) return refusal("the two are not opposite");
    if (!matches(premise(step, 0), at_most(terms[0])) || !matches(premise(step, 1), at_most(terms[1]))) {
      return refusal("the premises are other ones");
    }
    return derived(step, at_most(magnitude ? absolute(terms[0]) : proof::call("max", {terms[0], terms[1]})));
  }
  return fmt::format("there is no axiom {} of this form", name);
}

/// An end of the range of an input.
std::string Checker::range(const Step& step) {
  const proof::Term& of = *step.terms[0];
  if (of.kind != TermKind::element && of.kind != TermKind::variable) return "an element of an input is needed";
  if (declared(of.name) != nullptr) return fmt::format("{} is no input", of.name);
  for (const proof::Range& each : proof_.ranges) {
    const bool lower = step.axiom == "lower end";
    const auto& end = lower ? each.low : each.high;
    if (each.input != of.name || !end) continue;
    const TermRef number = proof::number(*end);
    return derived(step, lower ? Formula{number, Relation::at_most, step.terms[0]}
                               : Formula{step.terms[0], Relation::at_most, number});
  }
  return fmt::format("{} has no range", of.name);
}

/// One of the values whose largest is taken.
std::string Checker::member(const Step& step) {
  const proof::Term& whole = *step.terms[0];
  const TermRef& place = step.terms[1];
  if (whole.kind != TermKind::largest) return "a largest value is needed";
  const TermRef room = proof::subtract(whole.parts[0], proof::add({place, proof::number(1)}));
  if (!ring_.is_integer(ring_.of(place)) || !nonnegative(place) || !nonnegative(room))
    return refusal("the place is outside of the range");
  return derived(step, {proof::substitute(whole.parts[1], {{whole.name, place}}), Relation::at_most, step.terms[0]});
}

/// Sums over the same values in another order, or in two parts.
std::string Checker::rearranged(const Step& step) {
  if (step.terms.empty() || !proof::is_binder(step.terms[0]->kind) || !step.premises.empty()) return "a sum is needed";
  const proof::Term& whole = *step.terms[0];
  const TermRef& count = whole.parts[0];
  const auto over = [&](const TermRef& extent, const TermRef& body) {
    return proof::over_range(whole.kind, whole.name, extent, body);
  };
  if (step.axiom == "reversal") {
    const TermRef mirrored = proof::subtract(count, proof::add({proof::variable(whole.name), proof::number(1)}));
    return derived(step, {step.terms[0], Relation::equal,
                          over(count, proof::substitute(whole.parts[1], {{whole.name, mirrored}}))});
  }
  if (step.axiom == "exchange") {
    const proof::Term& inner = *whole.parts[1];
    if (inner.kind != whole.kind || inner.name == whole.name ||
        proof::free_variables(inner.parts[0]).contains(whole.name) ||
        proof::free_variables(count).contains(inner.name)) {
      return "two sums over ranges of their own are needed";
    }
    return derived(step, {step.terms[0], Relation::equal,
                          proof::over_range(whole.kind, inner.name, inner.parts[0], over(count, inner.parts[1]))});
  }
  if (step.terms.size() != 2 || whole.kind == TermKind::largest) return "a sum and a number of values are needed";
  const TermRef& before = step.terms[1];
  const TermRef after = proof::subtract(count, before);
  if (!ring_.is_integer(ring_.of(before)) || !nonnegative(before) || !nonnegative(after))
    return refusal("a part may have less than no values");
  const TermRef moved =
      proof::substitute(whole.parts[1], {{whole.name, proof::add({before, proof::variable(whole.name)})}});
  std::vector<TermRef> parts{over(before, whole.parts[1]), over(after, moved)};
  return derived(step, {step.terms[0], Relation::equal,
                        whole.kind == TermKind::sum ? proof::add(parts) : proof::multiply(parts)});
}

}  // namespace reckon::verify
