// Reads the tokens of a printed IR one after the other, and what all its texts have: names, integers, literals. For the
// parsers of the circuit IR and the kernel IR.
//
// Every function gives nothing after the first mistake, which `error` then holds.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/module.h"
#include "ir/parser_tokens.h"

namespace reckon::ir::detail {

class TokenReader {
 public:
  TokenReader(std::string_view text, std::uint32_t file) : tokens_(tokenize(text, file)) {}

  std::optional<Diagnostic> error;

 protected:
  using Kind = Token::Kind;

  const Token& token() const { return tokens_[at_]; }
  const Token& next_token() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take();
  bool at(std::string_view text) const;  ///< a word or sign
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  std::nullopt_t fail(const std::string& expected);  ///< `expected` is what should stand here
  std::nullopt_t mistake(const Token& place, std::string message);

  /// Limits how deep brackets may nest: a reader of hostile text must not run out of stack.
  class Nesting {
   public:
    explicit Nesting(TokenReader& reader) : reader_(reader), fits_(++reader.depth_ <= 1000) {
      if (!fits_) reader.mistake(reader.token(), "brackets are nested too deeply");
    }
    ~Nesting() { --reader_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    explicit operator bool() const { return fits_; }

   private:
    TokenReader& reader_;
    bool fits_;
  };

  std::optional<std::string> name();  ///< a word or a string
  std::optional<std::int64_t> integer(bool negative = false);
  std::optional<mpq_class> rational();
  /// What stands between the brackets of `f32(1/3)`, and the closing one.
  std::optional<Literal> literal_of(Scalar scalar);
  std::optional<std::pair<Literal, Scalar>> bit_pattern();  ///< `f32#3fc00000`, of a float

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace reckon::ir::detail
