// Structure, divisions, products and casts of composed layouts: they change the inner layout, and leave the stages
// after it as they are (docs/layouts.md, "Swizzles").
#pragma once

#include <functional>

#include "layout/composed.h"
#include "layout/divide.h"
#include "layout/slice.h"
#include "layout/tile.h"
#include "layout/tiler.h"

namespace reckon::layout {

/// Applies an operation on layouts to the inner layout: on_inner(x, [&](const Layout& l) { return group(l, 0, 2); }).
Result<AnyLayout> on_inner(const AnyLayout& layout, const std::function<Result<Layout>(const Layout&)>& operation);

/// L(c with x in its holes) = offset + layout(x). Of a composed layout, the fixed coordinates stay inside of it (a
/// swizzle does not commute with an offset), and `offset` is 0.
struct AnySliced {
  AnyLayout layout;
  std::int64_t offset = 0;
};
Result<AnySliced> slice(const AnyLayout& layout, const Holed& coordinate);
/// The same for any other cut of the inner layout, such as one thread's part of a swizzled tensor.
Result<AnySliced> cut_inner(const AnyLayout& layout, const std::function<Result<Sliced>(const Layout&)>& cut);

struct AnyDivision {
  AnyLayout layout;
  Bounds bounds;
};
Result<AnyDivision> divide(DivideForm form, const AnyLayout& layout, const Tiler& tiler);

struct AnyPart {
  AnyLayout layout;
  std::int64_t offset = 0;
  Bounds bounds;
};
Result<AnyPart> local_tile(const AnyLayout& layout, const Tiler& tiler, const Holed& coordinate);
Result<AnyPart> local_tile(const AnyLayout& layout, const Tiler& tiler, const Holed& coordinate,
                           const std::vector<bool>& wanted);
Result<AnyPart> local_partition(const AnyLayout& layout, const Layout& threads, std::int64_t thread);
Result<AnyPart> local_partition(const AnyLayout& layout, const Layout& threads, std::int64_t thread,
                                const std::vector<bool>& wanted);

Result<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& shape);
Result<AnyLayout> tile_to_shape(const AnyLayout& block, const IntTuple& shape, const IntTuple& order);

/// The swizzle on new elements of n old ones, n a power of two: x to floor(Sw(n x) / n). What it does inside of new
/// elements is lost. Refused if it reads bits inside of them to change bits outside.
Result<Swizzle> upcast(const Swizzle& swizzle, std::int64_t n);
/// The swizzle on n-th parts of elements, which keeps the parts of an element together.
Result<Swizzle> downcast(const Swizzle& swizzle, std::int64_t n);

/// As of layouts (cast.h). Of a composed one every stage is cast; its offsets must be multiples of n for an upcast, and
/// its stages swizzles.
Result<AnyLayout> upcast(const AnyLayout& layout, std::int64_t n);
Result<AnyLayout> downcast(const AnyLayout& layout, std::int64_t n);
Result<AnyLayout> recast(const AnyLayout& layout, std::int64_t old_bits, std::int64_t new_bits);

}  // namespace reckon::layout
