#include "cli/golden/lines.h"

namespace reckon::golden {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string plain_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (std::string_view line : lines_of(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += line;
    out += '\n';
  }
  return out;
}

bool has_windows_ends(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r';
}

}  // namespace reckon::golden
