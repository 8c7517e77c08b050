// Builds the tree from the sizes of lowest common ancestors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reveal/prober.h"

namespace reckon::reveal {

/// Builds the tree by asking pairs of leaves, each at most once.
///
/// A set of leaves is known to be one subtree, or several children of a node of known size. One of its leaves, the
/// pivot, is paired with every other leaf in a question: the units that vanish are the leaves below the lowest common
/// ancestor of the pair. Equal sizes belong to one ancestor. From the smallest size on, each group is built in the same
/// way and joined to the tree built so far.
/// Sizes that no tree has (n of them, say, where the group and what it is joined to have fewer leaves) end the search.
class TreeBuilder {
 public:
  explicit TreeBuilder(Prober& prober) : prober_(prober) {}

  /// Nothing if the answers are those of no tree (`problem()`) or the box failed (`failure()`).
  std::optional<SumTree> build();

  struct Problem {
    std::int64_t i = -1, j = -1;       ///< the pair whose answer fits no tree
    std::string odd;                   ///< an answer that is no number of units, or empty
    bool everything_survives = false;  ///< every answer so far was that no unit vanishes
  };
  const Problem& problem() const { return problem_; }
  const std::optional<Diagnostic>& failure() const { return failure_; }
  bool asked(std::int64_t i, std::int64_t j) const;

 private:
  using Leaves = std::vector<std::int64_t>;
  /// The subtrees that have these leaves: one, or several if they are children of a node of `parent` leaves.
  std::optional<std::vector<SumTree::Node>> forest(const Leaves& leaves, std::int64_t parent, std::size_t pivot,
                                                   int poor);
  std::optional<std::int64_t> meeting_size(std::int64_t i, std::int64_t j);
  bool refuse(std::int64_t i, std::int64_t j);

  Prober& prober_;
  SumTree tree_;
  Problem problem_;
  std::optional<Diagnostic> failure_;
  bool any_vanished_ = false;
  std::uint64_t random_ = 0x9e3779b97f4a7c15;
  std::vector<std::vector<std::int64_t>> partners_;  ///< of each pivot
};

}  // namespace reckon::reveal
