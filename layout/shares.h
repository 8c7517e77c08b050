// How threads share a tensor out: they have one part, each started somewhere else.
#pragma once

#include "layout/bounds.h"
#include "layout/layout.h"
#include "layout/slice.h"

namespace reckon::layout {

/// Of offsets (a layout) or of coordinates.
template <class Valued>
struct Shares {
  Valued starts;  ///< thread to where its part starts
  Valued part;    ///< what a thread has, from there: the same function for all
};

/// One thread's part. Refuses a thread that there is not.
Result<Sliced> share_of(const Shares<Layout>& shares, std::int64_t thread);
Result<SlicedCoordinates> share_of(const Shares<CoordinateLayout>& shares, std::int64_t thread);

}  // namespace reckon::layout
