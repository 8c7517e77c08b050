#include "frontend/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/duplicate_name.h"
#include "diagnostics/codes/not_indexable.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/calls.h"

namespace reckon::frontend {

using ir::IndexId;
using ir::TypeId;
using ir::TypeKind;

namespace {

const Item& item_of(Elaborator& elaborator, const Record& record) {
  return elaborator.item_of(elaborator.declarations[record.declaration]);
}

/// The type of tensors of these extents whose elements are of `type`; of a tuple part by part.
TypeId in_tensors(ir::Module& module, const std::vector<IndexId>& extents, TypeId type) {
  const ir::Type element = module.types()[type];
  if (element.kind == TypeKind::tuple) {
    std::vector<TypeId> parts;
    for (const TypeId part : element.parts) parts.push_back(in_tensors(module, extents, part));
    return module.types().tuple(std::move(parts));
  }
  std::vector<IndexId> all = extents;
  all.insert(all.end(), element.extents.begin(), element.extents.end());
  return all.empty() ? type : module.types().tensor(element.scalar, std::move(all));
}

/// Binds the static parameters, and reports another number of arguments.
bool bind_statics(Elaborator& elaborator, const Item& item, const std::vector<Value>& arguments, SourceSpan at,
                  Scope& scope) {
  if (arguments.size() != item.static_parameters.size()) {
    elaborator.report(Diagnostic(code::argument_count, at,
                                 fmt::format("`{}` takes {} static argument{} in brackets and was given {}", item.name,
                                             item.static_parameters.size(), item.static_parameters.size() == 1 ? "" : "s",
                                             arguments.size()))
                          .with(item.name_span, fmt::format("`{}` is defined here", item.name))
                          .help(fmt::format("write `{}[{}]`", item.name, fmt::join(item.static_parameters, ", "))));
    return false;
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) scope.bind(item.static_parameters[k], arguments[k]);
  return true;
}

}  // namespace

Maybe elaborate_record(Elaborator& elaborator, std::uint32_t declaration) {
  const Item& item = elaborator.item_of(elaborator.declarations[declaration]);
  const Scope empty;
  const Context context{elaborator.declarations[declaration].program, &empty};
  auto record = std::make_shared<Record>();
  record->name = item.name;
  record->declaration = declaration;
  for (const ParameterDecl& part : item.parameters) {
    if (const auto known = std::ranges::find(item.parameters, part.name, &ParameterDecl::name); &*known != &part) {
      return elaborator.report(
          Diagnostic(code::duplicate_name, part.span, fmt::format("two parts are named `{}`", part.name))
              .with(known->span, "the first one"));
    }
    if (part.type.storage.valid()) {
      return elaborator.fail(code::type_mismatch, part.type.span,
                             "how elements lie in memory is said of parameters and results alone");
    }
    record->parts.push_back(part.name);
    const std::size_t errors = elaborator.diagnostics.size();
    record->of_parts.push_back(record_of(elaborator, context, part.type));
    if (elaborator.diagnostics.size() != errors) return std::nullopt;
    // With static parameters the types are known where these are given.
    if (item.static_parameters.empty() && !elaborator.type_of(context, part.type)) return std::nullopt;
  }
  return Value{RecordValue{std::move(record), {}}};
}

bool names_record(const Elaborator& elaborator, const Context& context, const TypeExpr& type) {
  if (ir::scalar_named(type.name) || context.scope->find(type.name) != nullptr) return false;
  const auto& definitions = elaborator.programs[context.program].environment->definitions;
  const auto found = definitions.find(type.name);
  return found != definitions.end() &&
         elaborator.item_of(elaborator.declarations[found->second]).kind == ItemKind::type;
}

std::shared_ptr<const Record> record_of(Elaborator& elaborator, const Context& context, const TypeExpr& type) {
  if (type.name.empty()) {
    auto tuple = std::make_shared<Record>();
    for (const TypeExpr& part : type.parts) tuple->of_parts.push_back(record_of(elaborator, context, part));
    const bool any = std::ranges::any_of(tuple->of_parts, [](const auto& part) { return part != nullptr; });
    return any ? tuple : nullptr;
  }
  if (!names_record(elaborator, context, type)) return nullptr;
  const Value* value = elaborator.global_value(*elaborator.programs[context.program].environment, type.name, type.span);
  return value != nullptr ? value->get_if<RecordValue>()->record : nullptr;
}

std::shared_ptr<const Record> record_of_parameter(Elaborator& elaborator, const CircuitValue& circuit,
                                                  std::size_t parameter) {
  const Declaration& declaration = elaborator.declarations[circuit.declaration];
  const Item& item = elaborator.item_of(declaration);
  const Scope empty;
  if (parameter >= item.parameters.size()) return nullptr;
  return record_of(elaborator, {declaration.program, &empty}, item.parameters[parameter].type);
}

std::shared_ptr<const Record> record_of_result(Elaborator& elaborator, const CircuitValue& circuit) {
  const Declaration& declaration = elaborator.declarations[circuit.declaration];
  const Item& item = elaborator.item_of(declaration);
  if (!item.result) return declaration.result;
  const Scope empty;
  return record_of(elaborator, {declaration.program, &empty}, *item.result);
}

std::optional<TypeId> record_type(Elaborator& elaborator, const Context& context, const TypeExpr& type,
                                  const Record& record) {
  const Item& item = item_of(elaborator, record);
  std::vector<Value> arguments;
  std::vector<IndexId> extents;
  for (const ExprId written : type.dims) {
    auto value = elaborator.elaborate(context, written);
    if (!value) return std::nullopt;
    if (item.static_parameters.empty()) {
      const auto extent = elaborator.index_of(*value, elaborator.expr(context, written).span, "a dimension");
      if (!extent) return std::nullopt;
      extents.push_back(*extent);
    } else {
      arguments.push_back(std::move(*value));
    }
  }
  Scope statics;
  if (!bind_statics(elaborator, item, arguments, type.span, statics)) return std::nullopt;
  const Context inside{elaborator.declarations[record.declaration].program, &statics};
  std::vector<TypeId> parts;
  for (const ParameterDecl& part : item.parameters) {
    const auto id = elaborator.type_of(inside, part.type);
    if (!id) return std::nullopt;
    parts.push_back(in_tensors(elaborator.module, extents, *id));
  }
  return elaborator.module.types().tuple(std::move(parts));
}

Value append_parameters(Elaborator& elaborator, const ir::Parameter& of, std::shared_ptr<const Record> record,
                        std::vector<ir::Parameter>& parameters) {
  ir::Module& module = elaborator.module;
  const ir::Type type = module.types()[of.type];
  if (type.kind != TypeKind::tuple) {
    parameters.push_back(of);
    return {DynamicValue{module.parameter(static_cast<std::uint32_t>(parameters.size() - 1), of.type)}};
  }
  TupleValue parts;
  for (std::size_t k = 0; k < type.parts.size(); ++k) {
    const std::string part = record != nullptr && !record->name.empty() ? record->parts[k] : std::to_string(k);
    ir::Parameter each = of;
    each.name = module.symbol(fmt::format("{}.{}", module.name(of.name), part));
    each.type = type.parts[k];
    parts.parts.push_back(
        append_parameters(elaborator, each, record != nullptr ? record->of_parts[k] : nullptr, parameters));
  }
  Value out{std::move(parts)};
  out.record = std::move(record);
  return out;
}

std::optional<ir::Function> entry_circuit(Elaborator& elaborator, const CircuitValue& circuit, SourceSpan place) {
  ir::Module& module = elaborator.module;
  auto function = elaborator.instance(circuit.declaration, circuit.static_arguments, place);
  const auto is_tuple = [&](const ir::Parameter& each) { return module.types()[each.type].kind == TypeKind::tuple; };
  if (!function || std::ranges::none_of(function->parameters, is_tuple)) return function;

  std::vector<ir::Parameter> parameters;
  ir::Module::Substitution substitution;
  const ir::PlacesId places = module.places().make();
  const ir::PlacesGuard placing(module, places);
  for (std::size_t k = 0; k < function->parameters.size(); ++k) {
    const auto record = record_of_parameter(elaborator, circuit, k);
    const Value value = append_parameters(elaborator, function->parameters[k], record, parameters);
    const auto node = elaborator.node_of(value, std::nullopt, function->parameters[k].span);
    if (!node) return std::nullopt;
    substitution.parameters.push_back(*node);
  }
  substitution.places = function->places;
  function->body = module.substitute(function->body, substitution);
  function->parameters = std::move(parameters);
  function->places = places;
  return function;
}

Maybe make_record(Elaborator& elaborator, const RecordValue& callee, const std::vector<Value>& arguments,
                  const std::vector<SourceSpan>& spans, SourceSpan at) {
  const Item& item = item_of(elaborator, *callee.record);
  if (wrong_count(elaborator, item.name, item.parameters.size(), arguments, at)) {
    elaborator.diagnostics.back().secondary.push_back({item.name_span, fmt::format("`{}` is defined here", item.name)});
    elaborator.diagnostics.back().helps = {
        fmt::format("write `{}({})`", item.name, fmt::join(callee.record->parts, ", "))};
    return std::nullopt;
  }
  Scope statics;
  if (!bind_statics(elaborator, item, callee.static_arguments, at, statics)) return std::nullopt;
  const Context inside{elaborator.declarations[callee.record->declaration].program, &statics};
  TupleValue parts;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto type = elaborator.type_of(inside, item.parameters[k].type);
    if (!type) return std::nullopt;
    ir::IndexSubstitution none;
    const std::string what = fmt::format("`{}` of `{}`", item.parameters[k].name, item.name);
    const auto node = elaborator.fit(arguments[k], *type, none, false, spans[k], what);
    if (!node) return std::nullopt;
    parts.parts.emplace_back(DynamicValue{*node});
    parts.parts.back().record = callee.record->of_parts[k];
  }
  Value out{std::move(parts)};
  out.record = callee.record;
  return out;
}

