// The bounds of worst/ beside those of FPTaylor, Daisy and Gappa, on the benchmarks of tests/data/error_bounds.json, as
// a table in Markdown (docs/worst_cases.md has one).
//   bench_error_bounds [PROGRAM] [--quick] [--points N] [NAME]
// --points: compares each bound with the error at N random points besides, some microseconds each. The status is 1 if a
// bound is below the published witness or below such an error.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/measure.h"
#include "frontend/elaborate.h"
#include "worst/record.h"
#include "worst/search.h"
#include "worst/witness.h"

namespace {

using namespace reckon;
using Json = nlohmann::json;

struct Options {
  bool quick = false;
  std::size_t points = 0;
  std::string only;
};

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// The least of a tool's bounds; nothing if it gives none.
std::optional<double> least(const Json& bounds) {
  std::optional<double> out;
  if (!bounds.is_object()) return out;
  for (const auto& [name, value] : bounds.items()) {
    const Json& bound = value.is_object() ? value["bound"] : value;
    if (bound.is_number() && (!out || bound.get<double>() < *out)) out = bound;
  }
  return out;
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{:.3e}", *value) : "-"; }
std::optional<double> bound_of(const Json& configurations, const char* which) {
  if (!configurations.is_object() || !configurations.contains(which)) return std::nullopt;
  return configurations[which]["bound"].get<double>();
}

/// The ratios to FPTaylor's bounds in one column of the table.
struct Ratios {
  double logarithms = 0, largest = 0;
  int count = 0;
  void add(double ratio) {
    logarithms += std::log(ratio);
    largest = std::max(largest, ratio);
    ++count;
  }
  std::string text() const {
    return fmt::format("geometric mean {:.3f}, largest {:.3f}", std::exp(logarithms / std::max(count, 1)), largest);
  }
};

class Table {
 public:
  explicit Table(Options options) : options_(std::move(options)), session_(sources_, {}) {
    const std::string root = RECKON_SOURCE_DIR;
    data_ = Json::parse(contents(root + "/tests/data/error_bounds.json"));
    const auto file = sources_.add("circuits.rk", contents(root + "/bench/error_bounds/circuits.rk"));
    session_.add(file, "", frontend::ParseAs::program);
  }

  int print() {
    for (const auto inputs : {worst::Inputs::floats, worst::Inputs::reals}) {
      const bool floats = inputs == worst::Inputs::floats;
      Ratios ratios;
      double time = 0;
      fmt::print(
          "\n| inputs are {} | ours | FPTaylor a | b | c | Daisy | Gappa | witness | ours / c | ms "
          "|\n|---|---|---|---|---|---|---|---|---|---|\n",
          floats ? "floats" : "reals, rounded first");
      for (const Json& benchmark : data_["benchmarks"]) {
        if (options_.only.empty() || options_.only == benchmark["name"]) row(benchmark, inputs, ratios, time);
      }
      fmt::print("\nOurs over FPTaylor's configuration c: {}. {:.2f} s in all.\n", ratios.text(), time);
    }
    return status_;
  }

 private:
  void row(const Json& benchmark, worst::Inputs inputs, Ratios& ratios, double& time) {
    const std::string name = benchmark["name"], way = inputs == worst::Inputs::floats ? "float_inputs" : "real_inputs";
    const double begin = seconds();
    const auto function = session_.circuit(name);
    auto recorder = worst::Recorder::make(session_.module(), *function, driver::Shapes(function->parameters.size()));
    auto results = recorder->add(session_.module(), *function, {}, {});
    worst::Circuit circuit = std::move(recorder->circuit());
    circuit.reduce(*results);
    worst::Box box;
    for (const Json& variable : benchmark["vars"]) {
      const Json& range = benchmark["ranges"][variable.get<std::string>()];
      box.push_back({range[0], range[1]});
    }
    const worst::Question question{.inputs = inputs};
    worst::BoxBounds bounds(circuit, results->front(), question, box, true);
    worst::Effort effort;
    effort.operations = options_.quick ? 3e6 : 3e8;
    const worst::Extreme found = worst::extreme(bounds, box, worst::Goal::error, effort);
    const double took = seconds() - begin;
    time += took;
    const Json& measured = benchmark["measured_here"];
    const Json& fptaylor = measured["fptaylor_" + way];
    const bool reals = inputs == worst::Inputs::reals;  // the other tools' bounds are for reals alone
    const auto daisy = reals ? least(benchmark.value("daisy_regression_reference_real_inputs", Json())) : std::nullopt;
    const auto gappa = reals ? least(measured.value("gappa_1.4.1_real_inputs", Json())) : std::nullopt;
    const double witness = benchmark["witness_max_abs_error_seen"][way], best = *bound_of(fptaylor, "c");
    ratios.add(found.bound / best);
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {:.3f} | {:.1f} |\n", name, cell(found.bound),
               cell(bound_of(fptaylor, "a")), cell(bound_of(fptaylor, "b")), cell(best), cell(daisy), cell(gappa),
               cell(witness), found.bound / best, 1000 * took);
    // The witnesses call the C library's functions, which are not correctly rounded.
    if (!(found.bound >= witness)) fail(name, "is below the published witness");
    compare(name, circuit, results->front(), question, box, found.bound);
  }

  void compare(const std::string& name, const worst::Circuit& circuit, worst::NodeNumber output,
               const worst::Question& question, const worst::Box& box, double bound) {
    worst::Sampler sampler(circuit, output, question);
    std::uint64_t random = 1;
    double most = 0;
    for (std::size_t k = 0; k < options_.points; ++k)
      most = std::max(most, sampler.at(sampler.draw(box, random)).error);
    if (most > bound) fail(name, fmt::format("is below the error {:.4e} at a random point", most));
  }

  void fail(const std::string& name, const std::string& why) {
    fmt::print(stderr, "the bound of {} {}\n", name, why);
    status_ = 1;
  }

  const Options options_;
  SourceMap sources_;
  frontend::Session session_;
  Json data_;
  int status_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument == "--quick") options.quick = true;
    else if (argument == "--points" && k + 1 < argc) options.points = std::strtoull(argv[++k], nullptr, 10);
    else if (argument.find('/') == std::string::npos) options.only = argument;
  }
  return Table(options).print();
}
