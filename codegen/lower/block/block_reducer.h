// A reduction carried out by all threads of a block together, along its schedule (docs/schedules.md, "Placement").
//
// The tree stays the one that the schedule states. It can be shared because `tree` refines itself: the nodes of level k
// are those of aligned runs of 2^k leaves, whoever computes them, and `lanes(L, tree)` is that for L lists side by
// side. The bits of a leaf's number are distributed, from the lowest up, over a thread's vector, the threads of a warp
// (joined by shuffles), a thread's rounds (joined by a binary counter), the warps (through shared memory), and, above
// this file, the blocks of a grid. Of other stages, each thread computes whole nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/lower/block/partial_trees.h"
#include "codegen/lower/folds.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

class BlockReducer : LoweringParts {
 public:
  /// `threads`: of a block, a multiple of 32; all of them execute what this object emits.
  BlockReducer(Folds& folds, std::int64_t threads);
  BlockReducer(const BlockReducer&) = delete;

  std::int64_t threads() const { return threads_; }
  Value thread() const { return thread_; }  ///< in its block, i64
  Value lane() const { return lane_; }      ///< in its warp
  Value warp_number() const { return warp_number_; }
  /// Arrays in shared memory, one for each part of a node; their room is free again after `release`.
  Values shared_arrays(const FoldSite& site, std::int64_t count);
  Value shared_array(Type element, std::int64_t count);  ///< aligned to 16 bytes
  /// Reserves so many bytes of shared memory, aligned to 16; gives where they begin.
  std::int64_t shared_bytes(std::int64_t count);
  /// The same for what is beside what reductions need, which counts for none of their limits.
  std::int64_t shared_bytes_beside(std::int64_t count);
  void release() { used_ = kept_; }
  /// `release` does not free what was reserved so far.
  void keep_shared_memory() { kept_ = used_; }
  Value power_of_two_from(Value x);  ///< the least power of two that is no smaller
  /// States that shared memory is read which was written before the last barrier.
  void reads_shared() { needs_barrier_ = true; }
  /// The positions that folds of a row assign to this thread, in order: vectors of a block row, block row after block
  /// row; those of a vector are `step` apart. With `present`, some are absent, and the row ends at `length`; they stand
  /// for others, which are there.
  void set_slots(const std::vector<Value>* slots, std::int64_t step, const std::vector<Value>* present,
                 std::int64_t length) {
    slots_ = slots;
    slot_step_ = step;
    present_ = present;
    row_length_ = length;
  }

  /// States that what folds read of a row begins with a whole vector, as in shared memory.
  void reads_whole_vectors() { reads_whole_vectors_ = true; }

