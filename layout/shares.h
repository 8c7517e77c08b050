// How threads share a tensor: all have the same part, each starting at another place.
#pragma once

#include "layout/bounds.h"
#include "layout/layout.h"
#include "layout/slice.h"

namespace reckon::layout {

/// `Valued` is a layout (offsets) or a coordinate layout (coordinates).
template <class Valued>
struct Shares {
  Valued starts;  ///< thread to where its part starts
  Valued part;    ///< what a thread has, from there: the same function for all
};

/// One thread's part. Refuses a thread that does not exist.
Result<Sliced> share_of(const Shares<Layout>& shares, std::int64_t thread);
Result<SlicedCoordinates> share_of(const Shares<CoordinateLayout>& shares, std::int64_t thread);

}  // namespace reckon::layout
