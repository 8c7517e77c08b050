// Carrying out the items of a program.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "api/implementation.h"
#include "check/algebra.h"
#include "api/compilations.h"
#include "check/orders_of_operations.h"
#include "diagnostics/codes/bad_data_file.h"
#include "diagnostics/codes/number_without_format.h"
#include "diagnostics/codes/semantics_needed.h"
#include "diagnostics/codes/unknown_semantics.h"
#include "driver/closed_numbers.h"
#include "runtime/npy.h"
#include "semantics/standard.h"

namespace reckon {
frontend::SemanticsName split_semantics(const std::string& text) {
  frontend::SemanticsName out;
  const auto open = text.find('(');
  auto trim = [](std::string part) {
    const auto first = part.find_first_not_of(" \t");
    if (first == std::string::npos) return std::string();
    return part.substr(first, part.find_last_not_of(" \t") - first + 1);
  };
  out.name = trim(text.substr(0, open));
  if (open == std::string::npos) return out;
  std::string rest = text.substr(open + 1);
  if (!rest.empty() && rest.back() == ')') rest.pop_back();
  std::size_t begin = 0;
  while (begin <= rest.size()) {
    const auto comma = std::min(rest.find(',', begin), rest.size());
    if (auto part = trim(rest.substr(begin, comma - begin)); !part.empty()) out.arguments.push_back(part);
    begin = comma + 1;
  }
  return out;
}

interp::EvaluateOptions Session::Implementation::evaluate_options() const {
  interp::EvaluateOptions out;
  out.interrupted = &interrupted;
  out.circuits = circuits.get();
  return out;
}

check::Options Session::Implementation::check_options(const frontend::ElaboratedItem& item) const {
  check::Options out;
  out.evaluate = evaluate_options();
  const bool unlimited = options.all_trials && item.trials;
  out.budget = item.budget.value_or(unlimited ? std::numeric_limits<double>::infinity() : options.budget);
  out.carrier = carrier.get();
  out.explain = options.explain_proofs;
  if (options.progress) {
    out.progress = [this, text = item.label + item.text](const std::optional<check::Progress>& now) {
      if (!now) return options.progress(std::nullopt);
      options.progress(Progress{text, now->at, now->trials, now->planned, now->seconds, now->budget});
    };
  }
  return out;
}

void Session::Implementation::give_sizes(frontend::ElaboratedItem& check) {
  std::vector<ir::SymbolId> dimensions = check.left->dimensions;
  if (check.right) dimensions.insert(dimensions.end(), check.right->dimensions.begin(), check.right->dimensions.end());
  for (ir::SymbolId dimension : dimensions) {
    const auto given = options.values.find(std::string(session.module().name(dimension)));
    const bool named = std::any_of(check.sizes.begin(), check.sizes.end(),
                                   [&](const frontend::SizeClause& sizes) { return sizes.dimension == dimension; });
    if (given != options.values.end() && !named) check.sizes.push_back({dimension, {given->second}});
  }
}

Expected<std::unique_ptr<interp::Semantics>> Session::Implementation::semantics(
    const frontend::SemanticsName& name) {
  if (auto problem = open_libraries()) return *problem;
  if (const auto own = own_semantics.find(name.name); own != own_semantics.end()) {
    return make_own(name.name, own->second, name.arguments, name.span);
  }
  std::vector<interp::SemanticsArgument> arguments;
  for (const std::string& argument : name.arguments) arguments.push_back({argument});
  if (name.profile && !arguments.empty()) arguments.front().profile = name.profile;
  return interp::make_semantics(name.name, arguments, name.span, own_names());
}

Expected<std::unique_ptr<interp::Semantics>> Session::Implementation::semantics(const std::string& text,
                                                                               SourceSpan place) {
  frontend::SemanticsName name = split_semantics(text);
  name.span = place;
  if (interp::takes_profile(name.name)) {
    auto profile = session.profile(name.arguments.empty() ? "" : name.arguments.front(), place);
    if (!profile) return profile.error();
    name.profile = std::move(*profile);
  }
  return semantics(name);
}

Expected<std::unique_ptr<interp::Semantics>> Session::Implementation::semantics_for(
    const frontend::ElaboratedItem& item, std::string_view otherwise) {
  if (item.semantics) return semantics(*item.semantics);
  if (!options.semantics.empty()) return semantics(options.semantics, {});
  if (!otherwise.empty()) return semantics(std::string(otherwise), {});
  return Diagnostic(code::semantics_needed, item.span, "a check of circuits must name its semantics")
      .help("for example `in float` (these bits), `in fpsan` (this algebra), `in interval`");
}

Expected<std::vector<interp::Values>> Session::Implementation::evaluated(const ir::Function& function,
                                                                         interp::Semantics& with,
                                                                         const std::vector<interp::Argument>& arguments,
                                                                         const ir::Dimensions& dimensions,
                                                                         bool uses_are_related) {
  std::optional<Diagnostic> why_empty;
  interp::EvaluateOptions evaluate = evaluate_options();
  evaluate.uses_are_related = uses_are_related;
  evaluate.why_empty = &why_empty;
  auto values = within_memory(function.span, [&] {
    return interp::evaluate(session.module(), function, with, arguments, dimensions, evaluate);
  });
  if (values && why_empty) {
    why_empty->message = "the result has an element without a value: " + why_empty->message;
    why_empty->severity = Severity::note;
    why_empty->helps.clear();
    notes.push_back(std::move(*why_empty));
  }
  return values;
}

Expected<std::vector<Shown>> Session::Implementation::evaluate(const ir::Function& function,
                                                               std::shared_ptr<interp::Semantics> with,
                                                               const std::vector<interp::Argument>& arguments,
                                                               const ir::Dimensions& dimensions) {
  auto values = evaluated(function, *with, arguments, dimensions);
  if (!values) return values.error();
  std::vector<Shown> out;
  for (interp::Values& part : *values) out.push_back(shown(std::move(part), with));
  return out;
}

Expected<std::vector<Shown>> Session::Implementation::show(const frontend::ElaboratedItem& item) {
  if (std::holds_alternative<frontend::Question>(*item.value)) return show_answer(item);
  const bool fixed = std::holds_alternative<frontend::StaticResult>(*item.value);
  const bool named = item.semantics || !options.semantics.empty();
  if (fixed && !(named && item.number)) return as_it_stands(item);
  auto with = semantics_for(item, interp::usual_semantics);
  if (!with) return with.error();
  // A constant without a format stays exact unless a semantics other than floats was asked for.
  const driver::Traits traits = (*with)->traits();
  if (fixed && traits.floats && !(in_entry && item.semantics)) return as_it_stands(item);
  const ir::Function& written = fixed ? *item.number : std::get<ir::Function>(*item.value);
  const auto formatted = !fixed || item.semantics ? in_entry_format(written, traits) : std::nullopt;
  if (formatted && traits.floats && !item.semantics && driver::is_closed(session.module(), written.body)) {
    return show_closed(written, std::move(*with));
  }
  const ir::Function& function = formatted ? *formatted : written;
  note_roundings(function, **with, item.span);
  auto values = evaluate(function, std::move(*with), {}, {});
  // A default semantics that has no value for a bare number leaves it as it stands.
  if (!values && fixed && !item.semantics && values.error().code == code::number_without_format) return as_it_stands(item);
  return values;
}

namespace {

/// The element type of a circuit's parameter; empty if there is none such.
std::string type_of(const ir::Module& module, const std::optional<ir::Function>& circuit, std::string_view parameter) {
  if (!circuit) return {};
  for (const ir::Parameter& each : circuit->parameters) {
    const ir::Type& type = module.types()[each.type];
    if (module.name(each.name) == parameter && type.kind != ir::TypeKind::tuple) {
      return std::string(ir::scalar_name(type.scalar));
    }
  }
  return {};
}

}  // namespace

/// `algebra` is handled first: it is not a semantics that has values, but a question that is put to several semantics.
Expected<check::Outcome> Session::Implementation::outcome_of(const frontend::ElaboratedItem& item) {
  if ((item.semantics ? item.semantics->name : options.semantics) == interp::algebra_question) {
    if (item.semantics && !item.semantics->arguments.empty()) {
      return Diagnostic(code::unknown_semantics, item.semantics->span, "`algebra` takes no parameters");
    }
    return check::run_algebra(session.module(), item, check_options(item));
  }
  if (item.semantics && item.semantics->name == check::order_question) return check::run_order(session.module(), item);
  if (item.comparison == "unchanged") return unchanged(*this, item);
  auto with = semantics_for(item, {});
  if (!with) return with.error();
  frontend::ElaboratedItem asked = item;
  if (!item.right || session.has_numbers(*item.right)) {
    const driver::Traits traits = (*with)->traits();
    if (const auto left = in_entry_format(*item.left, traits)) asked.left = *left;
    if (const auto right = item.right ? in_entry_format(*item.right, traits) : std::nullopt) asked.right = *right;
  }
  note_roundings(*asked.left, **with, item.span);
  if (asked.right) note_roundings(*asked.right, **with, item.span);
  return check::run(session.module(), asked, **with, check_options(item));
}

Event Session::Implementation::check(const frontend::ElaboratedItem& item) {
  if (item.value) return check_answer(item);
  Checked out;
  out.text = item.text;
  out.given = {item.given, item.label};
  check::Outcome outcome;
  if (item.static_truth) {
    outcome = check::static_outcome(item);
  } else {
    frontend::ElaboratedItem seeded = item;
    if (!seeded.seed) seeded.seed = options.seed;
    give_sizes(seeded);
    try {
      auto result = outcome_of(seeded);
      if (!result) return messages(result.error());
      outcome = std::move(*result);
    } catch (const OwnSemanticsFailure& failure) {
      return messages(failure.at(item.span));
    } catch (const std::bad_alloc&) {
      return messages(out_of_memory(item.span));
    }
  }
  out.verdict = check::verdict_name(outcome.verdict);
  out.strength = check::strength_name(outcome.strength);
  out.semantics = outcome.semantics;
  if (!item.read_off.empty()) {
    const std::string where = fmt::format("read off a kernel: {}", fmt::join(item.read_off, "; "));
    out.evidence.push_back({"read_off", item.read_off, where});
  }
  for (const check::Fact& fact : outcome.evidence) out.evidence.push_back({fact.name, fact.value, fact.text});
  out.notes = outcome.notes;
  for (const auto& [place, side] : outcome.branches_missed) {
    out.notes.push_back(fmt::format("no trial entered the branch where `{}` is {}", sources.text(place), side));
  }
  out.remarks = outcome.remarks;
  out.interrupted = outcome.interrupted;
  if (const auto& from = outcome.judged) {
    out.judged = Checked::Judged{from->what, from->results, from->inside, from->outside,
                                 from->unbounded, from->worst_ulps, from->used, from->reasons};
  }
  if (outcome.counterexample) {
    const check::Counterexample& from = *outcome.counterexample;
    Checked::Counterexample to;
    to.dimensions = from.dimensions;
    for (const check::WitnessInput& input : from.inputs) {
      to.inputs.push_back({input.name, type_of(session.module(), item.left, input.name), input.expression, input.elements,
                           input.left_out});
    }
    to.element = from.element;
    to.left = number(from.left);
    to.right = number(from.right);
    to.distance = from.distance;
    to.allowance = from.allowance;
    to.amounts = from.amounts;
    to.ulps = from.ulps;
    to.parting = from.parting;
    out.counterexample = std::move(to);
  }
  return out;
}

Event Session::Implementation::save(const frontend::ElaboratedItem& item) {
  auto with = semantics_for(item, interp::usual_semantics);
  if (!with) return messages(with.error());
  const auto& written = std::get<ir::Function>(*item.value);
  const auto formatted = in_entry_format(written, (*with)->traits());
  const ir::Function& function = formatted ? *formatted : written;
  note_roundings(function, **with, item.span);
  auto values = evaluated(function, **with, {}, {});
  if (!values) return messages(values.error());
  if (values->size() != 1) {
    return messages(Diagnostic(code::bad_data_file, item.span, "a tuple cannot be saved in one file")
                        .help("save its parts one by one"));
  }
  const interp::Values& value = values->front();
  for (std::int64_t i = 0; i < value.count(); ++i) {
    if ((*with)->bits(value.scalar(), value.at(i))) continue;
    return messages(
        Diagnostic(code::bad_data_file, item.span, fmt::format("values of `{}` have no bits to save", (*with)->name()))
            .help("save them in `float`"));
  }
  if (auto failure = runtime::write_npy(item.path, value.host(**with), item.span)) return messages(*failure);
  return Saved{item.path, fmt::format("{}[{}]", ir::scalar_name(value.scalar()), fmt::join(value.shape(), ", "))};
}

Event Session::Implementation::carry_out(const frontend::ElaboratedItem& item) {
  current = item.span;
  switch (item.kind) {
    case frontend::ItemKind::check: return check(item);
    case frontend::ItemKind::save: return save(item);
    default: break;
  }
  auto values = show(item);
  if (!values) return messages(values.error());
  for (Shown& part : *values) part.given = {item.given, item.label};
  return std::move(*values);
}

std::vector<Event> Session::Implementation::carry_out(frontend::Session::Outcome outcome) {
  std::vector<Event> out;
  if (!outcome.diagnostics.empty()) out.push_back(messages(outcome.diagnostics));
  about_to_run(outcome.items);
  for (const auto& item : outcome.items) {
    Event event = carry_out(item);
    if (!notes.empty()) out.push_back(take_notes());
    out.push_back(std::move(event));
    if (interrupted) break;
  }
  return out;
}

}  // namespace reckon
