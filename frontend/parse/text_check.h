// Checks whether a file is text at all, before anything else reads it.
#pragma once

#include <optional>

#include "diagnostics/diagnostic.h"

namespace reckon::frontend {

/// Larger files are refused: tokens take some twenty times the room of their text.
inline constexpr std::size_t largest_source = std::size_t{64} << 20;

/// Where the text begins: 3 after a UTF-8 byte order mark, else 0.
std::size_t text_begin(std::string_view text);

/// The reason why a file is not UTF-8 text of a bearable size, if it is not: NUL and other control bytes,
/// malformed UTF-8, more than `largest_source` bytes. Stops at the first such byte.
std::optional<Diagnostic> find_non_text(std::string_view text, std::uint32_t file);

}  // namespace reckon::frontend
