// bound(S, n, f32, 0.99), with a probability, and bound(S, n, u), for a unit roundoff u that belongs to no format.
#include <fmt/format.h>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/type_mismatch.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/schedule/bounds.h"
#include "ir/schedule/probable_bounds.h"
#include "ir/schedule/shared_shape.h"
#include "numerics/decimal_upward.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::ScheduleOp;

namespace {

constexpr std::int64_t most_leaves = 1'000'000'000;
constexpr int digits_of_a_bound = 4;

std::optional<mpq_class> number_of(const Value& value) {
  if (const auto* number = value.get_if<mpq_class>()) return *number;
  if (const auto* decimal = value.get_if<DecimalValue>()) return decimal->value;
  return std::nullopt;
}

/// The most roundings that a leaf meets on its way, or nothing after an error: of a tree its height, of any order n
/// - 1.
std::optional<std::int64_t> rounds_of(Elaborator& elaborator, ir::ScheduleId schedule, std::int64_t length,
                                      SourceSpan at) {
  ir::Module& module = elaborator.module;
  const ScheduleOp op = module.schedules()[schedule].op;
  if (ir::is_set_of_orders(op)) {
    const auto [head, problem] = module.schedules().head(schedule, length);
    if (problem->kind != ir::ScheduleProblem::Kind::no_single_order) {
      elaborator.report(ir::schedule_diagnostic(module, schedule, *problem, at));
      return std::nullopt;
    }
    return op == ScheduleOp::any_depth ? std::min(module.schedules().parameter(head), length - 1) : length - 1;
  }
  const bool is_accumulator = op == ScheduleOp::fused || op == ScheduleOp::neumaier || op == ScheduleOp::kahan ||
                              op == ScheduleOp::rounded_once || op == ScheduleOp::binned || op == ScheduleOp::mma;
  if (is_accumulator) {
    elaborator.report(
        Diagnostic(code::bad_accumulator, at,
                   fmt::format("a probability and a unit roundoff are for additions of two, and `{}` is none",
                               ir::schedule_text(module, schedule)))
            .help("ask about the order inside, or leave the probability out"));
    return std::nullopt;
  }
  const auto [shape, problem] = ir::shape_of(elaborator.module.schedules(), schedule, length);
  if (problem) {
    elaborator.report(ir::schedule_diagnostic(module, schedule, *problem, at));
    return std::nullopt;
  }
  return module.schedules().trees().depth(shape);
}

}  // namespace

bool asks_probable_bound(const std::vector<Value>& arguments) {
  if (arguments.size() == 4) return number_of(arguments[3]).has_value();
  return arguments.size() == 3 && number_of(arguments[2]).has_value();
}

Maybe call_probable_bound(Elaborator& elaborator, bool dot, const std::vector<Value>& arguments,
                          const std::vector<SourceSpan>& spans) {
  const auto schedule = elaborator.schedule_of(arguments[0], spans[0], false);
  const auto length = schedule ? elaborator.integer_of(arguments[1], spans[1], "the number of leaves") : std::nullopt;
  if (!length) return std::nullopt;
  if (*length < 1) return elaborator.fail(code::empty_reduction, spans[1], "a tree has at least one leaf");
  if (*length > most_leaves) return elaborator.fail(code::too_large, spans[1], "bounds are for at most 10^9 leaves");
  std::optional<mpq_class> u = number_of(arguments[2]);
  if (!u) {
    const auto* type = arguments[2].get_if<TypeValue>();
    if (!type || type->indexed || !ir::is_float(type->scalar)) {
      return elaborator.fail(code::type_mismatch, spans[2],
                             fmt::format("a float format or a unit roundoff is needed, and this is {}",
                                         elaborator.kind_text(arguments[2])));
    }
    u = ir::growth_factor(1, {.format = ir::format_of(type->scalar)});
  }
  if (*u < 0 || *u >= 1)
    return elaborator.fail(code::static_needed, spans[2], "a unit roundoff is 0 or more, and below 1");
  const auto rounds = rounds_of(elaborator, *schedule, *length, spans[0]);
  if (!rounds) return std::nullopt;
  // The product is rounded before it meets the first addition.
  const std::int64_t all = *rounds + (dot ? 1 : 0);
  const auto shown = [](const mpq_class& value) { return numerics::decimal_upward(value, digits_of_a_bound); };
  if (arguments.size() == 3) {
    const std::string text = shown(ir::growth_by_unit(all, *u));
    return Value{DecimalValue{*numerics::parse_number(text), text}};
  }
  const mpq_class probability = *number_of(arguments[3]);
  if (probability <= 0 || probability >= 1) {
    return elaborator.fail(code::static_needed, spans[3], "a probability lies between 0 and 1");
  }
  const std::string text = shown(ir::probable_factor(*length, all, *u, probability));
  const std::string odds =
      arguments[3].is<DecimalValue>() ? elaborator.value_text(arguments[3]) : fmt::format("{}", probability.get_d());
  return Value{
      DecimalValue{*numerics::parse_number(text),
                   fmt::format("{} with probability {}, if roundings err independently, with mean 0", text, odds)}};
}

}  // namespace reckon::frontend
