#include "frontend/parse.h"

#include <BailErrorStrategy.h>
#include <CommonTokenStream.h>
#include <DefaultErrorStrategy.h>
#include <Exceptions.h>
#include <ReckonLexer.h>
#include <ReckonParser.h>
#include <RecognitionException.h>
#include <WritableToken.h>
#include <atn/ParserATNSimulator.h>
#include <fmt/format.h>

#include "diagnostics/codes/internal.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/unclosed_bracket.h"
#include "frontend/parse/expression_builder.h"
#include "frontend/parse/item_builder.h"
#include "frontend/parse/syntax_errors.h"
#include "frontend/parse/text_check.h"
#include "frontend/parse/token_scan.h"
#include "frontend/parse/tree_observer.h"
#include "grammar/byte_stream.h"

namespace reckon::frontend {

using antlr4::Token;
using grammar::ReckonLexer;

namespace {

/// One file: lexed whole, scanned, then parsed item by item.
class FileParser {
 public:
  FileParser(std::string_view text, std::uint32_t file, TreeObserver* observer)
      : text_(text),
        file_(file),
        observer_(observer),
        stream_(text, text_begin(text)),
        lexer_(&stream_),
        tokens_(&lexer_),
        parser_(&tokens_) {
    lexer_.removeErrorListeners();  // the last rule of the lexer takes every byte
    parser_.removeErrorListeners();
    tokens_.fill();
    all_tokens_ = tokens_.getTokens();
  }

  ParseResult parse(ParseAs as) {
    const bool items = as == ParseAs::program || (as == ParseAs::entry && begins_with_item());
    assigns_ = as == ParseAs::entry && !items && begins_assignment(all_tokens_, first_visible());
    if (as == ParseAs::entry && type_at(first_visible()) == Token::EOF && no_mistakes_in_text())
      return std::move(result_);
    for (Segment& segment : scan_tokens(all_tokens_, text_, file_, items)) {
      if (!segment.mistakes.empty()) {
        note_unreadable(segment);
        std::move(segment.mistakes.begin(), segment.mistakes.end(), std::back_inserter(result_.diagnostics));
        continue;
      }
      parse_segment(segment, items);
    }
    if (observer_ != nullptr) observer_->end(all_tokens_);
    return std::move(result_);
  }

 private:
  std::size_t first_visible() const {
    std::size_t at = 0;
    while (at + 1 < all_tokens_.size() && all_tokens_[at]->getChannel() != Token::DEFAULT_CHANNEL) ++at;
    return at;
  }
  bool begins_with_item() const { return begins_item(all_tokens_, first_visible()); }
  bool no_mistakes_in_text() const {
    for (const Token* token : all_tokens_) {
      if (token->getType() == ReckonLexer::UNEXPECTED) return false;
    }
    return true;
  }

  /// The result of a rule of the grammar: at most one of them.
  struct Parsed {
    Parser::ItemContext* item = nullptr;
    Parser::LoneExpressionContext* expression = nullptr;
    Parser::AssignmentContext* assignment = nullptr;
  };

  Parsed run_rule(const Segment& segment, bool items) {
    parser_.reset();
    tokens_.seek(segment.begin);
    Parsed parsed;
    if (items) {
      parsed.item = parser_.item();
    } else if (assigns_) {
      parsed.assignment = parser_.assignment();
    } else {
      parsed.expression = parser_.loneExpression();
    }
    return parsed;
  }

  /// First the fast prediction, which gives up at the first mistake; then the full one, which explains.
  void parse_segment(const Segment& segment, bool items) {
    if (!segment.unclosed) {
      parser_.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
      parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::SLL);
      try {
        const Parsed parsed = run_rule(segment, items);
        if (!items || item_ends(segment)) {
          accept(segment, parsed);
          return;
        }
      } catch (const antlr4::ParseCancellationException&) {
        // The second stage finds the same mistake and reports it.
      }
    }

    SyntaxErrors listener(all_tokens_, text_, file_);
    parser_.addErrorListener(&listener);
    parser_.setErrorHandler(std::make_shared<antlr4::DefaultErrorStrategy>());
    parser_.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(antlr4::atn::PredictionMode::LL);
    Parsed parsed;
    if (items && !begins_item(all_tokens_, segment.begin)) {
      tokens_.seek(segment.begin);
      listener.unexpected_item(tokens_.LT(1));
    } else {
      parsed = run_rule(segment, items);
      if (listener.errors().empty() && items && !item_ends(segment)) listener.unexpected_after(tokens_.LT(1));
    }
    parser_.removeErrorListeners();
    if (listener.errors().empty() && !segment.unclosed) {
      accept(segment, parsed);
      return;
    }
    note_unreadable(segment);
    report(segment, listener.errors());
  }

