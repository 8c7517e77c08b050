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

}  // namespace reckon::draw
