// Names, blocks, conditionals, lists and subscripts.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_literal.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/schedule_needed.h"
#include "diagnostics/codes/static_depth.h"
#include "diagnostics/codes/static_needed.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/undecided_condition.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/assertions.h"
#include "frontend/binders.h"
#include "frontend/calls.h"
#include "frontend/elaborator.h"
#include "frontend/foreign_names.h"
#include "frontend/kernels.h"
#include "frontend/layouts/layouts.h"
#include "frontend/operators.h"
#include "frontend/parse/slashes.h"
#include "frontend/records.h"
#include "frontend/schedules.h"
#include "frontend/views.h"
#include "ir/integer.h"
#include "numerics/format.h"

namespace reckon::frontend {
namespace {

// Static code may recurse 10,000 deep and take ten million steps (docs/language.md, "Two stages").
constexpr std::uint32_t deepest = 30'000;  // one call is a few levels of expressions
constexpr std::uint64_t max_steps = 10'000'000;

}  // namespace

std::nullopt_t Elaborator::report(Diagnostic diagnostic) {
  diagnostics.push_back(std::move(diagnostic));
  return std::nullopt;
}

namespace {

Maybe elaborate_chain(Elaborator& elaborator, const Context& context, ExprId id) {
  ir::Module& module = elaborator.module;
  // `a + b + c + ...` leans to the left and may have a hundred thousand terms: walk down it with a loop.
  std::vector<ExprId> spine;
  ExprId at = id;
  while (elaborator.expr(context, at).kind == ExprKind::binary) {
    spine.push_back(at);
    at = elaborator.expr(context, at).children[0];
  }
  auto left = elaborator.elaborate(context, at);
  while (left && !spine.empty()) {
    const Expr& node = elaborator.expr(context, spine.back());
    spine.pop_back();
    auto right = elaborator.elaborate(context, node.children[1]);
    if (!right) return right;
    left = binary(elaborator, node.text, *left, *right, node, elaborator.expr(context, node.children[0]).span,
                  elaborator.expr(context, node.children[1]).span);
    if (left) {
      if (auto* dynamic = left->get_if<DynamicValue>()) module.places().put(dynamic->node, node.span);
    }
  }
  return left;
}

Maybe elaborate_name(Elaborator& elaborator, const Context& context, const Expr& expression) {
  if (const Value* local = context.scope->find(expression.text)) return *local;
  const Environment& environment = *elaborator.programs[context.program].environment;
  if (const Value* global = elaborator.global_value(environment, expression.text, expression.span)) return *global;
  if (environment.definitions.contains(expression.text)) return std::nullopt;  // mistakes have been reported
  if (auto found = elaborator.predefined.find(expression.text); found != elaborator.predefined.end())
    return found->second;
  if (elaborator.programs[context.program].tree.unreadable.contains(expression.text)) return std::nullopt;  // the same
  Diagnostic diagnostic(code::unknown_name, expression.span, fmt::format("`{}` is not defined", expression.text));
  std::vector<std::string> names = elaborator.all_names(environment);
  context.scope->collect(names);
  if (behind_slashes(elaborator.sources.text(expression.span.file), expression.span.begin)) {
    diagnostic.helps.emplace_back(comment_help);
  } else if (const std::string_view help = foreign_name_help(expression.text); !help.empty()) {
    diagnostic.helps.emplace_back(help);
  } else if (auto near = nearest_name(expression.text, names)) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.suggestion = Suggestion{expression.span, *near};
  }
  return elaborator.report(std::move(diagnostic));
}

Maybe elaborate_block(Elaborator& elaborator, const Context& context, const Expr& expression) {
  Scope scope(context.scope);
  const Context inner = context.in(scope);
  for (const LetBinding& let : expression.lets) {
    if (let.is_claim()) {
      if (!is_asserted(elaborator, inner, let.value, let.reason)) return std::nullopt;
      continue;
    }
    auto value = let.type ? elaborator.of_stated_type(inner, *let.type, let.value, let.names[0])
                          : elaborator.elaborate(inner, let.value);
    if (!value) return value;
    if (let.names.size() == 1) {
      scope.bind(let.names[0], std::move(*value));
      continue;
    }
    auto parts = elaborator.parts_of_tuple(*value, let.names.size(), elaborator.expr(context, let.value).span);
    if (!parts) return std::nullopt;
    for (std::size_t k = 0; k < parts->size(); ++k) scope.bind(let.names[k], std::move((*parts)[k]));
  }
  return elaborator.elaborate(inner, expression.children[0]);
}

Maybe elaborate_conditional(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ir::Module& module = elaborator.module;
  auto condition = elaborator.elaborate(context, expression.children[0]);
  if (!condition) return condition;
  if (auto* known = condition->get_if<bool>())
    return elaborator.elaborate(context, expression.children[*known ? 1 : 2]);
  const SourceSpan at = elaborator.expr(context, expression.children[0]).span;
  if (auto* symbolic = condition->get_if<SymbolicCondition>()) {
    auto first = elaborator.elaborate(context, expression.children[1]);
    if (!first) return first;
    auto second = elaborator.elaborate(context, expression.children[2]);
    if (!second) return second;
    auto* a = first->get_if<ScheduleValue>();
    auto* b = second->get_if<ScheduleValue>();
    if (a && b) {
      const bool stages[] = {ir::is_stage(module.schedules()[a->schedule].op),
                             ir::is_stage(module.schedules()[b->schedule].op)};
      if (stages[0] || stages[1]) {
        return elaborator.report(
            Diagnostic(code::schedule_needed, at, "a choice by length is between schedules, not stages")
                .help("put the choice around the whole schedule: `if c { A then S } else { B then S }`"));
      }
      return Value{ScheduleValue{module.schedules().conditional(symbolic->condition, a->schedule, b->schedule)}};
    }
    return elaborator.report(
        Diagnostic(code::undecided_condition, at, "this condition is not known before anything runs")
            .help("choose between values with `select(c, a, b)`; choose between schedules under `length n:`"));
  }
  if (condition->is<DynamicValue>()) {
    return elaborator.report(Diagnostic(code::static_needed, at, "a circuit has no branches on its values",
                                        fmt::format("this is {}", elaborator.kind_text(*condition)))
                                 .help("use `select(c, a, b)`"));
  }
  return elaborator.fail(code::type_mismatch, at,
                         fmt::format("a condition is needed, and this is {}", elaborator.kind_text(*condition)));
}

Maybe elaborate_list(Elaborator& elaborator, const Context& context, const Expr& expression) {
  ListValue list;
  for (ExprId child : expression.children) {
    auto value = elaborator.elaborate(context, child);
    if (!value) return value;
    list.elements.push_back(std::move(*value));
    list.spans.push_back(elaborator.expr(context, child).span);
  }
  return Value{std::move(list)};
}

/// `x[1:n]`, which would be a layout.
Maybe refuse_slice(Elaborator& elaborator, const Context& context, const Expr& expression, const Expr& range) {
  const auto text = [&](ExprId id) { return std::string(elaborator.sources.text(elaborator.expr(context, id).span)); };
  const std::string tensor = text(expression.children[0]), low = text(range.children[0]), high = text(range.children[1]);
  Diagnostic diagnostic(code::static_needed, range.span, "a subscript is one index, and this is a range of them");
  diagnostic.helps.push_back(
      expression.children.size() > 2 ? "a part of a tensor is written by its elements: `for i < 4: x[i, j]`"
      : low == "0" ? fmt::format("a part of a tensor is written by its elements: `for i < {}: {}[i]`", high, tensor)
                   : fmt::format("a part of a tensor is written by its elements: `for i < {} - {}: {}[i + {}]`", high, low,
                                 tensor, low));
  return elaborator.report(std::move(diagnostic));
}

Maybe elaborate_index(Elaborator& elaborator, const Context& context, const Expr& expression) {
  auto base = elaborator.elaborate(context, expression.children[0]);
  if (!base) return base;
  const bool has_elements = base->is<DynamicValue>() || base->is<ListValue>();
  std::vector<Value> subscripts;
  std::vector<const Expr*> written;
  for (std::size_t k = 1; k < expression.children.size(); ++k) {
    const Expr& subscript = elaborator.expr(context, expression.children[k]);
    if (has_elements && subscript.kind == ExprKind::colon) return refuse_slice(elaborator, context, expression, subscript);
    auto value = elaborator.elaborate(context, expression.children[k]);
    if (!value) return value;
    subscripts.push_back(std::move(*value));
    written.push_back(&subscript);
  }
  if (auto* circuit = base->get_if<CircuitValue>()) {
    if (circuit->given)
      return elaborator.fail(code::not_indexable, expression.span, "static arguments are given twice");
    if (is_kernel(elaborator, *circuit))
      return kernel_value(elaborator, circuit->declaration, subscripts, expression.span);
    return Value{CircuitValue{circuit->declaration, std::move(subscripts), true}};
  }
  if (auto* record = base->get_if<RecordValue>()) {
    if (!record->static_arguments.empty())
      return elaborator.fail(code::not_indexable, expression.span, "static arguments are given twice");
    return Value{RecordValue{record->record, std::move(subscripts)}};
  }
  if (auto* type = base->get_if<TypeValue>()) {
    if (type->indexed)
      return elaborator.fail(code::not_indexable, expression.span, "this type has its dimensions already");
    return Value{TypeValue{type->scalar, std::move(subscripts), true}};
  }
  if (auto* dynamic = base->get_if<DynamicValue>(); dynamic && dynamic->view) {
    const bool nested = std::any_of(subscripts.begin(), subscripts.end(),
                                    [](const Value& subscript) { return subscript.is<TupleValue>(); });
    if (nested) return view_element(elaborator, *dynamic->view, subscripts, written, context, expression);
  }
  return element(elaborator, *base, subscripts, written, expression);
}

/// A literal pattern has bits that its format does not have.
Diagnostic beyond_pattern(const Expr& literal, ir::Format format) {
  const numerics::FormatTraits& traits = numerics::traits(format);
  const bool too_long = (literal.bits & ~numerics::width_mask(format)) != 0;
  Diagnostic out(code::bad_literal, literal.span,
                 too_long ? fmt::format("a pattern of `{}` has {} bits", literal.text, traits.width)
                          : fmt::format("a pattern of `{}` ends in {} zero bits", literal.text, traits.unused));
  const std::uint64_t kept = literal.bits & numerics::storage_mask(format);
  out.helps.push_back(fmt::format("this value is `{}#{}`", literal.text, numerics::bit_digits(kept, format)));
  if (!too_long) out.helps.push_back("to round an f32, write `tf32(f32#...)`");
  return out;
}

Maybe elaborate_kind(Elaborator& elaborator, const Context& context, const Expr& expression, ExprId id) {
  ir::Module& module = elaborator.module;
  switch (expression.kind) {
    case ExprKind::number: return Value{expression.value};
    case ExprKind::bit_pattern: {
      const auto scalar = ir::scalar_named(expression.text);
      if (!scalar) {
        return elaborator.report(
            Diagnostic(code::not_available, expression.span,
                       fmt::format("the format `{}` is not available in this version", expression.text))
                .help("`docs/semantics.md` lists the formats, and their names in programs"));
      }
      if (ir::is_integer(*scalar)) {
        return Value{DynamicValue{module.rational(ir::integer_of(*scalar, expression.bits), *scalar)}};
      }
      if (const ir::Format format = ir::format_of(*scalar); (expression.bits & ~numerics::storage_mask(format)) != 0) {
        return elaborator.report(beyond_pattern(expression, format));
      }
      ir::Literal literal;
      literal.kind = ir::Literal::Kind::bits;
      literal.bits = expression.bits;
      return Value{DynamicValue{module.literal(literal, *scalar)}};
    }
    case ExprKind::string: return Value{expression.text};
    case ExprKind::boolean: return Value{expression.bits != 0};
    case ExprKind::name: return elaborate_name(elaborator, context, expression);
    case ExprKind::unary: {
      auto value = elaborator.elaborate(context, expression.children[0]);
      if (!value) return value;
      const Expr& operand = elaborator.expr(context, expression.children[0]);
      auto out = unary(elaborator, expression.text, *value, expression, operand.span);
      if (out && expression.text == "-" && operand.kind == ExprKind::number) out->negative_zero = operand.value == 0;
      return out;
    }
    case ExprKind::binary: return elaborate_chain(elaborator, context, id);
    case ExprKind::call: return elaborate_call(elaborator, context, expression);
    case ExprKind::index: return elaborate_index(elaborator, context, expression);
    case ExprKind::tuple: {
      TupleValue tuple;
      for (ExprId child : expression.children) {
        auto value = elaborator.elaborate(context, child);
        if (!value) return value;
        tuple.parts.push_back(std::move(*value));
      }
      return Value{std::move(tuple)};
    }
    case ExprKind::list: return elaborate_list(elaborator, context, expression);
    case ExprKind::colon: return elaborate_colon(elaborator, context, expression);
    case ExprKind::binder: return elaborate_binder(elaborator, context, expression);
    case ExprKind::conditional: return elaborate_conditional(elaborator, context, expression);
    case ExprKind::block: return elaborate_block(elaborator, context, expression);
    case ExprKind::quoted: return elaborate_quoted(elaborator, expression);
    case ExprKind::then: return elaborate_then(elaborator, context, expression);
    case ExprKind::length: return elaborate_length(elaborator, context, expression);
    case ExprKind::member: return elaborate_member(elaborator, context, expression);
    case ExprKind::pinned: return elaborate_pin(elaborator, context, expression);
  }
  return std::nullopt;
}

}  // namespace

