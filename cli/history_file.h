// The entries that were typed in earlier sessions: one a line, oldest first, with `\n` for a line break inside an entry
// and `\\` for a backslash. History is a convenience: where it cannot be kept, nothing is said.
#pragma once

#include <string>
#include <vector>

namespace reckon::cli {

class HistoryFile {
 public:
  /// An empty path keeps nothing.
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  /// `$XDG_STATE_HOME/reckon/history`, else `~/.local/state/reckon/history`, else empty.
  static std::string default_path();

  /// The newest entries. A file that has grown far beyond them is cut down to them.
  std::vector<std::string> load() const;
  /// Adds to the end, so that sessions side by side keep each other's entries. Folders are made as needed.
  void append(const std::string& entry) const;

 private:
  std::string path_;
};

}  // namespace reckon::cli
