// `//`, which divides and rounds down, where other languages begin a comment.
#pragma once

#include <cstddef>
#include <string_view>

namespace reckon::frontend {

/// Whether `//` stands before this place on its line, outside of strings: what follows it was meant as a comment.
bool behind_slashes(std::string_view text, std::size_t place);
inline constexpr std::string_view comment_help = "a comment begins with `#`; `//` divides integers and rounds down";

}  // namespace reckon::frontend
