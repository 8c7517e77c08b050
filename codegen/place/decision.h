// Why a reduction was placed as it was. Placement records the reasons as it decides; codegen/report.cpp prints them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace reckon::codegen {

/// Why a strategy does not take a reduction. The set of reasons is open: a strategy may have reasons of its own, each a
/// constant, which is known by its address.
struct Reason {
  /// The reason as a report words it: `{have}` and `{need}` are the numbers that it is about, `{order}` is the order.
  std::string_view text;
  bool is_short = false;          ///< the lists are too short, so that another order would not help
  bool is_chain = false;          ///< the order leaves nothing for threads to do side by side
  std::string_view instead = {};  ///< the order in which the strategy would take the reduction
};

/// Reasons that several strategies have.
namespace reason {
inline constexpr Reason pinned_to_thread{"all pins of the order are `@thread`"};
inline constexpr Reason pinned{"the order has pins, which only blocks and the grid follow"};
inline constexpr Reason pinned_elsewhere{"the stage that deals out the leaves is pinned to another level"};
inline constexpr Reason length_varies{"the number of leaves is not the same for all results"};
inline constexpr Reason few_leaves{.text = "there are {have} leaves, and {need} are worth it", .is_short = true};
inline constexpr Reason not_shared{.text = "no way is known to share a list in the order `{order}` among threads",
                                   .is_chain = true};
inline constexpr Reason not_by_tree{
    .text = "the order would have to be `tree`, or `lanes(L, tree) then S` with a power of two", .instead = "tree"};
inline constexpr Reason no_room{"it would need {have} bytes of shared memory, and a block has {need}"};
}  // namespace reason

struct Refusal {
  std::string_view strategy;  ///< its name
  const Reason* reason = nullptr;
  std::int64_t have = 0, need = 0;
};

struct Decision {
  ir::ScheduleId stated;  ///< the order, before another one with the same bits took its place
  std::vector<Refusal> refusals;

  void refuse(std::string_view strategy, const Reason& reason, std::int64_t have = 0, std::int64_t need = 0) {
    refusals.push_back({strategy, &reason, have, need});
  }
};

/// A reduction that the thread of an element carries out where it stands.
struct InnerReduction {
  ir::NodeId node;
  Decision decision;
};

}  // namespace reckon::codegen
