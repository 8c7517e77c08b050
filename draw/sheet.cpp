#include "draw/sheet.h"

#include <algorithm>
#include <array>

namespace reckon::draw {
namespace {

using In = Style::In;

/// Light fills under dark letters, dark fills under light ones; c0, c1, ... are the palette: hues that differ in
/// lightness, too, where eyes see few of them.
constexpr std::array table{
    Style{.in = In::trees, .name = "text", .fill = "#1f2328", .font_size = 12, .dark_fill = "#e6edf3"},
    Style{.in = In::grids, .name = "text", .fill = "#1f2328", .font_size = 12, .dark_fill = "#f0f6fc"},
    Style{.name = "title", .font_size = 15, .bold = true},
    Style{.name = "heading", .bold = true},
    Style{.name = "middle", .anchor = "middle"},
    Style{.in = In::grids, .name = "end", .anchor = "end"},
    Style{.name = "page", .fill = "#ffffff", .dark_fill = "#0d1117"},
    Style{.name = "faint", .fill = "#59636e", .dark_fill = "#9198a1"},
    // Trees.
    Style{.in = In::trees,
          .name = "edge",
          .fill = "none",
          .stroke = "#8c959f",
          .stroke_width = 1.3,
          .dark_stroke = "#6e7681"},
    Style{.in = In::trees,
          .name = "box",
          .fill = "#f0f3f6",
          .stroke = "#8c959f",
          .dark_fill = "#21262d",
          .dark_stroke = "#6e7681"},
    Style{.in = In::trees, .name = "pair", .fill = "#1f2328", .dark_fill = "#e6edf3"},
    Style{.in = In::trees, .name = "thread", .fill = "#0969da", .dark_fill = "#58a6ff"},
    Style{.in = In::trees, .name = "warp", .fill = "#1a7f37", .dark_fill = "#3fb950"},
    Style{.in = In::trees, .name = "block", .fill = "#bc4c00", .dark_fill = "#f0883e"},
    Style{.in = In::trees, .name = "grid", .fill = "#8250df", .dark_fill = "#bc8cff"},
    // Grids.
    Style{.in = In::grids, .name = "mark", .font_size = 8, .anchor = "end"},
    Style{.in = In::grids, .name = "cell", .stroke = "#8c959f", .dark_stroke = "#6e7681"},
    Style{.in = In::grids, .name = "none", .fill = "#ffffff", .dark_fill = "#0d1117"},
    Style{
        .in = In::grids, .name = "empty", .fill = "none", .stroke = "#d1d9e0", .dash = "2 2", .dark_stroke = "#3d444d"},
    Style{.in = In::grids, .name = "dot", .fill = "#1f2328", .dark_fill = "#f0f6fc"},
    Style{.in = In::grids, .name = "small", .fill = "#8c959f", .dark_fill = "#6e7681"},
    Style{.in = In::grids, .name = "c0", .fill = "#a5d6ff", .dark_fill = "#0c4a8f"},
    Style{.in = In::grids, .name = "c1", .fill = "#ffdfb6", .dark_fill = "#7a3e00"},
    Style{.in = In::grids, .name = "c2", .fill = "#b4f1b4", .dark_fill = "#0f5323"},
    Style{.in = In::grids, .name = "c3", .fill = "#ffc1ba", .dark_fill = "#8e1519"},
    Style{.in = In::grids, .name = "c4", .fill = "#ddc8ff", .dark_fill = "#553098"},
    Style{.in = In::grids, .name = "c5", .fill = "#f2e38a", .dark_fill = "#5c4a00"},
    Style{.in = In::grids, .name = "c6", .fill = "#a6ecec", .dark_fill = "#0b5a5a"},
    Style{.in = In::grids, .name = "c7", .fill = "#d0d7de", .dark_fill = "#424a53"},
};

Point moved(Point point, double down) { return {point.x, point.y + down}; }

}  // namespace

std::span<const Style> styles() { return table; }

void Sheet::add(const Sheet& other, double down) {
  for (Shape shape : other.shapes_) {
    if (auto* words = std::get_if<Words>(&shape.what)) words->at = moved(words->at, down);
    if (auto* circle = std::get_if<Circle>(&shape.what)) circle->centre = moved(circle->centre, down);
    if (auto* rectangle = std::get_if<Rectangle>(&shape.what)) rectangle->corner = moved(rectangle->corner, down);
    if (auto* line = std::get_if<Polyline>(&shape.what)) {
      for (Point& point : line->points) point = moved(point, down);
    }
    shapes_.push_back(std::move(shape));
  }
}

double Sheet::add_caption() {
  const auto longest = static_cast<std::size_t>((widest_page - 2 * margin) / title_letter);
  const std::string title = title_.size() <= longest ? title_ : title_.substr(0, longest - 4) + " ...";
  add("title", Words{{margin, margin + 14}, title});
  if (!summary_.empty()) add("faint", Words{{margin, margin + 14 + line}, summary_});
  return std::max(static_cast<double>(title.size()) * title_letter, static_cast<double>(summary_.size()) * letter);
}

Point Rows::place(double width, double height) {
  constexpr double gap = 36;
  if (left_ > margin && left_ + width > widest_page) {
    top_ += highest_ + between_;
    left_ = margin;
    highest_ = 0;
  }
  const Point corner{left_, top_};
  width_ = std::max(width_, left_ - margin + width);
  highest_ = std::max(highest_, height);
  left_ += width + gap;
  return corner;
}

}  // namespace reckon::draw
