// The page about a code, for `reckon explain` and for the prompt's `:explain`.
#pragma once

#include <string>
#include <variant>

#include "api/reckon/explain.h"
#include "cli/console.h"

namespace reckon::cli {

/// The page about the code that the text names: `E0300`, `e0300`, `0300` or `300`; or a sentence that says why there is
/// none and names the nearest code.
std::variant<ErrorPage, std::string> find_page(const std::string& text);

/// Prints the page about the code, or without a code all codes and their titles. An unknown code raises the status of
/// wrong usage.
void explain_code(const std::string& code, bool json, Console& console);

}  // namespace reckon::cli
