#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/options.h"
#include "cli/scaled.h"

namespace reckon::cli {
namespace {

using Json = nlohmann::ordered_json;

/// `, 0.93 of a copy's 4.04 TB/s`; nothing if that is not known.
std::string share(double rate, double of, const char* whose, const char* unit) {
  return of > 0 ? fmt::format(", {:.2f} of {} {}/s", rate / of, whose, scaled(of, unit)) : std::string();
}

void print_text(const Benchmark& found, const BenchCommand& options, const std::string& semantics, Console& console) {
  const auto row = [&](const char* name, const std::string& text) {
    console.line(fmt::format("{:<10} {}", name, text));
  };
  const double seconds = found.median();
  row("circuit", fmt::format("{}, {}, {}", options.function, semantics, found.machine));
  row("time", fmt::format("{}  (median of {}: {} to {})", scaled(seconds, "s"), found.seconds.size(),
                          scaled(found.seconds.front(), "s"), scaled(found.seconds.back(), "s")));
  const double rate = static_cast<double>(found.bytes) / seconds;
  row("memory", fmt::format("{}: {}/s{}{}", scaled(static_cast<double>(found.bytes), "B"), scaled(rate, "B"),
                            share(rate, found.copy_rate, "a copy's", "B"),
                            share(rate, found.memory_rate, "the data sheet's", "B")));
  if (found.operations.empty()) return;
  const double speed = static_cast<double>(found.arithmetic) / seconds;
  row("arithmetic", fmt::format("{}: {}/s{}", scaled(static_cast<double>(found.arithmetic), "op"), scaled(speed, "op"),
                                share(speed, found.arithmetic_rate, "the data sheet's", "op")));
}

void print_json(const Benchmark& found, const BenchCommand& options, const std::string& semantics, Console& console) {
  Json out{{"kind", "bench"},
           {"circuit", options.function},
           {"semantics", semantics},
           {"machine", found.machine},
           {"median_seconds", found.median()},
           {"least_seconds", found.seconds.front()},
           {"most_seconds", found.seconds.back()},
           {"runs", found.seconds.size()},
           {"bytes", found.bytes}};
  if (!found.operations.empty()) {
    out["arithmetic"] = found.arithmetic;
    for (const auto& [name, count] : found.operations) out["operations"][name] = count;
  }
  if (found.copy_rate > 0) out["copy_bytes_per_second"] = found.copy_rate;
  if (found.memory_rate > 0) out["peak_bytes_per_second"] = found.memory_rate;
  if (found.arithmetic_rate > 0) out["peak_operations_per_second"] = found.arithmetic_rate;
  console.line(out.dump());
}

}  // namespace

int bench(const BenchCommand& options, const Common& common) {
  Console console(common);
  auto session = loaded_session(options.file, common, console);
  if (!session) return console.status();
  auto bench_options = measurement(options, common, *session, console);
  if (!bench_options) return console.status();
  bench_options->call.on = place_named(options.on);
  if (!options.choices.empty()) {
    const bool usual = options.choices == std::vector<std::string>{"usual"};
    auto choices = read_choices(usual ? std::vector<std::string>{} : options.choices, console);
    if (!choices) return console.status();
    bench_options->call.choices = std::move(*choices);
  }
  auto found = session->bench(options.function, *bench_options);
  if (!found) {
    console.print(found.messages());
    return console.status();
  }
  if (console.json()) print_json(*found, options, bench_options->call.semantics, console);
  else print_text(*found, options, bench_options->call.semantics, console);
  return console.status();
}

}  // namespace reckon::cli
