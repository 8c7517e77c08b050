// The stages of a schedule, for a number of leaves.
#pragma once

#include <optional>
#include <vector>

#include "draw/picture.h"

namespace reckon::draw {

struct Stage {
  ir::ScheduleId part;      ///< the stage; of the last, the schedule that leaves one node
  std::int64_t before = 0;  ///< nodes that it finds
  std::int64_t after = 0;   ///< nodes that it leaves
  Level level = Level::none;  ///< to which it is pinned
  ir::TreeId tree;          ///< the tree of this stage and all that follow, over the nodes that it finds
  /// The tree of each node that it leaves, over those that it finds.
  std::vector<ir::TreeId> runs;
};

struct Stages {
  std::vector<Stage> stages;  ///< at least one if there is no problem
  std::optional<ir::ScheduleProblem> problem;
};
Stages stages_of(ir::ScheduleStore& schedules, ir::ScheduleId schedule, std::int64_t n);

}  // namespace reckon::draw
