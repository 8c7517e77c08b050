// Source files and places in them. A place is a range of byte offsets in one file of a SourceMap.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace reckon {

struct SourceSpan {
  static constexpr std::uint32_t no_file = ~std::uint32_t{0};
  std::uint32_t file = no_file;
  std::uint32_t begin = 0;  ///< first byte
  std::uint32_t end = 0;    ///< one past the last byte
  bool known() const { return file != no_file; }
  /// The least span that covers both (of the same file).
  SourceSpan to(SourceSpan other) const { return {file, begin, other.end > end ? other.end : end}; }
  friend bool operator==(const SourceSpan&, const SourceSpan&) = default;
};

/// Line and column, both from 1; the column counts Unicode code points.
struct LineColumn {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// Owns the text of every file that was read.
class SourceMap {
 public:
  /// `first_line`: the number of the text's first line, where it is a part of something longer.
  std::uint32_t add(std::string name, std::string text, std::uint32_t first_line = 1);
  std::string_view name(std::uint32_t file) const { return files_[file].name; }
  std::string_view text(std::uint32_t file) const { return files_[file].text; }
  std::string_view text(SourceSpan span) const;
  LineColumn locate(std::uint32_t file, std::uint32_t offset) const;
  /// The text of a line (from 1) without its line break.
  std::string_view line(std::uint32_t file, std::uint32_t number) const;
  std::uint32_t file_count() const { return static_cast<std::uint32_t>(files_.size()); }

 private:
  struct File {
    std::string name;
    std::string text;
    std::vector<std::uint32_t> line_starts;
    std::uint32_t first_line = 1;
  };
  std::deque<File> files_;  // a deque, so that views stay valid as files are added
};

}  // namespace reckon
