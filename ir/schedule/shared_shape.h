// The shape of a schedule's tree: the tree with every leaf numbered 0. Trees are hash-consed, so a shape has few distinct
// nodes where a schedule is regular (`tree` over 2^k leaves has k + 1), and is made without listing the leaves.
#pragma once

#include "ir/schedule/schedule.h"

namespace reckon::ir {

/// The shape for n >= 1 leaves, or why there is none. Equal neighbours are kept as runs; schedules that this file does not
/// know are written out in full (at most ten million leaves).
ScheduleStore::Expansion shape_of(ScheduleStore& schedules, ScheduleId schedule, std::int64_t n);

}  // namespace reckon::ir
