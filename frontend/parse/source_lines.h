// Lines of a program under construction: their indentation, and comments at their ends in one column.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reckon::frontend {

class SourceLines {
 public:
  /// Begins a line at the column. `after_blank`: an empty line stands before it, unless it is the first of all.
  void begin(std::size_t column, bool after_blank);
  /// Puts code at the end of the line; there is a line.
  void add(std::string_view code) { lines_.back().code += code; }
  /// A comment at the end of the line. What follows begins a line.
  void comment(std::string_view text) { lines_.back().comment = text; }

  /// The column in which code would go on.
  std::size_t column() const { return lines_.back().indent + lines_.back().code.size(); }
  std::size_t indent() const { return lines_.back().indent; }
  bool empty() const { return lines_.empty(); }

  /// The whole text. Comments that end neighbouring lines of code begin in one column.
  std::string text() const;

 private:
  struct Line {
    std::size_t indent = 0;
    std::string code, comment;
    bool after_blank = false;

    std::size_t width() const { return indent + code.size(); }
    bool has_both() const { return !code.empty() && !comment.empty(); }
  };

  /// The column for the comments of the lines from `first` on, and the line after the last of them.
  std::pair<std::size_t, std::size_t> comment_column(std::size_t first) const;

  std::vector<Line> lines_;
};

}  // namespace reckon::frontend
