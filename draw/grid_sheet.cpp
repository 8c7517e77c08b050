#include <fmt/format.h>

#include <algorithm>

#include "draw/grid.h"
#include "draw/sheet.h"

namespace reckon::draw {
namespace {

// Pixels. A letter of the label font is 7.2 wide at 12, and 4.8 at 8; a little more is allowed for other fonts.
constexpr double small_letter = 5.2, cell_height = 24, edge_height = 16;
constexpr double break_gap = 5;  ///< for each level that ends

double length(const std::string& text, double of_letter) { return static_cast<double>(text.size()) * of_letter; }

/// A grid at a place: sizes first, so that the page can be divided.
class GridSheet {
 public:
  explicit GridSheet(const Grid& grid) : grid_(grid), gaps_across_(gaps(grid.across)), gaps_down_(gaps(grid.down)) {
    for (const Cell& cell : grid.cells) {
      cell_ = std::max(cell_,
                       length(cell.label, letter) + (cell.mark.empty() ? 8 : length(cell.mark, small_letter) * 2 + 8));
    }
    for (std::size_t level = 0; level < grid.across.levels(); ++level) {
      for (std::int64_t j = 0; j < grid.across.shown(); ++j) {
        cell_ = std::max(cell_, length(grid.across.label(j, level), letter) + 6);
      }
    }
    for (std::size_t level = 0; level < grid.down.levels(); ++level) {
      double widest_label = 0;
      for (std::int64_t i = 0; i < grid.down.shown(); ++i) {
        widest_label = std::max(widest_label, length(grid.down.label(i, level), letter));
      }
      labels_.push_back(widest_label + 8);
      left_ += labels_.back();
    }
    top_ = (grid.title.empty() ? 0 : line) + (grid.caption.empty() ? 0 : line) +
           edge_height * static_cast<double>(grid.across.levels()) + 4;
  }

  double width() const {
    return std::max(
        {left_ + across(grid_.across.shown() - 1) + cell_, length(grid_.title, letter), length(grid_.caption, letter)});
  }
  double height() const { return top_ + down(grid_.down.shown() - 1) + cell_height; }

  void write(Sheet& sheet, double left, double top) const {
    double y = top;
    if (!grid_.title.empty()) sheet.add("heading", Words{{left, (y += line) - 6}, grid_.title});
    if (!grid_.caption.empty()) sheet.add("faint", Words{{left, (y += line) - 6}, grid_.caption});
    for (std::size_t level = grid_.across.levels(); level-- > 0;) {
      y += edge_height;
      for (std::int64_t j = 0; j < grid_.across.shown(); ++j) {
        if (!grid_.across.begins(j, level)) continue;
        // In the middle of the columns that have it.
        std::int64_t last = j;
        while (last + 1 < grid_.across.shown() && !grid_.across.begins(last + 1, level)) ++last;
        const double middle = left + left_ + (across(j) + across(last) + cell_) / 2;
        sheet.add("middle faint", Words{{middle, y - 2}, grid_.across.label(j, level)});
      }
    }
    for (std::int64_t i = 0; i < grid_.down.shown(); ++i) {
      double end = left;
      for (std::size_t level = grid_.down.levels(); level-- > 0;) {
        end += labels_[level];
        if (!grid_.down.begins(i, level)) continue;
        sheet.add("end faint", Words{{end - 6, top + top_ + down(i) + 16}, grid_.down.label(i, level)});
      }
      for (std::int64_t j = 0; j < grid_.across.shown(); ++j) {
        cell(sheet, grid_.at(i, j), {left + left_ + across(j), top + top_ + down(i)});
      }
    }
  }

 private:
  double across(std::int64_t column) const {
    return static_cast<double>(column) * cell_ + gaps_across_[static_cast<std::size_t>(column)];
  }
  double down(std::int64_t row) const {
    return static_cast<double>(row) * cell_height + gaps_down_[static_cast<std::size_t>(row)];
  }
  /// All the gaps before each position.
  static std::vector<double> gaps(const Edge& edge) {
    std::vector<double> out{0};
    for (std::int64_t k = 1; k < edge.shown(); ++k) out.push_back(out.back() + break_gap * edge.breaks(k));
    return out;
  }

  void cell(Sheet& sheet, const Cell& cell, Point at) const {
    if (cell.look == Cell::Look::dot || cell.look == Cell::Look::no_dot) {
      const bool set = cell.look == Cell::Look::dot;
      sheet.add(set ? "dot" : "small", Circle{{at.x + cell_ / 2, at.y + cell_height / 2}, set ? 7 : 1.5});
      return;
    }
    const bool empty = cell.label.empty();
    const std::string fill = empty             ? "empty"
                             : cell.colour < 0 ? "none"
                                               : fmt::format("c{}", cell.colour % palette_size);
    sheet.add("cell " + fill, Rectangle{at, cell_, cell_height});
    if (!empty) {
      sheet.add(cell.look == Cell::Look::faint ? "middle faint" : "middle",
                Words{{at.x + cell_ / 2, at.y + 16}, cell.label});
    }
    if (!cell.mark.empty()) sheet.add("mark", Words{{at.x + cell_ - 2, at.y + 8}, cell.mark});
  }

  const Grid& grid_;
  std::vector<double> gaps_across_, gaps_down_;
  double cell_ = cell_height;
  double left_ = 0, top_ = 0;   ///< of the first cell
  std::vector<double> labels_;  ///< widths, by level
};

}  // namespace

Sheet sheet_of(const GridPicture& picture) {
  Sheet sheet(Style::In::grids, picture.title, picture.summary);
  double width = 0, y = margin;
  if (picture.caption) {
    width = sheet.add_caption();
    y += 14 + line + 12;
  }
  Rows rows(y, line);
  for (const Grid& grid : picture.grids) {
    const GridSheet drawn(grid);
    const Point corner = rows.place(drawn.width(), drawn.height());
    drawn.write(sheet, corner.x, corner.y);
  }
  width = std::max(width, rows.width());
  y = rows.bottom();
  if (picture.caption) {
    y += 10;
    for (const std::string& note : picture.notes) {
      y += line;
      sheet.add("faint", Words{{margin, y}, note});
      width = std::max(width, length(note, letter));
    }
  }
  sheet.resize(width + 2 * margin, y + margin);
  return sheet;
}

}  // namespace reckon::draw
