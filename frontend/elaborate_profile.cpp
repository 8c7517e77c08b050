// Accuracy profiles: their settings, and which rules apply.
#include <fmt/format.h>

#include <algorithm>

#include "diagnostics/codes/bad_accuracy.h"
#include "diagnostics/codes/format_of_profile.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/profile_needed.h"
#include "diagnostics/codes/rule_twice.h"
#include "diagnostics/codes/unknown_name.h"
#include "diagnostics/codes/unknown_type.h"
#include "frontend/profile_builder.h"
#include "frontend/profiles.h"
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

bool profile_setting(Elaborator& elaborator, const SettingDecl& setting, Profile& profile) {
  const std::string& what = setting.name.text;
  auto one_of = [&](const Word& word, const std::vector<std::string>& words) -> std::optional<std::size_t> {
    const auto found = std::find(words.begin(), words.end(), word.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    Diagnostic diagnostic(code::bad_accuracy, word.span, fmt::format("`{}` has no setting `{}`", what, word.text));
    const auto near = nearest_name(word.text, words);
    diagnostic.helps.push_back(near ? fmt::format("did you mean `{}`?", *near)
                                    : fmt::format("write one of `{}`", fmt::join(words, "`, `")));
    return elaborator.report(std::move(diagnostic)), std::nullopt;
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
        elaborator.report(std::move(diagnostic));
        return false;
      }
      if (!numerics::has_nan(ir::format_of(*format))) {
        elaborator.report(Diagnostic(code::not_available, word.span,
                                     fmt::format("`{}` has no NaN, and profiles have no rule for that", word.text))
                              .help("leave it out: circuits may convert to it from a format that the profile has"));
        return false;
      }
      if (std::count(profile.formats.begin(), profile.formats.end(), *format) != 0) {
        elaborator.report(
            Diagnostic(code::rule_twice, word.span, fmt::format("`{}` stands twice among the formats", word.text)));
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
        elaborator.report(Diagnostic(code::rule_twice, setting.parts[k].span,
                                     fmt::format("it is said twice when `{}` are flushed", setting.parts[k].text))
                              .with(setting.parts[other].span, "the first time"));
        return false;
      }
      (*part == 0 ? profile.flush_inputs : profile.flush_outputs) = static_cast<Profile::Flush>(*how);
    }
    return true;
  }
  if (what == "contract" || what == "reassociate") {
    const auto how = one_of(setting.values.front(), {"never", "may"});
    if (!how) return false;
    (what == "contract" ? profile.contract : profile.reassociate) = static_cast<Profile::Rewrite>(*how);
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

/// One profile. Its layers are the profiles that it is made from and itself: a later one's settings and rules replace
/// an earlier one's.
class ProfileElaboration {
 public:
  ProfileElaboration(Elaborator& elaborator, std::uint32_t id)
      : elaborator_(elaborator), id_(id), item_(elaborator.item_of(elaborator.declarations[id])) {}
  ProfileElaboration(const ProfileElaboration&) = delete;

  Maybe elaborate();

 private:
  /// The rule that counts for an operation in a format, and where it stands.
  struct Chosen {
    std::uint32_t layer = 0;
    const RuleDecl* rule = nullptr;
    std::size_t operation = 0;
    Ruled ruled;
  };
  /// One operation of a rule: `sin` of `sin(x), cos(x): ...`.
  struct RuleUse {
    std::uint32_t layer = 0;
    const RuleDecl& rule;
    std::size_t operation = 0;
    const Word& name() const { return rule.operations[operation].name; }
  };

  bool find_layers(std::uint32_t id);
  bool set_layer(std::uint32_t layer);
  bool names_formats();
  std::optional<SourceSpan> place_of_setting(std::string_view name) const;
  bool may_be_rewritten();
  bool settings_agree();
  std::vector<Scalar> formats_of(std::uint32_t layer, const RuleDecl& rule);
  void choose(const RuleUse& use, const std::vector<Scalar>& formats);
  bool may_replace(const Chosen& earlier, const RuleUse& use, const Ruled& target, Scalar format);
  bool two_rules(const Chosen& earlier, const RuleUse& use, Scalar format);
  bool another_circuit(const Chosen& earlier, const RuleUse& use, const Ruled& target);
  const Ruled* target_of(const RuleUse& use, Scalar format) const;
  void add(const RuleUse& use);
  std::optional<bool> add_in(const RuleUse& use, const Ruled& target, Scalar format);
  void never_counts(const RuleUse& use);
  Value result();

  const Item& declared(std::uint32_t id) const { return elaborator_.item_of(elaborator_.declarations[id]); }
  Context context_of(std::uint32_t layer) const { return {elaborator_.declarations[layer].program, &no_names_}; }
  /// The profile's formats, for messages.
  std::vector<std::string> format_names() const {
    std::vector<std::string> names;
    for (Scalar each : profile_.formats) names.emplace_back(ir::scalar_name(each));
    return names;
  }
  bool refuse(Diagnostic diagnostic) {
    elaborator_.report(std::move(diagnostic));
    return false;
  }

  Elaborator& elaborator_;
  const std::uint32_t id_;
  const Item& item_;
  const Scope no_names_;
  std::vector<std::uint32_t> layers_;
  ProfileBuilder builder_;
  Profile& profile_ = builder_.profile;
  std::map<std::pair<std::string, Scalar>, Chosen> chosen_;  ///< by operation and format
  bool sound_ = true;  ///< no rule has a mistake so far; after one, the others are still looked at
};

Maybe ProfileElaboration::elaborate() {
  if (!find_layers(id_)) return std::nullopt;
  profile_.name = item_.name;
  profile_.span = item_.name_span;
  for (std::uint32_t layer : layers_) {
    if (!set_layer(layer)) return std::nullopt;
  }
  if (!names_formats()) return std::nullopt;
  for (std::uint32_t layer : layers_) {
    for (const RuleDecl& rule : declared(layer).profile.rules) {
      const std::vector<Scalar> formats = formats_of(layer, rule);
      for (std::size_t k = 0; k < rule.operations.size(); ++k) choose({layer, rule, k}, formats);
    }
  }
  if (!sound_) return std::nullopt;
  for (std::uint32_t layer : layers_) {
    for (const RuleDecl& rule : declared(layer).profile.rules) {
      for (std::size_t k = 0; k < rule.operations.size(); ++k) add({layer, rule, k});
    }
  }
  if (!sound_ || !settings_agree() || !rules_suffice(elaborator_, builder_)) {
    return std::nullopt;
  }
  return result();
}

/// The profile and those that it is made from, the first one first.
bool ProfileElaboration::find_layers(std::uint32_t id) {
  const Declaration& declaration = elaborator_.declarations[id];
  const Word& base = declared(id).profile.base;
  if (!base.text.empty()) {
    const Environment& environment = *elaborator_.programs[declaration.program].environment;
    if (!profile_named(elaborator_, environment, base.text, base.span)) return false;
    const Value* value = elaborator_.global_value(environment, base.text, base.span);
    if (!find_layers(value->get_if<ProfileValue>()->declaration)) return false;
  }
  layers_.push_back(id);
  return true;
}

/// The settings of one layer, in which each stands at most once.
bool ProfileElaboration::set_layer(std::uint32_t layer) {
  std::map<std::string, SourceSpan> seen;
  for (const SettingDecl& setting : declared(layer).profile.settings) {
    auto [first, inserted] = seen.try_emplace(setting.name.text, setting.name.span);
    if (!inserted) {
      return refuse(
          Diagnostic(code::rule_twice, setting.name.span, fmt::format("the profile sets `{}` twice", setting.name.text))
              .with(first->second, "the first time"));
    }
    if (!profile_setting(elaborator_, setting, profile_)) return false;
  }
  return true;
}

bool ProfileElaboration::names_formats() {
  if (!profile_.formats.empty()) return true;
  return refuse(
      Diagnostic(code::format_of_profile, item_.name_span, fmt::format("the profile `{}` names no formats", item_.name))
          .help("say for which formats it speaks: `formats f32, f16`"));
}

/// The formats in which a rule counts: its own, as far as the profile has them, or the profile's.
std::vector<Scalar> ProfileElaboration::formats_of(std::uint32_t layer, const RuleDecl& rule) {
  if (rule.formats.empty()) return profile_.formats;
  std::vector<Scalar> formats;
  for (const Word& word : rule.formats) {
    const auto format = ir::scalar_named(word.text);
    if (format && std::count(profile_.formats.begin(), profile_.formats.end(), *format) != 0) {
      formats.push_back(*format);
      continue;
    }
    // A profile below may have rules for formats that this profile leaves out.
    if (layer != id_) continue;
    sound_ = refuse(Diagnostic(code::format_of_profile, word.span,
                               fmt::format("the profile `{}` has no format `{}`", item_.name, word.text))
                        .help(fmt::format("it has `{}`: add to its `formats`, or leave this one out",
                                          fmt::join(format_names(), "`, `"))));
  }
  return formats;
}

/// A later layer's rule replaces an earlier one's; within a layer there is one rule for each format.
void ProfileElaboration::choose(const RuleUse& use, const std::vector<Scalar>& formats) {
  const auto target = ruled(elaborator_, context_of(use.layer), use.name());
  if (!target) {
    sound_ = false;
    return;
  }
  for (Scalar format : formats) {
    Chosen& at = chosen_[{use.name().text, format}];
    if (at.rule != nullptr && !may_replace(at, use, *target, format)) {
      sound_ = false;
      return;
    }
    at = {use.layer, &use.rule, use.operation, *target};
  }
}

bool ProfileElaboration::may_replace(const Chosen& earlier, const RuleUse& use, const Ruled& target, Scalar format) {
  if (earlier.layer == use.layer) return two_rules(earlier, use, format);
  const bool same_circuit = earlier.ruled.operation || earlier.ruled.circuit == target.circuit;
  return same_circuit || another_circuit(earlier, use, target);
}

bool ProfileElaboration::two_rules(const Chosen& earlier, const RuleUse& use, Scalar format) {
  const Word& name = use.name();
  return refuse(
      Diagnostic(code::rule_twice, name.span, fmt::format("there are two rules for {}", place_of({name.text, format})))
          .with(earlier.rule->operations[earlier.operation].name.span, "the first one")
          .help("alternatives stand in one rule: `either(ulps(4), inherited(x * y))`"));
}

bool ProfileElaboration::another_circuit(const Chosen& earlier, const RuleUse& use, const Ruled& target) {
  const Word& name = use.name();
  return refuse(
      Diagnostic(code::rule_twice, name.span,
                 fmt::format("the profile `{}` has a rule for another `{}`", declared(earlier.layer).name, name.text))
          .with(declared(earlier.ruled.circuit).name_span, "the one that it is for")
          .with(declared(target.circuit).name_span, "the one that this rule is for")
          .help("give this one another name"));
}

/// What the rule is for, if it is the one that counts in this format.
const Ruled* ProfileElaboration::target_of(const RuleUse& use, Scalar format) const {
  const auto found = chosen_.find({use.name().text, format});
  if (found == chosen_.end()) return nullptr;
  const Chosen& at = found->second;
  return at.rule == &use.rule && at.operation == use.operation ? &at.ruled : nullptr;
}

void ProfileElaboration::add(const RuleUse& use) {
  bool counts = false, asked = false;
  for (Scalar format : profile_.formats) {
    const Ruled* target = target_of(use, format);
    if (target == nullptr) continue;
    asked = true;
    const auto added = add_in(use, *target, format);
    // A mistake in a rule is reported once, not for each of its formats.
    if (!added) {
      sound_ = false;
      return;
    }
    counts = counts || *added;
  }
  if (asked && !counts && sound_ && use.layer == id_) never_counts(use);
}

/// Adds the rule for one format. False: the circuit that it is for has no results in this format.
std::optional<bool> ProfileElaboration::add_in(const RuleUse& use, const Ruled& target, Scalar format) {
  std::optional<ir::Function> circuit;
  if (!target.operation) {
    circuit = ruled_circuit(elaborator_, target, use.name(), format);
    if (!circuit) return std::nullopt;
    if (format_of_call(elaborator_.module, *circuit) != format) return false;
  }
  RuleElaboration rule(elaborator_, builder_, context_of(use.layer), use.rule.operations[use.operation], target, format,
                       circuit ? &*circuit : nullptr);
  return rule.add(use.rule) ? std::optional(true) : std::nullopt;
}

void ProfileElaboration::never_counts(const RuleUse& use) {
  const Word& name = use.name();
  const Item& circuit = declared(ruled(elaborator_, context_of(use.layer), name)->circuit);
  const std::vector<std::string> formats = use.rule.formats.empty() ? format_names() : written(use.rule.formats);
  sound_ = refuse(Diagnostic(code::format_of_profile, name.span,
                             fmt::format("`{}` has no result in {}, so this rule would never count", name.text,
                                         fmt::join(formats, " or ")))
                      .with(circuit.name_span, "defined here")
                      .help("a rule for a circuit counts in the format of its first float result"));
}

/// Where the setting of this name that counts stands, which is that of the last layer.
std::optional<SourceSpan> ProfileElaboration::place_of_setting(std::string_view name) const {
  std::optional<SourceSpan> out;
  for (std::uint32_t layer : layers_) {
    for (const SettingDecl& setting : declared(layer).profile.settings) {
      if (setting.name.text == name) out = setting.name.span.to(setting.values.front().span);
    }
  }
  return out;
}

/// What compilers may make of additions needs a rule, and whole ranges.
bool ProfileElaboration::may_be_rewritten() {
  if (!profile_.rewrites()) return true;
  const std::string_view setting = profile_.contracts() ? "contract" : "reassociate";
  const SourceSpan place = place_of_setting(setting).value_or(profile_.span);
  if (profile_.endpoints_only) {
    return refuse(Diagnostic(code::bad_accuracy, place,
                             fmt::format("`evaluate ends` looks at the operations as they are written, and `{} may` at "
                                         "what compilers make of them",
                                         setting))
                      .help("leave one of the two out"));
  }
  if (!profile_.contracts()) return true;
  for (Scalar format : profile_.formats) {
    const bool adds = profile_.find("add", format) != nullptr || profile_.find("sub", format) != nullptr;
    if (!adds || profile_.find("fma", format) != nullptr) continue;
    return refuse(Diagnostic(code::bad_accuracy, place,
                             fmt::format("`contract may` makes `fma` of additions, and the profile has no rule for {}",
                                         place_of({"fma", format})))
                      .help("add one: `fma : rounded`"));
  }
  return true;
}

/// Evaluation at endpoints, as the suite does it, has no infinities: a profile must not state both.
bool ProfileElaboration::settings_agree() {
  if (!may_be_rewritten()) return false;
  if (!profile_.endpoints_only || profile_.overflow == Profile::Overflow::indeterminate) return true;
  const std::optional<SourceSpan> endpoints_only = place_of_setting("evaluate"), overflow = place_of_setting("overflow");
  Diagnostic diagnostic(code::bad_accuracy, endpoints_only.value_or(profile_.span),
                        "`evaluate ends` knows no infinite answers");
  if (overflow) diagnostic.secondary.push_back({*overflow, "and this asks for them"});
  diagnostic.helps.push_back("with `evaluate ends` what overflows is `overflow indeterminate`");
  elaborator_.report(std::move(diagnostic));
  return false;
}

Value ProfileElaboration::result() {
  std::vector<ir::Function> circuits;
  for (ProfileBuilder::Circuit& circuit : builder_.circuits) circuits.push_back(std::move(circuit.function));
  profile_.circuits = ir::compact(elaborator_.module, circuits);
  return Value{ProfileValue{id_, std::make_shared<const Profile>(std::move(profile_))}};
}

std::vector<std::string> profile_names(const Elaborator& elaborator, const Environment& environment) {
  std::vector<std::string> names;
  for (const auto& [name, id] : environment.definitions) {
    if (elaborator.item_of(elaborator.declarations[id]).kind == ItemKind::profile) names.push_back(name);
  }
  return names;
}

}  // namespace

