#include "draw/svg_parts.h"

#include <fmt/format.h>

namespace reckon::draw {

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

std::string number(double value) {
  const auto halves = static_cast<long>(value * 2 + (value < 0 ? -0.5 : 0.5));
  return halves % 2 ? fmt::format("{}.5", halves / 2) : std::to_string(halves / 2);
}

std::string words(double x, double y, const std::string& text, const char* classes) {
  return fmt::format("<text{} x=\"{}\" y=\"{}\">{}</text>\n",
                     *classes ? fmt::format(" class=\"{}\"", classes) : std::string(), number(x), number(y),
                     escaped(text));
}

std::string page(const Page& page, const std::string& body) {
  const std::string width = number(page.width), height = number(page.height);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "role=\"img\">\n"
             "<title>{2}</title>\n<desc>{3}</desc>\n",
             width, height, escaped(page.title), escaped(page.summary)) +
         page.style + fmt::format("<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n", width, height) + body +
         "</svg>\n";
}

}  // namespace reckon::draw
