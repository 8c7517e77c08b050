// Makes single nodes of the syntax tree from children that are already made. It is separate from the recursion of
// expression_builder.cpp, whose stack frames are to stay small.
#include <fmt/format.h>

#include "diagnostics/codes/bad_quoted_tree.h"
#include "diagnostics/codes/syntax.h"
#include "frontend/parse/expression_builder.h"
#include "frontend/parse/literals.h"

namespace reckon::frontend {

using antlr4::ParserRuleContext;
using antlr4::Token;

ExprId ExpressionBuilder::add(Expr expression) {
  const ExprId id{static_cast<std::uint32_t>(program_.expressions.size())};
  program_.expressions.push_back(std::move(expression));
  return id;
}

ExprId ExpressionBuilder::infix(ExprKind kind, const Token* op, const ParserRuleContext* whole,
                                const ParserRuleContext* left, ExprId lhs, ExprId rhs) {
  if (const auto found = schedule_ends_.find(left->stop); found != schedule_ends_.end()) {
    const SourceSpan binder = span(found->second);
    report(Diagnostic(code::syntax, span(op), fmt::format("the operator `{}` follows a schedule", text(op)),
                      "not part of the schedule")
               .with(binder, "this reduction ends before it")
               .help("put the reduction in parentheses: `(sum i: x[i] by seq) / f32(n)`")
               .suggest(binder, fmt::format("({})", text_.substr(binder.begin, binder.end - binder.begin))));
  }
  Expr expression;
  expression.kind = kind;
  expression.span = span(whole);
  expression.operator_span = span(op);
  if (kind == ExprKind::binary) expression.text = text(op);
  expression.children = {lhs, rhs};
  return add(std::move(expression));
}

ExprId ExpressionBuilder::prefix(const Token* op, const ParserRuleContext* whole, ExprId operand) {
  Expr expression;
  expression.kind = ExprKind::unary;
  expression.span = span(whole);
  expression.operator_span = span(op);
  expression.text = text(op);
  expression.children = {operand};
  return add(std::move(expression));
}

ExprId ExpressionBuilder::applied(ExprKind kind, SourceSpan whole, ExprId head, std::vector<ExprId> arguments) {
  Expr expression;
  expression.kind = kind;
  expression.span = whole;
  expression.operator_span = program_[head].span;
  arguments.insert(arguments.begin(), head);
  expression.children = std::move(arguments);
  return add(std::move(expression));
}

ExprId ExpressionBuilder::group(Parser::ParenthesisedContext* context, std::vector<ExprId> elements) {
  if (elements.size() == 1 && context->commas.empty()) {
    program_.expressions[elements.front().index].parenthesised = true;
    return elements.front();
  }
  Expr tuple;
  tuple.kind = ExprKind::tuple;
  tuple.span = tuple.operator_span = span(context);
  tuple.children = std::move(elements);
  return add(std::move(tuple));
}

ExprId ExpressionBuilder::list(const ParserRuleContext* context, std::vector<ExprId> elements) {
  Expr expression;
  expression.kind = ExprKind::list;
  expression.span = expression.operator_span = span(context);
  expression.children = std::move(elements);
  return add(std::move(expression));
}

ExprId ExpressionBuilder::literal(ExprKind kind, const Token* token) {
  Expr expression;
  expression.kind = kind;
  expression.span = expression.operator_span = span(token);
  const std::string spelling = text(token);
  switch (kind) {
    case ExprKind::number: {
      Expected<NumberLiteral> number = read_number(spelling, expression.span);
      if (number) {
        expression.value = std::move(number->value);
        expression.integer_spelling = number->integer_spelling;
      } else {
        report(std::move(number.error()));
      }
      break;
    }
    case ExprKind::bit_pattern: {
      BitPattern pattern = read_bit_pattern(spelling);
      expression.text = std::move(pattern.format);
      expression.bits = pattern.bits;
      break;
    }
    case ExprKind::string: {
      Expected<std::string> contents = read_string(spelling, expression.span);
      if (contents) {
        expression.text = std::move(*contents);
      } else {
        report(std::move(contents.error()));
      }
      break;
    }
    default: expression.bits = token->getType() == Parser::TRUE ? 1 : 0;
  }
  return add(std::move(expression));
}

ExprId ExpressionBuilder::named(const Token* token) {
  Expr expression;
  expression.kind = ExprKind::name;
  expression.span = expression.operator_span = span(token);
  expression.text = text(token);
  return add(std::move(expression));
}

ExprId ExpressionBuilder::conditional(SourceSpan whole, SourceSpan keyword, ExprId condition, ExprId yes, ExprId no) {
  Expr expression;
  expression.kind = ExprKind::conditional;
  expression.span = whole;
  expression.operator_span = keyword;
  expression.children = {condition, yes, no};
  return add(std::move(expression));
}

ExprId ExpressionBuilder::bound(Parser::IndexBinderContext* context, BinderParts parts) {
  Expr expression;
  expression.kind = ExprKind::binder;
  expression.span = span(context);
  expression.operator_span = span(context->head);
  switch (context->head->getType()) {
    case Parser::FOR: expression.binder = BinderKind::for_; break;
    case Parser::SUM: expression.binder = BinderKind::sum; break;
    case Parser::PROD: expression.binder = BinderKind::prod; break;
    case Parser::MIN: expression.binder = BinderKind::min; break;
    case Parser::MAX: expression.binder = BinderKind::max; break;
    case Parser::REDUCE: expression.binder = BinderKind::reduce; break;
    case Parser::FOLD: expression.binder = BinderKind::fold; break;
    default: expression.binder = BinderKind::scan;
  }
  if (expression.binder == BinderKind::for_ && context->order != nullptr) {
    report(
        Diagnostic(code::syntax, span(context->by), "`for` builds a tensor and takes no order", "an order for nothing")
            .with(expression.operator_span, "the nearest binder is this `for`")
            .help("`by` belongs to the nearest binder on its left: put the inner one in parentheses"));
  } else if (expression.binder == BinderKind::for_ && context->otherwise != nullptr) {
    report(Diagnostic(code::syntax, span(context->otherwise), "`for` builds a tensor and has no `else`", "never used")
               .with(expression.operator_span, "the nearest binder is this `for`"));
  } else if (expression.binder == BinderKind::for_ && context->condition != nullptr) {
    report(Diagnostic(code::syntax, span(context->where), "`for` builds a tensor, which has all of its elements",
                      "`where` is for reductions")
               .help("give the other elements a value: `for i: select(x[i] > 0, x[i], 0)`"));
  } else if (expression.binder == BinderKind::fold && context->start == nullptr) {
    report(Diagnostic(code::syntax, expression.operator_span, "a fold has a start: `fold(f, 0) i: ...`")
               .help("without a start it is `reduce(f) i: ...`, for an `f` that combines two leaves"));
  } else if (context->start != nullptr && context->order != nullptr) {
    report(Diagnostic(code::syntax, span(context->by),
                      "with a start, the order is from the first leaf to the last, and there is no `by`")
               .help("without one, `reduce` and `scan` have orders, for an `f` that combines two states"));
  } else if (context->start != nullptr && context->otherwise != nullptr) {
    report(Diagnostic(code::syntax, span(context->otherwise), "of no leaves, the result is the start: there is no `else`",
                      "never used"));
  } else if (expression.binder == BinderKind::scan && context->condition != nullptr) {
    report(Diagnostic(code::syntax, span(context->where), "a scan has an element for each leaf",
                      "`where` is for reductions")
               .help("let the others change nothing: `scan(add) i: select(x[i] > 0, x[i], 0)`"));
  }
  if (context->order != nullptr) schedule_ends_.emplace(context->order->stop, context);
  expression.names = std::move(parts.names);
  expression.operation = parts.operation;
  expression.start = parts.start;
  expression.guard = parts.guard;
  expression.schedule = parts.schedule;
  expression.otherwise = parts.otherwise;
  expression.children = {parts.body};
  return add(std::move(expression));
}

ExprId ExpressionBuilder::length(Parser::LengthBinderContext* context, ExprId body) {
  Expr expression;
  expression.kind = ExprKind::length;
  expression.span = span(context);
  expression.operator_span = span(context->head);
  expression.names = {{text(context->target), span(context->target), {}}};
  expression.children = {body};
  return add(std::move(expression));
}

ExprId ExpressionBuilder::quoted(Parser::QuotedTreeContext* context) {
  QuotedTree tree;
  add_tree(context->root, tree);
  Expr expression;
  expression.kind = ExprKind::quoted;
  expression.span = span(context);
  expression.operator_span = span(context->quote);
  expression.tree = std::move(tree);
  return add(std::move(expression));
}

void ExpressionBuilder::add_tree(Parser::Tree_Context* context, QuotedTree& tree) {
  if (auto* leaf = dynamic_cast<Parser::LeafTreeContext*>(context)) {
    Expected<std::int64_t> number = read_leaf(text(leaf->leaf), span(leaf->leaf));
    if (!number) {
      report(std::move(number.error()));
      return;
    }
    tree.prefix.push_back(*number);
    return;
  }
  auto* pair = static_cast<Parser::PairTreeContext*>(context);
  if (pair->parts.size() != 2) {
    report(Diagnostic(code::bad_quoted_tree, span(context),
                      fmt::format("a pair of a quoted tree has 2 parts, this one has {}", pair->parts.size()),
                      "not a pair")
               .help("say how they are joined: `'((0 1) 2)` or `'(0 (1 2))`"));
    return;
  }
  tree.prefix.push_back(-1);
  for (Parser::Tree_Context* part : pair->parts) add_tree(part, tree);
}

}  // namespace reckon::frontend
