// The terms of FPCore's syntax: S-expressions with their places.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace reckon::fpcore {

struct Term {
  SourceSpan span;
  bool is_list = false;
  std::string text;  ///< of an atom; of a string, without its quotes
  bool is_string = false;
  std::vector<Term> parts;  ///< of a list

  bool is(std::string_view atom) const { return !is_list && !is_string && text == atom; }
  /// Whether it is a list that begins with this atom.
  bool calls(std::string_view atom) const { return is_list && !parts.empty() && parts.front().is(atom); }
};

/// All terms of a file. E0100 for a parenthesis that is missing or one too many, and a string without an end.
Expected<std::vector<Term>> read_terms(const SourceMap& sources, std::uint32_t file);

}  // namespace reckon::fpcore
