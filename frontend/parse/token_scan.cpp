#include "frontend/parse/token_scan.h"

#include <CommonToken.h>
#include <ReckonLexer.h>
#include <fmt/format.h>

#include <set>

#include "diagnostics/codes/bad_literal.h"
#include "diagnostics/codes/nesting_too_deep.h"
#include "diagnostics/codes/unclosed_bracket.h"
#include "diagnostics/codes/unexpected_character.h"
#include "diagnostics/codes/unmatched_bracket.h"
#include "diagnostics/codes/unterminated_string.h"
#include "frontend/parse/habits.h"

namespace reckon::frontend {

using grammar::ReckonLexer;

namespace {

bool opens(std::size_t type) {
  return type == ReckonLexer::LEFT_PARENTHESIS || type == ReckonLexer::LEFT_BRACKET || type == ReckonLexer::LEFT_BRACE;
}

std::size_t closer_of(std::size_t opener) {
  switch (opener) {
    case ReckonLexer::LEFT_PARENTHESIS: return ReckonLexer::RIGHT_PARENTHESIS;
    case ReckonLexer::LEFT_BRACKET: return ReckonLexer::RIGHT_BRACKET;
    default: return ReckonLexer::RIGHT_BRACE;
  }
}

bool closes(std::size_t type) {
  return type == ReckonLexer::RIGHT_PARENTHESIS || type == ReckonLexer::RIGHT_BRACKET ||
         type == ReckonLexer::RIGHT_BRACE;
}

/// The token after this one that is not hidden; the last is the end of the text.
std::size_t next_visible(const std::vector<antlr4::Token*>& tokens, std::size_t at) {
  if (at + 1 < tokens.size()) ++at;
  while (at + 1 < tokens.size() && tokens[at]->getChannel() != antlr4::Token::DEFAULT_CHANNEL) ++at;
  return at;
}

/// Whether a keyword encloses what follows it; `max` and `length` do so only if a name follows. `then` counts as well:
/// to tell whether it joins stages of `by S`, the parser looks ahead to the end of the schedule each time.
bool encloses(std::size_t type, std::size_t next) {
  switch (type) {
    case ReckonLexer::FOR:
    case ReckonLexer::SUM:
    case ReckonLexer::PROD:
    case ReckonLexer::REDUCE:
    case ReckonLexer::SCAN:
    case ReckonLexer::IF:
    case ReckonLexer::THEN: return true;
    case ReckonLexer::MIN:
    case ReckonLexer::MAX:
    case ReckonLexer::LENGTH: return is_name(next);
    default: return false;
  }
}

class TokenScan {
 public:
  TokenScan(const std::vector<antlr4::Token*>& tokens, std::string_view text, std::uint32_t file, bool split_items)
      : tokens_(tokens), text_(text), file_(file), split_items_(split_items) {}

  std::vector<Segment> scan() {
    std::size_t unexpected_until = 0;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      antlr4::Token* token = tokens_[at];
      switch (token->getType()) {
        case antlr4::Token::EOF: finish(at); break;
        case ReckonLexer::COMMENT: break;
        case ReckonLexer::SPACE:
          if (ends_entry(at)) show(*static_cast<antlr4::CommonToken*>(token), ReckonLexer::LINE_END);
          break;
        case ReckonLexer::UNEXPECTED:
          if (names_part(at)) {
            show(*static_cast<antlr4::CommonToken*>(token), ReckonLexer::DOT);
            visit(at);
          } else if (at >= unexpected_until) {
            unexpected_until = report_unexpected(at);
          }
          break;
        case ReckonLexer::FORMAT_WITH_COMMENT:
          drop_comment(*static_cast<antlr4::CommonToken*>(token));
          visit(at);
          break;
        case ReckonLexer::BAD_NUMBER: report_number(token); break;
        case ReckonLexer::UNTERMINATED_STRING:
          report(Diagnostic(code::unterminated_string, span_of(token, file_), "the string has no closing quote",
                            "begins here")
                     .help("a string ends in `\"` on the line on which it begins"));
          break;
        default: visit(at);
      }
    }
    return std::move(segments_);
  }

 private:
  struct Open {
    std::size_t token = 0;
    std::size_t enclosing = 0;  ///< binders and prefixes before the bracket, at its level
    std::size_t awaited_colons = 0;
    bool fold = false;          ///< `fold(`: a binder, if a name follows the closing bracket
  };

  void report(Diagnostic diagnostic) {
    // After a mistake in brackets, nothing certain is known about the rest of the item.
    if (!broken_) current_.mistakes.push_back(std::move(diagnostic));
  }

