// PDF 1.4 as ISO 32000-1 describes it: a file without compression, whose cross-reference table (7.5.4) has the offset
// of every object.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "draw/sheet.h"

namespace reckon::draw {
namespace {

/// The width of a letter of Courier, in font sizes.
constexpr double letter_width = 0.6;
constexpr double points_per_pixel = 0.75;
/// How far the control points of a quarter of a circle lie from its ends, in radii.
constexpr double bend = 0.5523;

/// To a hundredth, without trailing zeros: the same text everywhere.
std::string decimal(double value) {
  const auto hundredths = static_cast<long>(value * 100 + (value < 0 ? -0.5 : 0.5));
  std::string out =
      fmt::format("{}{}.{:02}", hundredths < 0 ? "-" : "", std::abs(hundredths) / 100, std::abs(hundredths) % 100);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string pair(double x, double y) { return decimal(x) + " " + decimal(y); }

/// The characters of a text in UTF-8; a byte that is none stands for itself.
std::u32string characters(const std::string& text) {
  std::u32string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto first = static_cast<unsigned char>(text[k]);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    char32_t at = more == 0 ? first : first & (0x3f >> more);
    for (int i = 0; i < more && k + 1 < text.size() && (text[k + 1] & 0xc0) == 0x80; ++i) {
      at = at << 6 | (text[++k] & 0x3f);
    }
    out += at;
  }
  return out;
}

/// Where WinAnsi has a character (ISO 32000-1, Annex D.2).
std::optional<unsigned> win_ansi(char32_t character) {
  static constexpr std::array<char32_t, 32> from_128{0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                                     0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};
  if ((character >= 0x20 && character < 0x7f) || (character >= 0xa0 && character <= 0xff)) return character;
  for (unsigned k = 0; k < from_128.size(); ++k) {
    if (character == from_128[k]) return 128 + k;
  }
  return std::nullopt;
}

/// A string in parentheses; control characters become spaces.
std::string quoted(const std::u32string& text) {
  std::string out = "(";
  for (const char32_t character : text) {
    const unsigned code = character < 0x20 ? ' ' : win_ansi(character).value_or('?');
    if (code >= 0x7f) out += fmt::format("\\{:03o}", code);
    else if (code == '(' || code == ')' || code == '\\') out += fmt::format("\\{}", static_cast<char>(code));
    else out += static_cast<char>(code);
  }
  return out + ")";
}

/// A string of the file's description, whose characters beyond ASCII are those of UTF-16 (7.9.2.2).
std::string described(const std::string& text) {
  const std::u32string all = characters(text);
  std::string out = "<FEFF";
  bool ascii = true;
  for (const char32_t character : all) {
    ascii = ascii && character < 0x7f;
    if (character < 0x10000) {
      out += fmt::format("{:04X}", static_cast<unsigned>(character));
    } else {
      const auto above = static_cast<unsigned>(character) - 0x10000;
      out += fmt::format("{:04X}{:04X}", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
    }
  }
  return ascii ? quoted(all) : out + ">";
}

/// `#8c959f` as three parts of 1.
std::string parts_of_colour(std::string_view hex) {
  const auto part = [&](std::size_t at) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    const int thousandths = ((digit(hex[at]) * 16 + digit(hex[at + 1])) * 1000 + 127) / 255;
    return thousandths == 1000 ? std::string("1") : fmt::format("0.{:03}", thousandths);
  };
  return part(1) + " " + part(3) + " " + part(5);
}

/// What all styles of a shape say together.
Style styled(const Shape& shape) {
  Style out{.fill = "#000000", .stroke = "none", .stroke_width = 1};
  const std::string names = " " + shape.styles + " ";
  for (const Style& style : styles()) {
    const bool of_text = std::string_view(style.name) == "text" && std::holds_alternative<Words>(shape.what);
    if (!of_text && names.find(fmt::format(" {} ", style.name)) == std::string::npos) continue;
    if (*style.fill) out.fill = style.fill;
    if (*style.stroke) out.stroke = style.stroke;
    if (style.stroke_width > 0) out.stroke_width = style.stroke_width;
    if (*style.dash) out.dash = style.dash;
    if (style.font_size > 0) out.font_size = style.font_size;
    out.bold = out.bold || style.bold;
    if (*style.anchor) out.anchor = style.anchor;
  }
  return out;
}

/// Writes shapes as operators, and only those settings that change.
class Content {
 public:
  void write(const Shape& shape) {
    const Style style = styled(shape);
    if (const auto* words = std::get_if<Words>(&shape.what)) return write(*words, style);
    const bool fills = style.fill != std::string_view("none"), strokes = style.stroke != std::string_view("none");
    if (fills) set(fill_, parts_of_colour(style.fill) + " rg");
    if (strokes) {
      set(stroke_, parts_of_colour(style.stroke) + " RG");
      set(width_, decimal(style.stroke_width) + " w");
      set(dash_, fmt::format("[{}] 0 d", style.dash));
    }
    std::visit([&](const auto& path) { trace(path); }, shape.what);
    out_ += fills && strokes ? "B\n" : fills ? "f\n" : strokes ? "S\n" : "n\n";
  }
  std::string text() { return std::move(out_); }

