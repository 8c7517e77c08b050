#include "ir/parser_tokens.h"

namespace reckon::ir::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// How many characters the token at the beginning of `rest` has, and its kind.
std::pair<std::size_t, Token::Kind> measure(std::string_view rest) {
  auto at = [&](std::size_t k) { return k < rest.size() ? rest[k] : '\0'; };
  auto run = [&](std::size_t from, bool (*belongs)(char)) {
    while (from < rest.size() && belongs(rest[from])) ++from;
    return from;
  };
  using Kind = Token::Kind;
  const char c = at(0);
  if (is_letter(c)) {
    const std::size_t word = run(0, is_word);
    if (rest.substr(0, word) == "approx" && at(word) == '.') return {run(word + 1, is_word), Kind::name};
    if (at(word) == '#') return {run(word + 1, is_word), Kind::bits};
    return {word, Kind::name};
  }
  if (is_digit(c)) return {run(0, is_digit), Kind::integer};
  if (c == '%' && is_digit(at(1))) return {run(1, is_digit), Kind::variable};
  if (c == '%' && at(1) == 't' && is_digit(at(2))) return {run(2, is_digit), Kind::variable};
  if (c == '%' && at(1) == 'v' && is_digit(at(2))) return {run(2, is_digit), Kind::value};
  if (c == '"') {
    for (std::size_t k = 1; k < rest.size() && rest[k] != '\n'; ++k) {
      if (rest[k] == '\\') ++k;
      else if (rest[k] == '"') return {k + 1, Kind::string};
    }
    return {1, Kind::bad};
  }
  for (std::string_view two : {"->", "//", "<=", "=="}) {
    if (rest.substr(0, 2) == two) return {2, Kind::sign};
  }
  constexpr std::string_view signs = "()[]{},:=<+-*/%.@'";
  return {1, signs.find(c) == std::string_view::npos ? Kind::bad : Kind::sign};
}

}  // namespace

std::vector<Token> tokenize(std::string_view text, std::uint32_t file) {
  std::vector<Token> out;
  auto add = [&](Token::Kind kind, std::size_t begin, std::size_t length) {
    out.push_back({kind,
                   text.substr(begin, length),
                   {file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + length)}});
  };
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ';') {
      while (at < text.size() && text[at] != '\n') ++at;
    } else if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      ++at;
    } else {
      const auto [length, kind] = measure(text.substr(at));
      add(kind, at, length);
      at += length;
    }
  }
  add(Token::Kind::end, text.size(), 0);
  return out;
}

std::string unquote(std::string_view token) {
  auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0'; };
  std::string out;
  for (std::size_t k = 1; k + 1 < token.size(); ++k) {
    if (token[k] != '\\') {
      out += token[k];
    } else if (token[k + 1] == 'x' && k + 4 < token.size()) {
      out += static_cast<char>(digit(token[k + 2]) * 16 + digit(token[k + 3]));
      k += 3;
    } else {
      out += token[++k];
    }
  }
  return out;
}

}  // namespace reckon::ir::detail
