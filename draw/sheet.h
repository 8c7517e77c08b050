// A picture as shapes with styles, whatever it shows. Trees (tree_sheet.cpp) and grids (grid_sheet.cpp) are laid out on
// it once; it is then written as SVG (svg.cpp) or PDF (pdf.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace reckon::draw {

/// Pixels; x goes right and y goes down.
struct Point {
  double x = 0, y = 0;
};

/// Text that stands on a line through the point.
struct Words {
  Point at;
  std::string text;
};
struct Circle {
  Point centre;
  double radius = 0;
};
struct Rectangle {
  Point corner;  ///< the upper left one
  double width = 0, height = 0, rounding = 0;
};
struct Polyline {
  std::vector<Point> points;
  bool closed = false;
};

/// A shape and the names of its styles, separated by spaces.
struct Shape {
  std::string styles;
  std::variant<Words, Circle, Rectangle, Polyline> what;
};

/// What a style says of a shape that names it. Of several, the one further down the table decides; what is empty or 0
/// says nothing.
struct Style {
  enum class In : std::uint8_t { all, trees, grids } in = In::all;  ///< the pictures whose SVG lists it
  const char* name = "";
  const char *fill = "", *stroke = "";  ///< `#rrggbb` or `none`; of light pages
  double stroke_width = 0;
  const char* dash = "";
  double font_size = 0;
  bool bold = false;
  const char* anchor = "";                        ///< `middle`, `end`
  const char *dark_fill = "", *dark_stroke = "";  ///< of dark pages, where they differ
};
/// All styles. Those named `text` are of every text, and `page` is the ground.
std::span<const Style> styles();

// Pixels. A letter of the label font is 7.2 wide at 12; a little more is allowed for other fonts.
constexpr double margin = 20, letter = 7.4, title_letter = 9.2, line = 20, widest_page = 1600;

/// A picture on one page.
class Sheet {
 public:
  Sheet(Style::In kind, std::string title, std::string summary)
      : kind_(kind), title_(std::move(title)), summary_(std::move(summary)) {}

  void add(std::string styles, std::variant<Words, Circle, Rectangle, Polyline> what) {
    shapes_.push_back({std::move(styles), std::move(what)});
  }
  /// Adds the shapes of another sheet, moved down.
  void add(const Sheet& other, double down);
  /// Adds the title, cut to the widest page, and below it the summary, if there is one: two lines from the margin down.
  /// Returns their width.
  double add_caption();
  void resize(double width, double height) {
    width_ = width;
    height_ = height;
  }

  Style::In kind() const { return kind_; }
  const std::string& title() const { return title_; }  ///< for programs that read it out
  const std::string& summary() const { return summary_; }
  double width() const { return width_; }
  double height() const { return height_; }
  const std::vector<Shape>& shapes() const { return shapes_; }  ///< later ones lie over earlier ones

 private:
  Style::In kind_;
  std::string title_, summary_;
  double width_ = 0, height_ = 0;
  std::vector<Shape> shapes_;
};

/// Places for the parts of a picture: side by side while there is room, then in a row below.
class Rows {
 public:
  /// `between` lies between two rows.
  Rows(double top, double between) : between_(between), top_(top) {}
  /// The upper left corner of the next part.
  Point place(double width, double height);
  double bottom() const { return top_ + highest_; }
  double width() const { return width_; }  ///< of the widest row, without margins

 private:
  double between_, top_, left_ = margin, highest_ = 0, width_ = 0;
};

/// A whole SVG file without scripts, for light and dark backgrounds.
std::string svg(const Sheet& sheet);
/// A whole PDF file of one page, in ASCII: 0.75 pt for a pixel, the colours of light pages, and standard fonts.
/// Characters outside of WinAnsi are `?`.
std::string pdf(const Sheet& sheet);

}  // namespace reckon::draw
