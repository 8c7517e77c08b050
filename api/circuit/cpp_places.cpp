#include "api/circuit/cpp_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/reckon/reckon.h"

namespace reckon::circuit {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Whether the operator stands at `at`, and not a part of a longer one or of a number's exponent.
bool is_operator(std::string_view text, std::size_t at, std::string_view sign) {
  if (text.substr(at, sign.size()) != sign) return false;
  static constexpr std::string_view joins = "+-*/%<>=!&|^";
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + sign.size() < text.size() ? text[at + sign.size()] : ' ';
  const bool exponent = (sign == "+" || sign == "-") && (before == 'e' || before == 'E') && at >= 2 &&
                        text[at - 2] >= '0' && text[at - 2] <= '9';
  return !exponent && joins.find(before) == std::string_view::npos &&
         (joins.find(after) == std::string_view::npos || after == '-' || after == '!' || after == '+');
}

/// Looks for an operator before the operand at `offset`, passing over what stands in brackets.
std::optional<std::size_t> operator_before(std::string_view text, std::size_t offset, std::string_view sign) {
  int depth = 0;
  for (std::size_t at = offset + 1; at-- > 0;) {
    const char c = text[at];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') {
      if (--depth < 0) return std::nullopt;
      continue;
    }
    if (depth != 0) continue;
    if (c == ';') return std::nullopt;
    if (is_operator(text, at, sign)) return at;
  }
  return std::nullopt;
}

/// The beginning of the name before an opening bracket, with template arguments: `cast<f32>(`.
std::size_t name_before(std::string_view text, std::size_t bracket) {
  std::size_t at = bracket;
  if (at > 0 && text[at - 1] == '>') {
    int depth = 0;
    while (at > 0) {
      --at;
      if (text[at] == '>') ++depth;
      if (text[at] == '<' && --depth == 0) break;
    }
  }
  while (at > 0 && is_word(text[at - 1])) --at;
  return at;
}

}  // namespace

std::pair<std::size_t, std::size_t> token_at(std::string_view text, std::size_t offset, std::string_view sign) {
  if (offset >= text.size()) return {offset, offset};
  std::size_t begin = offset;
  if (!sign.empty()) {
    if (const auto found = operator_before(text, offset, sign)) return {*found, *found + sign.size()};
  } else if (text[offset] == '(') {
    begin = name_before(text, offset);
  }
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return {begin, std::max(end, begin + 1)};
}

void CppPlaces::add(std::uint32_t file, const std::vector<frontend::MovedPlace>& moved,
                    const std::vector<CppPlace>& places) {
  std::vector<Origin>& origins = texts_[file];
  for (const frontend::MovedPlace& each : moved) {
    if (each.before.known() && each.before.begin < places.size()) {
      origins.push_back({each.after.begin, each.after.end, places[each.before.begin]});
    }
  }
}

std::uint32_t CppPlaces::file_of(const CppPlace& place, SourceMap& sources) {
  const std::string name = place.place.file_name();
  if (const auto found = files_.find(name); found != files_.end()) return found->second;
  auto text = Session::read_text(name);
  const std::uint32_t line = place.place.line();
  const auto lines = text ? static_cast<std::uint32_t>(std::count(text->begin(), text->end(), '\n')) + 1 : 0;
  if (line <= lines) return files_[name] = sources.add(name, std::move(*text));
  // The program runs where its source is not: the line is there, but blank.
  return sources.add(name, std::string(std::max(1u, place.place.column()), ' '), line);
}

SourceSpan CppPlaces::span(const CppPlace& place, SourceMap& sources) {
  const std::uint32_t file = file_of(place, sources);
  const std::string_view text = sources.text(file), line = sources.line(file, place.place.line());
  if (line.data() == nullptr) return {file, 0, 0};
  const std::size_t start = static_cast<std::size_t>(line.data() - text.data());
  const std::size_t column = std::max(1u, place.place.column()) - 1;
  const auto [begin, end] = token_at(text, start + std::min(column, line.size()), place.sign);
  return {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

SourceSpan CppPlaces::origin(SourceSpan span, SourceMap& sources) {
  const auto text = texts_.find(span.file);
  if (text == texts_.end()) return span;
  const Origin* least = nullptr;
  for (const Origin& each : text->second) {
    if (each.begin > span.begin || each.end < span.end) continue;
    if (least == nullptr || each.end - each.begin < least->end - least->begin) least = &each;
  }
  return least == nullptr ? SourceSpan{} : this->span(least->place, sources);
}

Diagnostic CppPlaces::told_in_cpp(const Diagnostic& diagnostic, SourceMap& sources) {
  Diagnostic out = diagnostic;
  const SourceSpan written = out.primary.span;
  const auto is_here = [&](const Label& label) { return has(label.span); };
  if (!has(written) && std::none_of(out.secondary.begin(), out.secondary.end(), is_here)) return out;
  out.primary.span = origin(written, sources);
  for (Label& label : out.secondary) label.span = origin(label.span, sources);
  // Two labels at one place of C++ would say one thing twice.
  std::erase_if(out.secondary,
                [&](const Label& label) { return label.span == out.primary.span && label.text.empty(); });
  out.suggestion.reset();
  const std::string_view text = sources.text(written);
  constexpr std::size_t longest = 60;
  const bool is_one_word = std::all_of(text.begin(), text.end(), is_word);
  if (has(written) && !is_one_word && text.size() <= longest && text.find('\n') == std::string_view::npos) {
    out.notes.insert(out.notes.begin(), fmt::format("in the circuit's text this is `{}`", text));
  }
  return out;
}

}  // namespace reckon::circuit
