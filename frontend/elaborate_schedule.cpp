// Schedules as static values.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/bad_arrangement.h"
#include "diagnostics/codes/bad_layout.h"
#include "diagnostics/codes/bad_quoted_tree.h"
#include "diagnostics/codes/bad_stage_size.h"
#include "diagnostics/codes/schedule_needed.h"
#include "diagnostics/codes/stage_needed.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/syntax.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/calls.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/op.h"
#include "layout/collision.h"

namespace reckon::frontend {

using ir::ScheduleId;
using ir::ScheduleOp;

std::optional<ScheduleId> Elaborator::schedule_of(const Value& value, SourceSpan at, bool stage) {
  if (auto* schedule = value.get_if<ScheduleValue>()) {
    const ScheduleOp op = module.schedules()[schedule->schedule].op;
    if (ir::is_stage(op) == stage) return schedule->schedule;
    const std::string text = ir::schedule_text(module, schedule->schedule);
    if (stage) {
      return report(
          Diagnostic(code::stage_needed, at,
                     fmt::format("a stage is needed before `then`, and `{}` is a schedule", text),
                     "a schedule leaves one node, so nothing can follow it")
              .help(fmt::format("make a stage of it: `tile(k, {0}) then ...` or `lanes(k, {0}) then ...`", text)));
    }
    return report(Diagnostic(code::schedule_needed, at, fmt::format("a schedule is needed, and `{}` is a stage", text),
                             "a stage leaves several nodes")
                      .help(fmt::format("say how the rest is reduced: `{} then tree`", text)));
  }
  if (auto* tree = value.get_if<TreeValue>(); tree && !stage) {
    return module.schedules().quoted(tree->tree);
  }
  Diagnostic other(stage ? code::stage_needed : code::schedule_needed, at,
                   fmt::format("a {} is needed, and this is {}", stage ? "stage" : "schedule", kind_text(value)));
  const auto* function = value.get_if<BuiltinValue>();
  const ir::Form* form = function != nullptr ? module.schedules().forms().named(function->name) : nullptr;
  if (form != nullptr) other.helps.push_back(fmt::format("it takes arguments: `{}`", form->written));
  return report(std::move(other));
}

Maybe elaborate_then(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ir::Module& module = elaborator.module;
  auto first = elaborator.elaborate(context, expression.children[0]);
  auto second = elaborator.elaborate(context, expression.children[1]);
  if (!first || !second) return std::nullopt;
  auto stage = elaborator.schedule_of(*first, elaborator.expr(context, expression.children[0]).span, true);
  if (!stage) return std::nullopt;
  const auto* rest = second->get_if<ScheduleValue>();
  if (rest && ir::is_stage(module.schedules()[rest->schedule].op)) {
    return Value{ScheduleValue{module.schedules().stage_then(*stage, rest->schedule)}};
  }
  auto schedule = elaborator.schedule_of(*second, elaborator.expr(context, expression.children[1]).span, false);
  if (!schedule) return std::nullopt;
  return Value{ScheduleValue{module.schedules().then(*stage, *schedule)}};
}

Maybe elaborate_length(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ir::Module& module = elaborator.module;
  const ir::VariableId variable = module.fresh_variable();
  Scope scope(context.scope);
  scope.bind(expression.names[0].name, {SymbolicInteger{module.indices().variable(variable)}});
  ++elaborator.length_depth;
  auto body = elaborator.elaborate(context.in(scope), expression.children[0]);
  --elaborator.length_depth;
  if (!body) return body;
  auto schedule = elaborator.schedule_of(*body, elaborator.expr(context, expression.children[0]).span, false);
  if (!schedule) return std::nullopt;
  return Value{ScheduleValue{module.schedules().length(variable, *schedule)}};
}

Maybe elaborate_pin(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ir::Module& module = elaborator.module;
  auto pinned = elaborator.elaborate(context, expression.children[0]);
  if (!pinned) return pinned;
  const SourceSpan at = elaborator.expr(context, expression.children[0]).span;
  const auto level = ir::machine_level_named(expression.text);
  if (!level) {
    Diagnostic diagnostic(code::unknown_name, expression.operator_span,
                          fmt::format("the machine has no level `{}`", expression.text));
    diagnostic.helps.emplace_back(pinned->is<DynamicValue>()
                                      ? "a matrix product is `for i, j: sum k: a[i, k] * b[k, j]`"
                                      : "a stage is pinned to `@thread`, `@warp`, `@block` or `@grid`");
    return elaborator.report(std::move(diagnostic));
  }
  if (const auto* tree = pinned->get_if<TreeValue>())
    pinned = Value{ScheduleValue{module.schedules().quoted(tree->tree)}};
  const auto* schedule = pinned->get_if<ScheduleValue>();
  if (!schedule) {
    return elaborator.fail(code::schedule_needed, at,
                           fmt::format("only a stage or a schedule is pinned, and this is {}",
                                       elaborator.kind_text(*pinned)));
  }
  return Value{ScheduleValue{module.schedules().pinned(schedule->schedule, *level)}};
}

Maybe elaborate_quoted(Elaborator& elaborator, const Expr& expression) {
  ir::Module& module = elaborator.module;
  // Prefix order, read from its end: a leaf is pushed, a pair joins the two last.
  std::vector<ir::TreeId> stack;
  std::vector<std::int64_t> leaves;
  for (auto at = expression.tree.prefix.rbegin(); at != expression.tree.prefix.rend(); ++at) {
    if (*at >= 0) {
      stack.push_back(module.schedules().trees().leaf(*at));
      leaves.push_back(*at);
      continue;
    }
    const ir::TreeId left = stack.back();
    stack.pop_back();
    const ir::TreeId right = stack.back();
    stack.pop_back();
    stack.push_back(module.schedules().trees().pair(left, right));
  }
  std::sort(leaves.begin(), leaves.end());
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k] == static_cast<std::int64_t>(k)) continue;
    const bool twice = k > 0 && leaves[k] == leaves[k - 1];
    return elaborator.report(
        Diagnostic(code::bad_quoted_tree, expression.span,
                   fmt::format("a quoted tree has each of the leaves 0 to {} once, and {} {}", leaves.size() - 1,
                               twice ? leaves[k] : static_cast<std::int64_t>(k), twice ? "stands twice" : "is missing"))
            .help("leaves are numbered from 0 without gaps: `'((0 1) 2)`"));
  }
  return Value{ScheduleValue{module.schedules().quoted(stack.back())}};
}

