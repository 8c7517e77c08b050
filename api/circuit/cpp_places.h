// Places in C++ files: where messages about circuits that are written in C++ point to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/circuit/translate.h"
#include "diagnostics/diagnostic.h"
#include "frontend/print_syntax.h"

namespace reckon::circuit {

/// The texts that were printed of C++ circuits, and for each place in them the place in C++.
class CppPlaces {
 public:
  /// Says where the places of a printed text come from. A file of the source map has at most one such text.
  void add(std::uint32_t file, const std::vector<frontend::MovedPlace>& moved, const std::vector<CppPlace>& places);
  bool has(SourceSpan span) const { return texts_.contains(span.file); }
  /// The diagnostic with places in C++ files in the place of those in printed texts. C++ files are read, and added to
  /// `sources`, when a message first needs them.
  Diagnostic told_in_cpp(const Diagnostic& diagnostic, SourceMap& sources);
  SourceSpan span(const CppPlace& place, SourceMap& sources);

 private:
  struct Origin {
    std::uint32_t begin, end;
    CppPlace place;
  };
  SourceSpan origin(SourceSpan span, SourceMap& sources);
  std::uint32_t file_of(const CppPlace& place, SourceMap& sources);

  std::map<std::uint32_t, std::vector<Origin>> texts_;  ///< by file of the source map
  std::map<std::string, std::uint32_t> files_;          ///< C++ files that could be read
};

/// The token of a C++ text that a compiler's place means: the name of the function that is called, or the operator
/// before the operand that the place names. `offset`: of the compiler's line and column. Gives begin and end.
std::pair<std::size_t, std::size_t> token_at(std::string_view text, std::size_t offset, std::string_view sign);

}  // namespace reckon::circuit