  void visit(std::size_t at) {
    const std::size_t type = tokens_[at]->getType();
    if (split_items_ && begins_segment(at, type)) finish(at);
    if (opens(type)) {
      brackets_.push_back({at, enclosing_ + prefixes_, awaited_colons_, previous_ == ReckonLexer::FOLD});
      outer_ += enclosing_ + prefixes_;
      enclosing_ = prefixes_ = awaited_colons_ = 0;
    } else if (closes(type)) {
      close(at);
    } else {
      count_prefixes(at, type);
    }
    previous_ = type;
    if (!broken_ && brackets_.size() + outer_ + enclosing_ + prefixes_ > deepest_nesting) {
      report(Diagnostic(code::nesting_too_deep, span_of(tokens_[at], file_),
                        fmt::format("more than {} brackets, binders, stages or prefixes enclose each other",
                                    deepest_nesting),
                        "one too many")
                 .help("name the inner parts with `let`"));
      broken_ = true;
    }
  }

  /// Whether an item begins at the token that belongs to no item before it.
  bool begins_segment(std::size_t at, std::size_t type) const {
    if (!begins_item(tokens_, at)) return false;
    switch (type) {
      case ReckonLexer::LET:
      case ReckonLexer::ASSERT: return !inside_braces();
      case ReckonLexer::FN: return previous_ != ReckonLexer::BUILTIN;
      // On the line of an item it is a mistake in an expression, or in the item's sizes.
      case ReckonLexer::FOR: return brackets_.empty() && begins_statement(at);
      // Behind the colon of `for k in {1, 2}:` stands the item that is repeated.
      default: return previous_ != ReckonLexer::COLON || first_type() != ReckonLexer::FOR;
    }
  }

  /// Whether nothing stands before the token, or a `;`, or a line that may be the last one of an item.
  bool begins_statement(std::size_t at) const {
    if (previous_ == 0 || previous_ == ReckonLexer::SEMICOLON) return true;
    std::size_t before = at - 1;
    while (tokens_[before]->getChannel() != antlr4::Token::DEFAULT_CHANNEL) --before;
    return ends_operand(previous_) && tokens_[before]->getLine() < tokens_[at]->getLine();
  }

  void count_prefixes(std::size_t at, std::size_t type) {
    if (type == ReckonLexer::MINUS || type == ReckonLexer::NOT) {
      if (!ends_operand(previous_)) ++prefixes_;
      return;
    }
    prefixes_ = 0;
    // Between the braces of a profile `for` begins a condition, which encloses nothing.
    const bool condition = type == ReckonLexer::FOR && brackets_.size() == 1 && outer_ == 0 && in_profile();
    if (!condition && encloses(type, type_after(at))) {
      ++enclosing_;
      if (type != ReckonLexer::IF && type != ReckonLexer::THEN) ++awaited_colons_;
    } else if (type == ReckonLexer::COLON) {
      if (awaited_colons_ > 0) --awaited_colons_;
    } else if (type == ReckonLexer::SEMICOLON || (type == ReckonLexer::COMMA && awaited_colons_ == 0)) {
      enclosing_ = awaited_colons_ = 0;
    }
  }

  static bool ends_operand(std::size_t type) {
    return closes(type) || is_name(type) || type == ReckonLexer::QUALIFIED_NAME || type == ReckonLexer::NUMBER || type == ReckonLexer::BIT_PATTERN ||
           type == ReckonLexer::STRING || type == ReckonLexer::TRUE || type == ReckonLexer::FALSE;
  }

  void close(std::size_t at) {
    const antlr4::Token* token = tokens_[at];
    if (brackets_.empty()) {
      report(Diagnostic(code::unmatched_bracket, span_of(token, file_),
                        fmt::format("`{}` closes nothing", token->getText()), "no bracket is open here"));
      broken_ = true;
      return;
    }
    const Open open = brackets_.back();
    const antlr4::Token* opener = tokens_[open.token];
    if (closer_of(opener->getType()) != token->getType()) {
      report(Diagnostic(code::unclosed_bracket, span_of(opener, file_),
                        fmt::format("this `{}` is not closed", opener->getText()), "opened here")
                 .with(span_of(token, file_), fmt::format("`{}` does not close it", token->getText())));
      broken_ = true;
    }
    brackets_.pop_back();
    outer_ -= open.enclosing;
    enclosing_ = open.enclosing;
    prefixes_ = 0;
    awaited_colons_ = open.awaited_colons;
    if (open.fold && is_name(type_after(at))) {
      ++enclosing_;
      ++awaited_colons_;
    }
  }

