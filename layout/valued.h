// What integer and coordinate layouts have in common, under one set of names, so that one rule cuts tiles of both.
#pragma once

#include <vector>

#include "layout/compose.h"
#include "layout/divide.h"
#include "layout/slice.h"
#include "layout/structure.h"

namespace reckon::layout::valued {

inline Layout mode_of(const Layout& layout, std::size_t k) { return layout.mode(k); }
inline CoordinateLayout mode_of(const CoordinateLayout& layout, std::size_t k) { return mode(layout, k); }

inline Result<Layout> divided(DivideForm form, const Layout& layout, const Tiler& tiler) {
  auto division = divide(form, layout, tiler);
  if (!division) return division.problem();
  return division->layout;
}
inline Result<CoordinateLayout> divided(DivideForm form, const CoordinateLayout& layout, const Tiler& tiler) {
  return divide(form, layout, tiler);
}

/// Modes side by side as one layout; the caller knows that they fit together.
inline Layout nested(const std::vector<Layout>& modes) { return *concat(modes); }
inline CoordinateLayout nested(const std::vector<CoordinateLayout>& modes) { return *concat(modes); }

/// A mode of n steps that all have the same value.
inline Layout still(const Layout&, std::int64_t size) { return *Layout::make(size, 0); }
inline CoordinateLayout still(const CoordinateLayout& like, std::int64_t size) {
  return *CoordinateLayout::make(size, like.codomain(), {CoordinateLayout::Stride(like.codomain().leaves().size(), 0)});
}

}  // namespace reckon::layout::valued
