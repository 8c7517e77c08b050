// Definitions, and the items that show and save.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/argument_count.h"
#include "diagnostics/codes/dimension_unbound.h"
#include "diagnostics/codes/duplicate_name.h"
#include "diagnostics/codes/profile_circular.h"
#include "diagnostics/codes/recursive_fn.h"
#include "diagnostics/codes/static_depth.h"
#include "diagnostics/codes/type_mismatch.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/assertions.h"
#include "frontend/calls.h"
#include "frontend/checks.h"
#include "frontend/elaborator.h"
#include "frontend/find_expression.h"
#include "frontend/items.h"
#include "frontend/kernels.h"
#include "frontend/profiles.h"
#include "frontend/records.h"
#include "frontend/stated_range.h"
#include "frontend/views.h"
#include "ir/bind.h"
#include "ir/op.h"

namespace reckon::frontend {

using ir::NodeId;

Elaborator::Elaborator(SourceMap& sources_, Files files_, BackEnd back_end_)
    : module(*back_end_.forms), sources(sources_), files(std::move(files_)), back_end(std::move(back_end_)) {
  predefined = builtin_names(module);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\n')) {
      while (i < text.size() && text[i] != '\n') ++i;
    }
    const bool space = i >= text.size() || c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space) out += text[i];
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

namespace {

/// The value of a `let`; its places become places of the user's set, too.
const Value* used(Elaborator& elaborator, const Declaration& declaration) {
  ir::Module& module = elaborator.module;
  module.places().use(declaration.places);
  elaborator.read_off.insert(declaration.read_off.begin(), declaration.read_off.end());
  return &*declaration.value;
}

}  // namespace

const Value* Elaborator::global_value(const Environment& environment, const std::string& name, SourceSpan place) {
  if (auto found = environment.remembered.find(name); found != environment.remembered.end()) {
    module.places().use(found->second.places);
    read_off.insert(found->second.read_off.begin(), found->second.read_off.end());
    return &found->second.value;
  }
  auto found = environment.definitions.find(name);
  if (found == environment.definitions.end()) return nullptr;
  Declaration& declaration = declarations[found->second];
  const Item& item = item_of(declaration);
  using State = Declaration::State;
  const bool open_kernel = item.kind == ItemKind::kernel && !item.static_parameters.empty();
  if (item.kind == ItemKind::fn || item.has_parameter_list || open_kernel) {
    if (!declaration.value) {
      declaration.value = item.has_parameter_list && item.kind == ItemKind::let
                              ? Value{ClosureValue{found->second}}
                              : Value{CircuitValue{found->second, {}, false}};
    }
    return &*declaration.value;
  }
  if (declaration.state == State::done) return used(*this, declaration);
  if (declaration.state == State::failed) return nullptr;
  if (declaration.state == State::in_progress) {
    if (item.kind == ItemKind::profile) {
      report(Diagnostic(code::profile_circular, place, fmt::format("the profile `{}` is made from itself", name))
                 .with(item.name_span, "its definition")
                 .help("a profile takes its rules from another one, or stands alone: `profile p { ... }`"));
      declaration.state = State::failed;
      return nullptr;
    }
    if (length_depth > declaration.length_depth) {
      // A schedule that chooses by its length may refer to itself.
      declaration.referenced = true;
      declaration.value = Value{ScheduleValue{module.schedules().reference(module.symbol(name))}};
      return &*declaration.value;
    }
    report(
        Diagnostic(code::static_depth, place, fmt::format("`{}` is defined by itself", name))
            .with(item.name_span, "its definition")
            .help(item.kind == ItemKind::type
                      ? "a value of a type cannot have another one as a part"
                      : "only a schedule may refer to itself, under `length n:`; a function of its own: `let f(n) = ...`"));
    declaration.state = State::failed;
    return nullptr;
  }
  if (item.part && item.part->index > 0) {
    // The first name tells what is wrong with the tuple.
    const Item& first = programs[declaration.program].tree.items[declaration.item - item.part->index];
    if (global_value(environment, first.name, place) == nullptr) {
      declaration.state = State::failed;
      return nullptr;
    }
  }
  declaration.state = State::in_progress;
  declaration.length_depth = length_depth;
  declaration.places = module.places().make();
  std::optional<ir::PlacesGuard> placing(std::in_place, module, declaration.places);
  Scope empty;
  auto* outer = std::exchange(requirements, nullptr);
  ReadOff read_off_before = std::exchange(read_off, {});
  const auto format = std::exchange(format_of_numbers, std::nullopt);
  const Context context{declaration.program, &empty};
  auto value = item.kind == ItemKind::profile  ? elaborate_profile(*this, found->second)
               : item.kind == ItemKind::type   ? elaborate_record(*this, found->second)
               : item.kind == ItemKind::kernel ? kernel_value(*this, found->second, {}, place)
               : item.result                   ? of_stated_type(context, *item.result, item.body, item.name)
                                               : elaborate(context, item.body);
  if (value && item.part) {
    const SourceSpan at = expr(context, item.body).span;
    auto parts = parts_of_tuple(*value, item.part->count, at);
    value = parts ? Maybe((*parts)[item.part->index]) : std::nullopt;
  }
  placing.reset();
  format_of_numbers = format;
  declaration.read_off = std::exchange(read_off, std::move(read_off_before));
  requirements = outer;
  if (value && declaration.referenced) {
    auto schedule = schedule_of(*value, item.name_span, false);
    if (schedule) module.schedules().define(module.symbol(name), *schedule);
    // The definition is referred to by its name, so that printed IR shows it once.
    value = schedule ? Maybe(Value{ScheduleValue{module.schedules().reference(module.symbol(name))}}) : std::nullopt;
  }
  if (!value || declaration.state == State::failed) {
    declaration.state = State::failed;
    return nullptr;
  }
  declaration.value = std::move(value);
  declaration.state = State::done;
  return used(*this, declaration);
}

