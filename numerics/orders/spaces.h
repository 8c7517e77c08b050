// How the orders of a set split the leaves: states, each a part of the leaves, and the ways to split a state into two.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/orders/orders.h"

namespace reckon::numerics {

/// The splits of a state, by their left parts; the right part of each is offset + scale * left, in 32-bit
/// arithmetic.
struct Splits {
  const std::vector<std::uint32_t>* left = nullptr;
  std::uint32_t offset = 0, scale = 0;
  std::size_t size() const { return left->size(); }
  std::uint32_t right(std::uint32_t of_left) const { return offset + scale * of_left; }
};

/// Equal leaves form a class. A state says how many leaves it has of each class, as a number in mixed radix. For 20
/// distinct leaves it is a bit mask; 1000 leaves of two values have 500 * 500 states or so at most.
class MultisetSpace {
 public:
  static constexpr bool reflects = true;  ///< right = state - left

  /// `sequential`: a state is only split into one leaf and the rest.
  MultisetSpace(const OrderQuestion& question, bool sequential);

  /// Whether states and splits stay within the limits.
  bool within(const OrderLimits& limits) const;
  std::uint32_t states() const { return static_cast<std::uint32_t>(states_); }
  std::uint32_t full() const { return states() - 1; }

  /// A state that is one leaf has bits; every other state has splits.
  bool is_leaf(std::uint32_t state) const;
  std::uint64_t leaf_bits(std::uint32_t state) const;
  Splits splits(std::uint32_t state, std::vector<std::uint32_t>& storage) const;
  /// Calls visit(state) for every state that is not empty; parts come before the states made of them.
  template <class Visit>
  bool visit(Visit&& visit) const {
    for (std::uint32_t state = 1; state < states(); ++state) {
      if (!visit(state)) return false;
    }
    return true;
  }

  /// Gives the leaves of a tree their numbers: a state that is one leaf takes the next leaf of its class.
  class Names {
   public:
    explicit Names(const MultisetSpace& space) : space_(space), taken_(space.classes_.size(), 0) {}
    std::uint32_t leaf(std::uint32_t state);

   private:
    const MultisetSpace& space_;
    std::vector<std::uint32_t> taken_;
  };

 private:
  struct Class {
    std::uint64_t bits = 0;
    std::uint32_t stride = 0;
    std::vector<std::uint32_t> leaves;
  };
  std::vector<Class> classes_;
  std::uint64_t states_ = 1;
  long double split_count_ = 0;
  bool sequential_;
};

/// The leaves i..j in their order: the state is i * n + j.
class IntervalSpace {
 public:
  static constexpr bool reflects = false;

  explicit IntervalSpace(const OrderQuestion& question) : question_(question), n_(count(question)) {}

  bool within(const OrderLimits& limits) const { return n_ <= limits.positions; }
  std::uint32_t states() const { return n_ * n_; }
  std::uint32_t full() const { return n_ - 1; }
  bool is_leaf(std::uint32_t state) const { return state / n_ == state % n_; }
  std::uint64_t leaf_bits(std::uint32_t state) const { return question_.leaves[state % n_]; }
  Splits splits(std::uint32_t state, std::vector<std::uint32_t>& storage) const;
  template <class Visit>
  bool visit(Visit&& visit) const {
    for (std::uint32_t length = 1; length <= n_; ++length) {
      for (std::uint32_t i = 0; i + length <= n_; ++i) {
        if (!visit(i * n_ + i + length - 1)) return false;
      }
    }
    return true;
  }

  class Names {
   public:
    explicit Names(const IntervalSpace& space) : n_(space.n_) {}
    std::uint32_t leaf(std::uint32_t state) const { return state % n_; }

   private:
    std::uint32_t n_;
  };

 private:
  static std::uint32_t count(const OrderQuestion& question) {
    return static_cast<std::uint32_t>(question.leaves.size());
  }
  const OrderQuestion& question_;
  std::uint32_t n_;
};

/// The tree of the whole set. `parts(state, goal)` gives the two (state, goal) pairs that reach the goal of a state.
/// Trees may be as deep as they have leaves, so there is no recursion.
template <class Space, class Goal, class Parts>
OrderTree tree_of(const Space& space, Goal goal, Parts&& parts) {
  OrderTree out;
  typename Space::Names names(space);
  std::vector<std::uint32_t> done;  // roots of finished parts: leaves by their numbers, pairs from `pair_mark` on
  constexpr std::uint32_t pair_mark = std::uint32_t{1} << 31;
  struct Visit {
    std::uint32_t state;
    Goal goal;
    bool finished;
  };
  std::vector<Visit> stack{{space.full(), goal, false}};
  while (!stack.empty()) {
    const Visit at = stack.back();
    stack.pop_back();
    if (at.finished) {
      const std::uint32_t right = done.back();
      done.pop_back();
      out.pairs.emplace_back(done.back(), right);
      done.back() = pair_mark + static_cast<std::uint32_t>(out.pairs.size()) - 1;
    } else if (space.is_leaf(at.state)) {
      done.push_back(names.leaf(at.state));
      ++out.leaf_count;
    } else {
      const auto [left, right] = parts(at.state, at.goal);
      stack.push_back({at.state, at.goal, true});
      stack.push_back({right.first, right.second, false});
      stack.push_back({left.first, left.second, false});
    }
  }
  for (auto& [left, right] : out.pairs) {
    for (std::uint32_t* node : {&left, &right}) {
      if (*node >= pair_mark) *node = *node - pair_mark + out.leaf_count;
    }
  }
  return out;
}

}  // namespace reckon::numerics
