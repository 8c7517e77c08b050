// Whether a thread-value layout gives every element of a tile one owner (docs/layouts.md, "Threads and values").
#pragma once

#include <optional>

#include "layout/layout.h"
#include "layout/problem.h"

namespace reckon::layout {

/// Nothing, or why a thread-value layout is no partition of 0..size-1: an index past the end, an element that two
/// threads own (both named), one that none has. Modes of stride 0 are copies and do not count. At most 2^24 offsets.
std::optional<Problem> partition_problem(const Layout& thread_value, std::int64_t size);

}  // namespace reckon::layout
