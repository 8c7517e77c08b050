// What people type at a prompt that they do not know yet: `quit`, `help(sqrt)`, `ls`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::cli {

/// Text without white space at its ends.
std::string_view trimmed(std::string_view text);

/// What an entry means that is none of the language: a command, or a sentence that says what to write.
struct PromptWord {
  std::string command;  ///< `:doc sqrt`; empty: there is only a sentence
  std::string sentence;
};

/// Nothing if the entry is left to the language. `defined` are the names in scope, `commands` those of commands with
/// their colon.
std::optional<PromptWord> prompt_word(std::string_view entry, const std::vector<std::string>& defined,
                                      const std::vector<std::string>& commands);

}  // namespace reckon::cli
