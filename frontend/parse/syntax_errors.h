// Turns ANTLR's reports into sentences: `expected X, found Y`.
#pragma once

#include <BaseErrorListener.h>
#include <Parser.h>
#include <Token.h>

#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace reckon::frontend {

struct SyntaxError {
  Diagnostic diagnostic;
  std::size_t token = 0;  ///< position in the token stream
  bool at_end = false;    ///< the offending token is the end of the text
};

/// Collects the errors of one item. After an error, another one is kept only if a `;` stands between: before that the
/// parser may still be out of step, and one cause should give one error.
class SyntaxErrors final : public antlr4::BaseErrorListener {
 public:
  SyntaxErrors(const std::vector<antlr4::Token*>& tokens, std::string_view text, std::uint32_t file)
      : tokens_(tokens), text_(text), file_(file) {}

  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* offending, std::size_t line, std::size_t column,
                   const std::string& message, std::exception_ptr cause) override;
  /// Reports what follows a complete item.
  void unexpected_after(antlr4::Token* offending);
  /// Reports what stands where an item should begin.
  void unexpected_item(antlr4::Token* offending);

  std::vector<SyntaxError>& errors() { return errors_; }

 private:
  void add(antlr4::Token* offending, std::string expected, bool after_operand, bool name_expected);
  bool is_independent(std::size_t token) const;
  const antlr4::Token* visible_before(std::size_t token) const;

  const std::vector<antlr4::Token*>& tokens_;
  std::string_view text_;
  std::uint32_t file_;
  std::vector<SyntaxError> errors_;
};

}  // namespace reckon::frontend