Maybe elaborate_member(Elaborator& elaborator, const Context& context, const Expr& expression) {
  const Maybe base = elaborator.elaborate(context, expression.children[0]);
  if (!base) return std::nullopt;
  const auto& record = base->record;
  if (record == nullptr || record->name.empty()) {
    Diagnostic diagnostic(code::type_mismatch, expression.operator_span,
                          fmt::format("{} has no part `{}`", elaborator.kind_text(*base), expression.text));
    diagnostic.helps.push_back(fmt::format("a type has named parts, `type pair = ({}: f32, other: f32)`; those of a tuple are "
                                           "named by `let (a, b) = t`",
                                           expression.text));
    return elaborator.report(std::move(diagnostic));
  }
  const auto part = std::ranges::find(record->parts, expression.text);
  if (part == record->parts.end()) {
    Diagnostic diagnostic(code::unknown_name, expression.operator_span,
                          fmt::format("`{}` has no part `{}`", record->name, expression.text));
    diagnostic.secondary.push_back({item_of(elaborator, *record).name_span, fmt::format("`{}` is defined here", record->name)});
    diagnostic.helps.push_back(fmt::format("its parts are `{}`", fmt::join(record->parts, "`, `")));
    return elaborator.report(std::move(diagnostic));
  }
  const auto k = static_cast<std::size_t>(part - record->parts.begin());
  auto parts = elaborator.parts_of_tuple(*base, record->parts.size(), expression.span);
  if (!parts) return std::nullopt;
  return std::move((*parts)[k]);
}

}  // namespace reckon::frontend