  /// Whether a line break after token `at` ends a profile's entry: `at` may end one, and the next token may begin one.
  bool ends_entry(std::size_t at) const {
    if (brackets_.size() != 1 || outer_ != 0 || tokens_[at]->getText().find('\n') == std::string::npos) return false;
    const std::size_t next = type_after(at);
    const bool begins = is_name(next) || next == ReckonLexer::QUALIFIED_NAME || next == ReckonLexer::MIN ||
                        next == ReckonLexer::MAX;
    const bool of_setting = previous_ >= ReckonLexer::FORMATS && previous_ <= ReckonLexer::REASSOCIATE;
    return begins && ends_operand(previous_) && !of_setting && in_profile();
  }
  static void show(antlr4::CommonToken& token, std::size_t type) {
    token.setType(type);
    token.setChannel(antlr4::Token::DEFAULT_CHANNEL);
  }

  /// Whether the character is the point of `z.re`: between an operand and a name that stand close to it, where it is no
  /// habit of another language, as in `x.exp()` and `x.T`, or the file gives a part that name.
  bool names_part(std::size_t at) {
    if (at == 0 || at + 1 >= tokens_.size() || tokens_[at]->getText() != "." || !is_name(tokens_[at + 1]->getType())) return false;
    if (!ends_operand(tokens_[at - 1]->getType()) || tokens_[at - 1]->getType() == ReckonLexer::NUMBER) return false;
    if (type_after(at + 1) == ReckonLexer::LEFT_PARENTHESIS) return false;
    return !belongs_to_object(tokens_, {.text = text_, .token = at, .after = at + 1, .spelling = "."}) ||
           parts_of_types().contains(tokens_[at + 1]->getText());
  }

  /// The names of the parts of all types in the file, which are looked for when the first of them may decide.
  const std::set<std::string>& parts_of_types() {
    if (parts_) return *parts_;
    parts_.emplace();
    bool in_type = false;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      if (tokens_[k]->getChannel() != antlr4::Token::DEFAULT_CHANNEL) continue;
      if (begins_item(tokens_, k)) in_type = tokens_[k]->getType() == ReckonLexer::TYPE;
      else if (in_type && type_after(k) == ReckonLexer::COLON) parts_->insert(tokens_[k]->getText());
    }
    return *parts_;
  }

  /// The type of the segment's first visible token.
  std::size_t first_type() const {
    std::size_t at = current_.begin;
    while (at + 1 < tokens_.size() && tokens_[at]->getChannel() != antlr4::Token::DEFAULT_CHANNEL) ++at;
    return tokens_[at]->getType();
  }
  bool in_profile() const { return first_type() == ReckonLexer::PROFILE; }

  bool inside_braces() const {
    for (const Open& open : brackets_) {
      if (tokens_[open.token]->getType() == ReckonLexer::LEFT_BRACE) return true;
    }
    return false;
  }

  std::size_t type_after(std::size_t at) const { return tokens_[next_visible(tokens_, at)]->getType(); }

  /// Ends the segment before token `at` and begins the next one there.
  void finish(std::size_t at) {
    current_.end = at;
    if (!brackets_.empty() && !broken_) current_.unclosed = brackets_.back().token;
    const bool is_end = tokens_[at]->getType() == antlr4::Token::EOF;
    // The text before the first item becomes a segment only if it is not empty.
    if (previous_ != 0 || !current_.mistakes.empty() || (is_end && !split_items_)) {
      segments_.push_back(std::move(current_));
    }
    current_ = Segment{at, at, {}, {}};
    brackets_.clear();
    outer_ = enclosing_ = prefixes_ = awaited_colons_ = previous_ = 0;
    broken_ = false;
  }

  /// Drops a comment that was read as a malformed bit pattern: `f32#` is then a name and a comment.
  static void drop_comment(antlr4::CommonToken& token) {
    const std::string spelling = token.getText();
    token.setType(ReckonLexer::IDENTIFIER);
    token.setStopIndex(token.getStartIndex() + spelling.find('#') - 1);
  }

  void report_number(antlr4::Token* token) {
    const std::string spelling = token->getText();
    Diagnostic diagnostic(code::bad_literal, span_of(token, file_),
                          fmt::format("`{}` is not a number", spelling.substr(0, 60)));
    if (spelling.starts_with("0x") && spelling.find('.') != std::string::npos) {
      diagnostic.helps.push_back("a hexadecimal float has an exponent of two: `0x1.8p+3`");
    } else if (const char last = spelling.back(); spelling.find('x') == std::string::npos &&
                                                  (last == 'f' || last == 'F' || last == 'u' || last == 'L')) {
      diagnostic.helps.push_back("a number has no suffix: it takes the format of what it meets, and `f32(1.5)` states one");
    } else {
      diagnostic.helps.push_back("numbers are written `12`, `1_000`, `0.5`, `1e-3`, `0x1f`, `0x1.8p+3`");
    }
    report(std::move(diagnostic));
    previous_ = ReckonLexer::NUMBER;
  }

