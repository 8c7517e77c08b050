#include "frontend/parse/expression_builder.h"

#include <fmt/format.h>

#include "diagnostics/codes/syntax.h"
#include "frontend/parse/literals.h"
#include "frontend/parse/token_scan.h"

namespace reckon::frontend {

using antlr4::ParserRuleContext;
using antlr4::Token;

namespace {

/// An operator with its two sides, whichever labelled alternative it came from.
template <class Context>
struct Infix {
  const Token* op = nullptr;
  Context* lhs = nullptr;
  Context* rhs = nullptr;
};

template <class Context, class... Alternatives>
Infix<Context> infix_of(Context* context) {
  Infix<Context> found;
  const auto attempt = [&]<class Alternative>(Alternative*) {
    auto* alternative = dynamic_cast<Alternative*>(context);
    if (alternative != nullptr) found = {alternative->op, alternative->lhs, alternative->rhs};
    return alternative != nullptr;
  };
  (void)(attempt(static_cast<Alternatives*>(nullptr)) || ...);
  return found;
}

Infix<Parser::ExpressionContext> infix_in(Parser::ExpressionContext* context) {
  return infix_of<Parser::ExpressionContext, Parser::AndExpressionContext, Parser::OrExpressionContext,
                  Parser::ThenExpressionContext>(context);
}

Infix<Parser::ArithmeticContext> infix_in(Parser::ArithmeticContext* context) {
  return infix_of<Parser::ArithmeticContext, Parser::SumContext, Parser::ProductContext, Parser::ShiftContext,
                  Parser::BitAndContext, Parser::BitXorContext, Parser::BitOrContext>(context);
}

Infix<Parser::LimitContext> infix_in(Parser::LimitContext* context) {
  return infix_of<Parser::LimitContext, Parser::SumLimitContext, Parser::ProductLimitContext>(context);
}

Infix<Parser::GuardContext> infix_in(Parser::GuardContext* context) {
  return infix_of<Parser::GuardContext, Parser::AndGuardContext, Parser::OrGuardContext>(context);
}

/// The operators on the left side of a context, from the outermost; `context` is then what stands left of them all.
template <class Context>
std::vector<std::pair<Context*, Infix<Context>>> take_chain(Context*& context) {
  std::vector<std::pair<Context*, Infix<Context>>> chain;
  for (auto infix = infix_in(context); infix.op != nullptr; infix = infix_in(context)) {
    chain.emplace_back(context, infix);
    context = infix.lhs;
  }
  return chain;
}

}  // namespace

SourceSpan ExpressionBuilder::span(const Token* token) const { return span_of(token, file_); }

SourceSpan ExpressionBuilder::span(const ParserRuleContext* context) const {
  return span_of(context->start, file_).to(span_of(context->stop, file_));
}

std::string ExpressionBuilder::text(const Token* token) const {
  return std::string(text_.substr(token->getStartIndex(), token->getStopIndex() + 1 - token->getStartIndex()));
}

void ExpressionBuilder::names(const Parser::NameListContext* list, std::vector<std::string>& names,
                              std::vector<SourceSpan>& spans) const {
  if (list == nullptr) return;
  for (const Parser::NameContext* name : list->names) {
    names.push_back(text(name));
    spans.push_back(span(name));
  }
}

/// The operators of a chain around what stands left of them all, the innermost first.
template <class Chain>
ExprId ExpressionBuilder::join_chain(const Chain& chain, ExprId result) {
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    const auto& [whole, infix] = *link;
    const auto kind = infix.op->getType() == Parser::THEN ? ExprKind::then : ExprKind::binary;
    result = this->infix(kind, infix.op, whole, infix.lhs, result, build(infix.rhs));
  }
  return result;
}

ExprId ExpressionBuilder::build(Parser::ExpressionContext* context) {
  // Goes down the left side of a chain, and then up again.
  std::vector<std::pair<Parser::ExpressionContext*, Infix<Parser::ExpressionContext>>> chain;
  auto* plain = dynamic_cast<Parser::PlainExpressionContext*>(context);
  while (plain == nullptr) {
    const auto infix = infix_in(context);
    if (infix.op == nullptr) break;
    chain.emplace_back(context, infix);
    context = infix.lhs;
    plain = dynamic_cast<Parser::PlainExpressionContext*>(context);
  }
  ExprId result;
  if (plain != nullptr) {
    result = build(plain->operand);
  } else {
    auto* negated = static_cast<Parser::NotExpressionContext*>(context);
    result = prefix(negated->op, context, build(negated->operand));
  }
  return join_chain(chain, result);
}

