// bound(S, n, format), bound_dot(...), with or without a range: a-priori error bounds as static numbers.
#include <fmt/format.h>

#include <span>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/no_order.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/too_large.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/undefined_result.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/schedule/bounds.h"
#include "ir/schedule/shared_shape.h"
#include "numerics/decimal_upward.h"

namespace reckon::frontend {

using ir::ScheduleOp;

namespace {

/// Digits of a bound that is shown.
constexpr int shown_digits = 4;
constexpr std::int64_t max_leaves = 1'000'000'000;

/// The decimal that is shown is the value: rounded up, so still a bound.
DecimalValue decimal(const mpq_class& value) {
  const std::string text = numerics::decimal_upward(value, shown_digits);
  return {*numerics::parse_number(text), text};
}

/// The ranges of the leaves, or of both factors of products.
Expected<ir::LeafRange> leaf_range(std::span<const Value> ranges, std::span<const SourceSpan> spans) {
  ir::LeafRange range;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const auto* ends = ranges[k].get_if<TupleValue>();
    const auto* low = ends && ends->parts.size() == 2 ? ends->parts[0].get_if<mpq_class>() : nullptr;
    const auto* high = low ? ends->parts[1].get_if<mpq_class>() : nullptr;
    if (!high || *low > *high) {
      return Diagnostic(code::static_needed, spans[k], "a range of known numbers is needed here, the lower first")
          .help("for example `-1..1`");
    }
    (k == 0 ? range.low : range.other_low) = *low;
    (k == 0 ? range.high : range.other_high) = *high;
  }
  return range;
}

/// In a format that saturates, a sum beyond the largest number is off by more than a rounding: whether one may be.
bool may_saturate(const mpq_class& factor, std::int64_t length, const ir::LeafRange& range,
                  const ir::Accumulation& how) {
  if (!numerics::saturates(how.format)) return false;
  mpq_class most = std::max(mpq_class(abs(range.low)), mpq_class(abs(range.high)));
  if (how.products) most *= std::max(mpq_class(abs(range.other_low)), mpq_class(abs(range.other_high)));
  const mpq_class sums = static_cast<long>(length) * most * (1 + factor);
  return sums > *numerics::exact_value(numerics::largest_finite(how.format), how.format);
}

/// The factor of `mma`.
Maybe tensor_core_bound(Elaborator& elaborator, ir::ScheduleId schedule, std::int64_t length,
                        const ir::Accumulation& how, bool is_factor, const std::vector<SourceSpan>& spans) {
  const ir::Module& module = elaborator.module;
  const numerics::MmaUnit* unit = module.schedules()[schedule].mma->unit();
  if (unit == nullptr) {
    return elaborator.report(
        ir::schedule_diagnostic(module, schedule, {ir::ScheduleProblem::Kind::no_formats}, spans[0]));
  }
  const std::string text = ir::schedule_text(module, schedule);
  if (!how.products) {
    return elaborator.report(Diagnostic(code::bad_accumulator, spans[0],
                                        fmt::format("`{}` is for products, and `bound` is for plain leaves", text))
                                 .help("ask `bound_dot`"));
  }
  if (how.format != unit->accumulator) {
    const std::string_view name = numerics::traits(unit->accumulator).name;
    return elaborator.report(
        Diagnostic(code::bad_accumulator, spans[2], fmt::format("`{}` accumulates in `{}`", text, name))
            .help(fmt::format("write `bound_dot({}, {}, {})`", text, length, name)));
  }
  if (is_factor) return Value{decimal(ir::tensor_core_factor(*unit, length))};
  return elaborator.report(
      Diagnostic(code::not_available, spans[3],
                 fmt::format("the range form is for additions of two, and those of `{}` have many operands", text))
          .help(fmt::format(
              "leave out the ranges: `bound_dot({}, {}, {})` is the factor in front of the sum of |product|", text,
              length, numerics::traits(how.format).name)));
}

}  // namespace

