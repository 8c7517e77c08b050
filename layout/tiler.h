// Tilers: a layout for each mode of another one (docs/layouts.md, "Tiles").
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "layout/layout.h"

namespace reckon::layout {

/// `<3:3,(2,4):(1,8)>`: a layout, `_` (keep the mode as it is), or a tuple of tilers. An integer n is the layout n:1.
class Tiler {
 public:
  static Tiler keep() { return Tiler(); }
  Tiler(Layout layout) : content_(std::move(layout)) {}
  Tiler(std::vector<Tiler> modes) : content_(std::move(modes)) {}
  /// A shape as a tiler: mode by mode, n:1 for an integer n. Extents are positive.
  static Result<Tiler> of(const IntTuple& sizes);

  bool is_keep() const { return content_.index() == 0; }
  bool is_layout() const { return content_.index() == 1; }
  bool is_tuple() const { return content_.index() == 2; }
  const Layout& layout() const { return std::get<1>(content_); }
  const std::vector<Tiler>& modes() const { return std::get<2>(content_); }
  std::size_t rank() const { return is_tuple() ? modes().size() : 1; }
  std::string text() const;

 private:
  Tiler() = default;
  std::variant<std::monostate, Layout, std::vector<Tiler>> content_;
};

/// A by mode with B: a tuple's tilers compose with A's modes, at most as many as A has; `_` keeps a mode, and so do the
/// modes past the tiler's end (CuTe drops those here, but keeps them in divisions). A layout is plain composition.
Result<Layout> compose(const Layout& a, const Tiler& b);

/// The sizes of the tiles mode by mode, nested as the tiler: <3:3,(2,4):(1,8)> -> (3,8). `_` is refused.
Result<IntTuple> tile_shape(const Tiler& tiler);
/// How many tiles cover a shape, mode by mode: the shape of the grid that divisions of it have as rest.
Result<IntTuple> ceil_div(const IntTuple& shape, const Tiler& tiler);

}  // namespace reckon::layout
