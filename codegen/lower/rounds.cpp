// A walk over the tree that the rounds of a rule make, for any number of nodes: level l has the nodes that l rounds
// leave. The walk meets the tree's leaves from the left. After each leaf it goes up while groups are complete, and then
// down to the first leaf of the next part. It keeps one node of each level, and levels are few: a round leaves half of
// the nodes at most.
#include "codegen/lower/rounds.h"

#include "codegen/lower/folds.h"
#include "ir/bind.h"

namespace reckon::codegen {

RoundFolds::RoundFolds(Folds& folds, Joins& joins) : LoweringParts(folds, joins) {}

Values RoundFolds::fold(const FoldSite& site, ir::ScheduleId id, const Slice& slice) {
  const auto fixed = w_.known(slice.length);
  if (fixed == 1) return folds_.node_at(site, slice, w_.i64(0));
  const ir::Form* form = module_.schedules()[id].form;
  if (form != nullptr && (!fixed || *fixed > max_written_out)) return walk(site, rule_of(form->rounds), slice);
  const auto [tree, problem] = module_.schedules().expand(id, fixed.value_or(0));
  if (!problem) return folds_.trees().fold_quoted(site, tree, slice);
  w_.fail(ir::schedule_diagnostic(module_, id, *problem, module_.span(site.id)));
  return joins_.zeros(site);
}

RoundFolds::Rule RoundFolds::rule_of(const ir::Rounds& rounds) {
  ir::IndexStore& indices = module_.indices();
  Rule rule{module_.fresh_variable(), module_.fresh_variable(), module_.fresh_variable(), {}, {}, {}};
  const ir::IndexTerm m(indices, indices.variable(rule.m)), i(indices, indices.variable(rule.i)),
      c(indices, indices.variable(rule.c));
  rule.groups = rounds.of_terms.groups(m).id();
  rule.size = rounds.of_terms.size(m, i).id();
  rule.node = rounds.of_terms.node(m, i, c).id();
  return rule;
}

Value RoundFolds::number(const Rule& rule, ir::IndexId what, Value m, Value i, Value c) {
  return w_.parameter(what, {{rule.m, m}, {rule.i, i}, {rule.c, c}});
}

Value RoundFolds::descend(const Rule& rule, const Levels& levels, Value level, Value i) {
  const Values end = w_.while_loop(
      {level, i}, [&](const Values& now) { return b_.greater(now[0], w_.i64(0)); },
      [&](const Values& now) {
        b_.store(levels.group, now[0], now[1]);
        b_.store(levels.member, now[0], w_.i64(0));
        Value below = b_.sub(now[0], w_.i64(1));
        return Values{below, number(rule, rule.node, b_.load(levels.counts, below), now[1], w_.i64(0))};
      });
  return end[1];
}

Values RoundFolds::walk(const FoldSite& site, const Rule& rule, const Slice& slice) {
  const auto integers = [&] { return w_.stack_array(Type::index(), ir::max_rounds); };
  Levels levels{integers(), integers(), integers(), folds_.trees().make_counter(site, ir::max_rounds).stack};
  b_.store(levels.counts, w_.i64(0), slice.length);
  const Values rounds = w_.while_loop(
      {w_.i64(0), slice.length}, [&](const Values& now) { return b_.greater(now[1], w_.i64(1)); },
      [&](const Values& now) {
        Value level = b_.add(now[0], w_.i64(1)), count = number(rule, rule.groups, now[1]);
        b_.store(levels.counts, level, count);
        return Values{level, count};
      });
  Value top = rounds[0];
  Value first = descend(rule, levels, top, w_.i64(0));
  w_.loop(w_.i64(0), slice.length, w_.i64(1), {first}, [&](Value, const Values& carried) {
    const Values leaf = folds_.node_at(site, slice, carried[0]);
    w_.store_at(levels.made, w_.i64(0), leaf);
    // The way up. State: the level whose node gets a part, whether there is such a level, and the part.
    Values state{w_.i64(1), b_.less_equal(w_.i64(1), top)};
    state.append(leaf.begin(), leaf.end());
    const Values up = w_.while_loop(
        state, [&](const Values& now) { return now[1]; },
        [&](const Values& now) {
          Value level = now[0], member = b_.load(levels.member, level);
          const Values part(now.begin() + 2, now.end());
          const Values made = w_.branch(
              b_.equal(member, w_.i64(0)), [&] { return part; },
              [&] { return joins_.join(site, w_.load_at(levels.made, level), part); });
          w_.store_at(levels.made, level, made);
          Value next = b_.add(member, w_.i64(1));
          b_.store(levels.member, level, next);
          Value count = b_.load(levels.counts, b_.sub(level, w_.i64(1)));
          Value group = b_.load(levels.group, level);
          Value complete = b_.less_equal(number(rule, rule.size, count, group), next);
          Value above = b_.select(complete, b_.add(level, w_.i64(1)), level);
          Values out{above, b_.bit_and(complete, b_.less_equal(above, top))};
          out.append(made.begin(), made.end());
          return out;
        });
    Value level = up[0];
    return w_.branch(
        b_.less_equal(level, top),
        [&] {
          Value below = b_.sub(level, w_.i64(1));
          Value count = b_.load(levels.counts, below), group = b_.load(levels.group, level);
          Value next = number(rule, rule.node, count, group, b_.load(levels.member, level));
          return Values{descend(rule, levels, below, next)};
        },
        [&] { return Values{w_.i64(0)}; });
  });
  return w_.load_at(levels.made, top);
}

}  // namespace reckon::codegen
