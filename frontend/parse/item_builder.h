// From ANTLR's contexts to items of the syntax tree.
#pragma once

#include "frontend/parse/expression_builder.h"

namespace reckon::frontend {

class ItemBuilder {
 public:
  explicit ItemBuilder(ExpressionBuilder& expressions) : expressions_(expressions) {}

  /// One item, or one for each name of `let (a, b) = t`.
  std::vector<Item> build(Parser::ItemContext* context);
  Item build(Parser::AssignmentContext* context);

 private:
  void build(Parser::ImportItemContext* context, Item& item);
  void build(Parser::FnItemContext* context, Item& item);
  void build(Parser::LetItemContext* context, Item& item);
  void build(Parser::TypeItemContext* context, Item& item);
  void build(Parser::ProfileItemContext* context, Item& item);
  void build(Parser::KernelItemContext* context, Item& item);
  void build(Parser::CheckItemContext* context, Item& item);
  void build(Parser::ShowItemContext* context, Item& item);
  void build(Parser::SaveItemContext* context, Item& item);
  void build(Parser::RepeatedItemContext* context, Item& item);

  void parameters(const std::vector<Parser::ParameterContext*>& contexts, Item& item);
  std::vector<Item> of_each_name(Parser::LetItemContext* context, const Item& item);
  void set_name(Item& item, const Parser::NameContext* name);
  void set_path(Item& item, const antlr4::Token* path);
  /// What a `let` and an assignment at the prompt share.
  template <class Context>
  void definition(Context* context, Item& item);

  // profile_builder.cpp
  Word word(const Parser::NameContext* name) const;
  Word word(const antlr4::Token* token) const;
  RuleDecl rule(Parser::RuleEntryContext* context);
  DomainDecl domain(Parser::DomainContext* context);
  void flush(Parser::FlushEntryContext* context, ProfileDecl& profile);

  void options(const std::vector<Parser::OptionContext*>& contexts, Item& item);
  Tolerance tolerance(Parser::ToleranceContext* context);
  /// `after_all`: the clause before it is `all n`, so that a name alone is one more of its names.
  ForClause clause(Parser::ClauseContext* context, bool after_all);
  void settle_relation(Parser::CheckItemContext* context, Item& item);
  /// Both ends of `lo..hi`, or the expression itself and nothing.
  std::pair<ExprId, ExprId> ends(Parser::RangeContext* context);

  ExpressionBuilder& expressions_;
};

}  // namespace reckon::frontend