namespace {

/// The size in a schedule: an index expression that no loop changes, at least 1.
std::optional<ir::IndexId> schedule_size(Elaborator& elaborator, const Value& value, SourceSpan at,
                                         const std::string& what, std::string_view meaning) {
  ir::Module& module = elaborator.module;
  const auto size = elaborator.index_of(value, at, what);
  if (!size) return std::nullopt;
  for (ir::VariableId variable : module.indices().variables(*size)) {
    auto range = elaborator.ranges.find(variable);
    if (range == elaborator.ranges.end()) continue;
    return elaborator.fail(code::static_needed, at,
                           fmt::format("a schedule cannot depend on the index `{}`", range->second.name));
  }
  if (auto known = module.indices().as_constant(*size); known && *known < 1) {
    return elaborator.fail(code::bad_stage_size, at, fmt::format("{} is {}, and must be at least 1", what, *known),
                           std::string(meaning));
  }
  return *size;
}

}  // namespace

Maybe elaborate_limited_set(Elaborator& elaborator, const Context& context, ScheduleId set, const Expr& expression) {
  ir::Module& module = elaborator.module;
  constexpr const char* forms =
      "write `any(depth: 10)` for trees of at most that height, or `any(lanes: 32)` for lanes in any order";
  const std::string name = ir::schedule_text(module, set);
  if (module.schedules()[set].op != ScheduleOp::any || expression.children.size() != 2) {
    return elaborator.report(
        Diagnostic(code::argument_count, expression.span,
                   module.schedules()[set].op != ScheduleOp::any
                       ? fmt::format("`{}` takes no limit: of the sets of orders, only `any` does", name)
                       : fmt::format("`any` takes one limit and was given {}", expression.children.size() - 1))
            .help(forms));
  }
  const Expr& limit = elaborator.expr(context, expression.children[1]);
  const Expr* word = limit.kind == ExprKind::colon ? &elaborator.expr(context, limit.children[0]) : nullptr;
  if (word == nullptr || word->kind != ExprKind::name) {
    return elaborator.report(
        Diagnostic(code::syntax, limit.span, "a limit of `any` has a name", "of what is this the limit?").help(forms));
  }
  const bool depth = word->text == "depth";
  if (!depth && word->text != "lanes") {
    Diagnostic unknown(code::unknown_name, word->span, fmt::format("`any` has no limit `{}`", word->text));
    if (const auto near = nearest_name(word->text, {"depth", "lanes"}))
      unknown.helps.push_back(fmt::format("did you mean `{}`?", *near));
    return elaborator.report(std::move(unknown).help(forms));
  }
  const auto given = elaborator.elaborate(context, limit.children[1]);
  if (!given) return std::nullopt;
  const auto size = schedule_size(elaborator, *given, elaborator.expr(context, limit.children[1]).span,
                                  fmt::format("the {} of `any`", word->text),
                                  depth ? "no tree is higher" : "so many lanes there are");
  if (!size) return std::nullopt;
  ir::ScheduleStore& schedules = module.schedules();
  return Value{ScheduleValue{depth ? schedules.any_depth(*size) : schedules.any_lanes(*size)}};
}

