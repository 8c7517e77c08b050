// The text of an open file, and positions in it as editors count them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/reckon/source.h"
#include "cli/lsp/connection.h"

namespace reckon::lsp {

/// What a position counts within its line (specification 3.17, "PositionEncodingKind").
enum class Encoding : std::uint8_t { utf8, utf16, utf32 };

class TextDocument {
 public:
  explicit TextDocument(std::string text = {}, Encoding encoding = Encoding::utf16);

  const std::string& text() const { return text_; }
  /// Carries out one change of `textDocument/didChange`; a position beyond a line's or the text's end stands for the end.
  void change(const Json& change);

  /// A `Position` and a `Range` of the protocol for places of ours.
  Json position(std::uint32_t line, std::uint32_t column) const;
  Json range(const SourcePlace& place) const;
  Json whole_range() const;

  /// Line and column, from 1, in code points, of a `Position`.
  struct At {
    std::uint32_t line = 0, column = 0;
    friend auto operator<=>(const At&, const At&) = default;
  };
  At at(const Json& position) const;

 private:
  std::string_view line(std::size_t number) const;  ///< from 0, without its end
  std::size_t offset(const Json& position) const;
  void find_lines();

  std::string text_;
  Encoding encoding_;
  std::vector<std::size_t> starts_;
};

/// Whether the place begins at or before the position and ends at or behind it.
bool covers(const SourcePlace& place, TextDocument::At at);

/// The path of a `file:` address; an address of another kind as it is.
std::string path_of(const std::string& uri);
std::string uri_of(const std::string& path);

}  // namespace reckon::lsp