  /// The fold of `nodes`, of which there is at least one; every thread gets the result.
  Values fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes, const Lengths& lengths);

  /// The same, made the value of the whole reduction.
  Values whole_fold(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes);
  /// The whole reduction, or what an empty one gives; every thread gets it.
  Values fold_of_leaves(const FoldSite& site, ir::ScheduleId schedule);
  /// The first thread writes the values to element `offset` of the buffers from `output` on.
  void store_by_first(std::uint32_t output, Value offset, const Values& values);

  /// The nodes of `lanes(lanes, tree)` on a list, kept in shared memory and ready for every thread; lanes is a power of
  /// two. There are smaller(lanes, length) of them.
  Nodes lanes_by_tree(const FoldSite& site, const Nodes& nodes, std::int64_t lanes);

  /// Runs body(k) for k from 0 to length - 1, which is `most` - 1 at most, each in one thread.
  void each(Value length, std::int64_t most, FunctionRef<void(Value)> body);

  /// All threads wait for each other; what was written to shared memory is visible afterwards.
  void barrier();
  /// Waits at a barrier if shared memory was read since the last one. Call it before shared memory is written again.
  void before_writing();

  /// May a list of so many nodes be kept in shared memory?
  bool fits_in_shared_memory(const FoldSite& site, std::int64_t count) const;
  /// Bytes of shared memory that were needed.
  std::uint32_t shared_size() const { return static_cast<std::uint32_t>(peak_used_); }

  /// Neighbouring leaves that a thread reads at a time.
  std::int64_t vector_width(const FoldSite& site, const Slice& slice) const;

 private:
  struct Rows;

  Values fold_then(const FoldSite& site, const ir::ScheduleNode& node, const Nodes& nodes, const Lengths& lengths);
  Nodes stage(const FoldSite& site, ir::ScheduleId id, const Nodes& nodes, const Lengths& lengths);
  Values tree_of_stored(const FoldSite& site, const Nodes& nodes);
  Values halving_of_stored(const FoldSite& site, const Nodes& nodes);
  Values seq(const FoldSite& site, const Nodes& nodes);
  Values by_one_thread(const FoldSite& site, ir::ScheduleId schedule, const Nodes& nodes, const Lengths& lengths);
  Values shared_by_all(const FoldSite& site, FunctionRef<Values()> of_first_thread);

  // stages.cpp
  FoldSite reading_ahead(const FoldSite& site) const;
  Nodes each_by_a_thread(const FoldSite& site, const Nodes& nodes);
  std::int64_t lanes_of_a_thread(const FoldSite& site, const Slice& slice, std::int64_t lanes) const;
  bool reads_vectors_of(const FoldSite& site, const Slice& slice, std::int64_t lanes) const;
  Nodes lanes_in_order(const FoldSite& site, const Slice& slice, std::int64_t lanes);
  bool are_of_lanes(const FoldSite& site, const Nodes& nodes, ir::ScheduleOp inner, std::int64_t size,
                    std::int64_t least) const;
  Nodes runs_of_lanes(const FoldSite& site, const Nodes& nodes, ir::ScheduleOp inner, std::int64_t size);

  // lanes.cpp, block_rows.cpp
  Rows rows_of(const FoldSite& site, const Slice& slice, std::int64_t lanes) const;
  std::int64_t leaf_step(const FoldSite& site, const Rows& rows) const;
  Value offset_in(const Rows& rows, Value block) const;
  std::int64_t lanes_room(const FoldSite& site, const Slice& slice, std::int64_t lanes) const;
  void lanes_of_group(const FoldSite& site, const Rows& rows, const Values& partials);
  std::vector<Maybe> block_row(const FoldSite& site, const Rows& rows, Value number, bool is_last);
  std::vector<Maybe> all_block_rows(const FoldSite& site, const Rows& rows, Value first);
  std::vector<Maybe> some_block_rows(const FoldSite& site, const Rows& rows, Value first);
  std::vector<Maybe> within_block_row(const FoldSite& site, const Rows& rows, std::vector<Maybe> nodes);
  bool by_slots(const Rows& rows) const;
  std::vector<Maybe> block_rows(const FoldSite& site, const Rows& rows, Value first, std::int64_t count,
                                std::int64_t slot = 0);
  void join_groups(const FoldSite& site, const Rows& rows, const Values& partials);
  std::int64_t bytes_read(const FoldSite& site) const;
  void write_out(const FoldSite& site, Rows& rows, std::optional<std::int64_t> most) const;

  /// The value that another thread has: the one whose number differs from this thread's in these bits.
  Value partner_lane_value(Value value, std::int64_t bits);
  Maybe butterfly(const FoldSite& site, const Maybe& mine, std::int64_t bits);

  Nodes stored(const Values& pointers, Value length, std::int64_t most);
  Value least(Value x, Value y);

  const Numbers& numbers_;
  PartialTrees partial_;
  std::int64_t threads_;
  Value thread_ = nullptr;
  Value lane_ = nullptr;
  Value warp_number_ = nullptr;
  std::int64_t used_ = 0, peak_used_ = 0, kept_ = 0, beside_ = 0;  ///< bytes of shared memory
  bool needs_barrier_ = false;                        ///< shared memory was read since the last barrier
  std::vector<std::unique_ptr<List>> lists_;
  const std::vector<Value>*slots_ = nullptr, *present_ = nullptr;
  std::int64_t slot_step_ = 1;
  bool reads_whole_vectors_ = false;
  std::int64_t row_length_ = 0;  ///< where slots are absent
};

}  // namespace reckon::codegen
