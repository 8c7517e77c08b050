// The set of offsets that a function takes: its least and greatest, exactly, and mostly without enumeration.
#pragma once

#include "layout/composed.h"
#include "layout/modes.h"

namespace reckon::layout {

/// start + the sums of the modes, as a set: strides are positive and rise, extents are above 1.
struct Image {
  std::int64_t start = 0;
  Modes modes;
};
/// The image of a layout: negative modes are turned around, broadcasts are dropped, and modes that overlap, or continue
/// each other in whole steps, are joined.
Image image_of(const Layout& layout);

/// As `Composed::range` documents.
Result<Range> image_range(const Composed& composed);

/// An affine subspace over bits: origin XOR any of the vectors; all are >= 0.
struct BitSpace {
  std::int64_t origin = 0;
  Small<std::int64_t, 64> vectors;
};
Range range_of(const BitSpace& space);

}  // namespace reckon::layout
