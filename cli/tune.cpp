#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/arguments.h"
#include "cli/options.h"
#include "cli/scaled.h"

namespace reckon::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_ways = 12;

std::string text_of(const Tuned::Way& way) {
  std::string out;
  for (const auto& [of, name] : way.choices) out += fmt::format("{}{}={}", out.empty() ? "" : "  ", of, name);
  return out.empty() ? "usual" : out;
}

/// The ways in the order in which they are shown: what was measured by its time, then the others by the model.
std::vector<std::size_t> in_order(const Tuned& found) {
  std::vector<std::size_t> out(found.ways.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, [&](std::size_t k) {
    const Tuned::Way& way = found.ways[k];
    return std::tuple(!way.problem.empty(), !way.measured, way.measured.value_or(way.modelled.value_or(1e9)));
  });
  return out;
}

void print_text(const Tuned& found, const TuneCommand& options, const std::string& semantics, Console& console) {
  const auto row = [&](const std::string& name, const std::string& text) {
    console.line(fmt::format("{:<10} {}", name, text));
  };
  const bool measured = !found.machine.empty();
  row("circuit", fmt::format("{}, {}{}", options.function, semantics, measured ? ", " + found.machine : ""));
  const auto tried = static_cast<std::size_t>(std::ranges::count_if(found.ways, [&](const Tuned::Way& way) {
    return measured ? way.measured.has_value() : way.problem.empty();
  }));
  row("ways", fmt::format("{} {}, {} refused{}", tried, measured ? "measured" : "listed", found.ways.size() - tried,
                          found.left_out > 0 ? fmt::format(", {} left out (--most)", found.left_out) : ""));
  const auto usual = measured ? found.ways[0].measured : found.ways[0].modelled;
  std::size_t shown = 0;
  for (const std::size_t k : in_order(found)) {
    const Tuned::Way& way = found.ways[k];
    const auto time = measured ? way.measured : way.modelled;
    if (!way.problem.empty() || (measured && !time)) continue;
    if (measured && shown++ >= shown_ways && k != 0) continue;
    const std::string ratio = time && usual && *time > 0 ? fmt::format("{:.2f}", *usual / *time) : "";
    row("", fmt::format("{:<9} {:<5} {}", time ? scaled(*time, "s") : "-", ratio, text_of(way)));
  }
  if (!measured) return;
  row("best", text_of(found.ways[found.best]));
  if (found.kept) row("kept", "for this circuit at sizes like these, on this device");
}

void print_json(const Tuned& found, const TuneCommand& options, const std::string& semantics, Console& console) {
  Json out{{"kind", "tune"}, {"circuit", options.function}, {"semantics", semantics}};
  if (!found.machine.empty()) out["machine"] = found.machine;
  for (const Tuned::Way& way : found.ways) {
    Json one{{"choices", Json::object()}};
    for (const auto& [of, name] : way.choices) one["choices"][of] = name;
    if (way.modelled) one["modelled_seconds"] = *way.modelled;
    if (way.measured) one["median_seconds"] = *way.measured;
    if (!way.problem.empty()) one["problem"] = way.problem;
    out["ways"].push_back(std::move(one));
  }
  if (!found.machine.empty()) out["best"] = found.best;
  out["left_out"] = found.left_out;
  out["kept"] = found.kept;
  console.line(out.dump());
}

}  // namespace

int tune(const TuneCommand& options, const Common& common) {
  Console console(common);
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  auto measured = measurement(options, common, *session, console);
  if (!measured) return console.status();
  TuneOptions tune_options{.bench = std::move(*measured)};
  tune_options.bench.call.on = On::gpu;
  tune_options.most = options.most;
  tune_options.measures = !options.list;
  tune_options.keeps = !options.forget;
  auto found = session->tune(options.function, tune_options);
  if (!found) {
    console.print(found.messages());
    return console.status();
  }
  if (console.json()) print_json(*found, options, tune_options.bench.call.semantics, console);
  else print_text(*found, options, tune_options.bench.call.semantics, console);
  return console.status();
}

}  // namespace reckon::cli
