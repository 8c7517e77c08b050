// The forms of schedules that have a name: what each takes, and its documentation. The front end, the printer and the
// parser of IR, completion and the table of docs/schedules.md use this table.
//
// Most forms are operations of their own (ScheduleOp), whose trees ir/schedule/tree.cpp writes out and which evaluators
// and code generators know. A form may as well be defined by its rounds (rounds.h): then its row is all there is to it.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "ir/schedule/rounds.h"

namespace reckon::ir {

enum class ScheduleOp : std::uint8_t;

/// What a form takes between brackets.
enum class FormTakes : std::uint8_t {
  nothing,
  schedule,         ///< fused(S)
  size,             ///< binned(k)
  size_schedule,    ///< tile(k, S)
  size_schedules,   ///< split(m, A, B)
  layout_schedule,  ///< arrange(L, S)
  tensor_cores,     ///< mma(M), mma(M, accumulator), mma(M, accumulator, operand)
};
constexpr bool takes_size(FormTakes takes) {
  return takes == FormTakes::size || takes == FormTakes::size_schedule || takes == FormTakes::size_schedules;
}
constexpr std::size_t schedules_taken(FormTakes takes) {
  if (takes == FormTakes::nothing || takes == FormTakes::size || takes == FormTakes::tensor_cores) return 0;
  return takes == FormTakes::size_schedules ? 2 : 1;
}

struct Form {
  std::string_view name;
  ScheduleOp op;
  FormTakes takes = FormTakes::nothing;
  std::string_view written;            ///< as written, with its parameters: `tile(k, S)`
  std::string_view help;               ///< its line in docs/schedules.md
  std::string_view size_meaning = {};  ///< what the size counts, for messages
  Rounds rounds = {};                  ///< for ScheduleOp::rounds
};

class Forms {
 public:
  /// The standard forms, and more.
  explicit Forms(std::vector<Form> more = {});
  Forms(const Forms&) = delete;
  static const Forms& standard();

  /// Null: there is none.
  const Form* named(std::string_view name) const;
  const std::deque<Form>& all() const { return forms_; }

 private:
  std::deque<Form> forms_;  ///< a deque: terms point to rows
};

struct ScheduleNode;
/// The row of a term; null: it is written otherwise (a quoted tree, `A then B`, `length n: S`, ...).
const Form* form_of(const ScheduleNode& node);

}  // namespace reckon::ir