std::vector<std::string> Elaborator::all_names(const Environment& environment) const {
  std::vector<std::string> names;
  for (const auto& [name, declaration] : environment.definitions) names.push_back(name);
  for (const auto& [name, value] : environment.remembered) names.push_back(name);
  for (const auto& [name, value] : predefined) names.push_back(name);
  return names;
}

namespace {

/// The dimensions of a function, while its parameters are elaborated.
class DimensionNames {
 public:
  DimensionNames(Elaborator& elaborator, const Context& context, const Item& item, Scope& scope, ir::Function& function)
      : elaborator_(elaborator), context_(context), item_(item), scope_(scope), function_(function) {}

  /// Brings the names into scope: first those that stand alone, since a computed dimension may come before the parameter
  /// that binds its names, then those that only computed dimensions have.
  void find() {
    const LoadedProgram& program = elaborator_.programs[context_.program];
    const Environment& environment = *program.environment;
    const std::vector<ExprId> all = dimensions_of(item_);
    for (const ExprId dimension : all) {
      const Expr& written = program.tree[dimension];
      if (written.kind == ExprKind::name && !scope_.find(written.text) && !ir::scalar_named(written.text)) known_.insert(bind(written));
    }
    for (const ExprId dimension : all) {
      const auto next = [&](const Expr& at) {
        const bool known = at.kind != ExprKind::name || scope_.find(at.text) ||
                           elaborator_.predefined.contains(at.text) || environment.definitions.contains(at.text) ||
                           environment.remembered.contains(at.text);
        return known ? nullptr : &at;
      };
      while (const auto* unbound = find_expression(program.tree, dimension, next)) {
        computed_.emplace_back(bind(*unbound), unbound->span);
      }
    }
  }

  /// Whether the sizes of arguments give every dimension; reports one that they do not give.
  bool are_given() {
    const ir::IndexStore& indices = elaborator_.module.indices();
    const auto is_known = [&](ir::SymbolId symbol) { return known_.contains(symbol); };
    for (bool found = true; found;) {
      found = false;
      for (const ir::Parameter& parameter : function_.parameters) {
        for (const ir::IndexId extent : elaborator_.module.types()[parameter.type].extents) {
          if (const auto unknown = ir::only_unknown(indices, extent, is_known)) {
            found = known_.insert(unknown->symbol).second;
          }
        }
      }
    }
    for (const auto& [symbol, span] : computed_) {
      if (known_.contains(symbol)) continue;
      const std::string_view name = elaborator_.module.name(symbol);
      elaborator_.report(
          Diagnostic(code::dimension_unbound, span, fmt::format("no parameter says what `{}` is", name),
                     "a size gives a dimension if it is a multiple of it, plus what is known")
              .help(fmt::format("let it stand alone in some dimension, or make it a static parameter: `fn {}[{}](...)`",
                                item_.name, name)));
      return false;
    }
    return true;
  }

