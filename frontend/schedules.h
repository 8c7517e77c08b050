// Schedules: written and composed, where they stand in reductions, and questions about them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

// elaborate_schedule.cpp
Maybe elaborate_then(Elaborator& elaborator, const Context& context, const Expr& expression);
Maybe elaborate_pin(Elaborator& elaborator, const Context& context, const Expr& expression);
Maybe elaborate_length(Elaborator& elaborator, const Context& context, const Expr& expression);
Maybe elaborate_quoted(Elaborator& elaborator, const Expr& expression);
/// `any(depth: h)`, `any(lanes: k)`.
Maybe elaborate_limited_set(Elaborator& elaborator, const Context& context, ir::ScheduleId set, const Expr& expression);
/// A layout whose last mode is open, `(4, _):(1, 4)`, which is for `arrange`.
Maybe elaborate_open_colon(Elaborator& elaborator, const Value& shape, const Value& stride, const Expr& expression,
                           SourceSpan stride_at);
Maybe make_schedule(Elaborator& elaborator, const ir::Form& form, const std::vector<Value>& arguments,
                    const std::vector<SourceSpan>& spans, SourceSpan at);
/// Whether the schedule's accumulator suits a sum (or another reduction) of these leaves.
bool accumulator_fits(Elaborator& elaborator, ir::ScheduleId schedule, const ir::Module::Fold& fold,
                      const std::string& spelled, SourceSpan at);

// tensor_cores.cpp
/// `mma(M)`, `mma(M, accumulator)`, `mma(M, accumulator, operand)`.
Maybe elaborate_tensor_cores(Elaborator& elaborator, const Context& context, const Expr& expression);
/// The schedule of a sum whose `mma` terms have the formats of the sum and of its factors; nothing, with an error, if
/// the tensor cores have no such addition, or do not meet products.
std::optional<ir::ScheduleId> tensor_cores_of(Elaborator& elaborator, ir::ScheduleId schedule,
                                              const ir::Module::Fold& fold, SourceSpan at);

// Questions about a schedule for a number of leaves (ask_schedule.cpp, elaborate_bound.cpp)
Maybe ask_schedule(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at);
/// `check S == T for n: {..}`: whether two schedules have one tree for each of the sizes.
std::optional<bool> equal_schedules(Elaborator& elaborator, const Context& context, const Item& item, const Value& left,
                                    const Value& right, SourceSpan left_at, SourceSpan right_at);
/// Whether `bound` is asked with a probability, or for a unit roundoff. elaborate_probable_bound.cpp.
bool asks_probable_bound(const std::vector<Value>& arguments);
Maybe call_probable_bound(Elaborator& elaborator, bool dot, const std::vector<Value>& arguments,
                          const std::vector<SourceSpan>& spans);
/// bound, bound_dot
Maybe call_bound(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                 const std::vector<SourceSpan>& spans, SourceSpan at);

}  // namespace reckon::frontend
