// Outcomes as text for people.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/render/parts.h"

namespace reckon {
namespace {

constexpr std::size_t shown_elements = 1000;   // of a tensor, as text
constexpr std::size_t longest_fraction = 40;   // characters; a longer one is shown as its decimal alone
constexpr std::size_t row_ends = 8;            // of each end of a longer one

/// Nested brackets, rows on lines of their own; the middle of a long tensor is left out.
void write_tensor(const Shown& shown, std::size_t dimension, std::size_t& at, bool elide, std::string& out) {
  const auto extent = static_cast<std::size_t>(shown.shape[dimension]);
  std::size_t stride = 1;
  for (std::size_t d = dimension + 1; d < shown.shape.size(); ++d) stride *= static_cast<std::size_t>(shown.shape[d]);
  const bool innermost = dimension + 1 == shown.shape.size();
  out += '[';
  for (std::size_t i = 0; i < extent; ++i) {
    if (i > 0) out += innermost ? ", " : ",\n" + std::string(dimension + 1, ' ');
    if (elide && extent > 2 * row_ends && i == row_ends) {
      out += "...";
      at += (extent - 2 * row_ends) * stride;
      i = extent - row_ends - 1;
      continue;
    }
    if (innermost) out += shown.numbers[at++].text;
    else write_tensor(shown, dimension + 1, at, elide, out);
  }
  out += ']';
}

/// What a static check that fails shows below its line.
bool is_of_a_static_check(const Checked::Fact& fact) {
  return fact.name == "at" || fact.name == "left" || fact.name == "right";
}

}  // namespace

std::string to_text(const Shown& shown) {
  if (shown.is_static) {
    if (shown.decimal.empty()) return shown.text;
    return shown.text.size() > longest_fraction ? shown.decimal : fmt::format("{}  ({})", shown.text, shown.decimal);
  }
  std::string out;
  if (shown.is_scalar && shown.numbers.size() == 1) {
    const Number number = shown.numbers[0];
    out = number.text;
    // The bits of a float, as the language writes them.
    for (const auto& [name, value] : number.forms) {
      if (name == "bits" && shown.floats && !shown.plain) out += fmt::format("  {}#{}", shown.type, value);
    }
  } else {
    std::size_t at = 0;
    write_tensor(shown, 0, at, shown.numbers.size() > shown_elements, out);
  }
  if (!shown.summary.empty()) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : shown.summary) parts.push_back(name + " " + value);
    out = fmt::format("{}", fmt::join(parts, ", "));
  }
  return out;
}

std::string to_text(const std::vector<Shown>& parts) {
  std::vector<std::string> texts;
  for (const Shown& part : parts) texts.push_back(to_text(part));
  const std::string all = texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ", "));
  const std::string label = parts.empty() ? "" : parts.front().given.label;
  if (label.empty()) return all;
  std::string out = label;
  for (const char c : all) {
    out += c;
    if (c == '\n') out.append(label.size(), ' ');
  }
  return out;
}

namespace {

std::string strength_text(const Checked& check) {
  if (check.fact("all_sizes") != nullptr)
    // Of a kernel's circuit, the kernel itself was looked at for some sizes.
    return check.strength + (check.fact("read_off") != nullptr ? " for all sizes of the circuit" : " for all sizes");
  const bool at_sizes = check.fact("sizes") != nullptr && check.strength != "observed";
  return at_sizes ? check.strength + " at these sizes" : check.strength;
}

std::string evidence_text(const Checked& check) {
  // A failure rests on its counterexample, however the semantics compares; an undecided check has no strength.
  std::vector<std::string> parts;
  const bool observes = check.fact("seen") != nullptr;
  if (observes || (!check.counterexample && check.verdict != "undecided")) parts.push_back(strength_text(check));
  for (const Checked::Fact& fact : check.evidence) {
    // Where a difference was looked for does not matter once it is found.
    const bool searched = fact.name == "sizes" || fact.name == "inputs";
    if (!fact.text.empty() && !(searched && check.verdict == "fails")) parts.push_back(fact.text);
  }
  if (check.judged) parts.push_back(render::judged_text(*check.judged));
  if (!check.runs.empty()) parts.push_back(render::runs_evidence(check));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string number_text(const Number& number) {
  for (const auto& [name, value] : number.forms) {
    if (name == "hex") return fmt::format("{}  ({})", number.text, value);
  }
  return number.text;
}

}  // namespace

std::string to_text(const Checked& check, const TextOptions& options) {
  const char* color = check.verdict == "holds" ? "\033[32m" : check.verdict == "fails" ? "\033[31m" : "\033[33m";
  std::string verdict = fmt::format("{:<9}", check.verdict);
  if (options.colored) verdict = color + verdict + "\033[0m";
  std::string out = fmt::format("{} {}{}", verdict, check.given.label, check.text);
  if (const std::string evidence = evidence_text(check); !evidence.empty()) out += fmt::format("  ({})", evidence);
  auto row = [&](const std::string& name, const std::string& text) { out += fmt::format("\n    {:<8} {}", name, text); };
  if (check.counterexample) {
    const auto& from = *check.counterexample;
    std::vector<std::string> sizes;
    for (const auto& [name, value] : from.dimensions) sizes.push_back(fmt::format("{} = {}", name, value));
    if (!sizes.empty()) row("at", fmt::format("{}", fmt::join(sizes, ", ")));
    for (const WitnessInput& input : from.inputs) {
      const std::string elements = fmt::format("{}", fmt::join(input.elements, ", "));
      std::string text = input.expression.empty() ? elements
                         : elements.empty()       ? input.expression
                                                  : fmt::format("{}  # {}", input.expression, elements);
      if (input.left_out > 0) text += ", ...";
      row(input.name + " =", text);
    }
    if (!from.element.empty()) row("element", fmt::format("[{}]", fmt::join(from.element, ", ")));
    row(from.right.forms.empty() ? "value" : "left", number_text(from.left));
    if (!from.right.forms.empty()) row("right", number_text(from.right));
    if (!from.distance.empty()) row("apart", from.distance);
    if (!from.allowance.empty()) row("allowed", from.allowance);
    if (!from.parting.empty()) row("parts", from.parting);
  } else if (check.verdict != "holds") {
    for (const Checked::Fact& fact : check.evidence) {
      if (is_of_a_static_check(fact)) row(fact.name, std::get<std::string>(fact.value));
    }
  }
  if (!check.runs.empty()) out += render::runs_text(check);
  for (const std::string& note : check.notes) row("note", note);
  if (const Checked::Fact* steps = check.fact("steps")) {
    for (const std::string& line : std::get<std::vector<std::string>>(steps->value)) row("proof", line);
  }
  if (!options.verbose) return out;
  for (const std::string& remark : check.remarks) row("remark", remark);
  for (const Checked::Fact& fact : check.evidence) {
    const bool shown = fact.name == "steps" || fact.name == "proof_object";
    if (fact.text.empty() && !shown && !is_of_a_static_check(fact)) row(fact.name, render::fact_json(fact).dump());
  }
  return out;
}

std::string to_text(const Saved& saved) { return fmt::format("saved     {}  ({})", saved.path, saved.type); }

}  // namespace reckon
