#include "frontend/parse/text_check.h"

#include <fmt/format.h>

#include <cstring>

#include "diagnostics/codes/file_too_large.h"
#include "diagnostics/codes/not_text.h"

namespace reckon::frontend {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_control(unsigned char byte) {
  return byte == 0x7F || (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != '\v');
}

/// Bytes of the UTF-8 sequence that begins `text`; 0 if it is malformed (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return 0;
  // The second byte rules out overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

Diagnostic not_text(std::uint32_t file, std::size_t offset, std::string message) {
  const auto at = static_cast<std::uint32_t>(offset);
  return Diagnostic(code::not_text, {file, at, at + 1}, std::move(message), "here")
      .help("a Reckon program is UTF-8 text");
}

}  // namespace

std::size_t text_begin(std::string_view text) { return text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; }

std::optional<Diagnostic> find_non_text(std::string_view text, std::uint32_t file) {
  const std::string_view readable = text.substr(0, largest_source);
  if (const void* nul = std::memchr(readable.data(), 0, readable.size()); nul != nullptr) {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(nul) - readable.data());
    return not_text(file, offset, fmt::format("a NUL byte at offset {}: this is not a text file", offset));
  }
  if (text.size() > largest_source) {
    return Diagnostic(code::file_too_large, {file, 0, 0},
                      fmt::format("the file has more than the {} MiB that a program may have", largest_source >> 20U));
  }
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if (is_control(byte)) {
        return not_text(file, at,
                        fmt::format("a control byte 0x{:02x} at offset {}: this is not a text file", byte, at));
      }
      ++at;
      continue;
    }
    const std::size_t length = sequence_length(text.substr(at, 4));
    if (length == 0) return not_text(file, at, fmt::format("invalid UTF-8: byte 0x{:02x} at offset {}", byte, at));
    at += length;
  }
  return std::nullopt;
}

}  // namespace reckon::frontend
