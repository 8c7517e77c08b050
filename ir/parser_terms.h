// Reading index expressions, types, trees and schedules of printed IR. For ir/parser.cpp alone.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "ir/module.h"
#include "ir/token_reader.h"

namespace reckon::ir::detail {

class TermParser : public TokenReader {
 public:
  TermParser(Module& module, std::string_view text, std::uint32_t file) : TokenReader(text, file), module_(module) {}

 protected:
  std::optional<VariableId> bind_variable();  ///< the next token as the name of a fresh variable, until it is unbound
  void unbind(std::string_view variable) { variables_.erase(std::string(variable)); }

  std::optional<IndexId> index();          ///< any expression
  std::optional<IndexId> index_operand();  ///< none that is a comparison or condition
  std::optional<TypeId> type();
  std::optional<ScheduleId> schedule();        ///< or a stage
  std::optional<ScheduleId> whole_schedule();  ///< one that is no stage
  /// The stages before a layout's text; after the layout, as many closing brackets follow.
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
  std::optional<ScheduleId> schedule_of_form(const Form& form);
  std::optional<ScheduleId> schedule_of_tensor_cores();
  std::optional<ScheduleId> schedule_arrange();
  std::optional<layout::Stage> stage();
  std::optional<ScheduleId> schedule_length();
  std::optional<ScheduleId> schedule_conditional();
  std::optional<TreeId> tree();
};

}  // namespace reckon::ir::detail
