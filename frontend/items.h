// The items of a program that are carried out: checks, shows and saves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

/// An item's text on one line, without the comments in it.
std::string one_line(std::string_view text);

/// The item with the static names in scope; nothing if it is a definition, or if it has mistakes.
std::optional<ElaboratedItem> elaborate_item(Elaborator& elaborator, const Context& context, const Item& item);

/// The item once for each value of the static names that it is repeated for: `for k in {64, 128}: show ...`
/// (elaborate_repeated.cpp).
std::vector<ElaboratedItem> elaborate_all(Elaborator& elaborator, std::uint32_t program, const Item& item);

}  // namespace reckon::frontend
