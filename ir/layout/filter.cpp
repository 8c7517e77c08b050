#include "ir/layout/filter.h"

#include <algorithm>

#include "ir/layout/coalesce.h"
#include "ir/layout/modes.h"

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

/// Whether an integer or tuple of `coarse` stands for each part of `fine`.
bool covers(const IntTuple& coarse, const IntTuple& fine) {
  if (coarse.is_int()) return true;
  if (fine.is_int() || fine.rank() != coarse.rank()) return false;
  return std::equal(coarse.elements().begin(), coarse.elements().end(), fine.elements().begin(), covers);
}

}  // namespace

Layout filter_zeros(const Layout& layout) {
  return *Layout::make(without(layout.shape(), layout.stride()), layout.stride());
}

Result<Layout> filter_zeros(const Layout& layout, const IntTuple& profile) {
  if (!covers(profile, layout.shape())) {
    return Problem{Problem::Kind::rank, "filter_zeros: the profile `" + profile.text() +
                                            "` is nested otherwise than `" + layout.text() + "`"};
  }
  return Layout::make(without(layout.shape(), profile), layout.stride());
}

Layout filter(const Layout& layout) { return coalesce(filter_zeros(layout)); }

Result<Layout> filter(const Layout& layout, const IntTuple& profile) { return coalesce(filter_zeros(layout), profile); }

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
