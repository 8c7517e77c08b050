// Walks the tree that the rounds of a rule make of n nodes, in post-order, without writing it out: it keeps one node of
// each level.
#pragma once

#include <optional>

#include "ir/schedule/rounds.h"

namespace reckon::ir {

class RoundWalk {
 public:
  static constexpr std::int64_t join = -1;  ///< joins the two last nodes that are not joined yet

  RoundWalk(const Rounds& rounds, std::int64_t n);
  /// A leaf's number, or `join`; nothing at the end.
  std::optional<std::int64_t> next();

 private:
  struct Node {
    std::size_t level = 0;
    std::int64_t number = 0, size = 0, begun = 0, joined = 0;
  };
  void enter(std::size_t level, std::int64_t number);

  const RoundRule<std::int64_t>& rule_;
  std::vector<std::int64_t> counts_;  ///< of the nodes of each level
  std::vector<Node> open_;
};

}  // namespace reckon::ir
