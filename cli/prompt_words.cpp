#include "cli/prompt_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace reckon::cli {
namespace {

struct Row {
  std::string_view word, command, sentence;
};

constexpr std::array rows{
    Row{"quit", ":quit", ""},
    Row{"exit", ":quit", ""},
    Row{"q", ":quit", ""},
    Row{"bye", ":quit", ""},
    Row{"logout", ":quit", ""},
    Row{"help", ":help", ""},
    Row{"h", ":help", ""},
    Row{"?", ":help", ""},
    Row{"clear", "", "Ctrl-L clears the screen; a name may be defined again, and `:ls` lists what is defined"},
    Row{"cls", "", "Ctrl-L clears the screen; a name may be defined again, and `:ls` lists what is defined"},
    Row{"who", "", "`:ls` lists the definitions of this session"},
    Row{"whos", "", "`:ls` lists the definitions of this session"},
    Row{"dir", "", "`:ls` lists the definitions of this session; Tab completes all names"},
    Row{"history", "", "Ctrl-R searches what was entered before, and the arrows go through it"},
    Row{"_", "", "the last value is `ans`; `_` stands in shapes"},
    Row{"version", "", "`reckon --version` says which version this is, and so does the first line of the prompt"},
};

bool is_word(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

/// The word that is asked about: of `help(sqrt)`, `help sqrt`, `?sqrt`, `sqrt?`.
std::string_view asked_about(std::string_view entry) {
  std::string_view word;
  if (entry.starts_with('?')) word = entry.substr(1);
  else if (entry.ends_with('?')) word = entry.substr(0, entry.size() - 1);
  else if (entry.starts_with("help(") && entry.ends_with(')')) word = entry.substr(5, entry.size() - 6);
  else if (entry.starts_with("help ")) word = entry.substr(5);
  word = trimmed(word);
  return is_word(word) || word.starts_with(':') ? word : std::string_view();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<PromptWord> prompt_word(std::string_view entry, const std::vector<std::string>& defined,
                                      const std::vector<std::string>& commands) {
  entry = trimmed(entry);
  while (entry.ends_with(';')) entry = trimmed(entry.substr(0, entry.size() - 1));
  if (const std::string_view word = asked_about(entry); !word.empty())
    return PromptWord{fmt::format(":doc {}", word), {}};
  std::string_view alone = entry;
  if (alone.ends_with("()")) alone = trimmed(alone.substr(0, alone.size() - 2));
  const auto is_defined = [&](std::string_view word) {
    return word != "_" && std::ranges::find(defined, word) != defined.end();
  };
  const auto row = std::ranges::find(rows, alone, &Row::word);
  if (row != rows.end() && !is_defined(alone)) return PromptWord{std::string(row->command), std::string(row->sentence)};
  // A command without its colon: `load f.rk`.
  const std::string_view first = entry.substr(0, entry.find_first_of(" \t("));
  const std::string_view rest = trimmed(entry.substr(first.size()));
  // No expression is a name followed by a name or a number.
  const bool is_argument = !rest.empty() && std::isalnum(static_cast<unsigned char>(rest[0])) != 0 &&
                           entry.find_first_of("=({") == std::string_view::npos;
  if (!is_argument && (!rest.empty() || is_defined(first))) return std::nullopt;
  if (!is_word(first) || std::ranges::find(commands, fmt::format(":{}", first)) == commands.end()) return std::nullopt;
  return PromptWord{{}, fmt::format("a command begins with a colon: `:{}`", entry)};
}

}  // namespace reckon::cli
