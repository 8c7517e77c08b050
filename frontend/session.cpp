#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnostics/codes/profile_needed.h"
#include "diagnostics/codes/schedule_needed.h"
#include "diagnostics/codes/unknown_name.h"
#include "frontend/elaborator.h"
#include "frontend/find_expression.h"
#include "frontend/in_format.h"
#include "frontend/kernels.h"
#include "frontend/layouts/layouts.h"
#include "frontend/profiles.h"
#include "frontend/records.h"

namespace reckon::frontend {

class Session::Implementation : public Elaborator {
 public:
  using Elaborator::Elaborator;
};

Session::Session(SourceMap& sources, Files files, BackEnd back_end)
    : implementation_(std::make_unique<Implementation>(sources, std::move(files), std::move(back_end))) {}
Session::~Session() = default;

ir::Module& Session::module() { return implementation_->module; }

Session::Outcome Session::add(std::uint32_t file, const std::string& path, ParseAs as) {
  return implementation_->add(file, path, as);
}

Session::Outcome Session::add(ParseResult parsed, const std::string& path, ParseAs as) {
  return implementation_->add(std::move(parsed), path, as);
}

std::vector<Diagnostic> Session::import_library() { return implementation_->imports.import_library(); }

Expected<ir::Function> Session::circuit(std::string_view name, const std::vector<StaticArgument>& static_arguments,
                                        bool clauses) {
  Elaborator& elaborator = *implementation_;
  const auto& definitions = elaborator.session->definitions;
  auto found = definitions.find(std::string(name));
  auto is_circuit = [&](std::uint32_t declaration) {
    const ItemKind kind = elaborator.item_of(elaborator.declarations[declaration]).kind;
    return kind == ItemKind::fn || kind == ItemKind::kernel;
  };
  if (found == definitions.end() || !is_circuit(found->second)) {
    Diagnostic diagnostic(code::unknown_name, {}, fmt::format("there is no circuit `{}`", name));
    std::vector<std::string> names;
    for (const auto& [each, declaration] : definitions) {
      if (is_circuit(declaration)) names.push_back(each);
    }
    if (auto near = nearest_name(name, names)) diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    else if (!names.empty()) diagnostic.helps.push_back(fmt::format("circuits here: `{}`", fmt::join(names, "`, `")));
    return diagnostic;
  }
  std::vector<Value> arguments;
  for (const StaticArgument& argument : static_arguments) {
    if (const auto* format = std::get_if<ir::Scalar>(&argument)) arguments.push_back({TypeValue{*format, {}, false}});
    else arguments.push_back({mpq_class(static_cast<long>(std::get<std::int64_t>(argument)))});
  }
  elaborator.diagnostics.clear();
  elaborator.reads_clauses = clauses;
  auto function = entry_circuit(elaborator, {found->second, arguments, !arguments.empty()}, {});
  if (!function) {
    if (elaborator.diagnostics.empty()) {
      return Diagnostic(code::unknown_name, {}, fmt::format("the circuit `{}` has mistakes", name));
    }
    return elaborator.diagnostics.front();
  }
  return *function;
}

Expected<std::shared_ptr<const ir::Profile>> Session::profile(const std::string& name, SourceSpan place) {
  Elaborator& elaborator = *implementation_;
  elaborator.diagnostics.clear();
  // Names that the program does not define may be the library's.
  Environment all = elaborator.imports.library_names();
  if (!elaborator.diagnostics.empty()) return elaborator.diagnostics.front();
  for (const auto& [each, declaration] : elaborator.session->definitions) all.definitions[each] = declaration;
  auto profile = profile_named(elaborator, all, name, place);
  auto problems = std::exchange(elaborator.diagnostics, {});
  if (profile) return profile;
  if (problems.empty())
    return Diagnostic(code::profile_needed, place, fmt::format("the profile `{}` has mistakes", name));
  return problems.front();
}

const Program* Session::tree(std::uint32_t file) const {
  for (const LoadedProgram& program : implementation_->programs) {
    if (!program.tree.items.empty() && program.tree.items.front().span.file == file) return &program.tree;
  }
  return nullptr;
}

std::vector<std::string> Session::circuits(std::uint32_t file) const {
  std::vector<std::string> out;
  for (const LoadedProgram& program : implementation_->programs) {
    for (const Item& item : program.tree.items) {
      const bool is_circuit = item.kind == ItemKind::fn || item.kind == ItemKind::kernel;
      if (is_circuit && item.span.file == file) out.push_back(item.name);
    }
  }
  return out;
}

std::vector<std::string> Session::sizes(std::uint32_t file) const {
  std::set<std::string> out;
  for (const LoadedProgram& program : implementation_->programs) {
    for (const Item& item : program.tree.items) {
      if (item.span.file != file) continue;
      out.insert(item.static_parameters.begin(), item.static_parameters.end());
      for (const ForClause& clause : item.clauses) {
        if (clause.kind == ForClause::Kind::sizes) out.insert(clause.name);
      }
      for (const ExprId dimension : dimensions_of(item)) {
        const Expr& written = program.tree[dimension];
        if (written.kind == ExprKind::name) out.insert(written.text);
      }
    }
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> Session::static_parameters(std::string_view name) {
  auto found = implementation_->session->definitions.find(std::string(name));
  if (found == implementation_->session->definitions.end()) return {};
  return static_parameters_of(*implementation_, found->second);
}

void Session::set_entry_format(std::optional<ir::Scalar> format) { implementation_->entry_format = format; }

bool Session::has_numbers(const ir::Function& function) const {
  return frontend::has_numbers(implementation_->module.types(), function.result);
}

ir::Function Session::in_format(const ir::Function& function, ir::Scalar format) {
  Elaborator& elaborator = *implementation_;
  const ir::PlacesGuard placing(elaborator.module, function.places);
  ir::Function out = function;
  out.body = frontend::in_format(elaborator, function.body, format);
  out.result = elaborator.module[out.body].type;
  return out;
}

void Session::remember(const std::string& name, const Lone& value) {
  implementation_->session->remembered.insert_or_assign(name, value.result);
}

Expected<ir::ScheduleId> Session::schedule_of(const Lone& value, SourceSpan place) {
  Elaborator& elaborator = *implementation_;
  const std::size_t reported = elaborator.diagnostics.size();
  const auto schedule = elaborator.schedule_of(value.result.value, place, false);
  if (schedule) return *schedule;
  Diagnostic problem = elaborator.diagnostics.size() > reported
                           ? elaborator.diagnostics.back()
                           : Diagnostic(code::schedule_needed, place, "a schedule is needed");
  elaborator.diagnostics.resize(reported);
  return problem;
}

std::optional<ir::ScheduleId> Session::schedule(const std::string& name, const std::vector<std::int64_t>& arguments) {
  Elaborator& elaborator = *implementation_;
  const std::size_t reported = elaborator.diagnostics.size();
  const auto found = [&]() -> std::optional<ir::ScheduleId> {
    const Value* value = elaborator.global_value(*elaborator.session, name, {});
    const auto* closure = value ? value->get_if<ClosureValue>() : nullptr;
    if (!value || (closure == nullptr) != arguments.empty()) return std::nullopt;
    if (!closure) return value->is<ScheduleValue>() ? elaborator.schedule_of(*value, {}, false) : std::nullopt;
    std::vector<Value> given;
    for (const std::int64_t argument : arguments) given.emplace_back(mpq_class(argument));
    const auto made = elaborator.call_closure(*closure, given, {});
    return made && made->is<ScheduleValue>() ? elaborator.schedule_of(*made, {}, false) : std::nullopt;
  }();
  elaborator.diagnostics.resize(reported);
  return found;
}

std::optional<layout::Expression> Session::layout_of(const Lone& value) {
  return layout_expression(*implementation_, value);
}

void Session::keep_literal_places() { implementation_->keep_literal_places = true; }

std::vector<SourceSpan> Session::literal_places(ir::NodeId literal) const {
  std::vector<SourceSpan> out;
  const auto found = implementation_->literal_places.find(literal);
  if (found == implementation_->literal_places.end()) return out;
  for (const auto& [file, begin, end] : found->second) out.push_back({file, begin, end});
  return out;
}

std::vector<std::string> Session::names() const {
  auto names = implementation_->all_names(*implementation_->session);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::pair<std::string, SourceSpan>> Session::definitions() const {
  const Elaborator& elaborator = *implementation_;
  std::map<std::uint32_t, std::string> in_order;
  for (const auto& [name, declaration] : elaborator.session->definitions) in_order[declaration] = name;
  std::vector<std::pair<std::string, SourceSpan>> out;
  for (const auto& [declaration, name] : in_order) {
    out.emplace_back(name, elaborator.item_of(elaborator.declarations[declaration]).span);
  }
  return out;
}

std::optional<std::string> Session::describe(std::string_view name) {
  Elaborator& elaborator = *implementation_;
  elaborator.diagnostics.clear();
  const Value* value = elaborator.global_value(*elaborator.session, std::string(name), {});
  if (!value) {
    auto found = elaborator.predefined.find(std::string(name));
    if (found == elaborator.predefined.end()) return std::nullopt;
    value = &found->second;
  }
  if (auto result = elaborator.static_result(*value)) {
    return result->type == "fn" ? result->text : fmt::format("{}: {}", result->type, result->text);
  }
  return elaborator.kind_text(*value);
}

}  // namespace reckon::frontend
