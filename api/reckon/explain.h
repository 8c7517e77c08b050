// What the codes of messages mean, at length.
#pragma once

#include <string>
#include <vector>

#include "export.h"  // beside this file

namespace reckon {

/// A code, as messages have it, and the page about it.
struct ErrorPage {
  std::string code;   ///< `E0300`
  std::string title;  ///< what mistake the code stands for: lower case, no full stop
  std::string text;   ///< Markdown: what the mistake is, a wrong program with its message, a right program
};

/// Of every code that a message may have, by number. docs/errors/ has the same pages.
RECKON_API std::vector<ErrorPage> error_pages();

}  // namespace reckon
