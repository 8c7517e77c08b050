// A schedule as evaluators follow it: a term of a store, and the lengths to which the enclosing `length` terms are
// bound. Following a schedule adds nothing to its store.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ir/schedule/schedule.h"

namespace reckon::ir {

class Order {
 public:
  Order() = default;  ///< no order
  /// The store must outlive it; it may grow.
  Order(const ScheduleStore& store, ScheduleId term) : Order(store, term, {}) {}

  bool valid() const { return store_ != nullptr; }
  ScheduleId term() const { return term_; }
  const ScheduleNode& node() const { return (*store_)[term_]; }
  ScheduleOp op() const { return node().op; }
  const Arrangement& arrangement() const { return store_->arrangement_of(node()); }
  /// Where the trees of `quoted` terms are.
  const TreeStore& trees() const { return store_->trees(); }

  /// Whether an enclosing length is bound; otherwise the term alone defines the order.
  bool is_bound() const { return bound_ != nullptr; }
  /// A part of the term, under the same lengths.
  Order operand(std::size_t which) const { return {*store_, node().operands[which], bound_}; }
  /// `seq` or `tree`.
  Order plain(ScheduleOp op) const { return {*store_, store_->plain(op)}; }

  /// What the order denotes for n nodes: a term that is no length, conditional or reference. If it has a parameter,
  /// that is a positive number. It mentions no dimension. Levels to which references are pinned are dropped.
  struct Head;
  Head head(std::int64_t n) const;
  /// The parameter of a head, or of a limited set (whose head has the problem no_single_order).
  std::int64_t parameter() const { return *evaluate(node().parameter); }

  /// Orders of one store with the same signature are the same order, whatever lengths they are bound to.
  std::vector<std::int64_t> signature() const;

  friend bool operator==(const Order& a, const Order& b) { return a <=> b == std::strong_ordering::equal; }
  friend std::strong_ordering operator<=>(const Order& a, const Order& b) {
    if (a.term_ != b.term_ || a.bound_ == b.bound_) return a.term_ <=> b.term_;
    return a.lengths() <=> b.lengths();
  }

 private:
  using Lengths = decltype(IndexEnvironment::variables);
  /// The lengths; null: none are bound. Orders that were made from each other share it.
  using Bound = std::shared_ptr<const IndexEnvironment>;
  /// If the condition of a conditional is known, the order is the term that it selects.
  Order(const ScheduleStore& store, ScheduleId term, Bound bound);

  const Lengths& lengths() const {
    static const Lengths none;
    return bound_ ? bound_->variables : none;
  }
  std::optional<std::int64_t> evaluate(IndexId index) const;
  void sign(std::vector<std::int64_t>& out) const;

  const ScheduleStore* store_ = nullptr;
  ScheduleId term_;
  Bound bound_;
};

struct Order::Head {
  Order order;
  std::optional<ScheduleProblem> problem;
};

/// The tree for n leaves, in `trees`, if the order has one (and n is at most ten million). `additions`: one with joint
/// pairs will do.
ScheduleStore::Expansion expand(const Order& order, std::int64_t n, TreeStore& trees, bool additions = false);

}  // namespace reckon::ir
