// The rules, but for inductions.
#include <fmt/format.h>

#include <algorithm>

#include "verify/checker.h"

namespace reckon::verify {

using proof::Formula;
using proof::Relation;
using proof::TermKind;
using proof::TermRef;

std::string Checker::combine(const Step& step) {
  if (step.terms.size() != step.premises.size()) return "each premise needs a factor";
  const bool equation = step.conclusion.relation == Relation::equal;
  Polynomial rest = Ring::add(ring_.of(step.conclusion.right), ring_.of(step.conclusion.left), -1);
  for (std::size_t k = 0; k < step.premises.size(); ++k) {
    const Formula& given = premise(step, k);
    const Polynomial factor = ring_.of(step.terms[k]);
    if (given.relation == Relation::at_most) {
      if (equation) return "an equation does not follow from an inequality";
      if (!ring_.nonnegative(factor)) return refusal("the factor of an inequality may be below 0");
    }
    const Polynomial difference = Ring::add(ring_.of(given.right), ring_.of(given.left), -1);
    rest = Ring::add(rest, ring_.multiply(factor, difference), -1);
  }
  if (ring_.refusal()) return *ring_.refusal();
  if (ring_.is_zero(rest)) return "";
  if (!equation && !ring_.refusal() && ring_.nonnegative(rest)) return "";
  return refusal("the two sides differ by more than the premises' sides do");
}

std::string Checker::peel(const Step& step) {
  if (step.terms.size() != 2 || !proof::is_binder(step.terms[0]->kind))
    return "a sum and a number of values are needed";
  const proof::Term& whole = *step.terms[0];
  const TermRef& count = step.terms[1];
  if (!ring_.equal(whole.parts[0], proof::add({count, proof::number(1)})))
    return refusal("there is not one value more");
  const bool some = whole.kind == TermKind::largest;
  if (!ring_.is_integer(ring_.of(count)) || !nonnegative(some ? proof::subtract(count, proof::number(1)) : count)) {
    return refusal("there may be no values before the last one");
  }
  const TermRef before = proof::over_range(whole.kind, whole.name, count, whole.parts[1]);
  const TermRef last = proof::substitute(whole.parts[1], {{whole.name, count}});
  const TermRef joined = whole.kind == TermKind::sum       ? proof::add({before, last})
                         : whole.kind == TermKind::product ? proof::multiply({before, last})
                                                           : proof::call("max", {before, last});
  return derived(step, {step.terms[0], Relation::equal, joined});
}

std::string Checker::empty(const Step& step) {
  if (step.terms.size() != 1 || !proof::is_binder(step.terms[0]->kind)) return "a sum is needed";
  const proof::Term& whole = *step.terms[0];
  const bool some = whole.kind == TermKind::largest;
  if (!ring_.equal(whole.parts[0], proof::number(some ? 1 : 0))) return refusal("there are more values");
  const TermRef value = some ? proof::substitute(whole.parts[1], {{whole.name, proof::number(0)}})
                             : proof::number(whole.kind == TermKind::sum ? 0 : 1);
  return derived(step, {step.terms[0], Relation::equal, value});
}

std::string Checker::state(const Step& step) {
  const bool first = step.rule == proof::Rule::first;
  if (step.terms.size() != (first ? 1u : 2u) || step.terms[0]->kind != TermKind::state) return "a state is needed";
  const proof::Term& whole = *step.terms[0];
  const proof::Recurrence* of = recurrence(whole.name);
  if (of == nullptr || whole.part >= of->leaf.size() || whole.parts.size() != of->arguments.size() + 1) {
    return "there is no such recurrence";
  }
  // After one leaf there is nothing to join, so that the order makes no difference.
  if (!first && !of->in_order && !is_associative(*of, static_cast<std::size_t>(&step - proof_.steps.data()))) {
    return "the order matters, and is not known";
  }
  proof::Replacement arguments;
  for (std::size_t k = 0; k < of->arguments.size(); ++k) arguments[of->arguments[k]] = whole.parts[k];
  const auto leaf = [&](std::size_t part, const TermRef& at) {
    proof::Replacement all = arguments;
    all[of->index] = at;
    return proof::substitute(of->leaf[part], all);
  };
  if (first) {
    if (!ring_.equal(whole.parts.back(), proof::number(1))) return refusal("there are more leaves");
    return derived(step, {step.terms[0], Relation::equal, leaf(whole.part, proof::number(0))});
  }
  const TermRef& count = step.terms[1];
  if (!ring_.equal(whole.parts.back(), proof::add({count, proof::number(1)})))
    return refusal("there is not one leaf more");
  if (!ring_.is_integer(ring_.of(count)) || !nonnegative(proof::subtract(count, proof::number(1)))) {
    return refusal("there may be no leaves before the last one");
  }
  proof::Replacement parts = arguments;
  for (std::size_t k = 0; k < of->leaf.size(); ++k) {
    std::vector<TermRef> before(whole.parts.begin(), whole.parts.end() - 1);
    before.push_back(count);
    parts[of->left[k]] = proof::state(of->name, k, std::move(before));
    parts[of->right[k]] = leaf(k, count);
  }
  const TermRef joined = proof::substitute(of->joined[whole.part], parts);
  // The circuit computes this join itself, so that the proof is for inputs for which it has a value.
  if (of->in_order) {
    std::vector<TermRef> left{joined};
    while (!left.empty()) {
      const TermRef term = left.back();
      left.pop_back();
      if (proof::is_binder(term->kind)) continue;
      left.insert(left.end(), term->parts.begin(), term->parts.end());
      if (term->kind == TermKind::divide) ring_.accept_divisor(term->parts[1]);
    }
  }
  return derived(step, {step.terms[0], Relation::equal, joined});
}

std::string Checker::blocks(const Step& step) {
  if (step.terms.size() != 2) return "two sums are needed";
  const proof::Term &outer = *step.terms[0], &flat = *step.terms[1];
  if (!proof::is_binder(outer.kind) || flat.kind != outer.kind || outer.parts[1]->kind != outer.kind)
    return "two sums are needed";
  const proof::Term& inner = *outer.parts[1];
  const TermRef& length = inner.parts[0];
  if (proof::free_variables(length).contains(outer.name)) return "the blocks have different lengths";
  if (proof::free_variables(flat.parts[1]).contains(outer.name) ||
      proof::free_variables(flat.parts[1]).contains(inner.name) || outer.name == inner.name ||
      outer.name == flat.name || inner.name == flat.name) {
    return "an index has two meanings";
  }
  if (!ring_.equal(flat.parts[0], proof::multiply({outer.parts[0], length})))
    return refusal("the numbers of values differ");
  const TermRef place =
      proof::add({proof::multiply({length, proof::variable(outer.name)}), proof::variable(inner.name)});
  // Both with the same binders, so that the ranges of the indices are known.
  const TermRef body = proof::substitute(flat.parts[1], {{flat.name, place}});
  const TermRef same = proof::over_range(outer.kind, outer.name, outer.parts[0],
                                         proof::over_range(inner.kind, inner.name, length, body));
  if (!ring_.equal(step.terms[0], same)) return refusal("the values differ");
  return derived(step, {step.terms[0], Relation::equal, step.terms[1]});
}

TermRef Checker::replaced(const TermRef& term, const TermRef& old, const TermRef& by,
                          const std::set<std::string>& captured, std::string& problem) {
  if (!problem.empty()) return term;
  if (term->kind == old->kind && term->name == old->name && ring_.equal(term, old)) return by;
  ring_.clear();
  if (term->parts.empty()) return term;
  std::vector<TermRef> parts = term->parts;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool inside = proof::is_binder(term->kind) && k == 1;
    if (inside && captured.contains(term->name)) {
      // The premise is about every index of its range: this has to be that range.
      const proof::Variable* index = declared(term->name);
      const bool same = index != nullptr && index->is_integer && index->least == 0 &&
                        (!index->below || ring_.equal(index->below, parts[0]));
      if (!same) {
        // Nothing is replaced here.
        ring_.clear();
        continue;
      }
    }
    parts[k] = replaced(term->parts[k], old, by, captured, problem);
  }
  return proof::with_parts(term, std::move(parts));
}