 private:
  ir::SymbolId bind(const Expr& written) {
    const ir::SymbolId symbol = elaborator_.module.symbol(written.text);
    function_.dimensions.push_back(symbol);
    scope_.bind(written.text, {SymbolicInteger{elaborator_.module.indices().dimension(symbol)}});
    return symbol;
  }

  Elaborator& elaborator_;
  const Context& context_;
  const Item& item_;
  Scope& scope_;
  ir::Function& function_;
  std::set<ir::SymbolId> known_;
  std::vector<std::pair<ir::SymbolId, SourceSpan>> computed_;  ///< names that stand alone nowhere
};

/// Notes the operation that `fn ... approximates` names, which must take and give what the circuit does.
bool states_approximation(Elaborator& elaborator, const Item& item, ir::Function& function) {
  const ir::Module& module = elaborator.module;
  const auto refuse = [&](Code number, const std::string& what, std::string help) {
    Diagnostic diagnostic(number, item.approximated_span, what);
    diagnostic.helps.push_back(std::move(help));
    elaborator.report(std::move(diagnostic));
    return false;
  };
  const auto is_of_floats = [](ir::Op op) {
    return ir::is_scalar_operation(op) && ir::traits(op).result == ir::ResultRule::same &&
           !ir::is_integer_operation(op) && !ir::is_approximate(op);
  };
  const auto op = ir::op_named(item.approximated);
  if (!op || !is_of_floats(*op)) {
    std::vector<std::string> names;
    for (int k = 0; k <= static_cast<int>(ir::Op::call); ++k) {
      if (is_of_floats(static_cast<ir::Op>(k))) names.emplace_back(ir::traits(static_cast<ir::Op>(k)).spelling);
    }
    const auto near = nearest_name(item.approximated, names);
    return refuse(code::unknown_name,
                  fmt::format("`{}` is no operation that a circuit can approximate", item.approximated),
                  near ? fmt::format("did you mean `{}`?", *near)
                       : "write the name of an operation of floats: `exp`, `tanh`, `rsqrt`, `pow`");
  }
  const auto is_of_result = [&](const ir::Parameter& each) { return each.type == function.result; };
  const ir::Type& result = module.types()[function.result];
  if (result.kind == ir::TypeKind::scalar && ir::is_float(result.scalar) &&
      std::ranges::all_of(function.parameters, is_of_result) &&
      std::cmp_equal(function.parameters.size(), ir::traits(*op).arity)) {
    function.approximated = op;
    return true;
  }
  const int arity = ir::traits(*op).arity;
  return refuse(code::type_mismatch, fmt::format("`{}` does not take what `{}` takes", item.name, item.approximated),
                fmt::format("`{}` takes {} float{} and gives a float of the same format", item.approximated, arity,
                            arity == 1 ? "" : "s"));
}

std::optional<ir::Function> elaborate_function(Elaborator& elaborator, std::uint32_t id,
                                               const std::vector<Value>& arguments) {
  ir::Module& module = elaborator.module;
  const Declaration& declaration = elaborator.declarations[id];
  const Item& item = elaborator.item_of(declaration);
  ir::Function function;
  function.span = item.name_span;
  function.places = module.places().make();
  const ir::PlacesGuard placing(module, function.places);
  if (item.is_builtin || !item.approximated.empty()) function.builtin = item.name;
  elaborator.requirements = &function.requirements;
  Scope statics;
  std::string name = item.name;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    statics.bind(item.static_parameters[k], arguments[k]);
    name += (k == 0 ? "[" : ", ") + elaborator.value_text(arguments[k]);
  }
  function.name = module.symbol(arguments.empty() ? name : name + "]");
  Scope scope(&statics);
  const Context context{declaration.program, &scope};