namespace {

Maybe make_arrangement(Elaborator& elaborator, const std::vector<Value>& arguments,
                       const std::vector<SourceSpan>& spans) {
  ir::Module& module = elaborator.module;
  auto schedule = elaborator.schedule_of(arguments[1], spans[1], false);
  if (!schedule) return std::nullopt;
  ir::Arrangement arrangement;
  if (auto* open = arguments[0].get_if<OpenLayout>()) {
    arrangement = open->arrangement;
  } else {
    const auto* composed = layout_object<layout::Composed>(arguments[0]);
    auto layout = composed ? std::optional(composed->inner()) : elaborator.layout_of(arguments[0], spans[0]);
    if (!layout) return std::nullopt;
    if (composed) arrangement.stages = composed->stages();
    for (std::size_t k = 0; k < layout->rank(); ++k) {
      const layout::Layout mode = layout->mode(k);
      const std::vector<std::int64_t> extents = mode.shape().leaves(), strides = mode.stride().leaves();
      auto& into = k + 1 == layout->rank() ? arrangement.runs : arrangement.run;
      for (std::size_t m = 0; m < extents.size(); ++m) into.push_back({extents[m], strides[m]});
    }
  }
  if (arrangement.run.empty()) arrangement.run.push_back({});
  if (arrangement.runs.empty()) arrangement.runs.push_back({});
  if (!arrangement.is_bijection()) {
    Diagnostic refused(code::bad_arrangement, spans[0],
                       fmt::format("the layout `{}` does not take every node once",
                                   elaborator.value_text(arguments[0])),
                       arrangement.open ? "it must cover 0, 1, 2, ... without gaps or overlaps"
                                        : "it must cover 0 to its size - 1 without gaps or overlaps");
    const auto why = arrangement.open ? std::nullopt : layout::no_permutation(arrangement.layout());
    if (why) refused.notes.push_back(why->message);
    return elaborator.report(
        std::move(refused).help("runs of 4 nodes side by side are `(4, _):(1, 4)`, which is `tile(4, ...)`"));
  }
  return Value{ScheduleValue{module.schedules().arrange(arrangement, *schedule)}};
}

}  // namespace

Maybe make_schedule(Elaborator& elaborator, const ir::Form& form, const std::vector<Value>& arguments,
                    const std::vector<SourceSpan>& spans, SourceSpan at) {
  ir::Module& module = elaborator.module;
  ir::ScheduleStore& schedules = module.schedules();
  const std::string name(form.name);
  const std::size_t others = ir::takes_size(form.takes) || form.takes == ir::FormTakes::layout_schedule ? 1 : 0;
  if (wrong_count(elaborator, name, others + ir::schedules_taken(form.takes), arguments, at)) return std::nullopt;
  if (form.takes == ir::FormTakes::layout_schedule) return make_arrangement(elaborator, arguments, spans);
  ir::IndexId size;
  if (ir::takes_size(form.takes)) {
    auto given =
        schedule_size(elaborator, arguments[0], spans[0], fmt::format("the size of `{}`", name), form.size_meaning);
    if (!given) return std::nullopt;
    size = *given;
  }
  std::vector<ScheduleId> parts;
  for (std::size_t k = others; k < arguments.size(); ++k) {
    auto part = elaborator.schedule_of(arguments[k], spans[k], false);
    if (!part) return std::nullopt;
    parts.push_back(*part);
  }
  if (!ir::is_arithmetic(form.op) || parts.empty())
    return Value{ScheduleValue{schedules.make(form, size, std::move(parts))}};
  // fused(rounded_once) is the one accumulator within another.
  const bool exact_products = form.op == ScheduleOp::fused && schedules[parts[0]].op == ScheduleOp::rounded_once;
  if (schedules.has_arithmetic(parts[0]) && !exact_products) {
    return elaborator.report(
        Diagnostic(code::bad_accumulator, spans[0],
                   fmt::format("`{}` already says how its sum is accumulated", ir::schedule_text(module, parts[0])))
            .help(fmt::format("give `{}` a plain order, such as `seq` or `tree`", name)));
  }
  return Value{ScheduleValue{schedules.make(form, size, std::move(parts))}};
}

