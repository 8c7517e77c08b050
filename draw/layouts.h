// Pictures of layouts and related values (swizzles, bit matrices): from values (layout/expression.h) to grids (grid.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "draw/grid.h"
#include "layout/expression.h"

namespace reckon::draw {

struct LayoutOptions {
  enum class As : std::uint8_t {
    grid,   ///< a cell for each coordinate; for a call, its arguments and its result
    tv,     ///< for a thread-value layout: the tile, each cell with its thread and value
    banks,  ///< the words of shared memory, 32 a row, each with what lies in it
    bits,   ///< the matrix over bits
  } as = As::grid;
  enum class Label : std::uint8_t { standard, offset, index, coordinate, bank, thread, value } label = Label::standard;
  enum class Shade : std::uint8_t {
    standard,
    none,
    offset,
    bank,
    thread,
    warp,
    value,
    row,
    column,
    tile
  } shade = Shade::standard;
  std::int64_t modulus = palette_size;  ///< of Shade::offset
  std::int64_t element_bytes = 4;
  std::vector<std::int64_t> tile;  ///< of `tv`, and of Shade::tile
  bool alone = false;              ///< for a call, draw the result only
  bool caption = true;             ///< GridPicture::caption
};

/// Threads of a warp.
constexpr std::int64_t warp_size = 32;
/// The most elements that are enumerated, to link cells or to invert a function.
constexpr std::int64_t largest_enumerated = std::int64_t{1} << 20;

/// The picture, or why there is none.
layout::Result<GridPicture> picture_of(const layout::Expression& expression, const LayoutOptions& options,
                                       std::string title);

// What the kinds of pictures have in common (values.cpp).

/// The contents of a cell.
struct Value {
  std::string text;                    ///< an offset, or a coordinate
  std::optional<std::int64_t> offset;  ///< of integer layouts
  bool outside = false;                ///< for bounds: there is no element
};

/// A function from the indices of a shape, as far as pictures need it.
struct Values {
  layout::IntTuple shape{1};
  std::int64_t size = 1;
  std::string text, caption;
  std::function<layout::Result<Value>(std::int64_t index)> at;
  /// By whose bits the cells are coloured, unless something else is asked.
  std::optional<layout::Swizzle> swizzle = {};

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.rank()); }
  /// The size of mode 0; 1 if the rank is 1, whose only mode goes across.
  std::int64_t rows() const;
};

/// Nothing for swizzles and bit matrices, which have pictures of another kind.
std::optional<Values> values_of(const layout::AnyValue& value, std::int64_t offset = 0);
std::string text_of(const layout::AnyValue& value);
std::optional<layout::AnyLayout> layout_in(const layout::AnyValue& value);

/// The swizzle of a layout that is one after a plain layout, and changes something.
std::optional<layout::Swizzle> swizzle_in(const layout::AnyValue& value);
/// What the colours of a swizzled layout mean; empty if it has others.
std::string note_on_swizzle(const layout::AnyValue& value, const LayoutOptions& options);

/// The groups that cells are coloured by: one for each index, -1 for none.
struct Groups {
  std::vector<std::int64_t> of;
  std::string mark;  ///< the same for all groups; empty: a letter for each
};
/// Mode 0 goes down, the others go across; a single row for rank 1.
layout::Result<Grid> grid_of(const Values& values, const LayoutOptions& options, const Groups* groups = nullptr);
/// A note on what the shade means; empty if the labels show it.
std::string note_on(const LayoutOptions& options);
/// Adds a note for each part of the grids that is not drawn.
void add_notes(GridPicture& picture);

layout::Result<Grid> bits_of(const layout::AnyValue& value);
layout::Result<Grid> thread_values(const layout::Expression& expression, const LayoutOptions& options,
                                   std::vector<std::string>& notes);
layout::Result<Grid> memory_banks(const layout::Expression& expression, const LayoutOptions& options,
                                  std::vector<std::string>& notes);
/// The arguments of a call that are layouts, and its result. Nothing if there are none.
layout::Result<std::vector<Grid>> before_and_after(const layout::Expression& expression, const LayoutOptions& options,
                                                   std::vector<std::string>& notes);

}  // namespace reckon::draw
