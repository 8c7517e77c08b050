// A layout cut into tiles (docs/layouts.md, "Tiles"): A o (B, complement of B), by mode for a tuple of tilers.
#pragma once

#include <string_view>

#include "layout/bounds.h"
#include "layout/layout.h"
#include "layout/tiler.h"

namespace reckon::layout {

enum class DivideForm {
  logical,  ///< ((tile0,rest0),(tile1,rest1),uncovered..); (tile,rest) for one layout
  zipped,   ///< ((tile0,tile1),(rest0,rest1,uncovered..))
  tiled,    ///< ((tile0,tile1),rest0,rest1,uncovered..)
  flat,     ///< (tile0,tile1,rest0,rest1,uncovered..)
};

/// `zipped_divide`.
std::string_view name(DivideForm form);
/// The form of the division with this name, if there is one.
std::optional<DivideForm> division_named(std::string_view name);

/// The result of a logical division in another form: for shapes, strides, and tuples that are nested like these.
IntTuple in_form(DivideForm form, const IntTuple& divided, const Tiler& tiler);

struct Division {
  Layout layout;
  /// Which of its coordinates are elements of the divided layout: all of them unless the division is ragged.
  Bounds bounds;
};

/// The tiles and the rest. Where a tile does not divide its mode, the rest is rounded up, and `bounds` says which
/// coordinates are elements, each once (broadcast modes of a tile repeat its elements). Refused: more tilers than
/// modes; a tile without exact complement (its copies would overlap or leave gaps); a composition that is no layout;
/// `_` in a form other than the logical one (it has no tile).
Result<Division> divide(DivideForm form, const Layout& layout, const Tiler& tiler);

/// The same without the bounds.
Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler);
Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler);
Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler);
Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler);

/// Coordinate-valued layouts, divided in the same way.
Result<CoordinateLayout> divide(DivideForm form, const CoordinateLayout& layout, const Tiler& tiler);

}  // namespace reckon::layout
