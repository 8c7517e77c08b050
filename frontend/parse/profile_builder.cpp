// Profiles: from contexts to the syntax tree.
#include <fmt/format.h>

#include "diagnostics/codes/syntax.h"
#include "frontend/parse/item_builder.h"

namespace reckon::frontend {

Word ItemBuilder::word(const Parser::NameContext* name) const {
  return {expressions_.text(name), expressions_.span(name)};
}
Word ItemBuilder::word(const antlr4::Token* token) const {
  return {expressions_.text(token), expressions_.span(token)};
}

void ItemBuilder::build(Parser::ProfileItemContext* context, Item& item) {
  item.kind = ItemKind::profile;
  set_name(item, context->target);
  if (context->base != nullptr) item.profile.base = word(context->base);
  for (Parser::ProfileEntryContext* entry : context->entries) {
    if (auto* formats = dynamic_cast<Parser::FormatsEntryContext*>(entry)) {
      SettingDecl setting{word(formats->start), {}, {}};
      for (const Parser::NameContext* name : formats->formats->names) setting.parts.push_back(word(name));
      item.profile.settings.push_back(std::move(setting));
    } else if (auto* parts = dynamic_cast<Parser::FlushEntryContext*>(entry)) {
      flush(parts, item.profile);
    } else if (auto* setting = dynamic_cast<Parser::SettingEntryContext*>(entry)) {
      item.profile.settings.push_back({word(setting->setting), {}, {word(setting->how)}});
    } else {
      item.profile.rules.push_back(rule(static_cast<Parser::RuleEntryContext*>(entry)));
    }
  }
}

/// `inputs, outputs may`: a part without a word of its own has that of the next part.
void ItemBuilder::flush(Parser::FlushEntryContext* context, ProfileDecl& profile) {
  SettingDecl setting{word(context->start), {}, {}};
  for (const Parser::FlushPartContext* part : context->parts) {
    setting.parts.push_back(word(part->what));
    if (part->how != nullptr) setting.values.resize(setting.parts.size(), word(part->how));
  }
  if (setting.values.size() < setting.parts.size()) {
    expressions_.report(Diagnostic(code::syntax, setting.parts.back().span,
                                   fmt::format("`{}` is flushed, but when?", setting.parts.back().text))
                            .help("write `never`, `may` or `always` after it: `flush inputs may, outputs always`"));
    return;
  }
  profile.settings.push_back(std::move(setting));
}

RuleDecl ItemBuilder::rule(Parser::RuleEntryContext* context) {
  RuleDecl rule;
  rule.span = expressions_.span(context);
  for (const Parser::RuledOperationContext* each : context->operations) {
    RuleDecl::Operation operation;
    operation.name = each->plain != nullptr ? word(each->plain)
                                            : word(each->qualified != nullptr ? each->qualified : each->extremum);
    operation.has_parameters = each->open != nullptr;
    expressions_.names(each->parameters, operation.parameters, operation.parameter_spans);
    rule.operations.push_back(std::move(operation));
  }
  if (context->formats != nullptr) {
    for (const Parser::NameContext* name : context->formats->names) rule.formats.push_back(word(name));
  }
  rule.is_circuit = expressions_.text(context->sign) == "=";
  for (Parser::PieceContext* written : context->pieces) {
    PieceDecl piece;
    piece.accuracy = expressions_.build(written->accuracy);
    for (Parser::DomainContext* each : written->domains) piece.domains.push_back(domain(each));
    rule.pieces.push_back(std::move(piece));
  }
  return rule;
}

DomainDecl ItemBuilder::domain(Parser::DomainContext* context) {
  DomainDecl domain;
  domain.span = expressions_.span(context);
  if (auto* half = dynamic_cast<Parser::HalfDomainContext*>(context)) {
    domain.comparison = expressions_.text(half->op);
    domain.left = expressions_.build(half->lhs);
    domain.right = expressions_.build(half->rhs);
    return domain;
  }
  auto* ranges = static_cast<Parser::RangeDomainContext*>(context);
  domain.parameter = word(ranges->target);
  if (ranges->function != nullptr) domain.function = word(ranges->function);
  for (Parser::DomainRangeContext* range : ranges->ranges) {
    const ExprId low = expressions_.build(range->low);
    domain.ranges.emplace_back(low, expressions_.build(range->high));
  }
  return domain;
}

}  // namespace reckon::frontend
