// Texts as lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon::golden {

/// The lines of a text, without their line breaks; a break at the end begins no further line.
std::vector<std::string_view> lines_of(std::string_view text);

/// The text with every line ended by a line feed alone: what a Windows editor, or one that ends no last line, made of a
/// file is no difference.
std::string plain_lines(std::string_view text);

/// Whether the first line ends with a carriage return and a line feed.
bool has_windows_ends(std::string_view text);

}  // namespace reckon::golden
