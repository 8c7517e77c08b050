#include "cli/lsp/text_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace reckon::lsp {
namespace {

/// The bytes of the character that begins with this byte; a byte that begins none counts alone.
std::size_t bytes_of(unsigned char first) { return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

/// How much a position's count grows by a character of so many bytes.
std::size_t units(std::size_t bytes, Encoding encoding) {
  if (encoding == Encoding::utf8) return bytes;
  return encoding == Encoding::utf16 && bytes == 4 ? 2 : 1;
}

std::size_t number(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

}  // namespace

TextDocument::TextDocument(std::string text, Encoding encoding) : text_(std::move(text)), encoding_(encoding) {
  find_lines();
}

void TextDocument::find_lines() {
  starts_ = {0};
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) starts_.push_back(at + 1);
}

std::string_view TextDocument::line(std::size_t number) const {
  if (number >= starts_.size()) return {};
  const std::size_t begin = starts_[number], next = number + 1 < starts_.size() ? starts_[number + 1] : text_.size() + 1;
  std::string_view out(text_.data() + begin, next - 1 - begin);
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

std::size_t TextDocument::offset(const Json& position) const {
  const std::size_t number_of_line = number(position, "line");
  if (number_of_line >= starts_.size()) return text_.size();
  const std::string_view text = line(number_of_line);
  std::size_t at = 0;
  for (std::size_t count = number(position, "character"); count > 0 && at < text.size();) {
    const std::size_t bytes = bytes_of(static_cast<unsigned char>(text[at]));
    count -= std::min(count, units(bytes, encoding_));
    at = std::min(at + bytes, text.size());
  }
  return starts_[number_of_line] + at;
}

TextDocument::At TextDocument::at(const Json& position) const {
  const std::size_t end = offset(position);
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), end);
  const auto index = static_cast<std::size_t>(next - starts_.begin()) - 1;
  std::uint32_t column = 1;
  for (std::size_t at = starts_[index]; at < end; at += bytes_of(static_cast<unsigned char>(text_[at]))) ++column;
  return {static_cast<std::uint32_t>(index) + 1, column};
}

Json TextDocument::position(std::uint32_t line_number, std::uint32_t column) const {
  const std::size_t index = line_number == 0 ? 0 : line_number - 1;
  const std::string_view text = line(index);
  std::size_t count = 0, at = 0;
  for (std::uint32_t k = 1; k < column && at < text.size(); ++k) {
    const std::size_t bytes = bytes_of(static_cast<unsigned char>(text[at]));
    count += units(bytes, encoding_);
    at += bytes;
  }
  return {{"line", index}, {"character", count}};
}

Json TextDocument::range(const SourcePlace& place) const {
  return {{"start", position(place.line, place.column)}, {"end", position(place.end_line, place.end_column)}};
}

Json TextDocument::whole_range() const {
  return {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", starts_.size()}, {"character", 0}}}};
}

void TextDocument::change(const Json& change) {
  const std::string text = change.value("text", "");
  const auto range = change.find("range");
  if (range == change.end()) {
    text_ = text;
  } else {
    const std::size_t begin = offset((*range)["start"]), end = std::max(begin, offset((*range)["end"]));
    text_.replace(begin, end - begin, text);
  }
  find_lines();
}

bool covers(const SourcePlace& place, TextDocument::At at) {
  const TextDocument::At begin{place.line, place.column}, end{place.end_line, place.end_column};
  return begin <= at && at <= end;
}

std::string path_of(const std::string& uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) return uri;
  const std::size_t begin = std::min(uri.find('/', scheme.size()), uri.size());  // behind the host
  std::string out;
  for (std::size_t at = begin; at < uri.size(); ++at) {
    const auto digit = [&](std::size_t k) {
      const char c = k < uri.size() ? uri[k] : ' ';
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    if (uri[at] == '%' && digit(at + 1) >= 0 && digit(at + 2) >= 0) {
      out += static_cast<char>(digit(at + 1) * 16 + digit(at + 2));
      at += 2;
    } else {
      out += uri[at];
    }
  }
  return out;
}

std::string uri_of(const std::string& path) {
  if (!path.starts_with('/')) return path;
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace reckon::lsp