ExprId ExpressionBuilder::build(Parser::ComparisonContext* context) {
  const ExprId lhs = build(context->lhs);
  if (context->op == nullptr) return lhs;
  if (!context->chained.empty()) report(chained_comparison(context));
  return infix(ExprKind::binary, context->op->start, context, context->lhs, lhs, build(context->rhs));
}

Diagnostic ExpressionBuilder::chained_comparison(Parser::ComparisonContext* context) const {
  const Token* second = context->chained.front()->start;
  const auto written = [&](const ParserRuleContext* part) {
    return std::string(text_.substr(span(part).begin, span(part).end - span(part).begin));
  };
  const std::string middle = written(context->rhs);
  const std::string whole =
      fmt::format("{} {} {} and {} {} {}", written(context->lhs), written(context->op), middle, middle,
                  written(context->chained.front()), written(context->range(2)));
  const bool short_enough = whole.size() <= 60 && whole.find('\n') == std::string::npos;
  return Diagnostic(code::syntax, span(second), fmt::format("comparisons do not chain: unexpected `{}`", text(second)),
                    "a second comparison")
      .help(fmt::format("write `{}`, or use parentheses", short_enough ? whole : "a < b and b < c"));
}

ExprId ExpressionBuilder::build(Parser::RangeContext* context) {
  const ExprId low = build(context->low);
  if (context->op == nullptr) return low;
  return infix(ExprKind::binary, context->op, context, context->low, low, build(context->high));
}

ExprId ExpressionBuilder::build(Parser::LayoutContext* context) {
  const ExprId shape = build(context->shape);
  if (context->op == nullptr) return shape;
  return infix(ExprKind::colon, context->op, context, context->shape, shape, build(context->stride));
}

ExprId ExpressionBuilder::build(Parser::ArithmeticContext* context) {
  std::vector<std::pair<Parser::ArithmeticContext*, Infix<Parser::ArithmeticContext>>> chain;
  auto* postfix = dynamic_cast<Parser::PostfixArithmeticContext*>(context);
  while (postfix == nullptr) {
    const auto infix = infix_in(context);
    if (infix.op == nullptr) break;
    chain.emplace_back(context, infix);
    context = infix.lhs;
    postfix = dynamic_cast<Parser::PostfixArithmeticContext*>(context);
  }
  ExprId result;
  if (postfix != nullptr) {
    result = build(postfix->operand);
  } else if (auto* binder = dynamic_cast<Parser::BinderArithmeticContext*>(context); binder != nullptr) {
    result = build(binder->operand);
  } else {
    auto* negation = static_cast<Parser::NegationContext*>(context);
    result = prefix(negation->op, context, build(negation->operand));
  }
  return join_chain(chain, result);
}

ExprId ExpressionBuilder::build(Parser::LimitContext* context) {
  const auto chain = take_chain(context);
  ExprId result;
  if (auto* postfix = dynamic_cast<Parser::PostfixLimitContext*>(context); postfix != nullptr) {
    result = build(postfix->operand);
  } else {
    auto* negated = static_cast<Parser::NegatedLimitContext*>(context);
    result = prefix(negated->op, context, build(negated->operand));
  }
  return join_chain(chain, result);
}

ExprId ExpressionBuilder::build(Parser::GuardContext* context) {
  const auto chain = take_chain(context);
  ExprId result;
  if (auto* plain = dynamic_cast<Parser::PlainGuardContext*>(context); plain != nullptr) {
    Parser::GuardComparisonContext* comparison = plain->operand;
    result = build(comparison->lhs);
    if (comparison->op != nullptr) {
      result = infix(ExprKind::binary, comparison->op->start, comparison, comparison->lhs, result, build(comparison->rhs));
    }
  } else {
    auto* negated = static_cast<Parser::NotGuardContext*>(context);
    result = prefix(negated->op, context, build(negated->operand));
  }
  return join_chain(chain, result);
}