  DimensionNames names(elaborator, context, item, scope, function);
  names.find();
  for (std::size_t k = 0; k < item.parameters.size(); ++k) {
    const ParameterDecl& parameter = item.parameters[k];
    auto type = elaborator.type_of(context, parameter.type);
    if (!type) return std::nullopt;
    for (std::size_t other = 0; other < k; ++other) {
      if (item.parameters[other].name != parameter.name) continue;
      return elaborator.report(
          Diagnostic(code::duplicate_name, parameter.span, fmt::format("two parameters are named `{}`", parameter.name))
              .with(item.parameters[other].span, "the first one"));
    }
    function.parameters.push_back({module.symbol(parameter.name), *type, parameter.span});
    std::vector<std::optional<ir::Storage>> storages;
    const std::string what = fmt::format("`{}`", parameter.name);
    if (!storages_of(elaborator, context, parameter.type, *type, what, storages)) return std::nullopt;
    if (storages.size() == 1) function.parameters.back().storage = std::move(storages[0]);
  }
  if (!names.are_given()) return std::nullopt;
  Scope values(&scope);
  for (std::size_t k = 0; k < function.parameters.size(); ++k) {
    const NodeId whole = module.parameter(static_cast<std::uint32_t>(k), function.parameters[k].type);
    const auto node = in_stated_range(elaborator, context, item.parameters[k], whole);
    if (!node) return std::nullopt;
    Value value{DynamicValue{*node}};
    value.record = record_of(elaborator, context, item.parameters[k].type);
    values.bind(item.parameters[k].name, std::move(value));
  }
  const Context inside{declaration.program, &values};
  std::optional<ir::TypeId> type;
  if (item.result) {
    type = elaborator.type_of(inside, *item.result);
    if (!type) return std::nullopt;
    elaborator.state_type(inside, item.body, *type);
  }
  const std::size_t errors = elaborator.diagnostics.size();
  auto body = elaborator.elaborate(inside, item.body);
  if (!body || elaborator.diagnostics.size() != errors) return std::nullopt;
  elaborator.declarations[id].result = body->record;
  const SourceSpan body_span = elaborator.expr(inside, item.body).span;
  if (type) {
    ir::IndexSubstitution none;
    auto node = elaborator.fit(*body, *type, none, false, body_span, fmt::format("the result of `{}`", item.name));
    if (!node) return std::nullopt;
    function.body = *node;
    function.result = *type;
    const std::string what = fmt::format("the result of `{}`", item.name);
    if (!storages_of(elaborator, context, *item.result, *type, what, function.result_storage)) return std::nullopt;
  } else {
    auto node = elaborator.node_of(*body, std::nullopt, body_span);
    if (!node) return std::nullopt;
    function.body = *node;
    function.result = module[*node].type;
  }
  if (!item.approximated.empty() && !states_approximation(elaborator, item, function)) return std::nullopt;
  return function;
}

}  // namespace

std::optional<ir::Function> Elaborator::instance(std::uint32_t id, const std::vector<Value>& arguments,
                                                 SourceSpan place) {
  Declaration& declaration = declarations[id];
  const Item& item = item_of(declaration);
  if (item.kind == ItemKind::kernel) return kernel_instance(*this, id, arguments, place);
  if (arguments.size() != item.static_parameters.size()) {
    Diagnostic diagnostic(code::argument_count, place,
                          fmt::format("`{}` takes {} static argument{} in brackets and was given {}", item.name,
                                      item.static_parameters.size(), item.static_parameters.size() == 1 ? "" : "s",
                                      arguments.size()));
    diagnostic.secondary.push_back({item.name_span, fmt::format("`{}` is defined here", item.name)});
    if (arguments.empty()) diagnostic.helps.push_back(fmt::format("for example `{}[64](...)`", item.name));
    return report(std::move(diagnostic));
  }
  std::string key;
  for (const Value& argument : arguments) key += key_text(argument) + ",";
  if (auto found = declaration.instances.find(key); found != declaration.instances.end()) {
    read_off.insert(declaration.read_off.begin(), declaration.read_off.end());
    return found->second;
  }
  if (!declaration.instances_in_progress.insert(key).second) {
    return report(
        Diagnostic(code::recursive_fn, place, fmt::format("the circuit `{}` calls itself", item.name))
            .with(item.name_span, "its definition")
            .help("a circuit may call itself with another static argument: `fn f[k](x: f32) -> f32 = if k == 0 { x } else { g(f[k - 1](x)) }`"));
  }
  // The function is elaborated on its own, without anything of its caller's surroundings.
  auto* outer = std::exchange(requirements, nullptr);
  const auto depth = std::exchange(length_depth, 0);
  ReadOff read_off_before = std::exchange(read_off, {});
  const auto format = std::exchange(format_of_numbers, std::nullopt);
  auto function = elaborate_function(*this, id, arguments);
  declaration.read_off.merge(read_off);
  read_off = std::move(read_off_before);
  read_off.insert(declaration.read_off.begin(), declaration.read_off.end());
  format_of_numbers = format;
  length_depth = depth;
  requirements = outer;
  declaration.instances_in_progress.erase(key);
  declaration.instances[key] = function;
  return function;
}

