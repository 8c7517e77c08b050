// Why a reduction was placed as it was. Placement records it as it decides; codegen/report.cpp puts it into words.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace reckon::codegen {

/// Who carries out a reduction.
enum class Strategy : std::uint8_t {
  thread,   ///< one thread
  block,    ///< the threads of a block
  grid,     ///< the blocks of the grid
  columns,  ///< warps, whose lanes have neighbouring reductions
  tiles,    ///< a block, for a tile of outputs
  runs,     ///< a block for each run of leaves, and a kernel for what they become
  kernel,   ///< any of these, in a kernel of its own: for a reduction that stands within an element
};

/// Why a strategy did not take a reduction. `have` and `need` are numbers that the reason is about.
struct Refusal {
  enum class Reason : std::uint8_t {
    pinned_to_thread,    ///< all pins of its order are `@thread`
    pinned,              ///< its order has pins, and the strategy follows none
    pinned_elsewhere,    ///< the stage that deals out the leaves is pinned to another level
    length_varies,       ///< its length depends on the item
    items_unknown,       ///< how many reductions there are is not known
    few_leaves,          ///< it has `have` leaves, and `need` are worth it
    few_runs,            ///< it has `have` runs, and `need` are worth it
    many_items,          ///< there are `have` reductions, and below `need` the strategy is worth it
    not_shared,          ///< no way is known for threads to share a list in its order
    other_order,         ///< its order is not one that the strategy knows; otherwise it would take the reduction
    not_two_sides,       ///< no part of a leaf serves several outputs
    few_outputs,         ///< a side of the outputs has `have`, and `need` are worth it
    not_side_by_side,    ///< neither neighbouring leaves nor neighbouring reductions are neighbours in memory
    across_memory,       ///< neighbouring leaves are no neighbours in memory
    no_room,             ///< it needs `have` bytes of shared memory, and a block has `need`
  } reason{};
  Strategy strategy{};
  std::int64_t have = 0, need = 0;
};

struct Decision {
  ir::ScheduleId stated;  ///< the order, before another one with the same bits took its place
  std::vector<Refusal> refusals;

  void refuse(Strategy strategy, Refusal::Reason reason, std::int64_t have = 0, std::int64_t need = 0) {
    refusals.push_back({reason, strategy, have, need});
  }
};

/// A reduction that the thread of an element carries out where it stands.
struct InnerReduction {
  ir::NodeId node;
  Decision decision;
};

}  // namespace reckon::codegen
