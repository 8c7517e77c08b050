#include <fmt/format.h>

#include <algorithm>

#include "draw/grid.h"
#include "draw/svg_parts.h"

namespace reckon::draw {
namespace {

// Pixels. A letter of the label font is 7.2 wide at 12, and 4.8 at 8; a little more is allowed for other fonts.
constexpr double margin = 20, letter = 7.4, small_letter = 5.2, title_letter = 9.2, line = 20;
constexpr double cell_height = 24, edge_height = 16, gap = 36, max_width = 1600;
constexpr double break_gap = 5;  ///< for each level that ends

/// Classes with their colours written out, as in svg.cpp. Light fills under dark letters, dark fills under light ones;
/// c0, c1, ... are the palette: hues that differ in lightness, too, where eyes see few of them.
constexpr const char* style = R"(<style>
text { font: 12px "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-size: 15px; font-weight: bold; }
.heading { font-weight: bold; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.page { fill: #ffffff; }
.faint { fill: #59636e; }
.mark { font-size: 8px; text-anchor: end; }
.cell { stroke: #8c959f; }
.none { fill: #ffffff; }
.empty { fill: none; stroke: #d1d9e0; stroke-dasharray: 2 2; }
.dot { fill: #1f2328; }
.small { fill: #8c959f; }
.c0 { fill: #a5d6ff; }
.c1 { fill: #ffdfb6; }
.c2 { fill: #b4f1b4; }
.c3 { fill: #ffc1ba; }
.c4 { fill: #ddc8ff; }
.c5 { fill: #f2e38a; }
.c6 { fill: #a6ecec; }
.c7 { fill: #d0d7de; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .page { fill: #0d1117; }
  .faint { fill: #9198a1; }
  .cell { stroke: #6e7681; }
  .none { fill: #0d1117; }
  .empty { stroke: #3d444d; }
  .dot { fill: #f0f6fc; }
  .small { fill: #6e7681; }
  .c0 { fill: #0c4a8f; }
  .c1 { fill: #7a3e00; }
  .c2 { fill: #0f5323; }
  .c3 { fill: #8e1519; }
  .c4 { fill: #553098; }
  .c5 { fill: #5c4a00; }
  .c6 { fill: #0b5a5a; }
  .c7 { fill: #424a53; }
}
</style>
)";

double length(const std::string& text, double of_letter) { return static_cast<double>(text.size()) * of_letter; }

/// A grid at a place: sizes first, so that the page can be divided.
class GridSvg {
 public:
  explicit GridSvg(const Grid& grid) : grid_(grid), gaps_across_(gaps(grid.across)), gaps_down_(gaps(grid.down)) {
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

  std::string write(double left, double top) const {
    std::string out;
    double y = top;
    if (!grid_.title.empty()) out += words(left, (y += line) - 6, grid_.title, "heading");
    if (!grid_.caption.empty()) out += words(left, (y += line) - 6, grid_.caption, "faint");
    for (std::size_t level = grid_.across.levels(); level-- > 0;) {
      y += edge_height;
      for (std::int64_t j = 0; j < grid_.across.shown(); ++j) {
        if (!grid_.across.begins(j, level)) continue;
        // In the middle of the columns that have it.
        std::int64_t last = j;
        while (last + 1 < grid_.across.shown() && !grid_.across.begins(last + 1, level)) ++last;
        out += words(left + left_ + (across(j) + across(last) + cell_) / 2, y - 2, grid_.across.label(j, level),
                     "middle faint");
      }
    }
    for (std::int64_t i = 0; i < grid_.down.shown(); ++i) {
      double end = left;
      for (std::size_t level = grid_.down.levels(); level-- > 0;) {
        end += labels_[level];
        if (!grid_.down.begins(i, level)) continue;
        out += words(end - 6, top + top_ + down(i) + 16, grid_.down.label(i, level), "end faint");
      }
      for (std::int64_t j = 0; j < grid_.across.shown(); ++j) {
        out += cell(grid_.at(i, j), left + left_ + across(j), top + top_ + down(i));
      }
    }
    return out;
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

  std::string cell(const Cell& cell, double x, double y) const {
    if (cell.look == Cell::Look::dot || cell.look == Cell::Look::no_dot) {
      const bool set = cell.look == Cell::Look::dot;
      return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", set ? "dot" : "small",
                         number(x + cell_ / 2), number(y + cell_height / 2), set ? "7" : "1.5");
    }
    const bool empty = cell.label.empty();
    const std::string fill = empty             ? "empty"
                             : cell.colour < 0 ? "none"
                                               : fmt::format("c{}", cell.colour % palette_size);
    std::string out = fmt::format("<rect class=\"cell {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", fill,
                                  number(x), number(y), number(cell_), number(cell_height));
    if (!empty) {
      out += words(x + cell_ / 2, y + 16, cell.label, cell.look == Cell::Look::faint ? "middle faint" : "middle");
    }
    if (!cell.mark.empty()) out += words(x + cell_ - 2, y + 8, cell.mark, "mark");
    return out;
  }

  const Grid& grid_;
  std::vector<double> gaps_across_, gaps_down_;
  double cell_ = cell_height;
  double left_ = 0, top_ = 0;   ///< of the first cell
  std::vector<double> labels_;  ///< widths, by level
};

}  // namespace

std::string svg(const GridPicture& picture) {
  const auto longest_title = static_cast<std::size_t>((max_width - 2 * margin) / title_letter);
  const std::string title =
      picture.title.size() <= longest_title ? picture.title : picture.title.substr(0, longest_title - 4) + " ...";
  double width = std::max(length(title, title_letter), length(picture.summary, letter));
  double y = margin + 14;
  std::string body = words(margin, y, title, "title");
  y += line;
  if (!picture.summary.empty()) body += words(margin, y, picture.summary, "faint");
  y += 12;
  double x = margin, highest = 0;
  for (const Grid& grid : picture.grids) {
    const GridSvg drawn(grid);
    if (x > margin && x + drawn.width() > max_width) {
      y += highest + line;
      x = margin;
      highest = 0;
    }
    body += drawn.write(x, y);
    width = std::max(width, x - margin + drawn.width());
    highest = std::max(highest, drawn.height());
    x += drawn.width() + gap;
  }
  y += highest + 10;
  for (const std::string& note : picture.notes) {
    y += line;
    body += words(margin, y, note, "faint");
    width = std::max(width, length(note, letter));
  }
  return page({width + 2 * margin, y + margin, picture.title, picture.summary, style}, body);
}

}  // namespace reckon::draw
