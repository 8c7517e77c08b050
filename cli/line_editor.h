// Reading lines from a person: editing, history, completion. Where standard input or output is no terminal, lines are
// read as they come, and no prompt is shown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::cli {

/// The names that could stand where `word` does. `before` is the line up to the word. Those that do not begin with
/// `word` are ignored, so all names in scope will do. A word is made of letters, digits and `_`, and may begin with `:`
/// at the start of a line.
using Completer = std::function<std::vector<std::string>(std::string_view word, std::string_view before)>;

class LineEditor {
 public:
  /// HistoryFile::default_path() says where history is usually kept; an empty path keeps none.
  LineEditor(const std::string& history_path, Completer completer);
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;
  ~LineEditor();

  /// A line in UTF-8 without its line break; one recalled from history may have line breaks inside. Nothing at the end
  /// of input (Ctrl-D on an empty line). Ctrl-C gives up the line: the result is empty and interrupted() is true.
  std::optional<std::string> read(const std::string& prompt);
  bool interrupted() const;

  /// Adds an entry (of one or more lines) to the history, now and for later sessions; blank ones and repetitions of the
  /// last one are left out. The caller says what an entry is, since only it knows where one ends.
  void remember(const std::string& entry);

  /// Whether someone is at a terminal.
  bool interactive() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The part that all strings begin with, not cut within a character.
std::string common_prefix(const std::vector<std::string>& strings);
/// Strings in columns of equal width, read downwards, with line breaks.
std::string in_columns(const std::vector<std::string>& strings, std::size_t width);

}  // namespace reckon::cli