  /// The name that the segment would define: the one behind the first keyword, but for `builtin fn`; the names of
  /// `let (a, b) = ...`.
  void note_unreadable(const Segment& segment) {
    bool behind_keyword = false, in_list = false;
    for (std::size_t at = segment.begin; at < segment.end; ++at) {
      const std::size_t type = type_at(at);
      if (all_tokens_[at]->getChannel() != Token::DEFAULT_CHANNEL) continue;
      if (behind_keyword && is_name(type)) result_.program.unreadable.insert(all_tokens_[at]->getText());
      in_list = (in_list && type != ReckonLexer::RIGHT_PARENTHESIS) || (behind_keyword && type == ReckonLexer::LEFT_PARENTHESIS);
      if (in_list && at + 1 < segment.end) continue;
      const bool defines = type == ReckonLexer::FN || type == ReckonLexer::LET || type == ReckonLexer::PROFILE ||
                           type == ReckonLexer::KERNEL;
      if (behind_keyword || (!defines && type != ReckonLexer::BUILTIN)) return;
      behind_keyword = defines;
    }
  }

  std::size_t type_at(std::size_t position) const { return all_tokens_[position]->getType(); }

  /// Passes the `;` that may follow an item; true if the segment ends there.
  bool item_ends(const Segment& segment) {
    while (tokens_.LA(1) == ReckonLexer::SEMICOLON) tokens_.consume();
    return tokens_.index() >= segment.end;
  }

  void report(const Segment& segment, std::vector<SyntaxError>& errors) {
    const bool at_end = !errors.empty() && errors.front().at_end;
    if (result_.diagnostics.empty() && (at_end || (errors.empty() && segment.unclosed))) result_.incomplete = true;
    if (!segment.unclosed) {
      for (SyntaxError& error : errors) result_.diagnostics.push_back(std::move(error.diagnostic));
      return;
    }
    // An open bracket is the cause of the mistake, wherever the parser stopped.
    const Token* opener = all_tokens_[*segment.unclosed];
    Diagnostic diagnostic(code::unclosed_bracket, span_of(opener, file_),
                          fmt::format("this `{}` is not closed", opener->getText()), "opened here");
    if (!errors.empty() && errors.front().diagnostic.code == code::syntax) {
      Label& label = errors.front().diagnostic.primary;
      diagnostic.secondary.push_back(std::move(label));
    }
    result_.diagnostics.push_back(std::move(diagnostic));
  }

  void accept(const Segment& segment, const Parsed& parsed) {
    Program& program = result_.program;
    if (observer_ != nullptr && parsed.item != nullptr) observer_->item(all_tokens_, *parsed.item);
    std::vector<Diagnostic> mistakes;
    ExpressionBuilder expressions(program, text_, file_, mistakes);
    if (parsed.expression != nullptr) {
      const ExprId id = expressions.build(parsed.expression->value);
      if (parsed.expression->meaning != nullptr) program.semantics = expressions.semantics(parsed.expression->meaning);
      if (mistakes.empty()) program.result = id;
    } else {
      ItemBuilder items(expressions);
      std::vector<Item> built;
      if (parsed.item != nullptr) built = items.build(parsed.item);
      else built.push_back(items.build(parsed.assignment));
      if (mistakes.empty()) std::move(built.begin(), built.end(), std::back_inserter(program.items));
    }
    if (!mistakes.empty()) note_unreadable(segment);
    std::move(mistakes.begin(), mistakes.end(), std::back_inserter(result_.diagnostics));
  }

  std::string_view text_;
  std::uint32_t file_;
  TreeObserver* observer_;
  grammar::ByteStream stream_;
  ReckonLexer lexer_;
  antlr4::CommonTokenStream tokens_;
  Parser parser_;
  std::vector<Token*> all_tokens_;
  ParseResult result_;
  bool assigns_ = false;  ///< an entry is `x = ...`
};

}  // namespace

ParseResult parse(const SourceMap& sources, std::uint32_t file, ParseAs as) {
  return parse_observed(sources, file, as, nullptr);
}

ParseResult parse_observed(const SourceMap& sources, std::uint32_t file, ParseAs as, TreeObserver* observer) {
  const std::string_view text = sources.text(file);
  if (std::optional<Diagnostic> diagnostic = find_non_text(text, file)) {
    ParseResult result;
    result.diagnostics.push_back(std::move(*diagnostic));
    return result;
  }
  try {
    return FileParser(text, file, observer).parse(as);
  } catch (const std::exception& e) {
    // No exception of ANTLR may leave this folder; one that arrives here is a bug of ours.
    ParseResult result;
    result.diagnostics.push_back(
        Diagnostic(code::internal, {file, 0, 0}, fmt::format("the parser failed: {}", e.what())));
    return result;
  }
}

}  // namespace reckon::frontend
