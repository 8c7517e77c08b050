#include "diagnostics/source.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace reckon {

namespace {

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

std::uint32_t SourceMap::add(std::string name, std::string text, std::uint32_t first_line) {
  File file{std::move(name), std::move(text), {0}, first_line};
  // Offsets have 32 bits, so text beyond 4 GiB has no place of its own (readers refuse such files).
  const std::size_t reach = std::min<std::size_t>(file.text.size(), std::numeric_limits<std::uint32_t>::max() - 1);
  const char* const begin = file.text.data();
  for (const char* at = begin; at != begin + reach;) {
    const auto* found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(begin + reach - at)));
    if (found == nullptr) break;
    at = found + 1;
    file.line_starts.push_back(static_cast<std::uint32_t>(at - begin));
  }
  files_.push_back(std::move(file));
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceMap::text(SourceSpan span) const {
  if (!span.known() || span.file >= files_.size()) return {};
  const std::string_view all = files_[span.file].text;
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, all.size());
  return all.substr(begin, end - begin);
}

LineColumn SourceMap::locate(std::uint32_t file, std::uint32_t offset) const {
  const File& source = files_[file];
  offset = static_cast<std::uint32_t>(std::min<std::size_t>(offset, source.text.size()));
  const auto next = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(next - source.line_starts.begin());
  const std::uint32_t start = source.line_starts[line - 1];
  const auto before = std::count_if(source.text.begin() + start, source.text.begin() + offset,
                                    [](char byte) { return !continues_code_point(byte); });
  return {line + source.first_line - 1, static_cast<std::uint32_t>(before) + 1};
}

std::string_view SourceMap::line(std::uint32_t file, std::uint32_t number) const {
  const File& source = files_[file];
  if (number < source.first_line) return {};
  number -= source.first_line - 1;
  if (number == 0 || number > source.line_starts.size()) return {};
  const std::size_t begin = source.line_starts[number - 1];
  std::size_t end = number < source.line_starts.size() ? source.line_starts[number] - 1 : source.text.size();
  if (end > begin && source.text[end - 1] == '\r') --end;
  return std::string_view(source.text).substr(begin, end - begin);
}

}  // namespace reckon
