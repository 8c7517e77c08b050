// Pictures of layouts: grids of labelled cells with coordinates along their edges. A grid is computed once and then
// written as text (grid_text.cpp) or laid out on a sheet (grid_sheet.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "draw/sheet.h"
#include "layout/int_tuple.h"

namespace reckon::draw {

/// The most rows and columns of a grid that are drawn. If it has more, a note says so.
constexpr std::int64_t max_rows = 128, max_columns = 128;

/// One edge of a grid: positions counted in mixed radix, the first digit fastest.
class Edge {
 public:
  Edge() = default;
  /// The leaves of the modes, in order.
  Edge(const std::vector<layout::IntTuple>& modes, std::int64_t most);
  /// Without nesting.
  static Edge plain(std::int64_t size, std::int64_t most);
  static Edge labelled(std::vector<std::string> labels);

  std::int64_t size() const { return size_; }    ///< positions
  std::int64_t shown() const { return shown_; }  ///< of these are drawn, from 0 on
  std::size_t levels() const { return labels_.empty() ? extents_.size() : 1; }
  /// The digit of a position at a level, level 0 fastest.
  std::string label(std::int64_t position, std::size_t level) const;
  /// Whether the label differs from that of the previous position, or belongs to another group.
  bool begins(std::int64_t position, std::size_t level) const;
  /// How many levels end just before the position: 0 within the innermost.
  int breaks(std::int64_t position) const;
  /// The greatest number of positions, at most `most`, after which a line is best broken.
  std::int64_t cut(std::int64_t most) const;

 private:
  std::vector<std::int64_t> extents_{1};  ///< by level; without those of size 1, unless all are
  std::vector<std::string> labels_;
  std::int64_t size_ = 1, shown_ = 1;
};

struct Cell {
  enum class Look : std::uint8_t { plain, faint, dot, no_dot } look = Look::plain;
  std::string label;         ///< empty: nothing is there
  std::string mark;          ///< the group that the cell belongs to, where the colour shows one; may be empty
  std::int64_t colour = -1;  ///< -1: none; else one of a few, in turn
};

struct Grid {
  std::string title, caption;  ///< may be empty
  Edge down, across;
  std::vector<Cell> cells;  ///< those drawn, row by row

  Grid() = default;
  Grid(Edge down_edge, Edge across_edge)
      : down(std::move(down_edge)),
        across(std::move(across_edge)),
        cells(static_cast<std::size_t>(down.shown() * across.shown())) {}
  Cell& at(std::int64_t row, std::int64_t column) {
    return cells[static_cast<std::size_t>(row * across.shown() + column)];
  }
  const Cell& at(std::int64_t row, std::int64_t column) const {
    return cells[static_cast<std::size_t>(row * across.shown() + column)];
  }
};

struct GridPicture {
  std::string title, summary;
  std::vector<Grid> grids;  ///< side by side where there is room
  std::vector<std::string> notes;
  bool caption = true;  ///< whether title, summary and notes are shown
};

/// `a`, `b`, ..., `z`, `aa`, ...: the name of group n >= 0.
std::string group_mark(std::int64_t n);
/// Colours in the palette.
constexpr std::int64_t palette_size = 8;

/// Plain ASCII, at most 120 columns wide: wider grids are folded.
std::string text(const GridPicture& picture);
Sheet sheet_of(const GridPicture& picture);

}  // namespace reckon::draw
