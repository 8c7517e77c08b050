// `mma`: sums of products on tensor cores, which generation's, and in which formats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/bad_accumulator.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/schedules.h"
#include "ir/bind.h"
#include "ir/op.h"

namespace reckon::frontend {

using ir::NodeId;
using ir::Op;
using ir::ScheduleId;
using ir::ScheduleOp;
using numerics::Format;

namespace {

constexpr const char* forms =
    "write `mma(hopper)`, or state the formats of the accumulator and of the factors: `mma(hopper, f32, f16)`";

constexpr const char* layouts =
    "the layout of an instruction's operand is `mma(\"SM80_16x8x16_F32F16F16F32_TN\", \"A\")`";

std::string_view name_of(numerics::MmaModel model) {
  return numerics::mma_model_names[static_cast<std::size_t>(model)];
}

/// The formats that the model's tensor cores multiply, with this accumulator if one is given.
std::string multiplied(numerics::MmaModel model, std::optional<Format> accumulator) {
  std::vector<std::string> names;
  for (const numerics::MmaUnit& unit : numerics::mma_units()) {
    if (unit.model != model || (accumulator && unit.accumulator != *accumulator)) continue;
    const std::string name = fmt::format("`{}`", numerics::traits(unit.operand).name);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

/// The narrowest format that these tensor cores multiply, with their accumulator, and that holds the given one; the
/// given one itself if there is none.
Format multiplied_format(const ir::TensorCores& cores, Format given) {
  std::optional<Format> best;
  for (const numerics::MmaUnit& unit : numerics::mma_units()) {
    if (unit.model != cores.model || unit.accumulator != cores.accumulator || !numerics::holds(unit.operand, given))
      continue;
    if (!best || numerics::word_width(unit.operand) < numerics::word_width(*best)) best = unit.operand;
  }
  return best.value_or(given);
}

/// The format that a factor is converted from; its own, if it is no conversion to a format that holds it. A literal
/// fits into any format that has its value, and gives nothing.
std::optional<Format> declared_format(const ir::Module& module, NodeId factor) {
  const ir::Node& node = module[factor];
  const Format own = ir::format_of(module.type(factor).scalar);
  switch (node.op) {
    case Op::convert: {
      const ir::Scalar from = module.type(node.operands[0]).scalar;
      return ir::is_float(from) && numerics::holds(own, ir::format_of(from)) ? ir::format_of(from) : own;
    }
    case Op::neg:
    case Op::abs: return declared_format(module, node.operands[0]);
    case Op::element: {
      const ir::Node& tensor = module[node.operands[0]];
      return tensor.op == Op::map ? declared_format(module, tensor.operands[0]) : own;
    }
    case Op::literal: return std::nullopt;
    default: return own;
  }
}

/// Whether the literal is a number of the format, under every semantics.
bool has_literal(const ir::Module& module, NodeId factor, Format format) {
  if (numerics::holds(format, ir::format_of(module.type(factor).scalar))) return true;
  const ir::Literal& literal = module.literal_of(factor);
  if (literal.kind != ir::Literal::Kind::rational) return false;
  const auto rounded = numerics::exact_value(numerics::round_rational(literal.value, format), format);
  return rounded && *rounded == literal.value;
}

/// A term that gives `mma` nodes that are no leaves; nothing: every `mma` meets the leaves.
std::optional<ScheduleId> after_a_stage(const ir::ScheduleStore& schedules, ScheduleId whole) {
  for (ScheduleId term : schedules.terms(whole)) {
    const ir::ScheduleNode& node = schedules[term];
    if (node.op != ScheduleOp::then && node.op != ScheduleOp::stage_then) continue;
    if (schedules.operations(node.operands[1]).contains(ScheduleOp::mma)) return term;
  }
  return std::nullopt;
}

}  // namespace

Maybe elaborate_tensor_cores(Elaborator& elaborator, const Context& context, const Expr& expression) {
  const std::size_t given = expression.children.size() - 1;
  if (given < 1 || given > 3) {
    return elaborator.report(Diagnostic(code::argument_count, expression.span,
                                        fmt::format("`mma` takes 1 to 3 arguments and was given {}", given))
                                 .help(forms)
                                 .help(layouts));
  }
  const Expr& word = elaborator.expr(context, expression.children[1]);
  const auto* const end = std::end(numerics::mma_model_names);
  const auto* const model = std::find(std::begin(numerics::mma_model_names), end, word.text);
  if (word.kind != ExprKind::name || model == end) {
    Diagnostic unknown(code::unknown_name, word.span,
                       word.kind == ExprKind::name ? fmt::format("no tensor cores are called `{}`", word.text)
                                                   : "the first argument of `mma` is the name of a GPU generation");
    const std::vector<std::string> names(std::begin(numerics::mma_model_names), end);
    const auto near = word.kind == ExprKind::name ? nearest_name(word.text, names) : std::nullopt;
    unknown.helps.push_back(near ? fmt::format("did you mean `{}`?", *near)
                                 : fmt::format("there are {}", fmt::join(names, ", ")));
    if (word.kind != ExprKind::name) unknown.helps.emplace_back(layouts);
    return elaborator.report(std::move(unknown));
  }
  ir::TensorCores cores;
  cores.model = static_cast<numerics::MmaModel>(model - std::begin(numerics::mma_model_names));
  std::optional<Format>* const formats[] = {&cores.accumulator, &cores.operand};
  for (std::size_t k = 2; k <= given; ++k) {
    const auto value = elaborator.elaborate(context, expression.children[k]);
    if (!value) return std::nullopt;
    const auto* type = value->get_if<TypeValue>();
    if (type == nullptr || type->indexed || !ir::is_float(type->scalar)) {
      return elaborator.report(
          Diagnostic(code::type_mismatch, elaborator.expr(context, expression.children[k]).span,
                     fmt::format("`mma` takes a float format here, and this is {}", elaborator.kind_text(*value)))
              .help(forms));
    }
    *formats[k - 2] = ir::format_of(type->scalar);
  }
  if (cores.operand && cores.unit() == nullptr) {
    return elaborator.report(
        Diagnostic(code::bad_accumulator, expression.span,
                   fmt::format("{}'s tensor cores have no products of `{}` with `{}` as accumulator",
                               name_of(cores.model), numerics::traits(*cores.operand).name,
                               numerics::traits(*cores.accumulator).name))
            .help(fmt::format("with `{}` they multiply {}", numerics::traits(*cores.accumulator).name,
                              multiplied(cores.model, cores.accumulator))));
  }
  return Value{ScheduleValue{elaborator.module.schedules().mma(cores)}};
}

std::optional<ScheduleId> tensor_cores_of(Elaborator& elaborator, ScheduleId schedule, const ir::Module::Fold& fold,
                                          SourceSpan at) {
  ir::Module& module = elaborator.module;
  ir::ScheduleStore& schedules = module.schedules();
  if (!schedules.operations(schedule).contains(ScheduleOp::mma)) return schedule;
  const std::string text = ir::schedule_text(module, schedule);
  const auto refuse = [&](const std::string& message, const std::string& help) {
    return elaborator.report(
        Diagnostic(code::bad_accumulator, at, message).with(module.span(fold.body), "the leaf").help(help));
  };
  if (module[fold.body].op != Op::mul) {
    return refuse(fmt::format("`{}` multiplies on tensor cores, and the leaf of this sum is no product", text),
                  "sum products: `sum i: f32(x[i]) * f32(y[i]) by mma(hopper)`");
  }
  if (const auto wrong = after_a_stage(schedules, schedule)) {
    return refuse(fmt::format("in `{}` the products are joined before `mma` meets them",
                              ir::schedule_text(module, *wrong)),
                  "let `mma` take the leaves: `tile(64, mma(hopper)) then seq`");
  }
  const Format sum = ir::format_of(module.type(fold.body).scalar);
  const std::vector<NodeId> factors = module[fold.body].operands;
  const auto x = declared_format(module, factors[0]), y = declared_format(module, factors[1]);
  std::optional<Format> operand = x ? x : y;
  if (x && y && *x != *y) {
    operand = numerics::holds(*x, *y) ? x : numerics::holds(*y, *x) ? y : std::nullopt;
    if (!operand) {
      return refuse(fmt::format("tensor cores multiply numbers of one format, and these are of `{}` and `{}`",
                                numerics::traits(*x).name, numerics::traits(*y).name),
                    "convert one of them first: `f32(f16(x[i])) * f32(y[i])`");
    }
  }
  if (!operand) operand = sum;
  const ScheduleId whole = schedules.with_tensor_cores(schedule, [&](ir::TensorCores cores) {
    if (!cores.accumulator) cores.accumulator = sum;
    if (!cores.operand) cores.operand = multiplied_format(cores, *operand);
    return cores;
  });
  for (ScheduleId term : schedules.terms(whole)) {
    const ir::ScheduleNode node = schedules[term];
    if (node.op != ScheduleOp::mma) continue;
    const ir::TensorCores& cores = *node.mma;
    const auto name = [](std::optional<Format> format) { return std::string(numerics::traits(*format).name); };
    if (!cores.operand || !cores.accumulator) {
      return refuse("a schedule that refers to itself states the formats of `mma`",
                    fmt::format("write `mma({}, {}, {})`", name_of(cores.model), name(sum), name(operand)));
    }
    if (!numerics::holds(sum, *cores.accumulator)) {
      return refuse(fmt::format("`{}` accumulates in `{}`, and this is a sum of `{}`", ir::schedule_text(module, term),
                                name(cores.accumulator), name(sum)),
                    fmt::format("leave the accumulator out, or sum `{}`", name(cores.accumulator)));
    }
    if (cores.unit() == nullptr) {
      const bool widened = *cores.operand == sum;
      const bool accumulates = cores.accumulator == Format::f32 || cores.accumulator == Format::f16;
      return refuse(fmt::format("{}'s tensor cores have no products of `{}` with `{}` as accumulator",
                                name_of(cores.model), name(cores.operand), name(cores.accumulator)),
                    widened
                        ? fmt::format("they multiply {}: convert the factors, as in `f32(f16(x[i])) * f32(f16(y[i]))`",
                                      multiplied(cores.model, std::nullopt))
                    : accumulates ? fmt::format("with `{}` they multiply {}", name(cores.accumulator),
                                                multiplied(cores.model, cores.accumulator))
                                  : "sum `f32`: `sum i: f32(x[i]) * f32(y[i])`");
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const auto declared = k == 0 ? x : y;
      const bool fits =
          declared ? numerics::holds(*cores.operand, *declared) : has_literal(module, factors[k], *cores.operand);
      if (fits) continue;
      return refuse(fmt::format("`{}` multiplies numbers of `{}`, and this factor is none",
                                ir::schedule_text(module, term), name(cores.operand)),
                    fmt::format("convert it first: `{0}({1}(x[i]))`", name(sum), name(cores.operand)));
    }
  }
  return whole;
}

}  // namespace reckon::frontend
