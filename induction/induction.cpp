#include "induction/induction.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "induction/closed_forms.h"
#include "induction/inequality.h"
#include "induction/reading.h"
#include "induction/script.h"
#include "prove/dimensions.h"
#include "verify/check.h"

namespace reckon::ir {
namespace steps {
namespace {

using proof::Relation;
using proof::TermKind;

bool has_infinity(const proof::Proof& proof, const Formula& statement) {
  if (proof::has_infinity(statement.left) || proof::has_infinity(statement.right)) return true;
  return std::ranges::any_of(proof.recurrences, [](const proof::Recurrence& each) {
    return std::ranges::any_of(each.leaf, [](const TermRef& term) { return proof::has_infinity(term); }) ||
           std::ranges::any_of(each.joined, [](const TermRef& term) { return proof::has_infinity(term); });
  });
}

void collect(const TermRef& term, const std::function<bool(const TermRef&)>& wanted, std::vector<TermRef>& out) {
  if (wanted(term)) out.push_back(term);
  for (const TermRef& each : term->parts) collect(each, wanted, out);
}

class Equality {
 public:
  explicit Equality(proof::Proof& proof) : script_(proof) {}

  bool prove(const Formula& claim) {
    for (const proof::Recurrence& each : std::vector(script_.proof().recurrences)) {
      const std::string count = "m" + each.name;
      for (const auto& [part, step] : closed_forms(script_, each, count)) known_[{each.name, part}] = {step, count};
    }
    Chain left(script_, claim.left), right(script_, claim.right);
    for (Chain* chain : {&left, &right}) {
      if (!without_states(*chain)) return false;
    }
    if (agree(claim, left, right)) return true;
    for (Chain* chain : {&left, &right}) flatten(*chain);
    if (agree(claim, left, right)) return true;
    if (by_induction(claim, left, right)) return true;
    split(left, right);
    if (agree(claim, left, right)) return true;
    split(right, left);
    return agree(claim, left, right);
  }

 private:
  bool agree(const Formula& claim, const Chain& left, const Chain& right) {
    std::vector<std::pair<std::size_t, TermRef>> premises;
    left.append_to(premises, 1);
    right.append_to(premises, -1);
    return script_.combine(claim, premises).has_value();
  }

  /// Puts closed forms in for states.
  bool without_states(Chain& chain) {
    for (int round = 0; round < 16; ++round) {
      std::vector<TermRef> states;
      collect(
          chain.term(), [](const TermRef& term) { return term->kind == TermKind::state; }, states);
      bool changed = false;
      for (const TermRef& each : states) {
        const auto known = known_.find({each->name, each->part});
        if (known == known_.end()) continue;
        const Number step = script_.instance(known->second.first, {{known->second.second, each->parts.back()}});
        if (!step || !chain.rewrite(*step)) return false;
        changed = true;
        break;
      }
      if (!changed) return true;
    }
    return false;
  }

  /// Sums over blocks become one sum.
  void flatten(Chain& chain) {
    for (int round = 0; round < 8; ++round) {
      std::vector<TermRef> nested;
      collect(
          chain.term(),
          [](const TermRef& term) { return proof::is_binder(term->kind) && term->parts[1]->kind == term->kind; },
          nested);
      bool changed = false;
      for (const TermRef& outer : nested) {
        const TermRef& inner = outer->parts[1];
        const std::string index = outer->name + inner->name;
        const TermRef body = proof::substitute(inner->parts[1], {{outer->name, proof::number(0)},
                                                                 {inner->name, proof::variable(index)}});
        const TermRef flat =
            proof::over_range(outer->kind, index, proof::multiply({outer->parts[0], inner->parts[0]}), body);
        const Number step =
            script_.add({.rule = Rule::blocks, .conclusion = {outer, Relation::equal, flat}, .terms = {outer, flat}});
        if (!step || !chain.rewrite(*step)) continue;
        changed = true;
        break;
      }
      if (!changed) return;
    }
  }

