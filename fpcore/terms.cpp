#include "fpcore/terms.h"

#include "diagnostics/codes/syntax.h"

namespace reckon::fpcore {

Expected<std::vector<Term>> read_terms(const SourceMap& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  const auto place = [&](std::size_t begin, std::size_t end) {
    return SourceSpan{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  };
  // The lists that are open, without recursion: the outermost holds the result.
  std::vector<Term> open(1);
  std::size_t at = 0;
  const auto is_delimiter = [](char c) {
    return c == '(' || c == ')' || c == '[' || c == ']' || c == ';' || c == '"' || static_cast<unsigned char>(c) <= ' ';
  };
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) <= ' ') {
      ++at;
    } else if (c == ';') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (c == '(' || c == '[') {
      Term list;
      list.is_list = true;
      list.span = place(at, at + 1);
      open.push_back(std::move(list));
      ++at;
    } else if (c == ')' || c == ']') {
      if (open.size() == 1) return Diagnostic(code::syntax, place(at, at + 1), "this parenthesis closes nothing");
      Term list = std::move(open.back());
      open.pop_back();
      list.span = place(list.span.begin, ++at);
      open.back().parts.push_back(std::move(list));
    } else if (c == '"') {
      const std::size_t begin = at++;
      Term atom;
      atom.is_string = true;
      while (at < text.size() && text[at] != '"') {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        atom.text += text[at++];
      }
      if (at == text.size()) return Diagnostic(code::syntax, place(begin, begin + 1), "this string has no end");
      atom.span = place(begin, ++at);
      open.back().parts.push_back(std::move(atom));
    } else {
      const std::size_t begin = at;
      while (at < text.size() && !is_delimiter(text[at])) ++at;
      Term atom;
      atom.text = std::string(text.substr(begin, at - begin));
      atom.span = place(begin, at);
      open.back().parts.push_back(std::move(atom));
    }
  }
  if (open.size() > 1) {
    return Diagnostic(code::syntax, open.back().span, "this parenthesis is not closed");
  }
  return std::move(open.front().parts);
}

}  // namespace reckon::fpcore
