// What users of Python, C and CUDA write by habit, and what Reckon has in its place: the help texts of syntax errors.
#pragma once

#include <Token.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::frontend {

/// The place of a mistake: the token, of type UNEXPECTED or one that the grammar does not allow, and how it is spelled; an
/// unexpected character may be several tokens, one for each byte.
struct Mistake {
  std::string_view text;         ///< of the file
  std::size_t token = 0;
  std::size_t after = 0;         ///< the token behind it
  std::string_view spelling;
  std::string_view expected;     ///< what the message says was expected; empty for an unexpected character
  bool begins_item = false;      ///< an item should begin here
  bool may_begin_item = false;   ///< or it is the first token of a line behind what may be a whole item
};

/// Whether the point is one that belongs to an object or a module in another language: `x.exp()`, `np.pi`, `x.T`.
bool belongs_to_object(const std::vector<antlr4::Token*>& tokens, const Mistake& mistake);

/// How the text around the mistake is written in Reckon; nothing if it resembles no habit.
std::optional<std::string> habit_help(const std::vector<antlr4::Token*>& tokens, const Mistake& mistake);

}  // namespace reckon::frontend