ExprId ExpressionBuilder::build(Parser::PostfixContext* context) {
  ExprId result = build(context->head);
  for (Parser::SuffixContext* suffix : context->suffixes) {
    const SourceSpan whole = span(context->start).to(span(suffix->stop));
    if (auto* call = dynamic_cast<Parser::CallSuffixContext*>(suffix); call != nullptr) {
      std::vector<ExprId> arguments = build(call->arguments);
      if (call->limited != nullptr) {  // the same as `at_most(k)`
        const SourceSpan limit = span(call->limited).to(span(call->limit_->stop));
        arguments.push_back(applied(ExprKind::call, limit, named(call->limited), {build(call->limit_)}));
      }
      result = applied(ExprKind::call, whole, result, std::move(arguments));
    } else if (auto* part = dynamic_cast<Parser::MemberSuffixContext*>(suffix); part != nullptr) {
      Expr expression;
      expression.kind = ExprKind::member;
      expression.span = whole;
      expression.operator_span = span(part->member);
      expression.text = text(part->member);
      expression.children = {result};
      result = add(std::move(expression));
    } else {
      auto* index = static_cast<Parser::IndexSuffixContext*>(suffix);
      result = applied(ExprKind::index, whole, result, build(index->arguments));
    }
  }
  return pinned(result, context->start, context->pinned);
}

ExprId ExpressionBuilder::pinned(ExprId stage, antlr4::Token* start, Parser::PinContext* pin) {
  if (pin == nullptr) return stage;
  Expr expression;
  expression.kind = ExprKind::pinned;
  expression.span = span(start).to(span(pin->stop));
  expression.operator_span = span(pin->level->token);
  expression.text = pin->level->token->getText();
  expression.children = {stage};
  return add(std::move(expression));
}

std::vector<ExprId> ExpressionBuilder::build(const std::vector<Parser::ExpressionContext*>& contexts) {
  std::vector<ExprId> results;
  results.reserve(contexts.size());
  for (Parser::ExpressionContext* context : contexts) results.push_back(build(context));
  return results;
}

ExprId ExpressionBuilder::build(Parser::PrimaryContext* context) {
  if (auto* number = dynamic_cast<Parser::NumberContext*>(context)) return literal(ExprKind::number, number->value);
  if (auto* variable = dynamic_cast<Parser::VariableContext*>(context)) return named(variable->value->token);
  if (auto* qualified = dynamic_cast<Parser::QualifiedNameContext*>(context)) return named(qualified->value);
  if (auto* extremum = dynamic_cast<Parser::ExtremumContext*>(context)) return named(extremum->value);
  if (auto* group = dynamic_cast<Parser::ParenthesisedContext*>(context)) {
    return this->group(group, build(group->elements));
  }
  if (auto* bits = dynamic_cast<Parser::BitPatternContext*>(context))
    return literal(ExprKind::bit_pattern, bits->value);
  if (auto* string = dynamic_cast<Parser::StringContext*>(context)) return literal(ExprKind::string, string->value);
  if (auto* boolean = dynamic_cast<Parser::BooleanContext*>(context)) return literal(ExprKind::boolean, boolean->value);
  if (auto* listing = dynamic_cast<Parser::ListingContext*>(context)) return list(listing, build(listing->elements));
  if (auto* tree = dynamic_cast<Parser::QuotedContext*>(context)) return quoted(tree->tree);
  if (auto* block = dynamic_cast<Parser::BlockPrimaryContext*>(context)) return build(block->body);

  // `else if` is flat in the grammar and nests to the right in the tree.
  auto* choice = static_cast<Parser::ConditionalContext*>(context);
  std::vector<std::pair<ExprId, ExprId>> arms;
  for (std::size_t i = 0; i < choice->conditions.size(); ++i) {
    const ExprId condition = build(choice->conditions[i]);
    arms.emplace_back(condition, build(choice->branches[i]));
  }
  ExprId result = build(choice->otherwise);
  for (std::size_t i = arms.size(); i-- > 0;) {
    const SourceSpan keyword = span(choice->ifs[i]);
    result = conditional(keyword.to(span(choice->stop)), keyword, arms[i].first, arms[i].second, result);
  }
  return result;
}

std::string ExpressionBuilder::contents(const antlr4::Token* string) {
  if (string == nullptr) return {};
  Expected<std::string> out = read_string(text(string), span(string));
  if (out) return std::move(*out);
  report(std::move(out.error()));
  return {};
}

