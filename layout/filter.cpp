#include "layout/filter.h"

#include "layout/coalesce.h"
#include "layout/modes.h"
#include "layout/tuples.h"

namespace reckon::layout {
namespace {

/// The shape with 1 where `zeros` has a 0; `zeros` is the stride, or coarser.
IntTuple without(const IntTuple& shape, const IntTuple& zeros) {
  if (shape.is_int()) return zeros.value() == 0 ? IntTuple(1) : shape;
  std::vector<IntTuple> elements;
  elements.reserve(shape.rank());
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    elements.push_back(without(shape.elements()[k], zeros.is_int() ? zeros : zeros.elements()[k]));
  }
  return elements;
}

}  // namespace

Layout filter_zeros(const Layout& layout) {
  return *Layout::make(without(layout.shape(), layout.stride()), layout.stride());
}

Result<Layout> filter_zeros(const Layout& layout, const IntTuple& profile) {
  if (!weakly_congruent(profile, layout.shape())) {
    return Problem{Problem::Kind::rank, "filter_zeros: the profile `" + profile.text() +
                                            "` is nested otherwise than `" + layout.text() + "`"};
  }
  return Layout::make(without(layout.shape(), profile), layout.stride());
}

Layout filter(const Layout& layout) { return coalesce(filter_zeros(layout)); }

Result<Layout> filter(const Layout& layout, const IntTuple& profile) {
  auto out = coalesce(filter_zeros(layout), profile);
  if (out) return out;
  return Problem{out.problem().kind,
                 "filter: `" + layout.text() + "` has fewer modes than the profile `" + profile.text() + "`"};
}

Layout nullspace(const Layout& layout) {
  Modes out;
  std::int64_t below = 1;
  for (const Mode& mode : leaf_modes(layout)) {
    if (mode.stride == 0) out.push_back({mode.extent, below});
    below *= mode.extent;
  }
  return *flat_layout(coalesced(out));
}

}  // namespace reckon::layout
