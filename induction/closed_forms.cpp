#include "induction/closed_forms.h"

#include <algorithm>

#include "induction/tidy.h"

namespace reckon::ir::steps {

using proof::Relation;
using proof::TermKind;

namespace {

/// The factor of a name in what is linear in it, by the form of the term; null for other terms.
TermRef slope_of(const TermRef& term, const std::string& name) {
  if (!proof::free_variables(term).contains(name)) return proof::number(0);
  if (term->kind == TermKind::variable) return proof::number(1);
  if (term->kind == TermKind::add) {
    std::vector<TermRef> parts;
    for (const TermRef& each : term->parts) {
      parts.push_back(slope_of(each, name));
      if (!parts.back()) return nullptr;
    }
    return proof::add(parts);
  }
  const bool product = term->kind == TermKind::multiply;
  if (!product && term->kind != TermKind::divide) return nullptr;
  std::vector<TermRef> parts = term->parts;
  std::size_t with_name = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!proof::free_variables(parts[k]).contains(name)) continue;
    if (++with_name > 1 || (!product && k > 0)) return nullptr;
    parts[k] = slope_of(parts[k], name);
    if (!parts[k]) return nullptr;
  }
  return proof::with_parts(term, parts);
}

using Known = std::map<std::size_t, std::size_t>;  ///< parts, and the steps that state what they are

class Folds {
 public:
  Folds(Script& script, const proof::Recurrence& of, std::string count)
      : script_(script), of_(of), count_(std::move(count)) {}

  Known run() {
    if (!of_.in_order && !prove_associative()) return {};
    for (std::size_t k = 0; k < of_.leaf.size(); ++k) plain(k);
    for (bool found = true; found;) {
      found = false;
      for (std::size_t k = 0; k < of_.leaf.size(); ++k) {
        if (!known_.contains(k)) found = weighted(k) || found;
      }
    }
    return known_;
  }

 private:
  TermRef state(std::size_t part, const TermRef& count) const {
    std::vector<TermRef> parts;
    for (const std::string& each : of_.arguments) parts.push_back(proof::variable(each));
    parts.push_back(count);
    return proof::state(of_.name, part, parts);
  }
  TermRef left(std::size_t part) const { return proof::variable(of_.left[part]); }
  TermRef number_of_leaves() const { return proof::variable(count_); }
  /// A term over the parts of a state, for the states after `count` leaves.
  TermRef of_states(const TermRef& term, const TermRef& count) const {
    proof::Replacement by;
    for (std::size_t k = 0; k < of_.left.size(); ++k) by[of_.left[k]] = state(k, count);
    return proof::substitute(term, by);
  }
  TermRef of_leaf(const TermRef& term) const {
    proof::Replacement by;
    for (std::size_t k = 0; k < of_.left.size(); ++k) by[of_.left[k]] = of_.leaf[k];
    return proof::substitute(term, by);
  }
  bool mentions(const TermRef& term, std::size_t part) const {
    return proof::free_variables(term).contains(of_.left[part]);
  }

  /// The law of associativity for each part, by arithmetic alone.
  bool prove_associative() {
    proof::Recurrence* stored = nullptr;
    for (proof::Recurrence& each : script_.proof().recurrences) {
      if (each.name == of_.name) stored = &each;
    }
    proof::Replacement left_join, right_join, shifted;
    for (std::size_t k = 0; k < of_.leaf.size(); ++k) {
      shifted[of_.left[k]] = proof::variable(of_.right[k]);
      shifted[of_.right[k]] = proof::variable(of_.right[k] + "'");
    }
    for (std::size_t k = 0; k < of_.leaf.size(); ++k) {
      left_join[of_.left[k]] = of_.joined[k];
      left_join[of_.right[k]] = proof::variable(of_.right[k] + "'");
      right_join[of_.right[k]] = proof::substitute(of_.joined[k], shifted);
    }
    for (std::size_t k = 0; k < of_.leaf.size(); ++k) {
      const Number step = script_.combine({proof::substitute(of_.joined[k], left_join), Relation::equal,
                                           proof::substitute(of_.joined[k], right_join)},
                                          {});
      if (!step) return false;
      stored->associative.push_back(*step);
    }
    return true;
  }