void Elaborator::declare(std::uint32_t program, const std::string& path, Environment& environment) {
  std::map<std::string, SourceSpan> seen;
  const auto& items = programs[program].tree.items;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    if (item.kind == ItemKind::import) imports.add(item, path, environment);
  }
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const Item& item = items[k];
    if (!defines(item.kind)) continue;
    auto [first, inserted] = seen.try_emplace(item.name, item.name_span);
    if (!inserted) {
      report(Diagnostic(code::duplicate_name, item.name_span, fmt::format("`{}` is defined twice", item.name))
                 .with(first->second, "the first definition"));
      continue;
    }
    environment.remembered.erase(item.name);
    environment.definitions[item.name] = static_cast<std::uint32_t>(declarations.size());
    Declaration declaration;
    declaration.program = program;
    declaration.item = k;
    declarations.push_back(std::move(declaration));
  }
}

std::optional<ir::Function> Elaborator::closed_function(const Value& value, SourceSpan span, const std::string& name,
                                                         std::optional<ir::Scalar> scalar) {
  auto node = node_of(value, scalar, span);
  if (!node) return std::nullopt;
  ir::Function function;
  function.name = module.symbol(name);
  function.span = span;
  function.places = module.places().current();
  function.body = *node;
  function.result = module[*node].type;
  return function;
}

namespace {

bool elaborate_result(Elaborator& elaborator, const Value& value, SourceSpan at, const std::string& name,
                      ElaboratedItem& out) {
  auto is_number = [](auto&& self, const Value& each) -> bool {
    if (auto* list = each.get_if<ListValue>()) {
      return !list->elements.empty() && std::all_of(list->elements.begin(), list->elements.end(),
                                                    [&](const Value& element) { return self(self, element); });
    }
    return each.is<mpq_class>();
  };
  if (is_number(is_number, value)) {
    // The exact number; also as a circuit, for a semantics that is named for it.
    const std::size_t errors = elaborator.diagnostics.size();
    out.number = elaborator.closed_function(value, at, name);
    elaborator.diagnostics.resize(errors);
  }
  if (auto* question = value.get_if<QuestionValue>()) {
    auto asked = question_of(elaborator, *question, at);
    if (!asked) return false;
    out.value = std::move(*asked);
    return true;
  }
  if (auto result = elaborator.static_result(value)) {
    out.value = std::move(*result);
    return true;
  }
  auto function = elaborator.closed_function(value, at, name);
  if (!function) return false;
  out.value = std::move(*function);
  return true;
}

std::optional<SemanticsName> semantics_name(Elaborator& elaborator, const Context& context,
                                            const std::optional<SemanticsRef>& semantics) {
  if (!semantics) return std::nullopt;
  SemanticsName out{semantics->name, {}, semantics->span};
  for (ExprId argument : semantics->arguments) {
    out.arguments.push_back(one_line(elaborator.sources.text(elaborator.expr(context, argument).span)));
  }
  if (elaborator.takes_profile(semantics)) {
    const Environment& environment = *elaborator.programs[context.program].environment;
    const bool named = !out.arguments.empty();
    out.profile = profile_named(elaborator, environment, named ? out.arguments.front() : "",
                                named ? elaborator.expr(context, semantics->arguments.front()).span : out.span);
  }
  return out;
}

}  // namespace

