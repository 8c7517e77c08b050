// What a session does with circuits that are written in C++.
#include <fmt/format.h>

#include <algorithm>

#include "api/implementation.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/syntax.h"

namespace reckon {
namespace {

using circuit::DefinitionNames;
using circuit::Translation;
using Definitions = std::vector<std::shared_ptr<const circuit::Definition>>;

/// The names of circuits in text; those that C++ functions became have their caller's, and a number.
void name(DefinitionNames& names, const Definitions& definitions, const std::string& owner) {
  std::size_t generated = 0;
  for (const auto& each : definitions) {
    names[each.get()] = each->is_generated ? fmt::format("{}_{}{}", owner, each->name, ++generated) : each->name;
  }
}

}  // namespace

std::vector<Message> Session::Implementation::mistakes(const std::vector<circuit::Mistake>& mistakes) {
  std::vector<Message> out;
  for (const circuit::Mistake& each : mistakes) {
    Diagnostic diagnostic(code::syntax, cpp_places.span(each.place, sources), each.message, each.label);
    if (!each.help.empty()) diagnostic.helps.push_back(each.help);
    out.push_back(message(diagnostic));
  }
  return out;
}

frontend::ParseResult Session::Implementation::printed(Translation& translation, const std::string& title) {
  std::vector<frontend::MovedPlace> moved;
  const std::uint32_t file = sources.file_count();
  std::string text = frontend::print_syntax(translation.program, file, moved);
  sources.add(title, std::move(text));
  cpp_places.add(file, moved, translation.places);
  return {std::move(translation.program), {}, false};
}

std::vector<Message> Session::Implementation::define_below(const std::vector<const circuit::Node*>& roots,
                                                           const std::string& owner, DefinitionNames& names) {
  const Definitions all = circuit::definitions_below(roots);
  name(names, all, owner);
  Definitions fresh;
  for (const auto& each : all) {
    const auto known = cpp_definitions.find(names.at(each.get()));
    if (known == cpp_definitions.end() || known->second != each) fresh.push_back(each);
  }
  if (fresh.empty()) return {};
  Translation translation = circuit::translate(fresh, names);
  if (!translation.mistakes.empty()) return mistakes(translation.mistakes);
  // With mistakes in it, too, a definition takes the place of an earlier one of its name.
  for (const auto& each : fresh) cpp_definitions.erase(names.at(each.get()));
  auto outcome = session.add(printed(translation, fmt::format("circuit {}", owner)), "", frontend::ParseAs::program);
  if (!outcome.diagnostics.empty()) return messages(outcome.diagnostics);
  for (const auto& each : fresh) cpp_definitions[names.at(each.get())] = each;
  return {};
}

Result<frontend::Session::Outcome> Session::Implementation::elaborated(const circuit::NodePointer& expression) {
  DefinitionNames names;
  if (auto failures = define_below({expression.get()}, "expression", names); !failures.empty()) return failures;
  Translation translation = circuit::translate(expression, names);
  if (!translation.mistakes.empty()) return mistakes(translation.mistakes);
  auto outcome = session.add(printed(translation, "expression"), "", frontend::ParseAs::expression);
  if (!outcome.diagnostics.empty()) return messages(outcome.diagnostics);
  return outcome;
}

std::vector<Message> Session::define_circuit(const std::shared_ptr<const circuit::Definition>& definition) {
  std::vector<Message> out;
  if (!definition) {
    return implementation_->messages(
        bad_argument("this circuit is only known by name: there is nothing to define").help("load its text first"));
  }
  with_large_stack([&] {
    circuit::Node reference(circuit::NodeKind::circuit, definition->name, definition->place);
    reference.definition = definition;
    DefinitionNames names;
    out = implementation_->define_below({&reference}, definition->name, names);
  });
  return out;
}

std::vector<Message> Session::define(const std::string& name, const circuit::Expression& value) {
  circuit::Definition definition;
  definition.name = name;
  definition.place = value.node()->place;
  definition.body = value.node();
  definition.is_circuit = false;
  return define_circuit(std::make_shared<const circuit::Definition>(std::move(definition)));
}

Result<std::vector<Shown>> Session::show(const circuit::Expression& expression, const std::string& semantics) {
  Result<std::vector<Shown>> out = std::vector<Shown>{};
  Implementation& self = *implementation_;
  self.interrupted = false;
  with_large_stack([&] {
    auto outcome = self.elaborated(expression.node());
    if (!outcome) {
      out = outcome.messages();
      return;
    }
    const std::string usual = self.options.semantics;
    if (!semantics.empty()) self.options.semantics = semantics;
    out = self.show_lone(*outcome);
    self.options.semantics = usual;
  });
  return out;
}

Result<Checked> Session::check(const circuit::Claim& claim) {
  Result<Checked> out = Checked();
  Implementation& self = *implementation_;
  self.interrupted = false;
  with_large_stack([&] {
    std::vector<const circuit::Node*> roots;
    for (const auto& side : claim.sides) roots.push_back(side.get());
    DefinitionNames names;
    if (auto failures = self.define_below(roots, "check", names); !failures.empty()) {
      out = std::move(failures);
      return;
    }
    Translation translation = circuit::translate(claim, names);
    if (!translation.mistakes.empty()) {
      out = self.mistakes(translation.mistakes);
      return;
    }
    auto outcome = self.session.add(self.printed(translation, "check"), "", frontend::ParseAs::program);
    if (!outcome.diagnostics.empty()) {
      out = self.messages(outcome.diagnostics);
      return;
    }
    self.about_to_run(outcome.items);
    Event event = self.carry_out(outcome.items.front());
    if (auto* checked = std::get_if<Checked>(&event)) out = std::move(*checked);
    if (auto* failures = std::get_if<std::vector<Message>>(&event)) out = std::move(*failures);
  });
  return out;
}

Result<std::string> Session::draw(const circuit::Expression& expression, const DrawOptions& options) {
  Result<std::string> out = std::string();
  Implementation& self = *implementation_;
  with_large_stack([&] {
    auto outcome = self.elaborated(expression.node());
    out = outcome ? self.drawn(*outcome, options) : Result<std::string>(outcome.messages());
  });
  return out;
}

Result<std::string> Session::text(const circuit::Expression& expression) {
  Result<std::string> out = std::string();
  Implementation& self = *implementation_;
  with_large_stack([&] {
    DefinitionNames names;
    name(names, circuit::definitions_below({expression.node().get()}), "expression");
    Translation translation = circuit::translate(expression.node(), names);
    std::vector<frontend::MovedPlace> moved;
    if (!translation.mistakes.empty()) out = self.mistakes(translation.mistakes);
    else out = frontend::print_syntax(translation.program, 0, moved);
  });
  return out;
}

Result<std::string> Session::text(const std::shared_ptr<const circuit::Definition>& definition) {
  Result<std::string> out = std::string();
  Implementation& self = *implementation_;
  with_large_stack([&] {
    Definitions all = circuit::definitions_below({definition->body.get()});
    all.push_back(definition);
    DefinitionNames names;
    name(names, all, definition->name);
    // What C++ functions became is a part of this circuit; other circuits have texts of their own.
    std::erase_if(all, [&](const auto& each) { return each != definition && !each->is_generated; });
    Translation translation = circuit::translate(all, names);
    std::vector<frontend::MovedPlace> moved;
    if (!translation.mistakes.empty()) out = self.mistakes(translation.mistakes);
    else out = frontend::print_syntax(translation.program, 0, moved);
  });
  return out;
}

}  // namespace reckon
