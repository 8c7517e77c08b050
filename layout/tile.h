// One tile of a layout, or one thread's part of it (docs/layouts.md, "Tiles"), with the predicate of the elements that
// exist: tiles may reach beyond the end.
#pragma once

#include "layout/bounds.h"
#include "layout/layout.h"
#include "layout/shares.h"
#include "layout/slice.h"
#include "layout/tiler.h"

namespace reckon::layout {

struct Part {
  Layout layout;
  std::int64_t offset = 0;
  Bounds bounds;  ///< of the part's coordinates, in the whole's
};

/// zipped_divide, then the rest's coordinate fixed where it is no hole: local_tile((128,64):(64,1), (32,16), (1,_)) =
/// 2048 + (32,16,4):(64,1,16).
Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate);
/// The same with a projection as CuTe's Step<_1,X,_1>: the tiler and the coordinate lose the modes that are not wanted.
Result<Part> local_tile(const Layout& layout, const Tiler& tiler, const Holed& coordinate,
                        const std::vector<bool>& wanted);
/// zipped_divide by the extents of the threads' modes, then the tile's coordinate fixed at that of the thread. Threads
/// is a bijection onto 0 .. size - 1, from a coordinate to its thread.
Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread);
/// The same with a projection: the threads' modes that are not wanted do not divide the layout, so that threads which
/// differ there only get one part.
Result<Part> local_partition(const Layout& layout, const Layout& threads, std::int64_t thread,
                             const std::vector<bool>& wanted);

/// The same for coordinate layouts; the parts of an identity say where their elements are.
Result<SlicedCoordinates> local_tile(const CoordinateLayout& layout, const Tiler& tiler, const Holed& coordinate);
Result<SlicedCoordinates> local_tile(const CoordinateLayout& layout, const Tiler& tiler, const Holed& coordinate,
                                     const std::vector<bool>& wanted);
Result<SlicedCoordinates> local_partition(const CoordinateLayout& layout, const Layout& threads, std::int64_t thread);
Result<SlicedCoordinates> local_partition(const CoordinateLayout& layout, const Layout& threads, std::int64_t thread,
                                          const std::vector<bool>& wanted);

/// What local_partition gives, for all threads at once.
Result<Shares<Layout>> local_shares(const Layout& layout, const Layout& threads);
Result<Shares<CoordinateLayout>> local_shares(const CoordinateLayout& layout, const Layout& threads);

}  // namespace reckon::layout
