// Reading index expressions, types, trees and schedules of printed IR. For ir/parser.cpp alone.
//
// Every function gives nothing after the first mistake, which `error` then holds.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/module.h"
#include "ir/parser_tokens.h"

namespace reckon::ir::detail {

class TermParser {
 public:
  TermParser(Module& module, std::string_view text, std::uint32_t file)
      : module_(module), tokens_(tokenize(text, file)) {}

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
    explicit Nesting(TermParser& parser) : parser_(parser), fits_(++parser.depth_ <= 1000) {
      if (!fits_) parser.mistake(parser.token(), "brackets are nested too deeply");
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    explicit operator bool() const { return fits_; }

   private:
    TermParser& parser_;
    bool fits_;
  };

  std::optional<std::string> name();  ///< a word or a string
  std::optional<std::int64_t> integer(bool negative = false);
  std::optional<VariableId> bind_variable();  ///< the next token as the name of a fresh variable, until it is unbound
  void unbind(std::string_view variable) { variables_.erase(std::string(variable)); }

  std::optional<IndexId> index();          ///< any expression
  std::optional<IndexId> index_operand();  ///< none that is a comparison or condition
  std::optional<TypeId> type();
  std::optional<ScheduleId> schedule();        ///< or a stage
  std::optional<ScheduleId> whole_schedule();  ///< one that is no stage
  /// The stages around a layout's text, up to that; after it come as many closing brackets.
  bool stages_before(std::vector<layout::Stage>& stages);
  bool close_stages(const std::vector<layout::Stage>& stages);
  std::optional<layout::IntTuple> int_tuple();  ///< of numbers, as in a known layout

  Module& module_;
  std::map<std::string, VariableId, std::less<>> variables_;  ///< index variables and lengths in scope

 private:
  std::optional<IndexId> conjunction();
  std::optional<IndexId> negation();
  enum class Sign : std::uint8_t { none, leading, between };
  std::optional<IndexId> product(Sign sign);
  std::optional<IndexId> atom(bool negative);
  std::optional<ScheduleId> schedule_part();
  std::optional<ScheduleId> schedule_any();
  std::optional<ScheduleId> schedule_stage(bool tile);
  std::optional<ScheduleId> schedule_arrange();
  std::optional<layout::Stage> stage();
  std::optional<ScheduleId> schedule_length();
  std::optional<ScheduleId> schedule_conditional();
  std::optional<TreeId> tree();

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace reckon::ir::detail
