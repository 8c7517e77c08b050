// The modes of `float` by their names (mode_semantics.h).
#include <fmt/format.h>

#include "diagnostics/codes/unknown_semantics.h"
#include "semantics/float/chips.h"
#include "semantics/float/mode_semantics.h"
#include "semantics/float/modes.h"
#include "semantics/registry.h"

namespace reckon::interp {

namespace {

using numerics::Rounding;

Diagnostic refused(SourceSpan place, std::string message) {
  return Diagnostic(code::unknown_semantics, place, std::move(message));
}

Diagnostic unknown_mode(const std::string& given, SourceSpan place) {
  Diagnostic diagnostic = refused(place, fmt::format("`float` has no mode `{}`", given));
  const auto near = nearest_name(given, {"toward_zero", "up", "down", "flush", "flush_inputs", "h200"});
  if (given == "nearest" || given == "to_nearest" || given == "nearest_even") {
    diagnostic.helps.emplace_back("`float` without a direction rounds to nearest, ties to even");
  } else if (near) {
    diagnostic.helps.push_back(fmt::format("did you mean `{}`?", *near));
  } else {
    diagnostic.helps.emplace_back(
        "a direction is `toward_zero`, `up` or `down`; `flush` and `flush_inputs` make zeros of subnormals; `h200` "
        "has that GPU's approximate instructions");
  }
  return diagnostic;
}

}  // namespace

Expected<std::unique_ptr<Semantics>> make_float_mode(const std::vector<SemanticsArgument>& arguments,
                                                     SourceSpan place) {
  for (const SemanticsArgument& argument : arguments) {
    auto of_chip = make_float_of_chip(argument.text);
    if (!of_chip) continue;
    if (arguments.size() == 1) return of_chip;
    return refused(place, fmt::format("`{}` goes with no other mode", argument.text))
        .help("the chip's instructions round to nearest and keep subnormals");
  }
  FloatMode mode;
  std::string direction;
  const auto once = [&](bool& flag, const std::string& text) -> std::optional<Diagnostic> {
    if (flag) return refused(place, fmt::format("`{}` is given twice", text)).help("once is enough");
    flag = true;
    return std::nullopt;
  };
  for (const SemanticsArgument& argument : arguments) {
    const std::string& text = argument.text;
    std::optional<Diagnostic> problem;
    if (text == "flush") {
      problem = once(mode.flush, text);
    } else if (text == "flush_inputs") {
      problem = once(mode.flush_inputs, text);
    } else if (text == "toward_zero" || text == "up" || text == "down") {
      if (direction == text) problem = refused(place, fmt::format("`{}` is given twice", text)).help("once is enough");
      else if (!direction.empty()) {
        problem = refused(place, fmt::format("`{}` and `{}` are two directions", direction, text))
                      .help("results are rounded in one direction: leave out the other");
      }
      direction = text;
      mode.rounding = text == "up" ? Rounding::upward : text == "down" ? Rounding::downward : Rounding::toward_zero;
    } else {
      problem = unknown_mode(text, place);
    }
    if (problem) return *problem;
  }
  std::string name = direction;
  for (const auto& [given, text] : {std::pair{mode.flush, "flush"}, std::pair{mode.flush_inputs, "flush_inputs"}}) {
    if (given) name += fmt::format("{}{}", name.empty() ? "" : ", ", text);
  }
  return std::unique_ptr<Semantics>(std::make_unique<FloatModeSemantics>(mode, fmt::format("float({})", name)));
}

}  // namespace reckon::interp
