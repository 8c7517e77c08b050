// Taking layouts apart and putting them together, without arithmetic (docs/layouts.md). A layout with an integer shape
// counts as one mode: append(3:1, 4:3) = (3,4):(1,3). tuples.h has the same for shapes, coordinate_layout.h for
// coordinate-valued layouts.
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
/// All leaves on one level. The same function.
Layout flatten(const Layout& layout);
/// Its leaves nested as the profile is; as many as it has. The same function.
Result<Layout> unflatten(const Layout& layout, const IntTuple& profile);
/// One more mode at the end, at the front.
Result<Layout> append(const Layout& layout, const Layout& mode);
Result<Layout> prepend(const Layout& layout, const Layout& mode);
/// Appends the mode (usually 1:0) until the layout has `rank` modes; refused if it has more already.
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
