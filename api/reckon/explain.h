// What the codes of messages mean, at length, and what the names of the language mean, in a few words.
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

/// What docs/reference.md says of some names of the language.
struct ReferenceEntry {
  std::vector<std::string> names;  ///< `sin`, `cos`, `tan`
  std::string text;                ///< Markdown: what they mean, and an example with what it prints
  std::string chapter;             ///< `Elementary functions`
  std::string introduction;        ///< what the chapter says of all its names: the meaning under each semantics
};

/// In the order of the page.
RECKON_API std::vector<ReferenceEntry> reference();

}  // namespace reckon