  /// `quantity` (over the parts of a state) after m leaves is closed(m). `factor` of the hypothesis in the next case;
  /// without one, the hypothesis is put in for the state.
  Number induct(const TermRef& quantity, const TermRef& closed, bool put_in) {
    const std::size_t before = script_.size();
    const TermRef m = number_of_leaves();
    const TermRef one = proof::number(1), after = proof::add({m, one});
    const auto claim = [&](const TermRef& count) {
      return Formula{of_states(quantity, count), Relation::equal, proof::substitute(closed, {{count_, count}})};
    };
    const auto give_up = [&]() -> Number {
      script_.back_to(before);
      return {};
    };
    const Number base = from_states(claim(one), one, quantity, {}, false, false);
    if (!base) return give_up();
    const Number hypothesis = script_.hypothesis(claim(m));
    if (!hypothesis) return give_up();
    // What is known of other parts is used where it is needed.
    Number next = from_states(claim(after), m, quantity, hypothesis, put_in, false);
    if (!next && !known_.empty()) next = from_states(claim(after), m, quantity, hypothesis, put_in, true);
    if (!next) return give_up();
    const Number out = script_.induction(claim(m), count_, *base, *hypothesis, *next);
    return out ? out : give_up();
  }

  /// The claim about the states after one leaf (without a hypothesis) or after m + 1.
  Number from_states(const Formula& claim, const TermRef& count, const TermRef& quantity, Number hypothesis,
                     bool put_in, bool with_known) {
    Chain chain(script_, claim.left);
    for (std::size_t k = 0; k < of_.leaf.size(); ++k) {
      if (!mentions(quantity, k)) continue;
      const Number step = hypothesis ? script_.next(state(k, proof::add({count, proof::number(1)})), count)
                                     : script_.first(state(k, count));
      if (!step || !chain.rewrite(*step)) return {};
    }
    if (hypothesis) {
      for (const auto& [part, known] : with_known ? known_ : Known{}) {
        if (!chain.rewrite(known)) return {};
      }
      if (put_in && !chain.rewrite(*hypothesis)) return {};
    }
    std::vector<std::pair<std::size_t, TermRef>> premises;
    chain.append_to(premises, 1);
    if (hypothesis && !put_in) {
      Chain assumed(script_, script_[*hypothesis].left);
      for (const auto& [part, known] : with_known ? known_ : Known{}) {
        if (!assumed.rewrite(known)) return {};
      }
      premises.emplace_back(*hypothesis, proof::number(1));
      assumed.append_to(premises, -1);
    }
    // The last value of each sum, product or largest value on the right.
    Chain right(script_, claim.right);
    std::vector<TermRef> binders;
    collect_binders(claim.right, binders);
    for (const TermRef& each : binders) {
      const TermRef before = hypothesis ? count : proof::number(0);
      const bool last_alone = !hypothesis && each->kind == TermKind::largest;
      const Number step =
          last_alone ? script_.add({.rule = Rule::empty,
                                    .conclusion = {each, Relation::equal,
                                                   proof::substitute(each->parts[1], {{each->name, proof::number(0)}})},
                                    .terms = {each}})
                     : script_.peel(each, before);
      if (!step || !right.rewrite(*step)) return {};
    }
    right.append_to(premises, -1);
    return script_.combine(claim, premises);
  }

  static void collect_binders(const TermRef& term, std::vector<TermRef>& out) {
    if (proof::is_binder(term->kind)) {
      out.push_back(term);
      return;
    }
    for (const TermRef& each : term->parts) collect_binders(each, out);
  }

  TermRef over_leaves(TermKind kind, const TermRef& body) const {
    // The sum of one number over m values is m times it.
    const bool fixed = kind == TermKind::sum && !proof::free_variables(body).contains(of_.index);
    return fixed ? proof::multiply({number_of_leaves(), body})
                 : proof::over_range(kind, of_.index, number_of_leaves(), body);
  }

  void plain(std::size_t k) {
    std::vector<TermRef> forms{over_leaves(TermKind::sum, of_.leaf[k]), over_leaves(TermKind::product, of_.leaf[k]),
                               over_leaves(TermKind::largest, of_.leaf[k]),
                               proof::negate(over_leaves(TermKind::largest, proof::negate(of_.leaf[k])))};
    if (const TermRef chain = chain_form(k)) forms.push_back(chain);
    for (const TermRef& form : forms) {
      if (const Number step = induct(left(k), form, true)) {
        known_[k] = *step;
        return;
      }
    }
  }

