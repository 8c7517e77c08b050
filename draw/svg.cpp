#include <fmt/format.h>

#include "draw/sheet.h"

namespace reckon::draw {
namespace {

/// Text as XML has it; control characters become spaces.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

/// To half a pixel, without a sign of zero or trailing zeros: the same text everywhere.
std::string halved(double value) {
  const auto halves = static_cast<long>(value * 2 + (value < 0 ? -0.5 : 0.5));
  return halves % 2 ? fmt::format("{}.5", halves / 2) : std::to_string(halves / 2);
}

std::string style_rule(const Style& style, const std::string& declarations) {
  const bool all = std::string_view(style.name) == "text";
  return fmt::format("{}{} {{{} }}\n", all ? "" : ".", style.name, declarations);
}

std::string colours(const char* fill, const char* stroke) {
  return (*fill ? fmt::format(" fill: {};", fill) : "") + (*stroke ? fmt::format(" stroke: {};", stroke) : "");
}

/// Classes with their colours written out: some renderers know neither custom properties nor the dark scheme, and these
/// show the light one.
std::string style_sheet(Style::In kind) {
  std::string light, dark;
  for (const Style& style : styles()) {
    if (style.in != Style::In::all && style.in != kind) continue;
    std::string declarations;
    if (std::string_view(style.name) == "text") {
      declarations = fmt::format(" font: {}px \"DejaVu Sans Mono\", Menlo, Consolas, monospace;", style.font_size);
    } else if (style.font_size > 0) {
      declarations = fmt::format(" font-size: {}px;", style.font_size);
    }
    if (style.bold) declarations += " font-weight: bold;";
    if (*style.anchor) declarations += fmt::format(" text-anchor: {};", style.anchor);
    declarations += colours(style.fill, style.stroke);
    if (style.stroke_width > 0) declarations += fmt::format(" stroke-width: {};", style.stroke_width);
    if (*style.dash) declarations += fmt::format(" stroke-dasharray: {};", style.dash);
    light += style_rule(style, declarations);
    const std::string in_dark = colours(style.dark_fill, style.dark_stroke);
    if (!in_dark.empty()) dark += "  " + style_rule(style, in_dark);
  }
  return "<style>\n" + light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n</style>\n";
}

struct SvgShape {
  const std::string& styles;

  std::string operator()(const Words& words) const {
    return fmt::format("<text{} x=\"{}\" y=\"{}\">{}</text>\n",
                       styles.empty() ? "" : fmt::format(" class=\"{}\"", styles), halved(words.at.x),
                       halved(words.at.y), escaped(words.text));
  }
  std::string operator()(const Circle& circle) const {
    return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", styles, halved(circle.centre.x),
                       halved(circle.centre.y), halved(circle.radius));
  }
  std::string operator()(const Rectangle& rectangle) const {
    return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}/>\n", styles,
                       halved(rectangle.corner.x), halved(rectangle.corner.y), halved(rectangle.width),
                       halved(rectangle.height),
                       rectangle.rounding > 0 ? fmt::format(" rx=\"{}\"", halved(rectangle.rounding)) : "");
  }
  std::string operator()(const Polyline& line) const {
    std::string path, x, y;
    for (const Point& point : line.points) {
      const std::string next_x = halved(point.x), next_y = halved(point.y);
      if (path.empty()) path = fmt::format("M{} {}", next_x, next_y);
      else if (next_x == x) path += "V" + next_y;
      else if (next_y == y) path += "H" + next_x;
      else path += fmt::format("L{} {}", next_x, next_y);
      x = next_x;
      y = next_y;
    }
    return fmt::format("<path class=\"{}\" d=\"{}{}\"/>\n", styles, path, line.closed ? "Z" : "");
  }
};

}  // namespace

std::string svg(const Sheet& sheet) {
  const std::string width = halved(sheet.width()), height = halved(sheet.height());
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n",
      width, height, escaped(sheet.title()), escaped(sheet.summary()));
  out += style_sheet(sheet.kind());
  out += fmt::format("<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n", width, height);
  for (const Shape& shape : sheet.shapes()) out += std::visit(SvgShape{shape.styles}, shape.what);
  return out + "</svg>\n";
}

}  // namespace reckon::draw
