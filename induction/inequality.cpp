#include "induction/inequality.h"

#include <algorithm>
#include <functional>

namespace reckon::ir::steps {

using proof::Relation;
using proof::TermKind;

namespace {

constexpr std::size_t most_columns = 900;

bool is_call(const TermRef& term, const char* name) { return term->kind == TermKind::call && term->name == name; }

void collect_parts(const TermRef& term, const std::function<bool(const TermRef&)>& wanted,
                   std::map<std::string, TermRef>& out) {
  if (wanted(term)) out[proof::text(term)] = term;
  for (const TermRef& each : term->parts) collect_parts(each, wanted, out);
}

TermRef product_of(const std::map<std::string, int>& monomial, const std::map<std::string, TermRef>& parts) {
  std::vector<TermRef> factors;
  for (const auto& [name, power] : monomial) {
    for (int k = 0; k < power; ++k) factors.push_back(parts.at(name));
  }
  return proof::multiply(factors);
}

}  // namespace

bool Inequalities::is_natural(const TermRef& part) const {
  if (is_call(part, "abs") || is_call(part, "exp")) return true;
  if (part->kind != TermKind::variable) return false;
  return std::ranges::any_of(script_.proof().variables, [&](const proof::Variable& each) {
    return each.name == part->name && (each.is_integer || each.is_natural);
  });
}

void Inequalities::fact(std::vector<std::size_t>& facts, const Number& step) {
  if (step) facts.push_back(*step);
}

void Inequalities::magnitude_facts(const TermRef& of, std::vector<std::size_t>& facts) {
  for (const TermRef& each : {of, proof::negate(of)}) {
    fact(facts, script_.axiom("magnitude", at_most(each, proof::call("abs", {of})), {each}));
  }
}

void Inequalities::range_facts(const TermRef& of, std::vector<std::size_t>& facts) {
  for (const proof::Range& each : script_.proof().ranges) {
    if (each.input != of->name || (of->kind != TermKind::element && of->kind != TermKind::variable)) continue;
    Number low, high;
    if (each.low) fact(facts, low = script_.axiom("lower end", at_most(proof::number(*each.low), of), {of}));
    if (each.high) fact(facts, high = script_.axiom("upper end", at_most(of, proof::number(*each.high)), {of}));
    if (!low || !high) continue;
    const mpq_class most = std::max(mpq_class(-*each.low), *each.high);
    const Number above = script_.combine(at_most(of, proof::number(most)), {{*high, proof::number(1)}});
    const Number below = script_.combine(at_most(proof::negate(of), proof::number(most)), {{*low, proof::number(1)}});
    if (!above || !below) continue;
    fact(facts, script_.axiom("least magnitude", at_most(proof::call("abs", {of}), proof::number(most)),
                              {of, proof::negate(of), proof::number(most)}, {*above, *below}));
  }
}

void Inequalities::facts_of_parts(Expander& expander, const Formula& claim, std::vector<std::size_t>& facts) {
  std::map<std::string, TermRef> absolute, maxima, inputs;
  std::vector<Formula> all{claim};
  for (const std::size_t each : facts) all.push_back(script_[each]);
  for (const Formula& formula : all) {
    for (const TermRef& side : {formula.left, formula.right}) {
      collect_parts(
          side, [](const TermRef& term) { return is_call(term, "abs"); }, absolute);
      collect_parts(
          side, [](const TermRef& term) { return is_call(term, "max"); }, maxima);
      collect_parts(
          side, [](const TermRef& term) { return term->kind == TermKind::element || term->kind == TermKind::variable; },
          inputs);
    }
  }
  for (const auto& [name, term] : absolute) {
    const TermRef& of = term->parts[0];
    magnitude_facts(of, facts);
    if (of->kind != TermKind::add || of->parts.size() != 2) continue;
    // |p| <= |p + q| + |q|, both ways.
    for (const std::size_t k : {0u, 1u}) {
      const TermRef other = proof::negate(of->parts[1 - k]);
      fact(facts,
           script_.axiom("triangle",
                         at_most(proof::call("abs", {of->parts[k]}), proof::add({term, proof::call("abs", {other})})),
                         {of, other}));
    }
  }
  for (const auto& [name, term] : maxima) {
    if (term->parts.size() != 2) continue;
    for (const std::size_t k : {0u, 1u}) {
      fact(facts, script_.axiom("larger", at_most(term->parts[k], term), {term->parts[k], term->parts[1 - k]}));
    }
  }
  for (const auto& [name, term] : inputs) range_facts(term, facts);
  // Every product of unknown sign is at most its magnitude.
  Expansion left = expander.of(claim.left);
  Expander::add(left, expander.of(claim.right), -1);
  for (const auto& [monomial, coefficient] : left) {
    if (monomial.empty()) continue;
    const TermRef term = product_of(monomial, expander.parts());
    const bool natural =
        std::ranges::all_of(monomial, [&](const auto& each) { return is_natural(expander.parts().at(each.first)); });
    if (!natural) magnitude_facts(term, facts);
  }
}

/// What is 0 or more times what else is: (b - a)(d - c) >= 0 for a <= b and c <= d.
void Inequalities::products(const std::vector<std::size_t>& given, std::vector<std::size_t>& facts) {
  const std::vector<std::size_t> all = facts;
  for (const std::size_t natural : given) {
    if (script_[natural].left->kind != TermKind::number) continue;
    for (const std::size_t other : all) {
      const bool useful = is_call(script_[other].right, "max") || std::ranges::find(given, other) != given.end();
      if (!useful || script_[other].relation != Relation::at_most) continue;
      const auto difference = [&](std::size_t step) {
        return proof::subtract(script_[step].right, script_[step].left);
      };
      fact(facts, script_.add({.rule = Rule::axiom,
                               .conclusion =
                                   at_most(proof::number(0), proof::multiply({difference(natural), difference(other)})),
                               .premises = {natural, other},
                               .axiom = "product"}));
    }
  }
}

Number Inequalities::add_up(const Formula& claim, std::vector<std::size_t> given, int degree) {
  if (const Number plain = script_.combine(claim, {})) return plain;
  const std::size_t before = script_.size();
  Expander expander;
  std::vector<std::size_t> facts = given;
  facts_of_parts(expander, claim, facts);
  if (degree > 1) products(given, facts);
  std::vector<Expansion> differences;
  for (const std::size_t each : facts) {
    Expansion difference = expander.of(script_[each].right);
    Expander::add(difference, expander.of(script_[each].left), -1);
    differences.push_back(difference);
  }
  Expansion target = expander.of(claim.right);
  Expander::add(target, expander.of(claim.left), -1);
  // Factors: 1, what is 0 or more, and products of two of these.
  std::vector<TermRef> natural, factors{proof::number(1)};
  for (const auto& [name, part] : expander.parts()) {
    if (is_natural(part)) natural.push_back(part);
  }
  if (degree > 0) factors.insert(factors.end(), natural.begin(), natural.end());
  std::map<std::map<std::string, int>, std::size_t> row;
  std::vector<std::map<std::size_t, mpq_class>> columns;
  std::vector<std::pair<std::size_t, TermRef>> meaning;
  const auto column = [&](const Expansion& of) {
    std::map<std::size_t, mpq_class> out;
    for (const auto& [monomial, coefficient] : of)
      out[row.try_emplace(monomial, row.size()).first->second] = coefficient;
    columns.push_back(out);
  };
  for (const auto& [monomial, coefficient] : target) row.try_emplace(monomial, row.size());
  for (std::size_t k = 0; k < facts.size() && columns.size() < most_columns; ++k) {
    // What follows from one operation alone has no use for factors.
    const bool is_given = k < given.size();
    for (const TermRef& factor : is_given ? factors : std::vector{proof::number(1)}) {
      const Expansion scaled = Expander::multiply(differences[k], expander.of(factor));
      column(scaled);
      meaning.emplace_back(facts[k], factor);
      if (script_[facts[k]].relation != Relation::equal) continue;
      Expansion opposite;
      Expander::add(opposite, scaled, -1);
      column(opposite);
      meaning.emplace_back(facts[k], proof::negate(factor));
    }
  }
  // What is left over may be any monomial that is 0 or more.
  std::vector<Expansion> slack;
  for (const auto& [monomial, number] : row) {
    const bool is_slack = std::ranges::all_of(monomial, [&](const auto& each) {
      return each.second % 2 == 0 || is_natural(expander.parts().at(each.first));
    });
    if (is_slack) slack.push_back({{monomial, 1}});
  }
  for (const Expansion& each : slack) column(each);
  std::vector<mpq_class> right(row.size(), 0);
  for (const auto& [monomial, coefficient] : target) right[row.at(monomial)] = coefficient;
  const auto solution = nonnegative_solution(columns, right);
  if (!solution) {
    script_.back_to(before);
    return {};
  }
  std::vector<std::pair<std::size_t, TermRef>> premises;
  for (std::size_t k = 0; k < meaning.size(); ++k) {
    if ((*solution)[k] != 0)
      premises.emplace_back(meaning[k].first, proof::multiply({proof::number((*solution)[k]), meaning[k].second}));
  }
  const Number out = script_.combine(claim, premises);
  if (!out) script_.back_to(before);
  return out;
}

Number Inequalities::prove(const Formula& claim, const std::vector<std::size_t>& given) {
  const TermRef& left = claim.left;
  if (is_call(left, "abs") || (is_call(left, "max") && left->parts.size() == 2)) {
    const bool magnitude = left->name == "abs";
    const TermRef first = left->parts[0], second = magnitude ? proof::negate(first) : left->parts[1];
    const Number a = prove(at_most(first, claim.right), given),
                 b = a ? prove(at_most(second, claim.right), given) : Number();
    if (!b) return {};
    return script_.axiom(magnitude ? "least magnitude" : "least maximum", claim, {first, second, claim.right},
                         {*a, *b});
  }
  for (const int degree : {0, 1, 2}) {
    if (const Number out = add_up(claim, given, degree)) return out;
  }
  return {};
}

/// |sum| <= sum |.|, by induction over the number of values.
Number Inequalities::triangle_of_sum(const TermRef& sum) {
  const std::size_t before = script_.size();
  const TermRef k = proof::variable(any_count), one = proof::number(1), next = proof::add({k, one});
  const TermRef magnitude = proof::call("abs", {sum->parts[1]});
  const auto over = [&](const TermRef& count, const TermRef& body) {
    return proof::over_range(TermKind::sum, sum->name, count, body);
  };
  const auto claim = [&](const TermRef& count) {
    return at_most(proof::call("abs", {over(count, sum->parts[1])}), over(count, magnitude));
  };
  const auto give_up = [&]() -> Number {
    script_.back_to(before);
    return {};
  };
  const Number first = script_.combine(claim(proof::number(0)), {});
  const Number assumed = first ? script_.hypothesis(claim(k)) : Number();
  if (!assumed) return give_up();
  const Number left = script_.peel(over(next, sum->parts[1]), k), right = script_.peel(over(next, magnitude), k);
  if (!left || !right) return give_up();
  const TermRef last = proof::substitute(sum->parts[1], {{sum->name, k}});
  const Number taken = script_.rewrite(claim(next).left, *left);
  const TermRef before_last = over(k, sum->parts[1]);
  const Number triangle =
      script_.axiom("triangle",
                    at_most(proof::call("abs", {proof::add({before_last, last})}),
                            proof::add({proof::call("abs", {before_last}), proof::call("abs", {last})})),
                    {before_last, last});
  if (!taken || !triangle) return give_up();
  const Number step =
      script_.combine(claim(next), {{*taken, one}, {*triangle, one}, {*assumed, one}, {*right, proof::number(-1)}});
  const Number all = step ? script_.induction(claim(k), any_count, *first, *assumed, *step) : Number();
  const Number out = all ? script_.instance(*all, {{any_count, sum->parts[0]}}) : Number();
  return out ? out : give_up();
}

/// A sum is at most another one over as many values, or as many times a number, if each term is.
Number Inequalities::compared_terms(const TermRef& left, const TermRef& right) {
  const std::size_t before = script_.size();
  TermRef bound = right;
  if (right->kind == TermKind::sum) {
    if (proof::text(left->parts[0]) != proof::text(right->parts[0])) return {};
    bound = proof::substitute(right->parts[1], {{right->name, proof::variable(left->name)}});
  }
  std::vector<std::size_t> given;
  if (right->kind == TermKind::largest) {
    // Each of the values is at most the largest.
    const TermRef place = proof::variable(left->name);
    fact(given, script_.axiom("member", at_most(proof::substitute(right->parts[1], {{right->name, place}}), right),
                              {right, place}));
  }
  const Number each = prove(at_most(left->parts[1], bound), given);
  const TermRef other = proof::over_range(TermKind::sum, left->name, left->parts[0], bound);
  const Number out = each ? script_.add({.rule = Rule::monotone,
                                         .conclusion = at_most(left, other),
                                         .premises = {*each},
                                         .terms = {left, other}})
                          : Number();
  if (!out) script_.back_to(before);
  if (!out || proof::free_variables(bound).contains(left->name)) return out;
  // As many times one number.
  return script_.combine(at_most(left, proof::multiply({left->parts[0], bound})), {{*out, proof::number(1)}});
}

/// The same of sums with opposite signs: -sum is at most as many times a number.
Number Inequalities::compared_opposites(const TermRef& sum, const TermRef& bound) {
  const TermRef opposite = proof::over_range(TermKind::sum, sum->name, sum->parts[0], proof::negate(sum->parts[1]));
  const Number out = compared_terms(opposite, bound);
  return out ? script_.combine(at_most(proof::negate(sum), script_[*out].right), {{*out, proof::number(1)}}) : out;
}

Number Inequalities::by_induction(const Formula& claim, const proof::Variable& size) {
  const std::size_t before = script_.size();
  const TermRef n = proof::variable(size.name);
  const auto at = [&](const TermRef& count) {
    return Formula{proof::substitute(claim.left, {{size.name, count}}), claim.relation,
                   proof::substitute(claim.right, {{size.name, count}})};
  };
  const auto last_values = [&](const Formula& formula) {
    std::map<std::string, TermRef> binders;
    for (const TermRef& side : {formula.left, formula.right}) {
      collect_parts(
          side, [](const TermRef& term) { return proof::is_binder(term->kind); }, binders);
    }
    std::vector<std::size_t> out;
    for (const auto& [name, each] : binders)
      fact(out, script_.peel(each, proof::subtract(each->parts[0], proof::number(1))));
    return out;
  };
  const Formula first = at(proof::number(mpq_class(size.least))), next = at(proof::add({n, proof::number(1)}));
  const Number base = prove(first, last_values(first));
  const Number assumed = base ? script_.hypothesis(claim) : Number();
  if (assumed) {
    std::vector<std::size_t> given = last_values(next);
    given.push_back(*assumed);
    const Number step = prove(next, given);
    const Number out = step ? script_.induction(claim, size.name, *base, *assumed, *step) : Number();
    if (out) return out;
  }
  script_.back_to(before);
  return {};
}

Number Inequalities::prove_with_sums(const Formula& claim) {
  if (const Number out = prove(claim)) return out;
  std::map<std::string, TermRef> absolute, left, right;
  const auto is_sum = [](const TermRef& term) { return term->kind == TermKind::sum; };
  for (const TermRef& side : {claim.left, claim.right}) {
    collect_parts(
        side, [&](const TermRef& term) { return is_call(term, "abs") && is_sum(term->parts[0]); }, absolute);
  }
  std::vector<std::size_t> facts;
  for (const auto& [name, term] : absolute) {
    const Number lemma = triangle_of_sum(term->parts[0]);
    if (!lemma) continue;
    facts.push_back(*lemma);
    // The whole left side: what is left to prove is about sums of magnitudes.
    if (proof::text(claim.left) != name) continue;
    const Number rest = prove_with_sums(at_most(script_[*lemma].right, claim.right));
    if (rest) return script_.combine(claim, {{*lemma, proof::number(1)}, {*rest, proof::number(1)}});
  }
  std::map<std::string, TermRef> sums_on_right, largest_on_left;
  const auto is_largest = [](const TermRef& term) { return term->kind == TermKind::largest; };
  collect_parts(claim.left, is_sum, left);
  collect_parts(
      claim.right, [&](const TermRef& term) { return is_sum(term) || is_largest(term); }, right);
  collect_parts(claim.right, is_sum, sums_on_right);
  collect_parts(claim.left, is_largest, largest_on_left);
  for (const auto& [name, a] : left) {
    for (const auto& [other, b] : right) fact(facts, compared_terms(a, b));
  }
  for (const auto& [name, a] : sums_on_right) {
    for (const auto& [other, b] : largest_on_left) fact(facts, compared_opposites(a, b));
  }
  if (const Number out = prove(claim, facts)) return out;
  for (const proof::Variable& size : std::vector(script_.proof().variables)) {
    if (!size.is_integer || size.below || size.least > 1 || size.name == any_count) continue;
    if (!proof::free_variables(claim.left).contains(size.name) &&
        !proof::free_variables(claim.right).contains(size.name))
      continue;
    if (const Number out = by_induction(claim, size)) return out;
  }
  return {};
}

namespace {

/// The parts of the state that `of` has after `count_name` leaves.
std::vector<TermRef> states_of(const proof::Recurrence& of, const std::string& count_name) {
  std::vector<TermRef> arguments;
  for (const std::string& each : of.arguments) arguments.push_back(proof::variable(each));
  arguments.push_back(proof::variable(count_name));
  std::vector<TermRef> out;
  for (std::size_t k = 0; k < of.leaf.size(); ++k) out.push_back(proof::state(of.name, k, arguments));
  return out;
}

/// What a formula about a state says of a group of leaves whose parts are `parts`.
Formula of_group(const Formula& formula, const std::vector<TermRef>& states, const std::vector<TermRef>& parts) {
  Formula out = formula;
  for (std::size_t k = 0; k < states.size(); ++k) {
    out.left = replaced(out.left, states[k], parts[k]);
    out.right = replaced(out.right, states[k], parts[k]);
  }
  return out;
}

}  // namespace

Number Inequalities::order_induction(const Formula& claim, const proof::Recurrence& of, const std::string& count_name,
                                     const std::vector<std::size_t>& known) {
  const std::size_t before = script_.size();
  const std::vector<TermRef> states = states_of(of, count_name);
  const auto group = [&](const Formula& formula, const std::vector<TermRef>& parts) {
    return of_group(formula, states, parts);
  };
  std::vector<TermRef> left, right;
  for (const std::string& each : of.left) left.push_back(proof::variable(each));
  for (const std::string& each : of.right) right.push_back(proof::variable(each));
  const Number leaf = prove(group(claim, of.leaf));
  if (leaf) {
    std::vector<std::size_t> given;
    for (const std::vector<TermRef>* side : {&left, &right}) {
      fact(given, script_.hypothesis(group(claim, *side)));
      for (const std::size_t each : known) fact(given, script_.hypothesis(group(script_[each], *side)));
    }
    const Number join = prove(group(claim, of.joined), given);
    if (join) {
      std::vector<std::size_t> premises{*leaf};
      premises.insert(premises.end(), given.begin(), given.end());
      premises.push_back(*join);
      const Number out = script_.add({.rule = Rule::order_induction,
                                      .conclusion = claim,
                                      .premises = premises,
                                      .variables = {of.name, count_name}});
      if (out) return out;
    }
  }
  script_.back_to(before);
  return {};
}

/// What holds of every group of leaves: parts that are 0 or 1 at least, magnitudes that an input's range or another
/// part bounds.
std::vector<std::size_t> Inequalities::known_of_states(const proof::Recurrence& of, const std::string& count_name) {
  const std::vector<TermRef> states = states_of(of, count_name);
  std::vector<Formula> candidates;
  for (const TermRef& each : states) {
    candidates.push_back(at_most(proof::number(1), each));
    candidates.push_back(at_most(proof::number(0), each));
  }
  for (std::size_t a = 0; a < states.size(); ++a) {
    for (const proof::Range& range : script_.proof().ranges) {
      const bool is_input = of.leaf[a]->kind == TermKind::element && of.leaf[a]->name == range.input;
      if (!is_input || !range.low || !range.high) continue;
      const mpq_class most = std::max(mpq_class(-*range.low), *range.high);
      candidates.push_back(at_most(proof::call("abs", {states[a]}), proof::number(most)));
    }
    for (std::size_t b = 0; b < states.size(); ++b) {
      if (a != b) candidates.push_back(at_most(proof::call("abs", {states[a]}), states[b]));
    }
  }
  std::vector<std::size_t> known;
  for (const Formula& each : candidates) {
    // What is at least 1 is at least 0.
    const bool weaker = std::ranges::any_of(known, [&](std::size_t step) {
      return script_[step].left->kind == TermKind::number && each.left->kind == TermKind::number &&
             proof::text(script_[step].right) == proof::text(each.right);
    });
    if (weaker) continue;
    fact(known, order_induction(each, of, count_name, known));
  }
  return known;
}

Number Inequalities::prove_for_states(const Formula& claim, const proof::Recurrence& of,
                                      const std::string& count_name) {
  const std::size_t before = script_.size();
  const std::vector<std::size_t> known = known_of_states(of, count_name);
  if (const Number out = prove(claim, known)) return out;
  if (const Number out = order_induction(claim, of, count_name, known)) return out;
  script_.back_to(before);
  return {};
}

/// The formula, from the one in which states are what they are made of and ranges end one value earlier. `before`: the
/// number of leaves that were joined before the last one; 0: there is one leaf.
Number Inequalities::opened(const Formula& formula, const TermRef& before, const std::vector<std::size_t>& given) {
  const bool is_first = before->kind == TermKind::number;
  Formula inside = formula;
  std::vector<std::pair<std::size_t, TermRef>> premises;
  int sign = 1;
  for (const auto& [side, into] : {std::pair(formula.left, &inside.left), std::pair(formula.right, &inside.right)}) {
    std::map<std::string, TermRef> parts;
    collect_parts(
        side, [](const TermRef& term) { return term->kind == TermKind::state || proof::is_binder(term->kind); }, parts);
    Chain chain(script_, side);
    for (const auto& [name, each] : parts) {
      Number step = each->kind != TermKind::state
                        ? script_.peel(each, proof::subtract(each->parts[0], proof::number(1)))
                    : is_first ? script_.first(each)
                               : script_.next(each, before);
      // A product over n - 1 numbers has none at n = 1.
      if (!step && (each->kind == TermKind::sum || each->kind == TermKind::product)) {
        step = script_.combine({each, Relation::equal, proof::number(each->kind == TermKind::sum ? 0 : 1)}, {});
      }
      if (!step || !chain.rewrite(*step)) return {};
    }
    chain.append_to(premises, sign);
    sign = -1;
    *into = chain.term();
  }
  const Number plain = prove(inside, given);
  if (!plain) return {};
  premises.emplace_back(*plain, proof::number(1));
  return script_.combine(formula, premises);
}

Number Inequalities::prove_leaf_by_leaf(const Formula& claim, const proof::Recurrence& of,
                                        const std::string& count_name) {
  const std::size_t start = script_.size();
  std::vector<std::size_t> known = known_of_states(of, count_name);
  const std::vector<proof::Variable> variables = script_.proof().variables;
  const auto count = std::ranges::find(variables, count_name, &proof::Variable::name);
  std::map<std::string, TermRef> products;
  for (const TermRef& side : {claim.left, claim.right}) {
    collect_parts(
        side, [](const TermRef& term) { return term->kind == TermKind::product; }, products);
  }
  for (const auto& [name, each] : products) fact(known, by_induction(at_most(proof::number(1), each), *count));
  const TermRef n = proof::variable(count_name);
  const auto at = [&](const TermRef& leaves) {
    return at_most(proof::substitute(claim.left, {{count_name, leaves}}),
                   proof::substitute(claim.right, {{count_name, leaves}}));
  };
  const Number first = opened(at(proof::number(1)), proof::number(0), {});
  const Number assumed = first ? script_.hypothesis(claim) : Number();
  if (assumed) {
    std::vector<std::size_t> given = known;
    given.push_back(*assumed);
    // What holds of every group holds of the leaf that is added.
    std::vector<TermRef> leaf;
    for (const TermRef& part : of.leaf) leaf.push_back(proof::substitute(part, {{of.index, n}}));
    const std::vector<TermRef> states = states_of(of, count_name);
    for (const std::size_t each : known) {
      const Formula of_leaf = of_group(script_[each], states, leaf);
      if (proof::text(of_leaf.left) != proof::text(of_leaf.right)) fact(given, prove(of_leaf));
    }
    const Number next = opened(at(proof::add({n, proof::number(1)})), n, given);
    const Number out = next ? script_.induction(claim, count_name, *first, *assumed, *next) : Number();
    if (out) return out;
  }
  script_.back_to(start);
  return {};
}

}  // namespace reckon::ir::steps
