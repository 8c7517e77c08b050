// Reductions by key (ir/keyed_reduction.h): the leaves are sorted by their keys once, and every element folds those
// that have its key. A leaf that takes no part changes no bit of the tree, with one exception: adding 0 to -0 gives 0.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "interp/fold.h"
#include "ir/keyed_reduction.h"

namespace reckon::interp {

/// Numbers for leaves by which a schedule of trees joins them: it joins two neighbouring nodes at the highest bit in
/// which their numbers differ, whichever leaves between them are left out.
struct TreePlaces {
  struct Stage {
    bool lanes = false;  ///< otherwise runs
    std::int64_t size = 1;
    int shift = 0;
  };
  std::vector<Stage> stages;
  int bits = 0;  ///< of all stages; the number of the last node is above them

  std::int64_t of(std::int64_t leaf) const;
};

/// One reduction of leaves 0..length-1 for all elements around it.
class KeyedFold {
 public:
  KeyedFold(Evaluator& evaluator, ir::NodeId reduce, std::int64_t length);

  std::int64_t length() const { return length_; }
  /// The reduction for each element of the frame. `done` stays false if it is not one by key, or not one whose order
  /// can be followed so.
  [[nodiscard]] bool reduce(Frame& frame, Columns& out, bool& done);

 private:
  using Indices = std::vector<std::int64_t>;
  /// Positions in `order_`.
  struct List {
    std::int64_t from = 0, to = 0;
    std::int64_t size() const { return to - from; }
  };
  using Lists = std::vector<List>;

  bool follows_order();
  bool sort_leaves();
  std::optional<Lists> lists_of(Frame& frame, const Column& targets) const;
  bool fold(Frame& frame, std::int64_t first, const Lists& lists, Columns& out);
  bool fold_numbers(const Lists& lists, const Indices& chosen, const Indices& starts, Nodes& nodes, Columns& out);
  bool fold_places(Nodes& nodes, const Indices& starts, const Indices& leaves, Nodes& out);
  bool leaves_of(Frame& frame, const Indices& leaves, const Indices& elements, Columns& out);

  Evaluator& evaluator_;
  ir::NodeId place_;
  ir::VariableId variable_;
  std::int64_t length_;
  std::optional<ir::KeyedReduction> keyed_;  ///< nothing: not to be computed so
  bool in_order_ = false;                    ///< from left to right; otherwise by `places_`
  bool zero_is_neutral_ = false;             ///< also for -0
  bool closed_ = false;                      ///< leaves do not depend on the elements
  std::optional<TreePlaces> places_;
  bool sorted_ = false;
  std::vector<std::uint64_t> keys_;  ///< ascending patterns; starts_[k] is where the leaves of key k begin in order_
  Indices starts_, order_;
  Columns values_;  ///< closed: the parts of all leaves
};

}  // namespace reckon::interp
