// What tools for people who write programs ask about a text: its format, and where its names are defined and used.
#pragma once

#include "reckon.h"  // beside this file

namespace reckon {

/// The text with the spaces and the indentation of `reckon fmt` (docs/command_line.md). Tokens, comments and the author's
/// line breaks stay; formatting the result again gives the same text. Messages: the text has mistakes of syntax.
RECKON_API Result<std::string> format_source(const std::string& text, const std::string& path = "program");

/// A part of a text: the lines and columns, from 1, of its first character and of the one behind its last; a column counts
/// Unicode code points.
struct SourcePlace {
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

struct SourceDefinition {
  std::string name;
  /// `circuit`, `value`, `type`, `profile`, `kernel` of the file; `static parameter`, `parameter`, `dimension`, `index`, `local`,
  /// `length`, `argument` within one of its items.
  std::string kind;
  SourcePlace place;   ///< of the name
  SourcePlace whole;   ///< of the item, the parameter with its type, the binding, ...
  SourcePlace scope;   ///< where the name may be used; line 0 of a definition of the file: everywhere
  std::string text;    ///< of `whole`; of an item its first line
};

struct SourceUse {
  std::string name;
  SourcePlace place;
  std::optional<std::size_t> definition;  ///< none: the definition is in an imported file, or the language's, or missing
};

struct SourceImport {
  std::string path;    ///< as written
  SourcePlace place;   ///< of the string
};

/// The definitions and uses of names in a text, each in its order; items with mistakes of syntax are left out.
struct SourceOutline {
  std::vector<SourceDefinition> definitions;
  std::vector<SourceUse> uses;
  std::vector<SourceImport> imports;
};

/// `is_known` tells the names that the text need not define, those of the language (`Session::names`) and of imported
/// files. Lines count from `first_line`.
RECKON_API SourceOutline outline_source(const std::string& text, const std::function<bool(const std::string&)>& is_known,
                                        std::uint32_t first_line = 1);
/// The outline of the program that the session has read last.
RECKON_API SourceOutline outline_source(const Session& session);

}  // namespace reckon
