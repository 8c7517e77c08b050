// Reductions along their schedules, by one thread: no tree is built, loops follow the schedule. Each combinator is one
// case; what a stage makes is a list whose nodes are folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "codegen/lower/fold_calls.h"
#include "codegen/lower/joins.h"
#include "codegen/lower/lane_rows.h"
#include "codegen/lower/list.h"
#include "codegen/lower/long_sums.h"
#include "codegen/lower/parts.h"
#include "codegen/lower/rounds.h"
#include "codegen/lower/tensor_core_sums.h"
#include "codegen/lower/trees.h"

namespace reckon::codegen {

class Folds : LoweringParts {
 public:
  explicit Folds(Joins& joins);
  Folds(const Folds&) = delete;

  Writer& writer() const { return w_; }
  Circuits& circuits() const { return circuits_; }
  Joins& joins() const { return joins_; }
  TreeFolds& trees() { return trees_; }
  FoldCalls& calls() { return calls_; }

  // folds.cpp
  /// The reduction of leaves 0..length-1, or what an empty reduction gives.
  Values emit_fold(const FoldSite& site, Value length);
  Values emit_fold(const FoldSite& site, ir::ScheduleId schedule, const Slice& slice);
  Values fold(const FoldSite& site, ir::ScheduleId id, const Slice& slice, const Lengths& lengths);
  Values node_at(const FoldSite& site, const Slice& slice, Value position);
  /// Whether the code of a node of the list may be emitted several times in a row.
  bool is_cheap(const FoldSite& site, const Slice& slice) const;
  /// Puts a stage on top of `slice`; the lists that it makes are kept in `lists`.
  void apply_stage(const FoldSite& site, ir::ScheduleId id, Slice& slice, const Lengths& lengths,
                   std::vector<std::unique_ptr<List>>& lists);

  // pins.cpp
  /// Fails if a term of the schedule is pinned to a level that is not in `by`; the message names the first of `by`.
  void check_pins(const FoldSite& site, ir::ScheduleId schedule, std::initializer_list<ir::MachineLevel> by);

  // fold_seq.cpp
  /// The sequential folds of several lists of `length` nodes each, computed side by side. `read` gives so many nodes of
  /// all lists from the first one on: node after node, each time those of all lists.
  Values seq_in_rounds(const FoldSite& site, Value length, std::size_t lists, std::int64_t prefetch, bool absorbs,
                       FunctionRef<std::vector<Values>(Value first, std::int64_t count)> read);

 private:
  bool is_short_run(const List& list) const;
  Values node_of_tile(const FoldSite& site, const List& list, Value position);
  Values fold_split(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice, const Lengths& lengths);
  Values fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice, const Lengths& lengths);

  // fold_arithmetic.cpp, arrangement.cpp
  Values fold_arithmetic(const FoldSite& site, const ir::ScheduleNode& node, const Slice& slice,
                         const Lengths& lengths);
  /// The node at a place of an arrangement. The place is a multiple of `every`, and the arrangement repeats by that.
  Value arranged_position(const ir::Arrangement& arrangement, Value position, std::int64_t every = 1);
  Values last_run(const FoldSite& site, const List& list, Value first, Value length);

  // fold_seq.cpp
  Values fold_seq(const FoldSite& site, const Slice& slice);
  std::int64_t leaves_of_node(const List& list) const;
  Values seq_in_rounds(const FoldSite& site, const Slice& slice, std::int64_t prefetch);
  std::vector<Values> nodes_from(const FoldSite& site, const Slice& slice, Value first, std::int64_t count);

  const Numbers& numbers_;
  TreeFolds trees_;
  RoundFolds rounds_;
  LaneRows rows_;
  LongSums sums_;
  TensorCoreSums tensor_cores_;
  FoldCalls calls_;
  std::int64_t count_ = 0;  ///< the folds emitted so far, limited so that no schedule grows without end
};

}  // namespace reckon::codegen