  /// Takes sums apart where the other side has a sum over fewer values: the first values of the one are those of the
  /// other.
  void split(Chain& chain, const Chain& other) {
    std::vector<TermRef> own, others;
    const auto is_sum = [](const TermRef& term) {
      return term->kind == TermKind::sum || term->kind == TermKind::product;
    };
    collect(chain.term(), is_sum, own);
    collect(other.term(), is_sum, others);
    for (const TermRef& whole : own) {
      for (const TermRef& part : others) {
        const TermRef &count = part->parts[0], &body = whole->parts[1];
        if (part->kind != whole->kind || proof::text(count) == proof::text(whole->parts[0])) continue;
        const TermRef rest = proof::subtract(whole->parts[0], count);
        const TermRef moved =
            proof::substitute(body, {{whole->name, proof::add({count, proof::variable(whole->name)})}});
        const std::vector<TermRef> both{proof::over_range(whole->kind, whole->name, count, body),
                                        proof::over_range(whole->kind, whole->name, rest, moved)};
        const TermRef joined = whole->kind == TermKind::sum ? proof::add(both) : proof::multiply(both);
        const Number step = script_.axiom("split", {whole, Relation::equal, joined}, {whole, count});
        if (step && chain.rewrite(*step)) break;
      }
    }
  }

  /// By induction over a size, where both sides are sums whose last values are the same.
  bool by_induction(const Formula& claim, const Chain& left, const Chain& right) {
    for (const proof::Variable& size : std::vector(script_.proof().variables)) {
      if (!size.is_integer || size.below || size.least > 1) continue;
      const std::size_t before = script_.size();
      if (induct({left.term(), claim.relation, right.term()}, size)) {
        std::vector<std::pair<std::size_t, TermRef>> premises{{script_.size() - 1, proof::number(1)}};
        left.append_to(premises, 1);
        right.append_to(premises, -1);
        if (script_.combine(claim, premises)) return true;
      }
      script_.back_to(before);
    }
    return false;
  }

  bool induct(const Formula& claim, const proof::Variable& size) {
    const TermRef n = proof::variable(size.name);
    const TermRef first = proof::number(mpq_class(size.least)), after = proof::add({n, proof::number(1)});
    const auto at = [&](const TermRef& count) {
      return Formula{proof::substitute(claim.left, {{size.name, count}}), claim.relation,
                     proof::substitute(claim.right, {{size.name, count}})};
    };
    const Number base = peeled(at(first), {}, 1);
    if (!base) return false;
    const Number hypothesis = script_.hypothesis(claim);
    if (!hypothesis) return false;
    const Number next = peeled(at(after), hypothesis, 1);
    return next && script_.induction(claim, size.name, *base, *hypothesis, *next);
  }

  /// The claim with the last values of its sums taken out, and from the hypothesis.
  Number peeled(const Formula& claim, Number hypothesis, int factor) {
    std::vector<std::pair<std::size_t, TermRef>> premises;
    if (hypothesis) premises.emplace_back(*hypothesis, proof::number(factor));
    int sign = 1;
    for (const TermRef& side : {claim.left, claim.right}) {
      Chain chain(script_, side);
      std::vector<TermRef> binders;
      collect(
          side, [](const TermRef& term) { return proof::is_binder(term->kind); }, binders);
      for (const TermRef& each : binders) {
        const TermRef count = proof::subtract(each->parts[0], proof::number(1));
        const Number step = script_.peel(each, count);
        if (step) chain.rewrite(*step);
      }
      chain.append_to(premises, sign);
      sign = -1;
    }
    return script_.combine(claim, premises);
  }