std::optional<ElaboratedItem> elaborate_item(Elaborator& elaborator, const Context& context, const Item& item) {
  ir::Module& module = elaborator.module;
  const ir::PlacesGuard placing(module, module.places().make());
  elaborator.read_off.clear();
  ElaboratedItem out;
  out.kind = item.kind;
  out.span = item.span;
  out.text = one_line(elaborator.sources.text(item.repeated_for.empty() ? item.span : item.repeated_span));
  out.semantics = semantics_name(elaborator, context, item.semantics);
  switch (item.kind) {
    case ItemKind::import:
    case ItemKind::fn:
    case ItemKind::let:
    case ItemKind::type:
    case ItemKind::profile:
    case ItemKind::kernel: return std::nullopt;
    case ItemKind::assertion: is_asserted(elaborator, context, item.body, item.name); return std::nullopt;
    case ItemKind::check:
      if (!elaborate_check(elaborator, context, item, out)) return std::nullopt;
      out.read_off.assign(elaborator.read_off.begin(), elaborator.read_off.end());
      return out;
    case ItemKind::show:
    case ItemKind::save: {
      if (const auto worst = elaborate_worst(elaborator, context, item, out)) {
        if (!*worst) return std::nullopt;
        return out;
      }
      auto value = elaborator.elaborate(context, item.body);
      if (!value) return std::nullopt;
      out.path = item.name;
      if (item.kind == ItemKind::save) {
        auto function = elaborator.closed_function(*value, elaborator.expr(context, item.body).span, "save");
        if (!function) return std::nullopt;
        out.value = std::move(*function);
        return out;
      }
      if (!elaborate_result(elaborator, *value, elaborator.expr(context, item.body).span, "show", out))
        return std::nullopt;
      return out;
    }
  }
  return std::nullopt;
}

Session::Outcome Elaborator::add(std::uint32_t file, const std::string& path, ParseAs as) {
  return add(parse(sources, file, as), path, as);
}

Session::Outcome Elaborator::add(ParseResult parsed, const std::string& path, ParseAs as) {
  Session::Outcome out;
  steps_ = 0;
  gave_up_ = false;
  out.incomplete = parsed.incomplete;
  diagnostics = std::move(parsed.diagnostics);
  const bool parsed_well = diagnostics.empty();
  const auto program = static_cast<std::uint32_t>(programs.size());
  programs.push_back({std::move(parsed.program), session});
  // a REPL line that does not parse defines nothing
  if (parsed_well || as == ParseAs::program) declare(program, path, *session);
  const Program& tree = programs[program].tree;
  for (const Item& item : tree.items) {
    // Definitions are elaborated whether or not they are used, so that their mistakes are found.
    const bool is_circuit = item.kind == ItemKind::fn && item.static_parameters.empty();
    if (is_circuit || item.kind == ItemKind::kernel) {
      auto found = session->definitions.find(item.name);
      if (found != session->definitions.end() && &item_of(declarations[found->second]) == &item) {
        if (is_circuit) instance(found->second, {}, item.name_span);
        else check_kernel(*this, found->second);
      }
    } else if ((item.kind == ItemKind::let && !item.has_parameter_list) || item.kind == ItemKind::type || item.kind == ItemKind::profile) {
      global_value(*session, item.name, item.name_span);
    }
    format_of_numbers = as == ParseAs::program ? std::nullopt : entry_format;
    for (ElaboratedItem& each : elaborate_all(*this, program, item)) out.items.push_back(std::move(each));
    format_of_numbers.reset();
  }
  if (tree.result.valid() && parsed_well) {
    Scope empty;
    const Context context{program, &empty};
    ElaboratedItem item;
    item.kind = ItemKind::show;
    item.span = expr(context, tree.result).span;
    item.text = one_line(sources.text(item.span));
    const ir::PlacesGuard placing(module, module.places().make());
    read_off.clear();
    format_of_numbers = as == ParseAs::program ? std::nullopt : entry_format;
    item.semantics = semantics_name(*this, context, tree.semantics);
    auto value = elaborate(context, tree.result);
    format_of_numbers.reset();
    if (!value && diagnostics.empty()) {
      report(Diagnostic(code::unknown_name, item.span, "a definition that this needs has mistakes")
                 .help("they were reported when it was defined"));
    }
    if (value && elaborate_result(*this, *value, item.span, "eval", item)) {
      out.items.push_back(std::move(item));
      PlacedResult placed{std::move(*value), module.places().current(), std::move(read_off)};
      out.lone = std::make_shared<Session::Lone>(std::move(placed), program);
    }
  }
  out.diagnostics = std::move(diagnostics);
  diagnostics.clear();
  return out;
}

}  // namespace reckon::frontend
