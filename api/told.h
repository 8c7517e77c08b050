// What an answer about a circuit of scalars (worst/, compilations/) says of the program: places, and inputs by their names.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "diagnostics/diagnostic.h"
#include "frontend/items.h"
#include "numerics/format.h"
#include "worst/worst_case.h"

namespace reckon::told {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t longest_quote = 48;
/// Of inputs that are shown in text.
inline constexpr std::size_t shown_inputs = 8;

inline std::string decimal(double value, numerics::Format format) {
  return numerics::shortest_decimal(numerics::round_f64(value + 0.0, format), format);
}

/// The parts of the answer that need the program's text.
class Told {
 public:
  Told(const SourceMap& sources, const ir::Module& module, const ir::Function& circuit,
       const std::vector<worst::Recorder::Input>& inputs)
      : sources_(sources), inputs_(inputs) {
    for (const ir::Parameter& parameter : circuit.parameters) {
      const ir::Type& type = module.types()[parameter.type];
      parameters_.push_back(
          {std::string(module.name(parameter.name)), ir::format_of(type.scalar), !type.extents.empty()});
    }
  }

  std::string text(SourceSpan place) const {
    const std::string out = frontend::one_line(sources_.text(place));
    return out.size() > longest_quote ? out.substr(0, longest_quote - 3) + "..." : out;
  }
  /// "`x * y` (line 3)".
  std::string quoted(SourceSpan place) const {
    if (!place.known()) return "the circuit";
    return fmt::format("`{}` (line {})", text(place), sources_.locate(place.file, place.begin).line);
  }

  /// `x = 0.5, y = 2`.
  std::string point(const worst::Point& at) const {
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < at.floats.size() && j < shown_inputs; ++j) {
      parts.push_back(fmt::format("{} = {}", name(j), decimal(at.floats[j], format(j))));
    }
    if (at.floats.size() > shown_inputs) parts.emplace_back("...");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  /// `x: 0..1e-12`, of the inputs that the box leaves open or fixes.
  std::string box(const worst::Box& at) const {
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < at.size() && j < shown_inputs; ++j) {
      const std::string low = decimal(at[j].low, numerics::Format::f64),
                        high = decimal(at[j].high, numerics::Format::f64);
      parts.push_back(low == high ? fmt::format("{} = {}", name(j), low)
                                  : fmt::format("{}: {}..{}", name(j), low, high));
    }
    if (at.size() > shown_inputs) parts.emplace_back("...");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  std::string hindrance(const worst::Hindrance& why) const {
    return fmt::format("{} in {}, for {}", worst::reason_text(why.reason), quoted(why.place), box(why.where));
  }
  Json inputs_json(const worst::Point& at) const {
    Json out = Json::object();
    for (std::size_t j = 0; j < at.floats.size(); ++j) out[name(j)] = decimal(at.floats[j], format(j));
    return out;
  }
  Json place_json(SourceSpan place) const {
    if (!place.known()) return Json::object();
    const auto at = sources_.locate(place.file, place.begin);
    return {{"line", at.line}, {"column", at.column}, {"text", text(place)}};
  }

  /// `x`, `x[3]`.
  std::string name(std::size_t input) const {
    const Parameter& parameter = parameters_[inputs_[input].parameter];
    return parameter.is_tensor ? fmt::format("{}[{}]", parameter.name, inputs_[input].element) : parameter.name;
  }
  numerics::Format format(std::size_t input) const { return parameters_[inputs_[input].parameter].format; }

 private:
  struct Parameter {
    std::string name;
    numerics::Format format{};
    bool is_tensor = false;
  };

  const SourceMap& sources_;
  const std::vector<worst::Recorder::Input>& inputs_;
  std::vector<Parameter> parameters_;
};

}  // namespace reckon::told
