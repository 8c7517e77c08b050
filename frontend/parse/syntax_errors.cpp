#include "frontend/parse/syntax_errors.h"

#include <NoViableAltException.h>
#include <ReckonLexer.h>
#include <ReckonParser.h>
#include <fmt/format.h>
#include <misc/IntervalSet.h>

#include "diagnostics/codes/syntax.h"
#include "frontend/parse/habits.h"
#include "frontend/parse/token_scan.h"

namespace reckon::frontend {

using antlr4::Token;
using grammar::ReckonLexer;
using grammar::ReckonParser;

namespace {

bool is_keyword(std::size_t type) { return type >= ReckonLexer::IMPORT && type <= ReckonLexer::FALSE; }

bool is_comparison(std::size_t type) { return type >= ReckonLexer::LESS && type <= ReckonLexer::IDENTICAL; }

bool ends_operand(std::size_t type) {
  switch (type) {
    case ReckonLexer::IDENTIFIER:
    case ReckonLexer::QUALIFIED_NAME:
    case ReckonLexer::NUMBER:
    case ReckonLexer::BIT_PATTERN:
    case ReckonLexer::STRING:
    case ReckonLexer::TRUE:
    case ReckonLexer::FALSE:
    case ReckonLexer::RIGHT_PARENTHESIS:
    case ReckonLexer::RIGHT_BRACKET:
    case ReckonLexer::RIGHT_BRACE: return true;
    default: return type >= ReckonLexer::LENGTH && type <= ReckonLexer::SEED;
  }
}

std::string quoted_token(const Token* token) {
  constexpr std::size_t longest = 40;
  const std::string text = token->getText();
  return text.size() > longest ? fmt::format("`{}...`", text.substr(0, longest - 3)) : fmt::format("`{}`", text);
}

std::string found(const Token* token) {
  if (token->getType() == Token::EOF) return "the end of the text";
  if (token->getType() == ReckonLexer::STRING) return "a string";
  if (token->getType() == ReckonLexer::LINE_END) return "the end of the line";
  return quoted_token(token);
}

/// `a, b or c`.
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

bool is_operator(std::size_t type) {
  return is_comparison(type) || (type >= ReckonLexer::PLUS && type <= ReckonLexer::BIT_OR) ||
         type == ReckonLexer::AND || type == ReckonLexer::OR || type == ReckonLexer::XOR || type == ReckonLexer::THEN ||
         type == ReckonLexer::RANGE;
}

/// True of a token that begins an expression and is not an operator as well.
bool begins_expression(std::size_t type) {
  switch (type) {
    case ReckonLexer::LEFT_PARENTHESIS:
    case ReckonLexer::LEFT_BRACKET:
    case ReckonLexer::LEFT_BRACE:
    case ReckonLexer::QUOTE:
    case ReckonLexer::IF:
    case ReckonLexer::FOR:
    case ReckonLexer::NOT:
    case ReckonLexer::LET:  // of a block, as is `assert`
    case ReckonLexer::ASSERT: return true;
    default: return ends_operand(type) || (type >= ReckonLexer::SUM && type <= ReckonLexer::SCAN);
  }
}

std::string spelling_of(std::size_t type, const antlr4::dfa::Vocabulary& vocabulary) {
  if (type == ReckonLexer::STRING) return "a string";
  const std::string literal = vocabulary.getLiteralName(type);  // in single quotes
  return literal.size() < 3 ? vocabulary.getDisplayName(type)
                            : fmt::format("`{}`", literal.substr(1, literal.size() - 2));
}

/// The tokens that could stand here, as a few words.
std::string words_for(const antlr4::misc::IntervalSet& expected, const antlr4::dfa::Vocabulary& vocabulary) {
  const auto has = [&](std::size_t type) { return expected.contains(type); };
  const bool expression = has(ReckonLexer::BIT_PATTERN);
  const bool name = has(ReckonLexer::IDENTIFIER);
  const bool part = !expression && has(ReckonLexer::LEFT_PARENTHESIS) && (name || has(ReckonLexer::NUMBER));
  const bool at_end_of_item = has(Token::EOF);
  // Behind `for k in {1, 2}:` the grammar has all items; others than these two are refused later.
  if (has(ReckonLexer::IMPORT) && !at_end_of_item) return "`show` or `check`";
  std::vector<std::string> words;
  if (expression) {
    words.emplace_back("an expression");
  } else if (part) {
    if (name) {
      words.emplace_back(has(ReckonLexer::QUOTE) ? "a schedule" : "a type");
    } else {
      words.insert(words.end(), {"a leaf number", "a pair"});
    }
  } else if (name) {
    words.emplace_back("a name");
  }
  bool operators = false;
  for (const antlr4::misc::Interval& interval : expected.getIntervals()) {
    for (ssize_t at = interval.a; at <= interval.b; ++at) {
      const auto type = static_cast<std::size_t>(at);
      if (type == Token::EOF || type == ReckonLexer::LINE_END || type == ReckonLexer::DOT) continue;
      // A lone expression may have a semantics; what is missing is more likely an operator.
      if (type == ReckonLexer::IN && at_end_of_item && !has(ReckonLexer::WITHIN) && !has(ReckonLexer::FOR)) continue;
      // After an index, the colon is what is missing more likely.
      if (type == ReckonLexer::WHERE && has(ReckonLexer::COLON)) continue;
      // Hardly any circuit approximates an operation; what follows its head is its body.
      if (type == ReckonLexer::APPROXIMATES) continue;
      const bool of_part =
          type == ReckonLexer::LEFT_PARENTHESIS || type == ReckonLexer::QUOTE || type == ReckonLexer::NUMBER;
      if (is_operator(type)) {
        operators = true;
        continue;
      }
      if ((expression && begins_expression(type)) || (name && is_name(type)) || (part && of_part) ||
          (at_end_of_item && (begins_item(type) || type == ReckonLexer::KERNEL || type == ReckonLexer::TYPE || type == ReckonLexer::SEMICOLON))) {
        continue;
      }
      words.push_back(spelling_of(type, vocabulary));
    }
  }
  if (words.empty() && operators) words.emplace_back("an operator");
  if (words.empty() && at_end_of_item) words.emplace_back("an operator or the end of the text");
  return listed(words);
}

}  // namespace

const Token* SyntaxErrors::visible_before(std::size_t token) const {
  while (token > 0) {
    --token;
    if (tokens_[token]->getChannel() == Token::DEFAULT_CHANNEL) return tokens_[token];
  }
  return nullptr;
}

bool SyntaxErrors::is_independent(std::size_t token) const {
  if (errors_.empty()) return true;
  for (std::size_t at = errors_.back().token; at < token; ++at) {
    if (tokens_[at]->getType() == ReckonLexer::SEMICOLON) return true;
  }
  return false;
}

void SyntaxErrors::add(Token* offending, std::string expected, bool after_operand, bool name_expected) {
  const std::size_t index = offending->getTokenIndex();
  if (!is_independent(index)) return;
  const std::size_t type = offending->getType();
  const Token* before = visible_before(index);
  SourceSpan span = span_of(offending, file_);
  if (type == Token::EOF && before != nullptr) {
    // The end of a text is best shown where its last word ends, not on an empty line further down.
    span.begin = span.end = static_cast<std::uint32_t>(before->getStopIndex() + 1);
  }

  // What ends a part of a block is missing where that part ends.
  const bool on_later_line = before != nullptr && offending->getLine() > before->getLine();
  const bool unended = expected == "`;`" && on_later_line;
  if (unended) span.begin = span.end = static_cast<std::uint32_t>(before->getStopIndex() + 1);

  Diagnostic diagnostic(code::syntax, span,
                        expected.empty() ? fmt::format("{} cannot stand here", found(offending))
                                         : fmt::format("expected {}, found {}", expected, found(offending)),
                        expected.empty() ? std::string("unexpected") : fmt::format("expected {}", expected));
  const std::string spelling = offending->getText();
  const Mistake mistake{.text = text_,
                        .token = index,
                        .after = index + 1,
                        .spelling = spelling,
                        .expected = expected,
                        .begins_item = expected == "an item",
                        .may_begin_item = expected == "an item" || (on_later_line && expected.ends_with("the next item"))};
  if (auto help = habit_help(tokens_, mistake)) {
    diagnostic.helps.push_back(std::move(*help));
  } else if (after_operand && is_comparison(type)) {
    diagnostic.message = fmt::format("comparisons do not chain: unexpected {}", found(offending));
    diagnostic.primary.text = "a second comparison";
    diagnostic.helps.push_back("write `a < b and b < c`, or use parentheses");
  } else if (name_expected && is_keyword(type)) {
    diagnostic.notes.push_back(fmt::format("{} is a keyword and cannot be a name", quoted_token(offending)));
  } else if (mistake.begins_item) {
    diagnostic.helps.push_back(
        "a program is a list of items: `import`, `fn`, `let`, `type`, `profile`, `kernel`, `check`, `assert`, `show`, "
        "`save`");
  } else if (unended) {
    diagnostic.helps.emplace_back("each `let` of a block ends in `;`, and the block's value stands last: `{ let y = x + 1; y * y }`");
  } else if (after_operand && type != Token::EOF && expected.ends_with("the next item") && on_later_line) {
    diagnostic.helps.emplace_back("a value by itself is printed by `show`");
  }
  errors_.push_back({std::move(diagnostic), index, type == Token::EOF});
}

void SyntaxErrors::syntaxError(antlr4::Recognizer* recognizer, Token* offending, std::size_t, std::size_t,
                               const std::string&, std::exception_ptr cause) {
  auto* parser = static_cast<ReckonParser*>(recognizer);
  antlr4::misc::IntervalSet expected;
  if (cause == nullptr) {
    expected = parser->getExpectedTokens();
  } else {
    try {
      std::rethrow_exception(cause);
    } catch (const antlr4::NoViableAltException& e) {
      // What was expected is only known if the very first token of the decision is at fault.
      if (e.getStartToken() == offending) expected = e.getExpectedTokens();
    } catch (const antlr4::RecognitionException& e) {
      expected = e.getExpectedTokens();
    }
  }
  const Token* before = visible_before(offending->getTokenIndex());
  const bool after_operand = before != nullptr && ends_operand(before->getType());
  std::string words = words_for(expected, parser->getVocabulary());
  if (before != nullptr && before->getType() == ReckonLexer::THEN) words = "a schedule";
  if (words.empty() && !after_operand) words = "an expression";
  const bool expression = expected.contains(std::size_t{ReckonLexer::BIT_PATTERN});
  const bool name = expected.contains(std::size_t{ReckonLexer::IDENTIFIER});
  add(offending, std::move(words), after_operand && !expression, name && !expression);
}

void SyntaxErrors::unexpected_after(Token* offending) {
  if (const Token* before = visible_before(offending->getTokenIndex()); before->getType() == ReckonLexer::SEMICOLON) {
    unexpected_item(offending);
  } else {
    add(offending, "an operator or the next item", ends_operand(before->getType()), false);
  }
}

void SyntaxErrors::unexpected_item(Token* offending) { add(offending, "an item", false, false); }

}  // namespace reckon::frontend
