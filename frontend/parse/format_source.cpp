#include "frontend/format_source.h"

#include <ReckonLexer.h>
#include <fmt/format.h>

#include "diagnostics/codes/internal.h"
#include "frontend/parse/source_lines.h"
#include "frontend/parse/text_check.h"
#include "frontend/parse/token_scan.h"
#include "frontend/parse/token_spacing.h"

namespace reckon::frontend {
namespace {

using grammar::ReckonLexer;

bool is_code(const antlr4::Token& token) {
  return token.getChannel() == antlr4::Token::DEFAULT_CHANNEL && token.getType() != ReckonLexer::LINE_END &&
         token.getType() != antlr4::Token::EOF;
}

/// What stands between two tokens: comments, and line breaks.
struct Gap {
  struct Comment {
    std::string_view text;  ///< from its `#`, without spaces at its end
    bool own_line = false;
    bool after_blank = false;
  };
  std::vector<Comment> comments;
  bool breaks = false;       ///< the token after the gap begins a line
  bool after_blank = false;  ///< and an empty line stands before that
};

Gap read_gap(std::string_view text) {
  Gap out;
  std::size_t breaks = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') ++breaks;
    if (text[at] != '#') continue;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view comment = text.substr(at, end - at);
    comment = comment.substr(0, comment.find_last_not_of(" \t\r\f\v") + 1);
    out.comments.push_back({comment, breaks > 0, breaks > 1});
    breaks = 0;
    at = end - 1;
  }
  out.breaks = breaks > 0;
  out.after_blank = breaks > 1;
  return out;
}

/// Writes the tokens of a text one by one.
class Writer {
 public:
  /// Writes a token of code after the gap between it and the one before.
  void write(const antlr4::Token& token, const TokenSpacing& spacing, const Gap& gap) {
    const std::string text = token.getText();
    const bool closes = text == ")" || text == "]" || text == "}";
    settle_opener(gap);
    const std::size_t column = column_of_line(spacing, closes);
    write_comments(gap, column);
    const bool at_closer = closes && !brackets_.empty();
    const bool begins_line = lines_.empty() || spacing.begins_item || gap.breaks || !gap.comments.empty();
    if (begins_line) {
      lines_.begin(at_closer ? brackets_.back().closer : column, gap.after_blank && !closes && !opener_last_);
    } else if (!tight_after_ && !spacing.tight_before && !(opener_last_ && closes)) {
      lines_.add(" ");
    }
    if (opener_last_ && !begins_line) brackets_.back().content = lines_.column();
    opener_last_ = false;
    if (at_closer) brackets_.pop_back();
    if (text == "(" || text == "[" || text == "{") {
      brackets_.push_back({lines_.column(), 0, text == "{"});
      opener_last_ = true;
    }
    lines_.add(text);
    tight_after_ = spacing.tight_after;
  }

  /// The text, with the comments after the last token.
  std::string finish(const Gap& gap) {
    write_comments(gap, 0);
    return lines_.text();
  }

 private:
  struct Bracket {
    std::size_t closer = 0;   ///< the column of the closing bracket, where that begins a line
    std::size_t content = 0;  ///< that of a line within
    bool brace = false;
  };
  static constexpr std::size_t step = 2;

  /// What follows an opening bracket on its line stands above what follows; otherwise the lines within are one step to
  /// the right of the line with the bracket, and the closing bracket ends them below that line's begin.
  void settle_opener(const Gap& gap) {
    if (!opener_last_ || (!gap.breaks && gap.comments.empty())) return;
    brackets_.back().closer = lines_.indent();
    brackets_.back().content = lines_.indent() + step;
  }

  /// Where a line begins whose first token this is; before one that closes a bracket, where its comments do.
  std::size_t column_of_line(const TokenSpacing& spacing, bool closes) const {
    if (spacing.begins_item || lines_.empty()) return 0;
    if (brackets_.empty()) return step;
    const Bracket& last = brackets_.back();
    return last.content + (last.brace && !spacing.begins_statement && !closes ? step : 0);
  }

  void write_comments(const Gap& gap, std::size_t column) {
    bool after_opener = opener_last_;
    for (const Gap::Comment& comment : gap.comments) {
      if (comment.own_line || lines_.empty()) lines_.begin(column, comment.after_blank && !after_opener);
      lines_.comment(comment.text);
      after_opener = false;
    }
    if (!gap.comments.empty()) opener_last_ = false;
  }

  SourceLines lines_;
  std::vector<Bracket> brackets_;
  bool tight_after_ = false;
  bool opener_last_ = false;  ///< the token before opened a bracket
};

/// The tokens and comments of a text, one a line: what formatting must keep.
std::string essence(const std::vector<antlr4::Token*>& tokens, std::string_view text, std::uint32_t file) {
  std::string out;
  std::size_t end = text_begin(text);
  const auto comments = [&](std::size_t until) {
    for (const auto& comment : read_gap(text.substr(end, until - end)).comments) out.append(comment.text).append("\n");
  };
  for (const antlr4::Token* token : tokens) {
    if (token->getType() == ReckonLexer::LINE_END) out += "end of an entry\n";
    if (!is_code(*token)) continue;
    const SourceSpan span = span_of(token, file);
    comments(span.begin);
    out += fmt::format("{} {}\n", token->getType(), token->getText());
    end = span.end;
  }
  comments(text.size());
  return out;
}

class Formatter final : public TreeObserver {
 public:
  Formatter(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  void item(const std::vector<antlr4::Token*>& tokens, grammar::ReckonParser::ItemContext& item) override {
    spacing_.resize(tokens.size());
    note_spacing(item, spacing_);
  }

  void end(const std::vector<antlr4::Token*>& tokens) override {
    spacing_.resize(tokens.size());
    essence_ = essence(tokens, text_, file_);
    Writer writer;
    std::size_t end = text_begin(text_);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (!is_code(*tokens[at])) continue;
      const SourceSpan span = span_of(tokens[at], file_);
      Gap gap = read_gap(text_.substr(end, span.begin - end));
      TokenSpacing& spacing = spacing_[at];
      // A `;` between items belongs to no item, and ends the one before it.
      if (tokens[at]->getType() == ReckonLexer::SEMICOLON) {
        spacing.tight_before = true;
        if (gap.comments.empty()) gap.breaks = false;
      }
      writer.write(*tokens[at], spacing, gap);
      end = span.end;
    }
    formatted_ = writer.finish(read_gap(text_.substr(end)));
  }

  const std::string& formatted() const { return formatted_; }
  const std::string& tokens_and_comments() const { return essence_; }

 private:
  std::string_view text_;
  std::uint32_t file_;
  std::vector<TokenSpacing> spacing_;
  std::string formatted_, essence_;
};

}  // namespace

FormattedSource format_source(const SourceMap& sources, std::uint32_t file) {
  Formatter first(sources.text(file), file);
  FormattedSource out;
  out.diagnostics = parse_observed(sources, file, ParseAs::program, &first).diagnostics;
  if (!out.diagnostics.empty()) return out;
  // The promise that nothing but white space changes is kept whatever the rules above say.
  SourceMap again;
  const std::uint32_t formatted = again.add("formatted", first.formatted());
  Formatter second(again.text(formatted), formatted);
  const bool reads = parse_observed(again, formatted, ParseAs::program, &second).diagnostics.empty();
  if (!reads || second.tokens_and_comments() != first.tokens_and_comments()) {
    out.diagnostics.push_back(Diagnostic(code::internal, {file, 0, 0}, "formatting would change the program; it was left as it is"));
    return out;
  }
  out.text = first.formatted();
  return out;
}

}  // namespace reckon::frontend
