#include "reveal/builder.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "numerics/split_mix.h"

namespace reckon::reveal {

std::optional<SumTree> TreeBuilder::build() {
  const std::int64_t n = prober_.question().n;
  partners_.resize(static_cast<std::size_t>(n));
  Leaves all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  auto roots = forest(all, n, 0, 0);
  if (!roots) return std::nullopt;
  tree_.set_root(roots->front());
  return std::move(tree_);
}

bool TreeBuilder::asked(std::int64_t i, std::int64_t j) const {
  const auto has = [&](std::int64_t a, std::int64_t b) {
    const auto& partners = partners_[static_cast<std::size_t>(a)];
    return std::binary_search(partners.begin(), partners.end(), b);
  };
  return has(i, j) || has(j, i);
}

bool TreeBuilder::refuse(std::int64_t i, std::int64_t j) {
  problem_ = {i, j, problem_.odd, !any_vanished_};
  return false;
}

std::optional<std::int64_t> TreeBuilder::meeting_size(std::int64_t i, std::int64_t j) {
  auto count = prober_.survivors(i, j);
  if (!count) {
    failure_ = count.error();
    return std::nullopt;
  }
  if (count->units < 0) {
    problem_.odd = count->odd;
    refuse(i, j);
    return std::nullopt;
  }
  const std::int64_t n = prober_.question().n;
  any_vanished_ = any_vanished_ || count->units < n - 2;
  return n - count->units;
}

std::optional<std::vector<SumTree::Node>> TreeBuilder::forest(const Leaves& leaves, std::int64_t parent,
                                                              std::size_t pivot, int poor) {
  const auto size = static_cast<std::int64_t>(leaves.size());
  const std::int64_t first = leaves[pivot];
  SumTree::Node running = tree_.leaf(first);
  std::int64_t covered = 1;
  std::map<std::int64_t, Leaves> groups;  // by the size of the lowest common ancestor
  for (const std::int64_t other : leaves) {
    if (other == first) continue;
    auto meeting = meeting_size(first, other);
    if (!meeting) return std::nullopt;
    groups[*meeting].push_back(other);
    partners_[static_cast<std::size_t>(first)].push_back(other);
  }
  // Here, before it recurses: the order of evaluation is the depth of the tree.
  for (auto& [meeting, group] : groups) {
    const auto count = static_cast<std::int64_t>(group.size());
    const bool siblings = meeting > size;  // the leaves are several children of the node that awaits them
    if (siblings ? meeting != parent : covered + count != meeting) {
      refuse(first, group.front());
      return std::nullopt;
    }
    // If a pivot splits off little (a leaf near the root), the next pivot is one from the other end, and then any: so a
    // sum from the right takes 2n - 3 calls.
    const int poorer = 2 * count > size ? poor + 1 : 0;
    const std::size_t next = poorer == 0   ? 0
                             : poorer == 1 ? group.size() - 1
                                           : static_cast<std::size_t>(numerics::split_mix(random_) % group.size());
    auto parts = forest(group, siblings ? parent : meeting, next, poorer);
    if (!parts) return std::nullopt;
    parts->push_back(running);
    if (siblings) return parts;
    running = tree_.join(std::move(*parts));
    covered = meeting;
  }
  return std::vector<SumTree::Node>{running};
}

}  // namespace reckon::reveal
