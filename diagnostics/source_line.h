// One line of source as a terminal shows it: tabs expanded, what cannot be shown replaced, long lines
// cut to a window. Used by render_text alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reckon {

/// A range of bytes of a line, and the columns (from 0) that it takes on the screen.
struct MarkedRange {
  std::size_t begin = 0;  ///< byte in the line
  std::size_t end = 0;    ///< one past the last byte
  std::size_t first_column = 0;
  std::size_t last_column = 0;  ///< one past the last column; always more than first_column
};

struct ShownLine {
  std::string text;  ///< valid UTF-8 without control characters
  std::size_t columns = 0;
};

inline constexpr std::size_t longest_whole_line = 200;  ///< columns; a longer line is shown in part
inline constexpr std::size_t window_columns = 120;

/// Renders `line` and fills in the columns of `ranges`. A line that is too long is cut to a window that begins
/// a little before the first range; whatever lies outside of the window is marked at its edge.
ShownLine show_line(std::string_view line, std::vector<MarkedRange>& ranges);

/// True if a range that begins at `candidate` can be seen in the window that begins at the range at `first`.
bool shares_window(std::string_view line, std::size_t first, std::size_t candidate);

}  // namespace reckon