std::string Checker::rewrite(const Step& step) {
  if (step.premises.size() != 1 || premise(step, 0).relation != Relation::equal) return "one equation is needed";
  const Formula& by = premise(step, 0);
  const std::set<std::string> captured = free_variables(by);
  for (const std::string& each : captured) {
    // Under a hypothesis about the name, the premise is about one value of it.
    if (rests_on(open_[step.premises[0]], each)) {
      std::vector<TermRef> left{step.conclusion.left};
      while (!left.empty()) {
        const TermRef term = left.back();
        left.pop_back();
        if (proof::is_binder(term->kind) && term->name == each)
          return fmt::format("{} is bound, and a hypothesis is about it", each);
        left.insert(left.end(), term->parts.begin(), term->parts.end());
      }
    }
  }
  std::string problem;
  const TermRef out = replaced(step.conclusion.left, by.left, by.right, captured, problem);
  if (!problem.empty()) return problem;
  ring_.clear();
  return derived(step, {step.conclusion.left, Relation::equal, out});
}

std::string Checker::instance(const Step& step) {
  if (step.premises.size() != 1 || step.terms.size() != step.variables.size()) return "each name needs a term";
  const Formula& general = premise(step, 0);
  proof::Replacement by;
  for (std::size_t k = 0; k < step.variables.size(); ++k) by[step.variables[k]] = step.terms[k];
  for (const auto& [name, term] : by) {
    if (rests_on(open_[step.premises[0]], name)) return fmt::format("a hypothesis is about {}", name);
    if (std::ranges::find(proof_.ranges, name, &proof::Range::input) != proof_.ranges.end())
      return fmt::format("{} has a range", name);
    if (is_fixed(name, {general.left, general.relation, general.left})) {
      // A range that depends on the name may change if its own name is given a term, too.
      for (const std::string& each : free_variables(general)) {
        const proof::Variable* other = declared(each);
        const bool depends = other != nullptr && other->below && proof::free_variables(other->below).contains(name);
        if (depends && !by.contains(each)) return fmt::format("the range of {} depends on {}", each, name);
      }
      const TermRef none = proof::number(0);
      if (is_fixed(name, {none, Relation::equal, none})) return fmt::format("a recurrence depends on {}", name);
    }
    const proof::Variable* variable = declared(name);
    if (variable == nullptr) continue;
    if (variable->is_integer) {
      const TermRef above = proof::subtract(term, proof::number(mpq_class(variable->least)));
      if (!ring_.is_integer(ring_.of(term)) || !nonnegative(above))
        return refusal(fmt::format("{} may be too small", name));
      if (variable->below) {
        const TermRef room =
            proof::subtract(proof::substitute(variable->below, by), proof::add({term, proof::number(1)}));
        if (!nonnegative(room)) return refusal(fmt::format("{} may be too large", name));
      }
    } else if (variable->is_natural && !nonnegative(term)) {
      return refusal(fmt::format("{} may be below 0", name));
    }
  }
  return derived(step, substitute(general, by));
}

std::string Checker::monotone(const Step& step) {
  if (step.premises.size() != 1 || step.terms.size() != 2) return "two sums and one premise are needed";
  const proof::Term &a = *step.terms[0], &b = *step.terms[1];
  if (a.kind != b.kind || (a.kind != TermKind::sum && a.kind != TermKind::largest) || a.name != b.name)
    return "two sums are needed";
  if (!ring_.equal(a.parts[0], b.parts[0])) return refusal("the ranges differ");
  const proof::Variable* index = declared(a.name);
  if (index == nullptr || !index->is_integer || index->least != 0) return "the premise is not about every index";
  if (index->below && !ring_.equal(index->below, a.parts[0])) return refusal("the premise is about another range");
  if (rests_on(open_[step.premises[0]], a.name)) return "a hypothesis is about the index";
  const Formula& given = premise(step, 0);
  if (!ring_.equal(given.left, a.parts[1]) || !ring_.equal(given.right, b.parts[1]))
    return refusal("the premise is about other terms");
  return derived(step, {step.terms[0], Relation::at_most, step.terms[1]});
}

}  // namespace reckon::verify