Maybe elaborate_profile(Elaborator& elaborator, std::uint32_t id) {
  return ProfileElaboration(elaborator, id).elaborate();
}

std::shared_ptr<const Profile> profile_named(Elaborator& elaborator, const Environment& environment,
                                             const std::string& name, SourceSpan place) {
  const std::vector<std::string> names = profile_names(elaborator, environment);
  const std::string all = names.empty()
                              ? "the library has profiles: `import \"profiles/wgsl\"`, `\"profiles/ieee\"`, `\"profiles/cuda\"`"
                              : fmt::format("profiles in scope: `{}`", fmt::join(names, "`, `"));
  if (name.empty()) {
    elaborator.report(Diagnostic(code::profile_needed, place, "`accept` needs an accuracy profile", "whose answers?")
                          .help(fmt::format("write `accept({})`", names.empty() ? "wgsl" : names.front()))
                          .help(all));
    return nullptr;
  }
  if (const Value* value = elaborator.global_value(environment, name, place)) {
    if (auto* profile = value->get_if<ProfileValue>()) return profile->profile;
    elaborator.report(
        Diagnostic(code::profile_needed, place,
                   fmt::format("an accuracy profile is needed, and this is {}", elaborator.kind_text(*value)))
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
  elaborator.report(std::move(diagnostic));
  return nullptr;
}

}  // namespace reckon::frontend
