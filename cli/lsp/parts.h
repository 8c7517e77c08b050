// A program in parts that can be read one by one, so that after a change only what depends on it is read again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reckon::lsp {

/// The text cut before lines that begin with the first word of an item, outside of brackets. The parts follow each other
/// without gaps; an item never goes on over the end of a part. Each part but the last ends with a line break.
std::vector<std::string_view> parts_of(std::string_view text);

}  // namespace reckon::lsp
