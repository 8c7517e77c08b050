// How two texts differ, for a reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reckon::golden {

struct DifferenceStyle {
  bool colored = false;          ///< what differs within a line is in reverse video; else marked by carets below
  std::size_t width = 160;       ///< of a longer line, what is the same in both texts is shortened, and then the end
  std::size_t first_line = 1;    ///< the number of the first expected line, in the file that it stands in
  std::size_t most_lines = 100;  ///< of all; the rest is counted
};

/// The parts of two texts that differ, as `diff -u` shows them, without its two lines of names; empty if nothing
/// differs. Both texts end with a line break. Characters that a terminal would not show are written as `\x1b`.
std::string difference(std::string_view expected, std::string_view actual, const DifferenceStyle& style = {});

}  // namespace reckon::golden
