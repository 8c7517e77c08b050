// Accuracy profiles: their settings, and which rules apply.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_accuracy.h"
#include "diagnostics/codes/format_of_profile.h"
#include "diagnostics/codes/profile_needed.h"
#include "diagnostics/codes/rule_twice.h"
#include "diagnostics/codes/unknown_name.h"
#include "diagnostics/codes/unknown_type.h"
#include "frontend/profile_builder.h"
#include "ir/passes/compaction.h"
#include "numerics/format.h"

namespace reckon::frontend {

using ir::Op;
using ir::Profile;
using ir::Scalar;

namespace {

std::vector<std::string> written(const std::vector<Word>& words) {
  std::vector<std::string> out;
  for (const Word& word : words) out.push_back(word.text);
  return out;
}

/// The format by which a rule is chosen for calls of the circuit.
std::optional<Scalar> format_of_call(const ir::Module& module, const ir::Function& circuit) {
  std::vector<Scalar> arguments;
  for (const ir::Parameter& each : circuit.parameters) {
    for (Scalar scalar : scalars_of(module, each.type)) arguments.push_back(scalar);
  }
  return ir::ruled_format(scalars_of(module, circuit.result), arguments);
}

}  // namespace

/// The profile and those that it is made from, the first one first.
bool Elaborator::profile_layers(std::uint32_t id, std::vector<std::uint32_t>& layers) {
  const Declaration& declaration = declarations[id];
  const Word& base = item_of(declaration).profile.base;
  if (!base.text.empty()) {
    const Environment& environment = *programs[declaration.program].environment;
    if (!profile_named(environment, base.text, base.span)) return false;
    const Value* value = global_value(environment, base.text, base.span);
    if (!profile_layers(value->get_if<ProfileValue>()->declaration, layers)) return false;
  }
  layers.push_back(id);
  return true;
}

Elaborator::Maybe Elaborator::elaborate_profile(std::uint32_t id) {
  std::vector<std::uint32_t> layers;
  if (!profile_layers(id, layers)) return std::nullopt;
  const Item& item = item_of(declarations[id]);
  ProfileBuilder builder;
  Profile& profile = builder.profile;
  profile.name = item.name;
  profile.span = item.name_span;
  for (std::uint32_t layer : layers) {
    std::map<std::string, SourceSpan> seen;
    for (const SettingDecl& setting : item_of(declarations[layer]).profile.settings) {
      auto [first, inserted] = seen.try_emplace(setting.name.text, setting.name.span);
      if (!inserted) {
        return report(Diagnostic(code::rule_twice, setting.name.span,
                                 fmt::format("the profile sets `{}` twice", setting.name.text))
                          .with(first->second, "the first time"));
      }
      if (!profile_setting(setting, profile)) return std::nullopt;
    }
  }
  if (profile.formats.empty()) {
    return report(
        Diagnostic(code::format_of_profile, item.name_span, fmt::format("the profile `{}` names no formats", item.name))
            .help("say for which formats it speaks: `formats f32, f16`"));
  }

  // A later layer's rule replaces an earlier one's; within a layer there is one rule for each format.
  struct Chosen {
    std::uint32_t layer = 0;
    const RuleDecl* rule = nullptr;
    std::size_t operation = 0;
    Ruled ruled;
  };
  std::map<std::pair<std::string, Scalar>, Chosen> chosen;
  bool sound = true;
  for (std::uint32_t layer : layers) {
    Scope empty;
    const Context context{declarations[layer].program, &empty};
    for (const RuleDecl& rule : item_of(declarations[layer]).profile.rules) {
      std::vector<Scalar> formats = rule.formats.empty() ? profile.formats : std::vector<Scalar>{};
      for (const Word& word : rule.formats) {
        const auto format = ir::scalar_named(word.text);
        const bool has = format && std::count(profile.formats.begin(), profile.formats.end(), *format) != 0;
        if (has) formats.push_back(*format);
        if (has || layer != id) continue;
        std::vector<std::string> names;
        for (Scalar each : profile.formats) names.emplace_back(ir::scalar_name(each));
        sound = false;
        report(Diagnostic(code::format_of_profile, word.span,
                          fmt::format("the profile `{}` has no format `{}`", item.name, word.text))
                   .help(fmt::format("it has `{}`: add to its `formats`, or leave this one out",
                                     fmt::join(names, "`, `"))));
      }
      for (std::size_t k = 0; k < rule.operations.size(); ++k) {
        const Word& name = rule.operations[k].name;
        const auto target = ruled(context, name);
        if (!target) {
          sound = false;
          continue;
        }
        for (Scalar format : formats) {
          Chosen& at = chosen[{name.text, format}];
          if (at.rule != nullptr && at.layer == layer) {
            const SourceSpan first = at.rule->operations[at.operation].name.span;
            report(Diagnostic(code::rule_twice, name.span,
                              fmt::format("there are two rules for {}", place_of({name.text, format})))
                       .with(first, "the first one")
                       .help("alternatives stand in one rule: `either(ulps(4), inherited(x * y))`"));
            sound = false;
            break;
          }
          if (at.rule != nullptr && !at.ruled.operation && at.ruled.circuit != target->circuit) {
            report(Diagnostic(code::rule_twice, name.span,
                              fmt::format("the profile `{}` has a rule for another `{}`",
                                          item_of(declarations[at.layer]).name, name.text))
                       .with(item_of(declarations[at.ruled.circuit]).name_span, "the one that it is for")
                       .with(item_of(declarations[target->circuit]).name_span, "the one that this rule is for")
                       .help("give this one another name"));
            sound = false;
            break;
          }
          at = {layer, &rule, k, *target};
        }
      }
    }
  }
  if (!sound) return std::nullopt;

  for (std::uint32_t layer : layers) {
    Scope empty;
    const Context context{declarations[layer].program, &empty};
    for (const RuleDecl& rule : item_of(declarations[layer]).profile.rules) {
      for (std::size_t k = 0; k < rule.operations.size(); ++k) {
        const Word& name = rule.operations[k].name;
        bool counts = false, asked = false;
        for (Scalar format : profile.formats) {
          const auto found = chosen.find({name.text, format});
          if (found == chosen.end() || found->second.rule != &rule || found->second.operation != k) continue;
          const Ruled& target = found->second.ruled;
          std::optional<ir::Function> circuit;
          asked = true;
          if (!target.operation) {
            circuit = ruled_circuit(target, name, format);
            if (!circuit) {
              sound = false;
              break;
            }
            if (format_of_call(module, *circuit) != format) continue;  // the circuit has no results in this format
          }
          counts = true;
          // A mistake in a rule is reported once, not for each of its formats.
          if (add_rule(builder, context, rule, k, format, circuit ? &*circuit : nullptr)) continue;
          sound = false;
          break;
        }
        if (!asked || counts || !sound || layer != id) continue;
        std::vector<std::string> names;
        for (Scalar each : profile.formats) names.emplace_back(ir::scalar_name(each));
        const Item& circuit = item_of(declarations[ruled(context, name)->circuit]);
        report(Diagnostic(code::format_of_profile, name.span,
                          fmt::format("`{}` has no result in {}, so this rule would never count", name.text,
                                      fmt::join(rule.formats.empty() ? names : written(rule.formats), " or ")))
                   .with(circuit.name_span, "defined here")
                   .help("a rule for a circuit counts in the format of its first float result"));
        sound = false;
      }
    }
  }
  if (!sound || !settings_agree(profile, layers) || !rules_suffice(builder)) return std::nullopt;
  std::vector<ir::Function> circuits;
  for (ProfileBuilder::Circuit& circuit : builder.circuits) circuits.push_back(std::move(circuit.function));
  profile.circuits = ir::compact(module, circuits);
  return Value{ProfileValue{id, std::make_shared<const Profile>(std::move(profile))}};
}

bool Elaborator::profile_setting(const SettingDecl& setting, Profile& profile) {
  const std::string& what = setting.name.text;
  auto one_of = [&](const Word& word, const std::vector<std::string>& words) -> std::optional<std::size_t> {
    const auto found = std::find(words.begin(), words.end(), word.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    Diagnostic diagnostic(code::bad_accuracy, word.span, fmt::format("`{}` has no setting `{}`", what, word.text));
    const auto near = nearest_name(word.text, words);
    diagnostic.helps.push_back(near ? fmt::format("did you mean `{}`?", *near)
                                    : fmt::format("write one of `{}`", fmt::join(words, "`, `")));
    return report(std::move(diagnostic)), std::nullopt;
  };
  if (what == "formats") {
    profile.formats.clear();
    for (const Word& word : setting.parts) {
      const auto format = ir::scalar_named(word.text);
      if (!format || !ir::is_float(*format)) {
        Diagnostic diagnostic(code::unknown_type, word.span, fmt::format("`{}` is no float format", word.text));
        std::vector<std::string_view> names = numerics::format_names();
        const std::string_view last = names.back();
        names.pop_back();
        diagnostic.helps.push_back(fmt::format("there are {} and {}", fmt::join(names, ", "), last));
        report(std::move(diagnostic));
        return false;
      }
      if (std::count(profile.formats.begin(), profile.formats.end(), *format) != 0) {
        report(Diagnostic(code::rule_twice, word.span, fmt::format("`{}` stands twice among the formats", word.text)));
        return false;
      }
      profile.formats.push_back(*format);
    }
    return true;
  }
  if (what == "flush") {
    for (std::size_t k = 0; k < setting.parts.size(); ++k) {
      const auto part = one_of(setting.parts[k], {"inputs", "outputs"});
      const auto how = part ? one_of(setting.values[k], {"never", "may", "always"}) : std::nullopt;
      if (!how) return false;
      for (std::size_t other = 0; other < k; ++other) {
        if (setting.parts[other].text != setting.parts[k].text) continue;
        report(Diagnostic(code::rule_twice, setting.parts[k].span,
                          fmt::format("it is said twice when `{}` are flushed", setting.parts[k].text))
                   .with(setting.parts[other].span, "the first time"));
        return false;
      }
      (*part == 0 ? profile.flush_inputs : profile.flush_outputs) = static_cast<Profile::Flush>(*how);
    }
    return true;
  }
  const bool overflow = what == "overflow";
  const auto how = one_of(setting.values.front(), overflow ? std::vector<std::string>{"indeterminate", "infinite"}
                                                           : std::vector<std::string>{"whole", "ends"});
  if (!how) return false;
  if (overflow) profile.overflow = static_cast<Profile::Overflow>(*how);
  else profile.endpoints_only = *how == 1;
  return true;
}

/// Evaluation at endpoints, as the suite does it, has no infinities: a profile must not state both.
bool Elaborator::settings_agree(const Profile& profile, const std::vector<std::uint32_t>& layers) {
  if (!profile.endpoints_only || profile.overflow == Profile::Overflow::indeterminate) return true;
  std::optional<SourceSpan> endpoints_only, overflow;
  for (std::uint32_t layer : layers) {
    for (const SettingDecl& setting : item_of(declarations[layer]).profile.settings) {
      if (setting.name.text == "evaluate") endpoints_only = setting.name.span.to(setting.values.front().span);
      if (setting.name.text == "overflow") overflow = setting.name.span.to(setting.values.front().span);
    }
  }
  Diagnostic diagnostic(code::bad_accuracy, endpoints_only.value_or(profile.span),
                        "`evaluate ends` knows no infinite answers");
  if (overflow) diagnostic.secondary.push_back({*overflow, "and this asks for them"});
  diagnostic.helps.push_back("with `evaluate ends` what overflows is `overflow indeterminate`");
  report(std::move(diagnostic));
  return false;
}

std::vector<std::string> Elaborator::profile_names(const Environment& environment) const {
  std::vector<std::string> names;
  for (const auto& [name, id] : environment.definitions) {
    if (item_of(declarations[id]).kind == ItemKind::profile) names.push_back(name);
  }
  return names;
}

std::shared_ptr<const Profile> Elaborator::profile_named(const Environment& environment, const std::string& name,
                                                         SourceSpan place) {
  const std::vector<std::string> names = profile_names(environment);
  const std::string all = names.empty()
                              ? "the library has profiles: `import \"profiles/wgsl\"`, `\"profiles/ieee\"`, `\"profiles/cuda\"`"
                              : fmt::format("profiles in scope: `{}`", fmt::join(names, "`, `"));
  if (name.empty()) {
    report(Diagnostic(code::profile_needed, place, "`accept` needs an accuracy profile", "whose answers?")
               .help(fmt::format("write `accept({})`", names.empty() ? "wgsl" : names.front()))
               .help(all));
    return nullptr;
  }
  if (const Value* value = global_value(environment, name, place)) {
    if (auto* profile = value->get_if<ProfileValue>()) return profile->profile;
    report(Diagnostic(code::profile_needed, place,
                      fmt::format("an accuracy profile is needed, and this is {}", kind_text(*value)))
               .help(all));
    return nullptr;
  }
  if (environment.definitions.contains(name)) return nullptr;  // its mistakes have already been reported
  Diagnostic diagnostic(code::unknown_name, place, fmt::format("there is no profile `{}`", name));
  if (const auto near = nearest_name(name, names)) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
    diagnostic.suggestion = Suggestion{place, *near};
  } else {
    diagnostic.helps.push_back(all);
  }
  report(std::move(diagnostic));
  return nullptr;
}

}  // namespace reckon::frontend