Maybe elaborate_open_colon(Elaborator& elaborator, const Value& shape, const Value& stride, const Expr& expression,
                           SourceSpan stride_at) {
  const auto mismatch = [&] {
    return elaborator.fail(code::bad_layout, expression.span, "a layout's shape and stride must be nested alike");
  };
  OpenLayout out;
  out.arrangement.open = true;
  const auto* modes = shape.get_if<TupleValue>();
  const auto* steps = stride.get_if<TupleValue>();
  const std::size_t rank = modes ? modes->parts.size() : 1;
  if ((modes != nullptr) != (steps != nullptr) || (steps && steps->parts.size() != rank)) return mismatch();
  for (std::size_t k = 0; k + 1 < rank; ++k) {
    auto extent = elaborator.int_tuple_of(modes->parts[k], expression.span);
    auto step = extent ? elaborator.int_tuple_of(steps->parts[k], stride_at) : std::nullopt;
    if (!step) return std::nullopt;
    auto made = layout::Layout::make(*extent, *step);
    if (!made) return elaborator.fail(code::bad_layout, expression.span, made.problem().message);
    const std::vector<std::int64_t> extents = extent->leaves(), strides = step->leaves();
    for (std::size_t m = 0; m < extents.size(); ++m) out.arrangement.run.push_back({extents[m], strides[m]});
  }
  auto last = elaborator.integer_of(steps ? steps->parts.back() : stride, stride_at, "the stride of an open mode");
  if (!last) return std::nullopt;
  out.arrangement.runs.push_back({1, *last});
  out.text = elaborator.value_text(shape) + ":" + elaborator.value_text(stride);
  return Value{std::move(out)};
}

bool accumulator_fits(Elaborator& elaborator, ScheduleId schedule, const ir::Module::Fold& fold,
                      const std::string& spelled, SourceSpan at) {
  ir::Module& module = elaborator.module;
  const std::set<ScheduleOp> operations = module.schedules().operations(schedule);
  const auto arithmetic = std::find_if(operations.begin(), operations.end(), ir::is_arithmetic);
  if (arithmetic == operations.end()) return true;
  const std::string text = ir::schedule_text(module, schedule);
  if (fold.operation != ir::Op::add || fold.user_operation.valid()) {
    elaborator.report(Diagnostic(code::bad_accumulator, at,
                                 fmt::format("`{}` says how a sum is accumulated, and this is `{}`", text, spelled),
                                 "only sums have such an order")
                          .help("give a plain order, such as `seq` or `tree`"));
    return false;
  }
  if (ir::is_integer(module.type(fold.body).scalar) && module.schedules().has_arithmetic(schedule)) {
    elaborator.report(Diagnostic(code::bad_accumulator, at,
                                 fmt::format("`{}` is about the rounding of floats, and sums of `{}` are not rounded",
                                             text, ir::scalar_name(module.type(fold.body).scalar)))
                          .help("give a plain order, such as `seq` or `tree`"));
    return false;
  }
  if (operations.contains(ScheduleOp::fused) && module[fold.body].op != ir::Op::mul) {
    elaborator.report(
        Diagnostic(code::bad_accumulator, at,
                   fmt::format("`{}` fuses products into sums, and the leaf of this sum is no product", text))
            .with(module.span(fold.body), "the leaf")
            .help("leave `fused` out, or sum products: `sum i: x[i] * y[i] by fused(seq)`"));
    return false;
  }
  if (operations.contains(ScheduleOp::binned)) {
    const ir::Scalar scalar = module.type(fold.body).scalar;
    if (ir::is_float(scalar) && scalar != ir::Scalar::f64 && scalar != ir::Scalar::f32) {
      elaborator.report(
          Diagnostic(code::bad_accumulator, at,
                     fmt::format("`binned` has bins for f32 and f64, and this is a sum of {}", ir::scalar_name(scalar)))
              .help("`rounded_once` gives the same bits in any order, too, or sum `f32(x[i])`"));
      return false;
    }
  }
  return true;
}

}  // namespace reckon::frontend