  Script script_;
  std::map<std::pair<std::string, std::size_t>, std::pair<std::size_t, std::string>> known_;
};

/// left <= right, where both are over the states of one recurrence, or over sums.
bool prove_inequality(proof::Proof& proof, const Formula& claim) {
  Script script(proof);
  Inequalities inequalities(script);
  std::vector<TermRef> states;
  for (const TermRef& side : {claim.left, claim.right}) {
    collect(
        side, [](const TermRef& term) { return term->kind == TermKind::state; }, states);
  }
  if (states.empty()) return inequalities.prove_with_sums(claim).has_value();
  for (const proof::Recurrence& of : std::vector(proof.recurrences)) {
    const auto same = [&](const TermRef& each) {
      return each->name == of.name && proof::text(each->parts.back()) == proof::text(states[0]->parts.back());
    };
    if (!std::ranges::all_of(states, same)) continue;
    // For any number of leaves, and then for the one of the claim.
    const std::string count = "m" + of.name;
    Formula general = claim;
    for (const TermRef& each : states) {
      std::vector<TermRef> parts = each->parts;
      parts.back() = proof::variable(count);
      const TermRef any = proof::state(each->name, each->part, parts);
      general.left = replaced(general.left, each, any);
      general.right = replaced(general.right, each, any);
    }
    Number all = inequalities.prove_for_states(general, of, count);
    // Leaf by leaf, if the claim is about their number, too.
    const TermRef& leaves = states[0]->parts.back();
    if (!all && leaves->kind == TermKind::variable) {
      const proof::Replacement any{{leaves->name, proof::variable(count)}};
      const Formula with_count{proof::substitute(claim.left, any), claim.relation, proof::substitute(claim.right, any)};
      all = inequalities.prove_leaf_by_leaf(with_count, of, count);
    }
    if (!all) continue;
    const Number out = script.instance(*all, {{count, states[0]->parts.back()}});
    return out && script.combine(claim, {{*out, proof::number(1)}});
  }
  return false;
}

/// Names for any number of leaves of each recurrence.
void declare_counts(proof::Proof& proof) {
  for (const proof::Recurrence& each : proof.recurrences)
    proof.variables.push_back({.name = "m" + each.name, .least = 1});
  proof.variables.push_back({.name = any_count});
}

void collect_names(const TermRef& term, std::set<std::string>& out) {
  if (term->kind == TermKind::variable || proof::is_binder(term->kind)) out.insert(term->name);
  for (const TermRef& each : term->parts) collect_names(each, out);
}

/// Steps on which the last one does not rest are left out.
void prune(proof::Proof& proof) {
  std::vector<bool> needed(proof.steps.size(), false);
  needed.back() = true;
  for (std::size_t k = proof.steps.size(); k-- > 0;) {
    if (!needed[k]) continue;
    for (const std::size_t each : proof.steps[k].premises) needed[each] = true;
    // Its hypotheses may be about what was proved of all groups before.
    for (std::size_t other = 0; proof.steps[k].rule == Rule::order_induction && other < k; ++other) {
      if (proof.steps[other].rule == Rule::order_induction) needed[other] = true;
    }
    if (proof.steps[k].rule != Rule::next) continue;
    for (const proof::Recurrence& of : proof.recurrences) {
      if (of.name != proof.steps[k].terms[0]->name) continue;
      for (const std::size_t each : of.associative) needed[each] = true;
    }
  }
  // A step `next` states divisors, too: in a recurrence with divisions all of these stay.
  const proof::Proof all = proof;
  std::vector<std::size_t> number(proof.steps.size(), 0);
  std::vector<Step> kept;
  for (std::size_t k = 0; k < proof.steps.size(); ++k) {
    number[k] = kept.size();
    if (!needed[k]) continue;
    Step step = proof.steps[k];
    for (std::size_t& each : step.premises) each = number[each];
    kept.push_back(std::move(step));
  }
  for (proof::Recurrence& of : proof.recurrences) {
    const bool used = std::ranges::all_of(of.associative, [&](std::size_t each) { return needed[each]; });
    if (!used) of.associative.clear();
    for (std::size_t& each : of.associative) each = number[each];
  }
  proof.steps = std::move(kept);
  if (verify::check(proof)) proof = all;
  // Names that no step has need no range.
  const proof::Proof named = proof;
  std::set<std::string> used;
  for (const Step& step : proof.steps) {
    for (const TermRef& term : {step.conclusion.left, step.conclusion.right}) collect_names(term, used);
    for (const TermRef& term : step.terms) collect_names(term, used);
    used.insert(step.variables.begin(), step.variables.end());
  }
  for (const proof::Recurrence& each : proof.recurrences) used.insert(each.index);
  for (const proof::Variable& each : proof.variables) {
    if (each.below && used.contains(each.name)) used.merge(proof::free_variables(each.below));
  }
  std::erase_if(proof.variables, [&](const proof::Variable& each) { return !used.contains(each.name); });
  if (verify::check(proof)) proof = named;
}

/// Whether results have the same parts and extents, of whatever formats.
bool same_shape(const Module& module, TypeId left, TypeId right) {
  const Type a = module.types()[left], b = module.types()[right];
  return a.kind == b.kind && a.extents == b.extents &&
         std::ranges::equal(a.parts, b.parts, [&](TypeId x, TypeId y) { return same_shape(module, x, y); });
}

/// So many elements are proved one by one.
constexpr std::int64_t most_elements_alone = 64;

/// What is proved at once of a result: a part of a tuple, and its elements.
struct Portion {
  std::optional<std::uint32_t> part;
  TypeId type{};
  /// One for each extent; without a number, all subscripts.
  std::vector<std::optional<std::int64_t>> subscripts;
  bool writes_out = false;  ///< sums over few values are written out, too
};

class Statement {
 public:
  /// `right`: in the dimensions of `left`.
  Statement(Module& module, const Function& left, const normal::Renamed& right, proof::Relation relation,
            const std::map<std::uint32_t, InputRange>& ranges)
      : module_(module), left_(left), right_(right), relation_(relation), ranges_(ranges) {}

