#include "diagnostics/source_line.h"

#include <algorithm>

namespace reckon {

namespace {

constexpr std::size_t tab_width = 4;
constexpr std::size_t lead_in = 40;  // columns of context before the first mark of a window
constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "...";

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 1;  ///< bytes
  bool valid = false;
};

/// Decodes one code point as Unicode 15, section 3.9, table 3-7 allows; otherwise one invalid byte.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length, true};
}

/// Columns on a terminal, after the wide blocks of Unicode's EastAsianWidth.txt and the combining blocks.
std::size_t width_of(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (within(0x300, 0x36F) || within(0x200B, 0x200F) || within(0x20D0, 0x20FF) || within(0xFE00, 0xFE0F)) return 0;
  if (within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) || within(0xF900, 0xFAFF) ||
      within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) || within(0xFFE0, 0xFFE6) || within(0x1F300, 0x1FAFF) ||
      within(0x20000, 0x3FFFD)) {
    return 2;
  }
  return 1;
}

/// Control characters, and those that reorder text on the screen (U+202A..E, U+2066..9), are not shown as they are.
bool may_be_shown(char32_t c) {
  return c >= 0x20 && !(c >= 0x7F && c < 0xA0) && !(c >= 0x202A && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069);
}

bool is_long(std::string_view line) {
  // Four bytes a column at most, so that a line of a gigabyte is not measured to its end.
  if (line.size() > 4 * longest_whole_line) return true;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < line.size() && columns <= longest_whole_line;) {
    const CodePoint c = decode(line.substr(at));
    columns += line[at] == '\t' ? tab_width : c.valid ? width_of(c.value) : 1;
    at += c.length;
  }
  return columns > longest_whole_line;
}

/// The byte some `lead_in` code points before `mark`.
std::size_t window_start(std::string_view line, std::size_t mark) {
  std::size_t start = std::min(mark, line.size());
  for (std::size_t count = 0; count < lead_in && start > 0; ++count) {
    --start;
    while (start > 0 && (static_cast<unsigned char>(line[start]) & 0xC0U) == 0x80U) --start;
  }
  return start;
}

}  // namespace

bool shares_window(std::string_view line, std::size_t first, std::size_t candidate) {
  return !is_long(line) || candidate < window_start(line, first) + window_columns - lead_in / 2;
}

ShownLine show_line(std::string_view line, std::vector<MarkedRange>& ranges) {
  const bool cut = is_long(line);
  std::size_t first_mark = line.size();
  for (const MarkedRange& range : ranges) first_mark = std::min(first_mark, range.begin);
  const std::size_t start = cut ? window_start(line, first_mark) : 0;

  ShownLine shown;
  // Ranges may begin and end anywhere in a code point, also beyond the line; a window's edges catch the rest.
  const auto pass = [&](std::size_t byte) {
    for (MarkedRange& range : ranges) {
      if (range.begin >= byte) range.first_column = shown.columns;
      if (range.end >= byte) range.last_column = shown.columns;
    }
  };
  if (start > 0) {
    shown.text += ellipsis;
    shown.columns += ellipsis.size();
  }
  std::size_t at = start;
  for (; at < line.size() && !(cut && shown.columns >= window_columns);) {
    pass(at);
    const CodePoint c = decode(line.substr(at, 4));
    if (line[at] == '\t') {
      const std::size_t spaces = tab_width - shown.columns % tab_width;
      shown.text.append(spaces, ' ');
      shown.columns += spaces;
    } else if (!c.valid || !may_be_shown(c.value)) {
      shown.text += replacement;
      ++shown.columns;
    } else {
      shown.text += line.substr(at, c.length);
      shown.columns += width_of(c.value);
    }
    at += c.length;
  }
  pass(at);
  if (at < line.size()) {
    shown.text += ellipsis;
    shown.columns += ellipsis.size();
  }
  for (MarkedRange& range : ranges) range.last_column = std::max(range.last_column, range.first_column + 1);
  return shown;
}

}  // namespace reckon