Maybe call_bound(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                 const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const bool dot = name == "bound_dot";
  if (asks_probable_bound(arguments)) return call_probable_bound(elaborator, dot, arguments, spans);
  const std::size_t ranges = dot ? 2 : 1;
  if (arguments.size() != 3 && arguments.size() != 3 + ranges) {
    return elaborator.report(
        Diagnostic(code::argument_count, at,
                   fmt::format("`{}` takes a schedule, a number of leaves, a format and perhaps the range of {}", name,
                               dot ? "each factor" : "the leaves"))
            .help(dot ? "write `bound_dot(tree, 1024, f32)` or `bound_dot(tree, 1024, f32, 0..1, -1..1)`"
                      : "write `bound(tree, 1024, f64)` or `bound(tree, 1024, f64, -1..1)`"));
  }
  auto schedule = elaborator.schedule_of(arguments[0], spans[0], false);
  auto length = schedule ? elaborator.integer_of(arguments[1], spans[1], "the number of leaves") : std::nullopt;
  if (!length) return std::nullopt;
  if (*length < 1) return elaborator.fail(code::empty_reduction, spans[1], "a tree has at least one leaf");
  if (*length > max_leaves) return elaborator.fail(code::too_large, spans[1], "bounds are for at most 10^9 leaves");
  const auto* type = arguments[2].get_if<TypeValue>();
  if (!type || type->indexed || !ir::is_float(type->scalar)) {
    return elaborator.fail(code::type_mismatch, spans[2],
                           fmt::format("a float format is needed, and this is {}", elaborator.kind_text(arguments[2])));
  }
  ir::Accumulation how;
  how.format = ir::format_of(type->scalar);
  how.products = dot;
  const ScheduleOp op = module.schedules()[*schedule].op;
  if (op == ScheduleOp::mma)
    return tensor_core_bound(elaborator, *schedule, *length, how, arguments.size() == 3, spans);
  // What any order errs at most holds whichever products are fused (docs/semantics.md, "bound").
  const bool fuses_set = dot && op == ScheduleOp::fused &&
                         ir::is_set_of_orders(module.schedules()[module.schedules()[*schedule].operands[0]].op);
  const ir::ScheduleId set = fuses_set ? module.schedules()[*schedule].operands[0] : *schedule;
  if (const ScheduleOp orders_of = module.schedules()[set].op; ir::is_set_of_orders(orders_of)) {
    const auto [head, problem] = module.schedules().head(set, *length);
    if (problem->kind != ir::ScheduleProblem::Kind::no_single_order) {
      return elaborator.report(ir::schedule_diagnostic(module, set, *problem, spans[0]));
    }
    const ir::SumOrder orders{.op = orders_of,
                              .leaves = *length,
                              .parameter = ir::is_limited_set(orders_of) ? module.schedules().parameter(head) : 0};
    if (arguments.size() == 3) return Value{decimal(*tightest_factor(orders, how))};
    return elaborator.report(
        Diagnostic(code::no_order, spans[0], "the range form follows one tree, and any order is meant here")
            .help(fmt::format("leave out the range: `{}({}, {}, {})` is the factor in front of the sum of |leaf|", name,
                              elaborator.value_text(arguments[0]), *length, elaborator.value_text(arguments[2]))));
  }
  // The tree's height and shape, where there is a tree.
  const ir::ScheduleNode outer = module.schedules()[*schedule];
  std::optional<ir::TreeId> shape;
  ir::ScheduleId ordered = *schedule;
  if (op == ScheduleOp::fused || op == ScheduleOp::neumaier) ordered = outer.operands[0];
  bool exact_products = false;
  if (op == ScheduleOp::fused) {
    if (!dot) {
      return elaborator.report(
          Diagnostic(code::bad_accumulator, spans[0], "`fused` is for products, and `bound` is for plain leaves")
              .help("ask `bound_dot`"));
    }
    exact_products = module.schedules()[ordered].op == ScheduleOp::rounded_once;
  }
  const bool has_tree = op != ScheduleOp::rounded_once && op != ScheduleOp::binned && op != ScheduleOp::kahan && !exact_products;
  if (has_tree) {
    auto [tree, problem] = ir::shape_of(module.schedules(), ordered, *length);
    if (problem) return elaborator.report(ir::schedule_diagnostic(module, *schedule, *problem, spans[0]));
    shape = tree;
  }
  const ir::TreeStore& trees = module.schedules().trees();
  ir::SumOrder order{.op = exact_products ? ScheduleOp::rounded_once : op, .leaves = *length,
                     .height = shape ? trees.depth(*shape) : 0, .shape = shape, .exact_products = exact_products};
  if (op == ScheduleOp::binned) {
    const auto [head, problem] = module.schedules().head(*schedule, *length);
    if (problem) return elaborator.report(ir::schedule_diagnostic(module, *schedule, *problem, spans[0]));
    order.parameter = module.schedules().parameter(head);
  }
  const auto factor = tightest_factor(order, how);
  if (!factor) {
    return elaborator.report(Diagnostic(code::undefined_result, spans[1],
                                        fmt::format("{} leaves are too many for a bound on `kahan` in `{}`", *length,
                                                    ir::scalar_name(type->scalar)),
                                        "its errors may grow beyond the sum")
                                 .help("take fewer leaves, a wider format, or `neumaier(tree)`"));
  }
  if (arguments.size() == 3) return Value{decimal(*factor)};
  const auto range = leaf_range(std::span(arguments).subspan(3), std::span(spans).subspan(3));
  if (!range) return elaborator.report(range.error());
  const auto bound =
      may_saturate(*factor, *length, *range, how) ? std::nullopt : tightest_range_bound(trees, order, *range, how);
  if (!bound) {
    return elaborator.report(
        Diagnostic(code::undefined_result, spans[3],
                   fmt::format("{} leaves of this range can overflow `{}`, or none of its values is in it", *length,
                               ir::scalar_name(type->scalar)),
                   "overflow voids every bound")
            .help("take a smaller range or a wider format"));
  }
  return Value{decimal(*bound)};
}

}  // namespace reckon::frontend