Maybe Elaborator::elaborate(const Context& context, ExprId id) {
  const Expr& expression = expr(context, id);
  if (++steps_ > max_steps || depth_ > deepest) {
    if (!gave_up_) {
      gave_up_ = true;
      report(Diagnostic(code::static_depth, expression.span,
                        steps_ > max_steps ? "static evaluation took more than 10,000,000 steps"
                                           : "static evaluation is nested more than 10,000 calls deep")
                 .help("a recursive `let` needs a case that does not call itself"));
    }
    return std::nullopt;
  }
  ++depth_;
  auto value = elaborate_kind(*this, context, expression, id);
  --depth_;
  if (value) {
    if (auto* dynamic = value->get_if<DynamicValue>()) module.places().put(dynamic->node, expression.span);
  }
  return value;
}

std::optional<std::vector<Value>> Elaborator::parts_of_tuple(const Value& value, std::size_t count, SourceSpan at) {
  std::vector<Value> parts;
  if (auto* tuple = value.get_if<TupleValue>()) {
    parts = tuple->parts;
  } else if (auto* dynamic = value.get_if<DynamicValue>();
             dynamic && module.type(dynamic->node).kind == ir::TypeKind::tuple) {
    const std::size_t all = module.type(dynamic->node).parts.size();
    for (std::size_t k = 0; k < all; ++k) {
      parts.push_back({DynamicValue{module.get(dynamic->node, static_cast<std::uint32_t>(k))}});
    }
  }
  if (value.record != nullptr) {
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].record = value.record->of_parts[k];
  }
  if (parts.size() == count) return parts;
  const std::string what =
      parts.empty() ? kind_text(value) : fmt::format("a tuple of {} part{}", parts.size(), parts.size() == 1 ? "" : "s");
  report(Diagnostic(code::type_mismatch, at, fmt::format("{} names are bound, and this is {}", count, what)));
  return std::nullopt;
}

}  // namespace reckon::frontend
