// A schedule that is defined by its rounds: each round takes a list of m >= 2 nodes to a shorter one, until one is
// left.
//
// A rule says how many groups a round makes of m nodes, how many nodes each group has, and which. Every node is in one
// group, and a group is joined from the left. A rule is written once, as a template over its numbers: of integers it
// gives trees, and of index expressions it is what evaluators and code generators follow for counts that are not known
// yet.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/index.h"

namespace reckon::ir {

/// An index expression that is computed with like a number.
class IndexTerm {
 public:
  IndexTerm(IndexStore& store, IndexId id) : store_(&store), id_(id) {}
  IndexId id() const { return id_; }

  friend IndexTerm operator+(IndexTerm a, IndexTerm b) { return a.with(a.store_->add(a.id_, b.id_)); }
  friend IndexTerm operator-(IndexTerm a, IndexTerm b) { return a.with(a.store_->subtract(a.id_, b.id_)); }
  friend IndexTerm operator*(IndexTerm a, IndexTerm b) { return a.with(a.store_->multiply(a.id_, b.id_)); }
  friend IndexTerm operator/(IndexTerm a, IndexTerm b) { return a.with(a.store_->floor_div(a.id_, b.id_)); }
  friend IndexTerm operator%(IndexTerm a, IndexTerm b) { return a.with(a.store_->floor_mod(a.id_, b.id_)); }
  friend IndexTerm operator+(IndexTerm a, std::int64_t b) { return a + a.number(b); }
  friend IndexTerm operator-(IndexTerm a, std::int64_t b) { return a - a.number(b); }
  friend IndexTerm operator*(IndexTerm a, std::int64_t b) { return a * a.number(b); }
  friend IndexTerm operator/(IndexTerm a, std::int64_t b) { return a / a.number(b); }
  friend IndexTerm operator%(IndexTerm a, std::int64_t b) { return a % a.number(b); }
  friend IndexTerm operator-(std::int64_t a, IndexTerm b) { return b.number(a) - b; }
  /// Conditions are 0 or 1.
  friend IndexTerm operator==(IndexTerm a, IndexTerm b) { return a.with(a.store_->equal(a.id_, b.id_)); }
  friend IndexTerm operator<(IndexTerm a, IndexTerm b) { return a.with(a.store_->less(a.id_, b.id_)); }
  friend IndexTerm min(IndexTerm a, IndexTerm b) { return a.with(a.store_->minimum(a.id_, b.id_)); }
  friend IndexTerm max(IndexTerm a, IndexTerm b) { return a.with(a.store_->maximum(a.id_, b.id_)); }

 private:
  IndexTerm with(IndexId id) const { return {*store_, id}; }
  IndexTerm number(std::int64_t value) const { return with(store_->constant(value)); }

  IndexStore* store_;
  IndexId id_;
};

/// The numbers of a rule are not negative, so that `/` and `%` are those of C++ as well as floor quotient and
/// remainder.
template <class Number>
struct RoundRule {
  /// How many nodes a round leaves of m: fewer than m, and at most half of them, rounded up.
  Number (*groups)(Number m) = nullptr;
  /// How many nodes group i has; at least one.
  Number (*size)(Number m, Number i) = nullptr;
  /// Which node is the c-th of group i.
  Number (*node)(Number m, Number i, Number c) = nullptr;
};

struct Rounds {
  RoundRule<std::int64_t> of_numbers;
  RoundRule<IndexTerm> of_terms;
};

/// The rounds of a rule that is a class with static templates `groups`, `size` and `node`.
template <class Rule>
constexpr Rounds rounds_of() {
  return {{&Rule::template groups<std::int64_t>, &Rule::template size<std::int64_t>,
           &Rule::template node<std::int64_t>},
          {&Rule::template groups<IndexTerm>, &Rule::template size<IndexTerm>, &Rule::template node<IndexTerm>}};
}

/// More rounds than any count has.
constexpr std::int64_t max_rounds = 64;

/// The nodes of each group of one round over m nodes. Nothing if the rule does not deal m nodes out as it has to.
std::optional<std::vector<std::vector<std::int64_t>>> round_groups(const Rounds& rounds, std::int64_t m);

}  // namespace reckon::ir
