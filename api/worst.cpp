// Answers to questions about the worst case over ranges (worst/), as values to show.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/compilations.h"
#include "api/implementation.h"
#include "api/told.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/unsupported_operation.h"
#include "frontend/items.h"
#include "numerics/decimal_upward.h"
#include "numerics/wide_float.h"
#include "prove/prove.h"
#include "semantics/standard.h"
#include "worst/tune.h"

namespace reckon {

namespace {

using told::decimal, told::Json, told::Told;

constexpr int shown_digits = 4;
constexpr std::size_t shown_shares = 4;

std::string upward(double value) {
  return numerics::decimal_upward(*numerics::exact_value(std::bit_cast<std::uint64_t>(value), numerics::Format::f64),
                                  shown_digits);
}

/// An end of a range with few digits, not inside of it.
std::string outward(double value, numerics::Toward side) {
  constexpr int digits = 6;
  const mpq_class exact = *numerics::exact_value(std::bit_cast<std::uint64_t>(value + 0.0), numerics::Format::f64);
  if (exact == 0) return "0";
  if ((exact > 0) == (side == numerics::Toward::above)) {
    return (exact > 0 ? "" : "-") + numerics::decimal_upward(abs(exact), digits);
  }
  return (exact > 0 ? "" : "-") + numerics::decimal_downward(abs(exact), digits);
}

Number hindered(const Told& told, const worst::Hindrance& why) {
  Number out;
  out.text = "unbounded: " + told.hindrance(why);
  out.forms = {{"unbounded", "true"},
               {"reason", std::string(worst::reason_text(why.reason))},
               {"at", told.place_json(why.place).dump()}};
  return out;
}

void add_shares(const Told& told, const worst::WorstCase& found, Number& out) {
  if (found.shares.empty()) return;
  std::vector<std::string> texts;
  double most = 0;
  Json shares = Json::array();
  for (const worst::Share& share : found.shares) {
    const double percent = 100 * share.part;
    most = std::max(most, percent);
    Json each = told.place_json(share.place);
    each["operation"] = share.operation;
    each["percent"] = std::round(100 * percent) / 100;
    shares.push_back(std::move(each));
    if (texts.size() < shown_shares && percent >= 0.5) {
      const bool leaf = share.operation == "constant" || share.operation == "input";
      texts.push_back(fmt::format("{:.0f} % {}{}", percent, leaf ? std::string(share.operation) + " in " : "",
                                  told.quoted(share.place)));
    }
  }
  if (texts.empty()) {
    out.text +=
        fmt::format("\n    from       {} places, none of which has more than {:.2g} %", found.shares.size(), most);
  } else {
    out.text += fmt::format("\n    from       {}", fmt::join(texts, ", "));
    if (texts.size() < found.shares.size()) out.text += ", ...";
  }
  out.forms.emplace_back("shares", shares.dump());
}

Number bounded(const Told& told, const worst::WorstCase& found, bool distance) {
  Number out;
  const auto form = [&](std::string name, std::string value) {
    out.forms.emplace_back(std::move(name), std::move(value));
  };
  out.text = "at most " + upward(found.error);
  form("bound", upward(found.error));
  if (found.relative) {
    out.text += fmt::format(", relative {}", upward(*found.relative));
    form("relative", upward(*found.relative));
  }
  if (found.elements > 1) {
    out.text += fmt::format("; the worst of {} elements is the one numbered {}", found.elements, found.element);
    form("element", std::to_string(found.element));
  }
  const auto f64 = numerics::Format::f64;
  out.text += fmt::format("\n    {} {} to {}", distance ? "difference" : "result    ",
                          outward(found.range.low, numerics::Toward::below),
                          outward(found.range.high, numerics::Toward::above));
  form("lo", numerics::hexadecimal(std::bit_cast<std::uint64_t>(found.range.low + 0.0), f64));
  form("hi", numerics::hexadecimal(std::bit_cast<std::uint64_t>(found.range.high + 0.0), f64));
  if (found.with_inputs_hindrance) {
    out.text += "\n    rounded    with inputs that are rounded first: unbounded, " +
                told.hindrance(*found.with_inputs_hindrance);
  } else {
    out.text +=
        fmt::format("\n    rounded    with inputs that are rounded first: at most {}", upward(found.with_inputs));
    form("bound_with_inputs", upward(found.with_inputs));
  }
  if (found.found) {
    const worst::Sample& sample = found.found->sample;
    const std::string size = fmt::format("{:.4g}", sample.error);
    out.text += fmt::format("\n    found      {} at {}", size, told.point(found.found->point));
    form("found", size);
    form("found_at", told.inputs_json(found.found->point).dump());
  }
  add_shares(told, found, out);
  return out;
}

/// The circuits that `tune` was given, with their bounds as they are written, which are infinite where there is none.
struct Alternatives {
  const std::vector<frontend::Question::Alternative>& circuits;
  std::vector<double> bounds = {};
  std::size_t chosen = 0;  ///< the first whose bound is the least
};

/// Which circuit was taken, and the bounds of the others.
void add_alternatives(const Told& told, const Alternatives& all, Number& out) {
  if (all.circuits.empty()) return;
  Json circuits = Json::array();
  std::vector<std::string> others;
  for (std::size_t k = 0; k < all.circuits.size(); ++k) {
    const std::string circuit = told.text(all.circuits[k].span);
    const bool bounded = std::isfinite(all.bounds[k]);
    circuits.push_back({{"circuit", circuit}, {"bound", bounded ? upward(all.bounds[k]) : "infinity"}});
    if (k == all.chosen) continue;
    others.push_back(fmt::format("`{}` {}", circuit, bounded ? "at most " + upward(all.bounds[k]) : "unbounded"));
  }
  const std::string chosen = told.text(all.circuits[all.chosen].span);
  out.text += fmt::format("\n    circuit    `{}`, whose bound as written is the least\n    others     {}", chosen,
                          fmt::join(others, ", "));
  out.forms.emplace_back("circuit", chosen);
  out.forms.emplace_back("circuits", circuits.dump());
}

/// The operations of each format, and those of one format in a row.
Number tuned_text(const Told& told, const worst::Tuned& found, const mpq_class& tolerance, const Alternatives& all) {
  Number out;
  const auto form = [&](std::string name, std::string value) {
    out.forms.emplace_back(std::move(name), std::move(value));
  };
  const bool keeps = !found.hindrance && mpq_class(found.error) <= tolerance;
  if (found.hindrance) {
    out.text = "unbounded: " + told.hindrance(*found.hindrance);
    form("unbounded", "true");
    return out;
  }
  out.text = keeps ? fmt::format("at most {}", upward(found.error))
                   : fmt::format("no formats keep it: with f64 throughout, the bound is {}", upward(found.error));
  form("bound", upward(found.error));
  form("keeps", keeps ? "true" : "false");
  add_alternatives(told, all, out);
  if (std::isfinite(found.as_written)) {
    out.text += fmt::format("\n    as written at most {}", upward(found.as_written));
    form("as_written", upward(found.as_written));
  }
  if (!keeps) return out;
  Json chosen = Json::array();
  for (const auto format :
       {numerics::Format::f16, numerics::Format::bf16, numerics::Format::f32, numerics::Format::f64}) {
    std::vector<std::string> texts;
    for (const worst::ChosenFormat& each : found.chosen) {
      if (each.format == format) texts.push_back(told.quoted(each.place));
    }
    if (texts.empty()) continue;
    out.text += fmt::format("\n    {:<10} {}", numerics::traits(format).name, fmt::join(texts, ", "));
  }
  for (const worst::ChosenFormat& each : found.chosen) {
    Json one = told.place_json(each.place);
    one["format"] = numerics::traits(each.format).name;
    one["operations"] = each.operations;
    chosen.push_back(std::move(one));
  }
  form("formats", chosen.dump());
  if (found.found) {
    const std::string size = fmt::format("{:.4g}", found.found->sample.error);
    out.text += fmt::format("\n    found      {} at {}", size, told.point(found.found->point));
    form("found", size);
  }
  return out;
}

Diagnostic no_floats(const frontend::Question& question, std::string_view semantics) {
  return Diagnostic(
             code::unsupported_operation, question.span,
             fmt::format("over ranges, `{}` is about the rounding of a circuit as it is written, and `{}` is not",
                         question.name, semantics))
      .help("ask without `in`, or in a mode of floats, such as `in float(toward_zero)`");
}
Diagnostic no_modes(const frontend::Question& question, std::string_view semantics) {
  return Diagnostic(code::unsupported_operation, question.span,
                    fmt::format("`tune` chooses formats for rounding to nearest, and not for `{}`", semantics))
      .help("state the formats, and ask `show bound(f)` in this mode");
}

/// `in accept(P)`: the bound is about all that the profile's compilers may make of the circuit.
std::optional<Diagnostic> compilers_of(Session::Implementation& self, const frontend::ElaboratedItem& item,
                                       worst::Asked& asked) {
  const auto profile = rewriting_profile(self, item);
  if (profile == nullptr) return std::nullopt;
  for (const auto& [key, rule] : profile->rules) {
    const bool arithmetic = key.first == "add" || key.first == "sub" || key.first == "mul" || key.first == "fma" ||
                            key.first == "div" || key.first == "sqrt" || key.first == "convert";
    const bool nearest = rule.choices.size() == 1 && rule.choices.front().pieces.size() == 1 &&
                         rule.choices.front().pieces.front().domains.empty() &&
                         rule.choices.front().pieces.front().accuracy.kind == ir::Accuracy::Kind::exact;
    if (!arithmetic || nearest) continue;
    return Diagnostic(code::not_available, item.span,
                      fmt::format("bounds over ranges round to nearest, and the rule of `{}` for `{}` is another",
                                  profile->name, key.first))
        .help(fmt::format("ask with one whose rule is `exact`: `{} : exact`", key.first));
  }
  if (profile->flush_inputs != ir::Profile::Flush::never || profile->flush_outputs != ir::Profile::Flush::never) {
    return Diagnostic(code::not_available, item.span,
                      fmt::format("bounds over ranges keep subnormal numbers, and `{}` may flush them", profile->name))
        .help("ask with a profile that never flushes");
  }
  asked.contracts = profile->contracts();
  asked.reassociates = profile->reassociates();
  return std::nullopt;
}

}  // namespace

Expected<std::vector<Shown>> shown_worst(Session::Implementation& self, const frontend::ElaboratedItem& item) {
  const auto& question = std::get<frontend::Question>(*item.value);
  if (question.name == "rewrites") return shown_rewrites(self, item);
  worst::Asked asked;
  asked.circuit = &question.function;
  asked.other = question.target ? &*question.target : nullptr;
  for (const frontend::SizeClause& sizes : item.sizes) asked.sizes[sizes.dimension] = sizes.values.front();
  for (const ir::Function& condition : question.conditions) asked.conditions.push_back(&condition);
  asked.ranges.resize(question.function.parameters.size());
  for (const frontend::RangeClause& range : item.ranges) asked.ranges[range.parameter] = {range.low, range.high};
  asked.equal_reals = asked.other != nullptr && ir::prove_equal(self.session.module(), *asked.circuit, *asked.other);
  asked.interrupted = &self.interrupted;
  const auto with = self.semantics_for(item, interp::bounds()->name());
  if (!with) return with.error();
  // What compilers make of a circuit is floats to nearest.
  const bool rewrites = rewriting_profile(self, item) != nullptr;
  const driver::Traits traits = rewrites ? interp::bounds()->traits() : (*with)->traits();
  if (traits.bounds_all_orders || (!traits.rounds_to_nearest && !traits.mode))
    return no_floats(question, (*with)->name());
  asked.mode = traits.mode.value_or(numerics::FloatMode{});
  asked.numbers = traits.closed_numbers;
  Shown out;
  out.semantics = traits.mode ? (*with)->name() : interp::bounds()->name();
  if (question.name == "tune") {
    if (traits.mode || rewrites) return no_modes(question, (*with)->name());
    Alternatives all{question.alternatives};
    for (const auto& each : all.circuits) {
      asked.circuit = &each.circuit;
      const auto bound = within_memory(item.span, [&] {
        return worst::worst_case(self.session.module(), asked, self.evaluate_options());
      });
      if (!bound) return bound.error();
      all.bounds.push_back(bound->hindrance ? std::numeric_limits<double>::infinity() : bound->error);
      if (all.bounds.back() < all.bounds[all.chosen]) all.chosen = all.bounds.size() - 1;
    }
    if (!all.circuits.empty()) asked.circuit = &all.circuits[all.chosen].circuit;
    const auto found = within_memory(item.span, [&] {
      // The greatest float that is not above the tolerance.
      const double tolerance = std::bit_cast<double>(
          numerics::round_rational(item.low, numerics::Format::f64, numerics::Rounding::downward));
      return worst::tuned(self.session.module(), asked, tolerance, self.evaluate_options());
    });
    if (!found) return found.error();
    const Told told(self.sources, self.session.module(), *asked.circuit, found->inputs);
    out.type = "formats";
    out.numbers = std::vector{tuned_text(told, *found, item.low, all)};
    return std::vector<Shown>{std::move(out)};
  }
  if (auto problem = compilers_of(self, item, asked)) return *std::move(problem);
  const auto found = within_memory(item.span, [&] {
    return worst::worst_case(self.session.module(), asked, self.evaluate_options());
  });
  if (!found) return found.error();
  const Told told(self.sources, self.session.module(), question.function, found->inputs);
  out.type = std::string(ir::scalar_name(ir::scalar_of(found->format)));
  out.numbers =
      std::vector{found->hindrance ? hindered(told, *found->hindrance) : bounded(told, *found, asked.other != nullptr)};
  return std::vector<Shown>{std::move(out)};
}

}  // namespace reckon
