// Layouts taken apart and put together, without arithmetic (docs/layouts.md). An integer layout counts as one
// mode, itself: append(3:1, 4:3) = (3,4):(1,3). The same on shapes is in tuples.h, on coordinate-valued layouts in
// coordinate_layout.h.
#pragma once

#include <span>
#include <vector>

#include "layout/layout.h"

namespace reckon::layout {

/// The sub-mode at a path: get<1,0> of (4,(3,6)):(1,(4,12)) is 3:4.
Result<Layout> get(const Layout& layout, std::span<const std::int64_t> path);
/// The modes named, in the order named (and as often: a mode may be repeated).
Result<Layout> select(const Layout& layout, std::span<const std::int64_t> modes);
/// The modes first .. last - 1; first < last, because a layout has a mode.
Result<Layout> take(const Layout& layout, std::int64_t first, std::int64_t last);
/// The modes first .. last - 1 wrapped as one mode. The same function.
Result<Layout> group(const Layout& layout, std::int64_t first, std::int64_t last);
/// One level, of leaves. The same function.
Layout flatten(const Layout& layout);
/// Its leaves nested as the profile is; as many as it has. The same function.
Result<Layout> unflatten(const Layout& layout, const IntTuple& profile);
/// One more mode at the end, at the front.
Result<Layout> append(const Layout& layout, const Layout& mode);
Result<Layout> prepend(const Layout& layout, const Layout& mode);
/// The mode repeated (1:0 by habit) until there are `rank` of them; a rank that it exceeds already is refused.
Result<Layout> append_to_rank(const Layout& layout, std::int64_t rank, const Layout& mode);
Result<Layout> prepend_to_rank(const Layout& layout, std::int64_t rank, const Layout& mode);
Result<Layout> replace(const Layout& layout, std::int64_t mode, const Layout& with);
/// CuTe's make_layout(L0, L1, ...): the layouts as modes in order; one layout is wrapped, 3:1 -> (3):(1).
Result<Layout> concat(std::span<const Layout> modes);
/// Mode i is made of the modes i of the parts: ((A0,A1),(B0,B1)) -> ((A0,B0),(A1,B1)).
Result<Layout> zip(const Layout& layout);
/// The same function with the coordinates of another shape of its size: composition with that shape's compact layout.
Result<Layout> with_shape(const Layout& layout, const IntTuple& shape);

}  // namespace reckon::layout