ExprId ExpressionBuilder::build(Parser::BlockContext* context) {
  std::vector<LetBinding> lets;
  for (Parser::BindingContext* each : context->bindings) {
    LetBinding let;
    if (const auto* claim = dynamic_cast<Parser::AssertBindingContext*>(each)) {
      let.value = build(claim->claim);
      let.reason = contents(claim->reason);
      lets.push_back(std::move(let));
      continue;
    }
    const auto* binding = static_cast<Parser::LetBindingContext*>(each);
    if (binding->target != nullptr) {
      let.names.push_back(text(binding->target));
      let.spans.push_back(span(binding->target));
      if (binding->declared != nullptr) let.type = type(binding->declared);
    } else {
      names(binding->targets, let.names, let.spans);
      let.is_tuple = true;
    }
    let.value = build(binding->value);
    lets.push_back(std::move(let));
  }
  const ExprId result = build(context->result);
  Expr block;
  block.kind = ExprKind::block;
  block.span = span(context);
  block.operator_span = span(context->start);
  block.lets = std::move(lets);
  block.children = {result};
  return add(std::move(block));
}

ExprId ExpressionBuilder::build(Parser::BinderContext* context) {
  if (auto* index = dynamic_cast<Parser::IndexBinderContext*>(context)) {
    BinderParts parts;
    if (index->operation != nullptr) parts.operation = build(index->operation);
    if (index->start != nullptr) parts.start = build(index->start);
    parts.names = bounds(index->ranges);
    if (index->condition != nullptr) parts.guard = build(index->condition);
    parts.body = build(index->body);
    if (index->order != nullptr) parts.schedule = build(index->order);
    if (index->otherwise != nullptr) parts.otherwise = build(index->otherwise);
    return bound(index, std::move(parts));
  }
  auto* length = static_cast<Parser::LengthBinderContext*>(context);
  return this->length(length, build(length->body));
}

std::vector<BinderName> ExpressionBuilder::bounds(Parser::IndicesContext* context) {
  std::vector<BinderName> names;
  for (Parser::IndexContext* index : context->bounds) {
    const ExprId bound = index->bound != nullptr ? build(index->bound) : ExprId{};
    names.push_back({text(index->target), span(index->target), bound});
  }
  return names;
}

ExprId ExpressionBuilder::build(Parser::ScheduleContext* context) {
  ExprId result = build(context->stages.front());
  for (std::size_t i = 1; i < context->stages.size(); ++i) {
    Parser::StageContext* stage = context->stages[i];
    const ExprId rhs = build(stage);
    Expr joined;
    joined.kind = ExprKind::then;
    joined.span = span(context->start).to(span(stage->stop));
    joined.operator_span = span(context->ops[i - 1]);
    joined.children = {result, rhs};
    result = add(std::move(joined));
  }
  return result;
}

ExprId ExpressionBuilder::build(Parser::StageContext* context) {
  if (auto* named_stage = dynamic_cast<Parser::NamedStageContext*>(context)) {
    ExprId result = named(named_stage->head->token);
    for (Parser::ScheduleCallContext* call : named_stage->suffixes) {
      result = applied(ExprKind::call, span(context->start).to(span(call->stop)), result, build(call->arguments));
    }
    return pinned(result, context->start, named_stage->pinned);
  }
  if (auto* group = dynamic_cast<Parser::GroupedStageContext*>(context)) {
    const ExprId inner = build(group->inner);
    program_.expressions[inner.index].parenthesised = true;
    return pinned(inner, context->start, group->pinned);
  }
  return quoted(static_cast<Parser::QuotedStageContext*>(context)->tree);
}

TypeExpr ExpressionBuilder::type(Parser::TypeContext* context) {
  TypeExpr result;
  result.span = span(context);
  if (auto* named = dynamic_cast<Parser::NamedTypeContext*>(context)) {
    result.name = text(named->typeName);
    for (Parser::ExpressionContext* dim : named->dims) result.dims.push_back(build(dim));
    if (named->storage != nullptr) result.storage = build(named->storage);
    return result;
  }
  auto* tuple = static_cast<Parser::TupleTypeContext*>(context);
  for (Parser::TypeContext* part : tuple->parts) result.parts.push_back(type(part));
  if (tuple->storage != nullptr) result.storage = build(tuple->storage);
  return result;
}

SemanticsRef ExpressionBuilder::semantics(Parser::SemanticsContext* context) {
  SemanticsRef result;
  result.name = text(context->semanticsName);
  result.span = span(context);
  for (Parser::ExpressionContext* argument : context->arguments)
    result.arguments.push_back(build(argument));
  return result;
}

}  // namespace reckon::frontend