  /// One diagnostic for a run of adjacent bytes without a meaning; returns the token after the run.
  std::size_t report_unexpected(std::size_t at) {
    std::size_t end = at + 1;
    while (end < tokens_.size() && tokens_[end]->getType() == ReckonLexer::UNEXPECTED) ++end;
    const SourceSpan span = span_of(tokens_[at], file_).to(span_of(tokens_[end - 1], file_));
    const std::string spelling(text_.substr(span.begin, span.end - span.begin));
    Diagnostic diagnostic(code::unexpected_character, span,
                          spelling.size() <= 60 ? fmt::format("`{}` has no meaning here", spelling)
                                                : std::string("these characters have no meaning here"));
    if (auto help = habit_help(tokens_, {.text = text_, .token = at, .after = end, .spelling = spelling})) {
      diagnostic.helps.push_back(std::move(*help));
    }
    if (diagnostic.helps.empty() && static_cast<unsigned char>(spelling.front()) >= 0x80) {
      diagnostic.notes.push_back("names are made of the letters a to z and A to Z, digits and `_`");
    }
    report(std::move(diagnostic));
    return end;
  }

  const std::vector<antlr4::Token*>& tokens_;
  std::string_view text_;
  std::uint32_t file_;
  bool split_items_;

  std::optional<std::set<std::string>> parts_;
  std::vector<Segment> segments_;
  Segment current_;
  std::vector<Open> brackets_;
  std::size_t outer_ = 0;           ///< binders and prefixes that enclose the innermost bracket
  std::size_t enclosing_ = 0;       ///< binders and `if`s that enclose this place, within the innermost bracket
  std::size_t prefixes_ = 0;        ///< prefix operators just before this place
  std::size_t awaited_colons_ = 0;  ///< binders whose colon is still to come: their commas part index names
  std::size_t previous_ = 0;        ///< type of the visible token before; 0 at the beginning of a segment
  bool broken_ = false;
};

}  // namespace

bool is_name(std::size_t token_type) {
  return token_type == ReckonLexer::IDENTIFIER || token_type == ReckonLexer::BY || token_type == ReckonLexer::THEN ||
         (token_type >= ReckonLexer::LENGTH && token_type <= ReckonLexer::SEED);
}

bool begins_item(std::size_t type) { return type >= ReckonLexer::IMPORT && type <= ReckonLexer::SAVE; }

bool begins_item(const std::vector<antlr4::Token*>& tokens, std::size_t at) {
  const std::size_t type = tokens[at]->getType();
  if (type != ReckonLexer::KERNEL && type != ReckonLexer::FOR && type != ReckonLexer::TYPE) return begins_item(type);
  const std::size_t name = next_visible(tokens, at);
  if (!is_name(tokens[name]->getType())) return false;
  const std::size_t next = next_visible(tokens, name);
  const std::size_t after = tokens[next]->getType();
  // `for i in range(n)` is Python's.
  if (type == ReckonLexer::FOR) {
    return after == ReckonLexer::IN && tokens[next_visible(tokens, next)]->getText() != "range";
  }
  if (type == ReckonLexer::TYPE) return after == ReckonLexer::ASSIGN || after == ReckonLexer::LEFT_BRACKET;
  // A circuit called `kernel` may be followed by `with`, and that by a clause called so.
  const bool lacks_circuit = after == ReckonLexer::WITH && tokens[name]->getType() != ReckonLexer::WITH;
  return after == ReckonLexer::ASSIGN || after == ReckonLexer::LEFT_BRACKET || lacks_circuit;
}

bool begins_assignment(const std::vector<antlr4::Token*>& tokens, std::size_t at) {
  const auto type = [&](std::size_t k) { return tokens[k]->getType(); };
  if (!is_name(type(at))) return false;
  std::size_t next = next_visible(tokens, at);
  if (type(next) == ReckonLexer::LEFT_PARENTHESIS) {
    do next = next_visible(tokens, next);
    while (is_name(type(next)) || type(next) == ReckonLexer::COMMA);
    if (type(next) != ReckonLexer::RIGHT_PARENTHESIS) return false;
    next = next_visible(tokens, next);
  } else if (type(next) == ReckonLexer::COLON) {
    // A layout has a colon, too, and no `=`.
    while (type(next) != ReckonLexer::ASSIGN && type(next) != antlr4::Token::EOF) next = next_visible(tokens, next);
  }
  return type(next) == ReckonLexer::ASSIGN;
}

SourceSpan span_of(const antlr4::Token* token, std::uint32_t file) {
  const auto begin = static_cast<std::uint32_t>(token->getStartIndex());
  const auto end = static_cast<std::uint32_t>(token->getStopIndex() + 1);
  return {file, begin, end < begin ? begin : end};
}

std::vector<Segment> scan_tokens(const std::vector<antlr4::Token*>& tokens, std::string_view text, std::uint32_t file,
                                 bool split_items) {
  return TokenScan(tokens, text, file, split_items).scan();
}

}  // namespace reckon::frontend
