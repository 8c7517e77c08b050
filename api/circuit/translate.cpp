#include "api/circuit/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/circuit/translator.h"
#include "api/implementation.h"

namespace reckon::circuit {

using frontend::ExprId;
using frontend::Item;

std::vector<std::shared_ptr<const Definition>> definitions_below(const std::vector<const Node*>& roots) {
  std::vector<std::shared_ptr<const Definition>> out;
  std::set<const Node*> seen;
  std::set<const Definition*> entered;
  struct Step {
    const Node* node = nullptr;
    std::shared_ptr<const Definition> done;  ///< its callees have been found
  };
  std::vector<Step> stack;
  for (const Node* root : roots) stack.push_back({root, nullptr});
  while (!stack.empty()) {
    Step step = std::move(stack.back());
    stack.pop_back();
    if (step.done) {
      out.push_back(std::move(step.done));
      continue;
    }
    if (step.node == nullptr || !seen.insert(step.node).second) continue;
    if (const auto& definition = step.node->definition; definition && entered.insert(definition.get()).second) {
      stack.push_back({nullptr, definition});
      stack.push_back({definition->body.get(), nullptr});
      continue;
    }
    for (const NodePointer& child : step.node->children) stack.push_back({child.get(), nullptr});
    for (const NodePointer& range : step.node->ranges) stack.push_back({range.get(), nullptr});
    for (const NodePointer* other : {&step.node->schedule, &step.node->otherwise, &step.node->operation}) {
      stack.push_back({other->get(), nullptr});
    }
  }
  return out;
}

ExprId Translator::whole(const NodePointer& root) {
  sharing_.emplace(*root);
  reserve(definition_);
  const ExprId out = block(*root, 0, root->place);
  sharing_.reset();
  return out;
}

ExprId Translator::header(const Node& node, Place place) { return built(node, 0, place); }

frontend::TypeExpr Translator::type(const Node& node, Place place) {
  frontend::TypeExpr out;
  out.span = span(place);
  out.name = node.text;
  for (const NodePointer& child : node.children) {
    if (out.name.empty()) out.parts.push_back(type(*child, place));
    else out.dims.push_back(header(*child, place));
  }
  return out;
}

void Translator::definition(const Definition& definition) {
  definition_ = &definition;
  Item item;
  item.kind = definition.is_circuit ? frontend::ItemKind::fn : frontend::ItemKind::let;
  item.name = names_.at(&definition);
  require_identifier(item.name, definition.is_circuit ? "a circuit" : "a value", definition.place);
  item.name_span = span(definition.place);
  item.span = span(definition.place);
  for (const NodePointer& size : definition.statics) {
    require_identifier(size->text, "a size", size->place);
    item.static_parameters.push_back(size->text);
    item.static_parameter_spans.push_back(span(size->place));
  }
  for (const NodePointer& parameter : definition.parameters) {
    if (parameter->kind != NodeKind::parameter) {
      mistake(parameter->place, fmt::format("the circuit `{}` has a parameter that is no parameter", item.name),
              "a computed value", "parameters are made by `in<f32>(\"x\", n)`, and the body stands last");
      continue;
    }
    require_identifier(parameter->text, "a parameter", parameter->place);
    frontend::ParameterDecl decl;
    decl.name = parameter->text;
    decl.span = span(parameter->place);
    decl.type = type(*parameter->children[0], parameter->place);
    if (parameter->children.size() > 1) decl.type.storage = header(*parameter->children[1], parameter->place);
    item.parameters.push_back(std::move(decl));
  }
  if (definition.result) {
    item.result = type(*definition.result, definition.place);
    if (definition.result_storage) item.result->storage = header(*definition.result_storage, definition.place);
  }
  item.body = whole(definition.body);
  out_.program.items.push_back(std::move(item));
  definition_ = nullptr;
}

void Translator::tolerance(const Claim& claim, Item& item) {
  using Kind = frontend::Tolerance::Kind;
  static constexpr Kind kinds[] = {Kind::none,  Kind::absolute, Kind::ulp,  Kind::relative,
                                   Kind::bound, Kind::orders,   Kind::range};
  item.tolerance.kind = kinds[static_cast<std::size_t>(claim.tolerance)];
  item.tolerance.span = span(claim.place);
  const bool by_order = item.tolerance.kind == Kind::bound || item.tolerance.kind == Kind::orders;
  for (std::size_t k = 0; k < claim.amounts.size(); ++k) {
    const ExprId amount = whole(claim.amounts[k]);
    (by_order ? item.tolerance.order : k == 0 ? item.tolerance.low : item.tolerance.high) = amount;
  }
}

void Translator::clauses(const Claim& claim, Item& item) {
  for (const Claim::Sizes& sizes : claim.sizes) {
    frontend::ForClause clause;
    clause.kind = frontend::ForClause::Kind::sizes;
    clause.span = span(claim.place);
    clause.name = sizes.size->text;
    clause.name_span = span(claim.place);
    for (const NodePointer& value : sizes.values) clause.values.push_back(whole(value));
    item.clauses.push_back(std::move(clause));
  }
  for (const Claim::Bounds& bounds : claim.ranges) {
    frontend::ForClause clause;
    clause.kind = frontend::ForClause::Kind::range;
    clause.span = span(claim.place);
    clause.name = bounds.parameter;
    clause.name_span = span(claim.place);
    clause.values = {whole(bounds.low), whole(bounds.high)};
    item.clauses.push_back(std::move(clause));
  }
}

void Translator::claim(const Claim& claim) {
  Item item;
  item.kind = frontend::ItemKind::check;
  item.span = item.name_span = item.relation_span = span(claim.place);
  item.body = whole(claim.sides.front());
  if (claim.sides.size() > 1) item.right = whole(claim.sides[1]);
  using Relation = Item::Relation;
  static constexpr Relation relations[] = {Relation::equal, Relation::near, Relation::within, Relation::truth};
  item.relation = relations[static_cast<std::size_t>(claim.relation)];
  tolerance(claim, item);
  if (!claim.semantics.empty()) {
    const frontend::SemanticsName name = split_semantics(claim.semantics);
    item.semantics.emplace();
    item.semantics->name = name.name;
    item.semantics->span = span(claim.place);
    for (const std::string& argument : name.arguments)
      item.semantics->arguments.push_back(named(argument, claim.place));
  }
  clauses(claim, item);
  const auto integer = [&](std::int64_t value) { return whole(detail::literal(value, claim.place)); };
  if (claim.trials) item.trials = integer(*claim.trials);
  if (claim.seed) item.seed = integer(*claim.seed);
  item.budget = claim.budget;
  item.budget_span = span(claim.place);
  out_.program.items.push_back(std::move(item));
}

Translation translate(const std::vector<std::shared_ptr<const Definition>>& definitions, const DefinitionNames& names) {
  Translation out;
  for (const auto& definition : definitions) Translator(out, names).definition(*definition);
  return out;
}

Translation translate(const NodePointer& expression, const DefinitionNames& names) {
  Translation out;
  out.program.result = Translator(out, names).whole(expression);
  return out;
}

Translation translate(const Claim& claim, const DefinitionNames& names) {
  Translation out;
  Translator(out, names).claim(claim);
  return out;
}

}  // namespace reckon::circuit