  /// Of v -> p v + q with a factor p that is the same for all leaves: the sum of q p^(m - 1 - j). Null for others.
  TermRef chain_form(std::size_t k) const {
    const TermRef& joined = of_.joined[k];
    const TermRef q = proof::substitute(joined, {{of_.left[k], proof::number(0)}});
    const TermRef p = slope_of(joined, of_.left[k]);
    if (!p) return nullptr;
    for (std::size_t other = 0; other < of_.left.size(); ++other) {
      if (mentions(p, other) || mentions(q, other)) return nullptr;
    }
    proof::Replacement leaf;
    for (std::size_t other = 0; other < of_.right.size(); ++other) leaf[of_.right[other]] = of_.leaf[other];
    const TermRef factor = proof::substitute(p, leaf), added = proof::substitute(q, leaf);
    if (proof::free_variables(factor).contains(of_.index)) return nullptr;
    if (added->kind == TermKind::number && added->value == 0) {
      // Nothing is added: the first leaf, times p again and again.
      const TermRef after_first = proof::subtract(number_of_leaves(), proof::number(1));
      return proof::multiply(
          {proof::substitute(of_.leaf[k], {{of_.index, proof::number(0)}}), proof::power(factor, after_first)});
    }
    const TermRef left_over =
        proof::subtract(number_of_leaves(), proof::add({proof::variable(of_.index), proof::number(1)}));
    return over_leaves(TermKind::sum, proof::multiply({added, proof::power(factor, left_over)}));
  }

  bool weighted(std::size_t k) {
    const TermRef own = left(k);
    for (std::size_t other = 0; other < of_.left.size(); ++other) {
      if (other == k) continue;
      const TermRef by = left(other);
      std::vector<TermRef> quantities{proof::multiply({own, proof::call("exp", {by})}),
                                      proof::multiply(
                                          {own, proof::call("exp", {proof::multiply({by, proof::call("ln2", {})})})}),
                                      proof::multiply({own, by})};
      for (std::size_t third = 0; third < of_.left.size(); ++third) {
        if (third == k || third == other) continue;
        quantities.push_back(proof::add({own, proof::multiply({by, left(third), left(third)})}));
      }
      for (const TermRef& quantity : quantities) {
        if (solved(k, quantity)) return true;
      }
    }
    return false;
  }

  bool solved(std::size_t k, const TermRef& quantity) {
    const std::size_t before = script_.size();
    const Number total = induct(quantity, over_leaves(TermKind::sum, tidy(of_leaf(quantity))), false);
    if (!total) return false;
    // What is known of the other parts is put in, and the part follows.
    Chain chain(script_, script_[*total].left);
    for (const auto& [part, known] : known_) {
      if (!chain.rewrite(known)) {
        script_.back_to(before);
        return false;
      }
    }
    proof::Replacement by;
    for (std::size_t other = 0; other < of_.left.size(); ++other) {
      if (other != k)
        by[of_.left[other]] =
            known_.contains(other) ? script_[known_.at(other)].right : state(other, number_of_leaves());
    }
    const auto at = [&](const TermRef& value) {
      proof::Replacement all = by;
      all[of_.left[k]] = value;
      return proof::substitute(quantity, all);
    };
    const TermRef rest = at(proof::number(0));
    const TermRef slope = proof::substitute(slope_of(quantity, of_.left[k]), by);
    std::vector<std::pair<std::size_t, TermRef>> premises;
    const TermRef inverse = proof::divide(proof::number(1), slope);
    premises.emplace_back(*total, inverse);
    std::vector<std::pair<std::size_t, TermRef>> chained;
    chain.append_to(chained, -1);
    for (const auto& [step, factor] : chained) premises.emplace_back(step, proof::multiply({factor, inverse}));
    const Number out = script_.combine({state(k, number_of_leaves()), Relation::equal,
                                        proof::divide(proof::subtract(script_[*total].right, rest), slope)},
                                       premises);
    if (!out) {
      script_.back_to(before);
      return false;
    }
    known_[k] = *out;
    return true;
  }

  Script& script_;
  const proof::Recurrence of_;
  std::string count_;
  Known known_;
};

}  // namespace

std::map<std::size_t, std::size_t> closed_forms(Script& script, const proof::Recurrence& of,
                                                const std::string& count_name) {
  return Folds(script, of, count_name).run();
}

}  // namespace reckon::ir::steps
