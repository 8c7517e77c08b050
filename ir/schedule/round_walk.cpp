#include "ir/schedule/round_walk.h"

#include <cassert>

namespace reckon::ir {

RoundWalk::RoundWalk(const Rounds& rounds, std::int64_t n) : rule_(rounds.of_numbers), counts_{n} {
  while (counts_.back() > 1) {
    counts_.push_back(rule_.groups(counts_.back()));
    assert(static_cast<std::int64_t>(counts_.size()) <= max_rounds && "a round leaves half of the nodes at most");
  }
  enter(counts_.size() - 1, 0);
}

void RoundWalk::enter(std::size_t level, std::int64_t number) {
  open_.push_back({level, number, level > 0 ? rule_.size(counts_[level - 1], number) : 0});
}

std::optional<std::int64_t> RoundWalk::next() {
  while (!open_.empty()) {
    Node& node = open_.back();
    if (node.level == 0) {
      const std::int64_t leaf = node.number;
      open_.pop_back();
      return leaf;
    }
    if (node.joined + 1 < node.begun) {
      ++node.joined;
      return join;
    }
    if (node.begun == node.size) {
      open_.pop_back();
      continue;
    }
    const std::size_t below = node.level - 1;
    const std::int64_t part = rule_.node(counts_[below], node.number, node.begun++);
    enter(below, part);
  }
  return std::nullopt;
}

}  // namespace reckon::ir