 private:
  void set(std::string& setting, std::string to) {
    if (setting == to) return;
    setting = std::move(to);
    out_ += setting + "\n";
  }

  void write(const Words& words, const Style& style) {
    const std::u32string text = characters(words.text);
    const double length = static_cast<double>(text.size()) * letter_width * style.font_size;
    const std::string_view anchor = style.anchor;
    const double left = words.at.x - (anchor == "middle" ? length / 2 : anchor == "end" ? length : 0);
    set(fill_, parts_of_colour(style.fill) + " rg");
    out_ += fmt::format("BT /F{} {} Tf 1 0 0 -1 {} Tm {} Tj ET\n", style.bold ? 2 : 1, decimal(style.font_size),
                        pair(left, words.at.y), quoted(text));
  }

  void trace(const Words&) {}
  void trace(const Circle& circle) {
    const double r = circle.radius;
    trace(Rectangle{{circle.centre.x - r, circle.centre.y - r}, 2 * r, 2 * r, r});
  }
  void trace(const Rectangle& rectangle) {
    const double x = rectangle.corner.x, y = rectangle.corner.y, r = rectangle.rounding;
    const double right = x + rectangle.width, bottom = y + rectangle.height, c = r - bend * r;
    if (r == 0) {
      out_ += fmt::format("{} {} re\n", pair(x, y), pair(rectangle.width, rectangle.height));
      return;
    }
    out_ += fmt::format("{} m\n", pair(x + r, y));
    corner({right - r, y}, {right - c, y}, {right, y + c}, {right, y + r});
    corner({right, bottom - r}, {right, bottom - c}, {right - c, bottom}, {right - r, bottom});
    corner({x + r, bottom}, {x + c, bottom}, {x, bottom - c}, {x, bottom - r});
    corner({x, y + r}, {x, y + c}, {x + c, y}, {x + r, y});
    out_ += "h\n";
  }
  void trace(const Polyline& line) {
    for (const Point& each : line.points) {
      out_ += fmt::format("{} {}\n", pair(each.x, each.y), &each == &line.points.front() ? "m" : "l");
    }
    if (line.closed) out_ += "h\n";
  }
  /// A straight line to where the corner begins, and its curve.
  void corner(Point from, Point first, Point second, Point to) {
    out_ += fmt::format("{} l\n{} {} {} c\n", pair(from.x, from.y), pair(first.x, first.y), pair(second.x, second.y),
                        pair(to.x, to.y));
  }

  std::string out_, fill_, stroke_, width_, dash_ = "[] 0 d";
};

}  // namespace

std::string pdf(const Sheet& sheet) {
  const double width = sheet.width() * points_per_pixel, height = sheet.height() * points_per_pixel;
  Content content;
  for (const Shape& shape : sheet.shapes()) content.write(shape);
  // Pixels, with y downwards.
  const std::string stream =
      fmt::format("{0} 0 0 -{0} 0 {1} cm\n", decimal(points_per_pixel), decimal(height)) + content.text();
  const auto font = [](const char* name) {
    return fmt::format("<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>", name);
  };
  const std::array objects{
      std::string("<< /Type /Catalog /Pages 2 0 R >>"),
      std::string("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
      fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {}] /Contents 4 0 R\n"
                  "   /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
                  pair(width, height)),
      fmt::format("<< /Length {} >>\nstream\n{}endstream", stream.size(), stream),
      font("Courier"),
      font("Courier-Bold"),
      fmt::format("<< /Title {} /Producer (Reckon) >>", described(sheet.title())),
  };
  std::string out = "%PDF-1.4\n";
  std::string table = fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    table += fmt::format("{:010} 00000 n \n", out.size());
    out += fmt::format("{} 0 obj\n{}\nendobj\n", k + 1, objects[k]);
  }
  const std::size_t start = out.size();
  return out + table +
         fmt::format("trailer\n<< /Size {} /Root 1 0 R /Info 7 0 R >>\nstartxref\n{}\n%%EOF\n", objects.size() + 1,
                     start);
}

}  // namespace reckon::draw
