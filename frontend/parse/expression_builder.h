// From ANTLR's contexts to expressions of the syntax tree.
#pragma once

#include <ReckonParser.h>

#include <string_view>
#include <unordered_map>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "frontend/ast.h"

namespace reckon::frontend {

using Parser = grammar::ReckonParser;

/// Appends expressions to a program's arena, children before parents. Chains of operators, which lean to the left, are
/// walked in a loop; recursion is only as deep as the token scan allows (deepest_nesting).
class ExpressionBuilder {
 public:
  ExpressionBuilder(Program& program, std::string_view text, std::uint32_t file, std::vector<Diagnostic>& diagnostics)
      : program_(program), text_(text), file_(file), diagnostics_(diagnostics) {}

  ExprId build(Parser::ScheduleContext* context);
  ExprId build(Parser::ExpressionContext* context);
  ExprId build(Parser::RangeContext* context);
  ExprId build(Parser::LayoutContext* context);
  ExprId build(Parser::ArithmeticContext* context);
  ExprId build(Parser::BlockContext* context);
  ExprId build(Parser::PostfixContext* context);
  TypeExpr type(Parser::TypeContext* context);
  SemanticsRef semantics(Parser::SemanticsContext* context);

  const Program& program() const { return program_; }
  SourceSpan span(const antlr4::ParserRuleContext* context) const;
  SourceSpan span(const antlr4::Token* token) const;
  std::string text(const antlr4::Token* token) const;
  std::string text(const Parser::NameContext* name) const { return text(name->token); }
  SourceSpan span(const Parser::NameContext* name) const { return span(name->token); }
  void report(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

  /// What a string in quotes says; reports a mistake in it. Empty for none.
  std::string contents(const antlr4::Token* string);
  /// Names and places of a list, appended to both.
  void names(const Parser::NameListContext* list, std::vector<std::string>& names,
             std::vector<SourceSpan>& spans) const;

 private:
  ExprId build(Parser::ComparisonContext* context);
  Diagnostic chained_comparison(Parser::ComparisonContext* context) const;
  ExprId build(Parser::LimitContext* context);
  ExprId build(Parser::GuardContext* context);
  ExprId build(Parser::PrimaryContext* context);
  ExprId build(Parser::BinderContext* context);
  ExprId build(Parser::StageContext* context);
  std::vector<ExprId> build(const std::vector<Parser::ExpressionContext*>& contexts);

  struct BinderParts {
    ExprId operation, start;
    std::vector<BinderName> names;
    ExprId guard;
    ExprId body;
    ExprId schedule;
    ExprId otherwise;
  };

  template <class Chain>
  ExprId join_chain(const Chain& chain, ExprId result);

  // These make one node from children that are already made.
  ExprId add(Expr expression);
  ExprId infix(ExprKind kind, const antlr4::Token* op, const antlr4::ParserRuleContext* whole,
               const antlr4::ParserRuleContext* left, ExprId lhs, ExprId rhs);
  ExprId prefix(const antlr4::Token* op, const antlr4::ParserRuleContext* whole, ExprId operand);
  /// `stage`, or the pinned stage if there is a `pin`.
  ExprId pinned(ExprId stage, antlr4::Token* start, Parser::PinContext* pin);
  ExprId applied(ExprKind kind, SourceSpan span, ExprId head, std::vector<ExprId> arguments);
  ExprId group(Parser::ParenthesisedContext* context, std::vector<ExprId> elements);
  ExprId list(const antlr4::ParserRuleContext* context, std::vector<ExprId> elements);
  ExprId literal(ExprKind kind, const antlr4::Token* token);
  ExprId named(const antlr4::Token* token);
  ExprId conditional(SourceSpan span, SourceSpan keyword, ExprId condition, ExprId yes, ExprId no);
  ExprId quoted(Parser::QuotedTreeContext* context);
  ExprId bound(Parser::IndexBinderContext* context, BinderParts parts);
  ExprId length(Parser::LengthBinderContext* context, ExprId body);

  std::vector<BinderName> bounds(Parser::IndicesContext* context);
  void add_tree(Parser::Tree_Context* context, QuotedTree& tree);

  Program& program_;
  std::string_view text_;
  std::uint32_t file_;
  std::vector<Diagnostic>& diagnostics_;
  /// The last token of every schedule, with the binder that it belongs to: no operator may follow.
  std::unordered_map<const antlr4::Token*, const antlr4::ParserRuleContext*> schedule_ends_;
};

}  // namespace reckon::frontend