  std::vector<proof::Proof> prove() {
    const Type type = module_.types()[left_.result];
    if (type.kind != TypeKind::tuple) return of_part({}, left_.result);
    std::vector<proof::Proof> out;
    for (std::uint32_t k = 0; k < type.parts.size(); ++k) {
      auto found = of_part(k, type.parts[k]);
      if (found.empty()) return {};
      std::move(found.begin(), found.end(), std::back_inserter(out));
    }
    return out;
  }

 private:
  std::vector<proof::Proof> of_part(std::optional<std::uint32_t> part, TypeId type) {
    Portion all{.part = part, .type = type};
    const Type of = module_.types()[type];
    if (of.kind == TypeKind::tuple) return {};
    all.subscripts.resize(of.extents.size());
    if (auto found = of_portion(all)) return {std::move(*found)};
    all.writes_out = true;
    std::vector<proof::Proof> out;
    if (!element_by_element(all, 0, 1, out)) out.clear();
    return out;
  }

  /// The elements along the extents that are numbers, from the one at `dimension` on.
  bool element_by_element(Portion& portion, std::size_t dimension, std::int64_t elements,
                          std::vector<proof::Proof>& out) {
    const Type of = module_.types()[portion.type];
    if (dimension == of.extents.size()) {
      auto found = of_portion(portion);
      if (found) out.push_back(std::move(*found));
      return found.has_value();
    }
    const auto extent = module_.indices().as_constant(of.extents[dimension]);
    if (!extent) return element_by_element(portion, dimension + 1, elements, out);
    if (*extent * elements > most_elements_alone) return false;
    for (std::int64_t k = 0; k < *extent; ++k) {
      portion.subscripts[dimension] = k;
      if (!element_by_element(portion, dimension + 1, *extent * elements, out)) return false;
    }
    return true;
  }

  std::optional<proof::Proof> of_portion(const Portion& portion) {
    proof::Proof proof;
    const auto least = not_empty(module_, {left_.body, right_.body}, left_.dimensions);
    Reading reading(module_, left_, least, proof, portion.writes_out);
    for (const auto& [position, range] : ranges_) {
      if (position < left_.parameters.size()) proof.ranges.push_back({reading.input(position), range.low, range.high});
    }
    const Type type = module_.types()[portion.type];
    std::vector<IndexId> place;
    for (std::size_t k = 0; k < type.extents.size(); ++k) {
      if (portion.subscripts[k]) {
        place.push_back(module_.indices().constant(*portion.subscripts[k]));
        continue;
      }
      const auto index = reading.place(type.extents[k]);
      if (!index) return std::nullopt;
      place.push_back(module_.indices().variable(*index));
    }
    const auto term = [&](NodeId body) {
      if (portion.part) body = module_.get(body, *portion.part);
      return type.kind == TypeKind::scalar ? reading.scalar(body) : reading.element(body, place);
    };
    Formula claim{.left = term(left_.body), .relation = relation_, .right = nullptr};
    claim.right = claim.left ? term(right_.body) : nullptr;
    if (!claim.left || !claim.right || has_infinity(proof, claim)) return std::nullopt;
    declare_counts(proof);
    proof.statement = claim;
    proof.claim = proof::text(claim);
    const bool equation = relation_ == Relation::equal;
    if (!(equation ? Equality(proof).prove(claim) : prove_inequality(proof, claim))) return std::nullopt;
    prune(proof);
    if (verify::check(proof)) return std::nullopt;
    return proof;
  }

  Module& module_;
  const Function& left_;
  const normal::Renamed& right_;
  const proof::Relation relation_;
  const std::map<std::uint32_t, InputRange>& ranges_;
};

}  // namespace
}  // namespace steps

std::vector<proof::Proof> prove_by_steps(Module& module, const Function& left, const Function& right,
                                         proof::Relation relation, const std::map<std::uint32_t, InputRange>& ranges) {
  const auto renamed = normal::in_dimensions_of(module, left, right);
  if (!renamed || !steps::same_shape(module, left.result, renamed->result)) return {};
  return steps::Statement(module, left, *renamed, relation, ranges).prove();
}

}  // namespace reckon::ir
