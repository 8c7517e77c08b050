#include "frontend/parse/item_builder.h"

#include <fmt/format.h>

#include <array>

#include "diagnostics/codes/bad_literal.h"
#include "diagnostics/codes/syntax.h"
#include "frontend/parse/literals.h"
#include "numerics/format.h"

namespace reckon::frontend {

using antlr4::Token;

std::vector<Item> ItemBuilder::build(Parser::ItemContext* context) {
  Item item;
  item.span = expressions_.span(context);
  item.name_span = expressions_.span(context->start);
  if (auto* import = dynamic_cast<Parser::ImportItemContext*>(context)) {
    build(import, item);
  } else if (auto* fn = dynamic_cast<Parser::FnItemContext*>(context)) {
    build(fn, item);
  } else if (auto* let = dynamic_cast<Parser::LetItemContext*>(context)) {
    build(let, item);
    if (let->targets != nullptr) return of_each_name(let, item);
  } else if (auto* type = dynamic_cast<Parser::TypeItemContext*>(context)) {
    build(type, item);
  } else if (auto* profile = dynamic_cast<Parser::ProfileItemContext*>(context)) {
    build(profile, item);
  } else if (auto* kernel = dynamic_cast<Parser::KernelItemContext*>(context)) {
    build(kernel, item);
  } else if (auto* check = dynamic_cast<Parser::CheckItemContext*>(context)) {
    build(check, item);
  } else if (auto* show = dynamic_cast<Parser::ShowItemContext*>(context)) {
    build(show, item);
  } else if (auto* repeated = dynamic_cast<Parser::RepeatedItemContext*>(context)) {
    build(repeated, item);
  } else if (auto* claim = dynamic_cast<Parser::AssertItemContext*>(context)) {
    item.kind = ItemKind::assertion;
    item.body = expressions_.build(claim->claim);
    item.name = expressions_.contents(claim->reason);
  } else {
    build(static_cast<Parser::SaveItemContext*>(context), item);
  }
  return {std::move(item)};
}

std::vector<Item> ItemBuilder::of_each_name(Parser::LetItemContext* context, const Item& item) {
  std::vector<std::string> names;
  std::vector<SourceSpan> spans;
  expressions_.names(context->targets, names, spans);
  std::vector<Item> out(names.size(), item);
  for (std::uint32_t k = 0; k < out.size(); ++k) {
    out[k].name = names[k];
    out[k].name_span = spans[k];
    if (out.size() > 1) out[k].part = TuplePart{k, static_cast<std::uint32_t>(out.size())};
  }
  return out;
}

void ItemBuilder::set_name(Item& item, const Parser::NameContext* name) {
  item.name = expressions_.text(name);
  item.name_span = expressions_.span(name);
}

void ItemBuilder::set_path(Item& item, const Token* path) {
  item.name_span = expressions_.span(path);
  item.name = expressions_.contents(path);
}

template <class Context>
void ItemBuilder::definition(Context* context, Item& item) {
  item.has_parameter_list = context->open != nullptr;
  if (context->target != nullptr) set_name(item, context->target);
  expressions_.names(context->parameterNames, item.static_parameters, item.static_parameter_spans);
  if (context->declared != nullptr) item.result = expressions_.type(context->declared);
  item.body = expressions_.build(context->value);
}

void ItemBuilder::build(Parser::ImportItemContext* context, Item& item) {
  item.kind = ItemKind::import;
  set_path(item, context->path);
}

void ItemBuilder::build(Parser::FnItemContext* context, Item& item) {
  item.kind = ItemKind::fn;
  item.has_parameter_list = true;
  item.is_builtin = context->builtin != nullptr;
  set_name(item, context->function);
  expressions_.names(context->statics, item.static_parameters, item.static_parameter_spans);
  parameters(context->parameters, item);
  if (context->result != nullptr) item.result = expressions_.type(context->result);
  if (context->approximated != nullptr) {
    item.approximated = expressions_.text(context->approximated);
    item.approximated_span = expressions_.span(context->approximated);
  }
  item.body = context->body != nullptr ? expressions_.build(context->body) : expressions_.build(context->bodyBlock);
}

void ItemBuilder::parameters(const std::vector<Parser::ParameterContext*>& contexts, Item& item) {
  for (Parser::ParameterContext* parameter : contexts) {
    item.parameters.push_back({expressions_.text(parameter->target), expressions_.span(parameter->target),
                               expressions_.type(parameter->parameterType)});
    std::optional<StatedRange>& range = item.parameters.back().range;
    if (parameter->below != nullptr) {
      range.emplace();
      range->high = expressions_.build(parameter->limit_);
      range->span = expressions_.span(parameter->below);
      range->span.end = expressions_.span(parameter->limit_).end;
    } else if (parameter->within != nullptr) {
      range.emplace();
      range->low = expressions_.build(parameter->low);
      range->high = expressions_.build(parameter->high);
      range->span = expressions_.span(parameter->within);
      range->span.end = expressions_.span(parameter->high).end;
    }
  }
}

void ItemBuilder::build(Parser::TypeItemContext* context, Item& item) {
  item.kind = ItemKind::type;
  set_name(item, context->target);
  expressions_.names(context->statics, item.static_parameters, item.static_parameter_spans);
  for (Parser::PartContext* part : context->parts) {
    item.parameters.push_back(
        {expressions_.text(part->target), expressions_.span(part->target), expressions_.type(part->partType)});
  }
}

void ItemBuilder::build(Parser::LetItemContext* context, Item& item) {
  item.kind = ItemKind::let;
  definition(context, item);
}

Item ItemBuilder::build(Parser::AssignmentContext* context) {
  Item item;
  item.kind = ItemKind::let;
  item.span = expressions_.span(context);
  definition(context, item);
  return item;
}

void ItemBuilder::build(Parser::KernelItemContext* context, Item& item) {
  item.kind = ItemKind::kernel;
  set_name(item, context->target);
  expressions_.names(context->statics, item.static_parameters, item.static_parameter_spans);
  item.body = expressions_.build(context->circuit);
  for (Parser::KernelClauseContext* written : context->clauses) {
    ClauseDecl clause{word(written->what), expressions_.span(written), {}};
    for (Parser::ExpressionContext* argument : written->arguments) {
      clause.arguments.push_back(expressions_.build(argument));
    }
    item.clauses_of_kernel.push_back(std::move(clause));
  }
}

void ItemBuilder::build(Parser::CheckItemContext* context, Item& item) {
  item.kind = ItemKind::check;
  item.body = expressions_.build(context->claim);
  if (context->other != nullptr) item.right = expressions_.build(context->other);
  options(context->options, item);
  settle_relation(context, item);
}

void ItemBuilder::build(Parser::ShowItemContext* context, Item& item) {
  item.kind = ItemKind::show;
  item.body = expressions_.build(context->value);
  options(context->options, item);
}

void ItemBuilder::build(Parser::SaveItemContext* context, Item& item) {
  item.kind = ItemKind::save;
  set_path(item, context->path);
  item.body = expressions_.build(context->value);
  options(context->options, item);
}

void ItemBuilder::build(Parser::RepeatedItemContext* context, Item& item) {
  std::vector<StaticRange> ranges;
  for (Parser::StaticRangeContext* written : context->ranges) {
    StaticRange range{word(written->target), written->low == nullptr, {}};
    for (Parser::ExpressionContext* value : written->values) range.values.push_back(expressions_.build(value));
    for (Parser::ArithmeticContext* end : {written->low, written->high}) {
      if (end != nullptr) range.values.push_back(expressions_.build(end));
    }
    ranges.push_back(std::move(range));
  }
  const SourceSpan whole = item.span;
  item = std::move(build(context->repeated).front());
  if (item.kind != ItemKind::show && item.kind != ItemKind::check) {
    expressions_.report(Diagnostic(code::syntax, expressions_.span(context->repeated->start),
                                   "only `show` and `check` can be repeated for several values", "not one of them"));
  }
  if (item.repeated_for.empty()) item.repeated_span = item.span;
  item.span = whole;
  item.repeated_for.insert(item.repeated_for.begin(), std::make_move_iterator(ranges.begin()),
                           std::make_move_iterator(ranges.end()));
}

void ItemBuilder::options(const std::vector<Parser::OptionContext*>& contexts, Item& item) {
  enum Which : std::uint8_t { in, within, budget, for_, trials, seed, count };
  std::array<const Token*, count> seen{};
  for (Parser::OptionContext* context : contexts) {
    Which which = in;
    if (auto* meaning = dynamic_cast<Parser::InOptionContext*>(context)) {
      item.semantics = expressions_.semantics(meaning->meaning);
      if (meaning->everywhere != nullptr) item.everywhere = expressions_.span(meaning->everywhere);
    } else if (auto* time = dynamic_cast<Parser::BudgetOptionContext*>(context)) {
      which = budget;
      item.budget_span = expressions_.span(time->budget);
      const std::string text = expressions_.text(time->budget);
      const auto seconds = numerics::parse_number(std::string_view(text).substr(0, text.size() - 1));
      if (!seconds || *seconds <= 0 || *seconds > 1000000) {
        expressions_.report(
            Diagnostic(code::bad_literal, item.budget_span, "a check takes some time, up to 1000000 s"));
      } else {
        item.budget = seconds->get_d();
      }
    } else if (auto* allowed = dynamic_cast<Parser::WithinOptionContext*>(context)) {
      which = within;
      item.tolerance = tolerance(allowed->allowed);
    } else if (auto* clauses = dynamic_cast<Parser::ForOptionContext*>(context)) {
      which = for_;
      for (Parser::ClauseContext* one : clauses->clauses) {
        const bool after_all = !item.clauses.empty() && item.clauses.back().kind == ForClause::Kind::all;
        item.clauses.push_back(clause(one, after_all));
      }
    } else if (auto* trial_count = dynamic_cast<Parser::TrialsOptionContext*>(context)) {
      which = trials;
      item.trials = expressions_.build(trial_count->amount);
    } else {
      which = seed;
      item.seed = expressions_.build(static_cast<Parser::SeedOptionContext*>(context)->amount);
    }
    const SourceSpan keyword = expressions_.span(context->start);
    const std::string spelling = expressions_.text(context->start);
    if (seen[which] != nullptr) {
      expressions_.report(Diagnostic(code::syntax, keyword, fmt::format("`{}` is given twice", spelling), "once more")
                              .with(expressions_.span(seen[which]), "given here first"));
    } else if (item.kind != ItemKind::check && (which == within || which == budget || which == trials)) {
      expressions_.report(Diagnostic(code::syntax, keyword, fmt::format("`{}` belongs to `check`", spelling),
                                     "not a part of this item"));
    }
    seen[which] = context->start;
  }
}

std::pair<ExprId, ExprId> ItemBuilder::ends(Parser::RangeContext* context) {
  if (context->op == nullptr) return {expressions_.build(context), ExprId{}};
  return {expressions_.build(context->low), expressions_.build(context->high)};
}

Tolerance ItemBuilder::tolerance(Parser::ToleranceContext* context) {
  Tolerance result;
  result.span = expressions_.span(context);
  if (auto* bound = dynamic_cast<Parser::BoundToleranceContext*>(context)) {
    result.kind = Tolerance::Kind::bound;
    if (bound->order != nullptr) result.order = expressions_.build(bound->order);
  } else if (auto* orders = dynamic_cast<Parser::OrdersToleranceContext*>(context)) {
    result.kind = Tolerance::Kind::orders;
    if (orders->order != nullptr) result.order = expressions_.build(orders->order);
  } else if (auto* relative = dynamic_cast<Parser::RelativeToleranceContext*>(context)) {
    result.kind = Tolerance::Kind::relative;
    result.low = expressions_.build(relative->amount);
  } else {
    auto* amount = static_cast<Parser::AmountToleranceContext*>(context);
    std::tie(result.low, result.high) = ends(amount->amount);
    result.kind = result.high.valid()       ? Tolerance::Kind::range
                  : amount->unit != nullptr ? Tolerance::Kind::ulp
                                            : Tolerance::Kind::absolute;
    if (result.high.valid() && amount->unit != nullptr) {
      expressions_.report(Diagnostic(code::syntax, expressions_.span(amount->unit), "a range of values has no unit",
                                     "not expected after `lo..hi`"));
    }
  }
  return result;
}

ForClause ItemBuilder::clause(Parser::ClauseContext* context, bool after_all) {
  ForClause result;
  result.span = expressions_.span(context);
  if (auto* all = dynamic_cast<Parser::AllClauseContext*>(context)) {
    result.kind = ForClause::Kind::all;
    result.name = expressions_.text(all->target);
    result.name_span = expressions_.span(all->target);
    return result;
  }
  if (auto* condition = dynamic_cast<Parser::ConditionClauseContext*>(context)) {
    result.kind = ForClause::Kind::condition;
    result.values = {expressions_.build(condition->condition)};
    const Expr& whole = expressions_.program()[result.values[0]];
    if (after_all && whole.kind == ExprKind::name) {
      result = {
          .kind = ForClause::Kind::all, .span = result.span, .name = whole.text, .name_span = whole.span, .values = {}};
    }
    return result;
  }
  auto* values = static_cast<Parser::ValuesClauseContext*>(context);
  result.name = expressions_.text(values->target);
  result.name_span = expressions_.span(values->target);
  result.kind = ForClause::Kind::sizes;
  if (auto* set = dynamic_cast<Parser::SetValuesContext*>(values->values)) {
    for (Parser::ExpressionContext* value : set->values) result.values.push_back(expressions_.build(value));
    return result;
  }
  const auto [low, high] = ends(static_cast<Parser::RangeValuesContext*>(values->values)->value);
  result.values = {low};
  if (high.valid()) {
    result.kind = ForClause::Kind::range;
    result.values.push_back(high);
  }
  return result;
}

void ItemBuilder::settle_relation(Parser::CheckItemContext* context, Item& item) {
  const bool has_tolerance = item.tolerance.kind != Tolerance::Kind::none;
  if (context->other != nullptr) {
    item.relation = Item::Relation::near;
    item.relation_span = expressions_.span(context->tilde);
    return;
  }
  const Expr& claim = expressions_.program()[item.body];
  const bool is_equation = claim.kind == ExprKind::binary && claim.text == "==";
  const bool compares = claim.kind == ExprKind::binary && is_inequality(claim.text);
  item.relation_span = claim.operator_span;
  if (has_tolerance) {
    item.relation = Item::Relation::within;
    if (is_equation || compares) {
      expressions_.report(Diagnostic(code::syntax, claim.operator_span, fmt::format("`{}` has no tolerance", claim.text),
                                     is_equation ? "asks for equality" : "asks for an order")
                              .with(item.tolerance.span, "how near it may be")
                              .help("to ask for nearness write `~`")
                              .suggest(claim.operator_span, "~"));
    }
  } else if (item.semantics && (is_equation || compares)) {
    // With a semantics the two sides are circuits; without one, the whole is a static condition.
    item.relation = is_equation ? Item::Relation::equal : Item::Relation::ordered;
    if (compares) item.comparison = claim.text;
    item.right = claim.children[1];
    item.body = claim.children[0];
  } else {
    item.relation = Item::Relation::truth;
  }
}

}  // namespace reckon::frontend
