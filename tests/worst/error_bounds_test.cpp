// The benchmarks of tests/data/error_bounds.json: above the witnesses, and no worse than FPTaylor.
#include <catch2/catch.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/elaborate.h"
#include "tests/support/files.h"
#include "worst/record.h"
#include "worst/search.h"
#include "worst/witness.h"

using namespace reckon;

namespace {

/// Checks every benchmark with this much work; returns the geometric mean and the largest of the ratios to FPTaylor's
/// bounds in configuration c.
std::pair<double, double> ratios(double operations, std::size_t points, worst::Inputs inputs) {
  const auto data = nlohmann::json::parse(test::read_file(test::data_folder() / "error_bounds.json"));
  SourceMap sources;
  frontend::Session session(sources, {});
  const auto file =
      sources.add("circuits.rk", test::read_file(test::source_folder() / "bench/error_bounds/circuits.rk"));
  REQUIRE(session.add(file, "", frontend::ParseAs::program).diagnostics.empty());
  const std::string way = inputs == worst::Inputs::floats ? "float_inputs" : "real_inputs";
  double logarithms = 0, largest = 0;
  int count = 0;
  for (const auto& benchmark : data["benchmarks"]) {
    const std::string name = benchmark["name"];
    INFO(name << ", " << way);
    const auto function = session.circuit(name);
    REQUIRE(function);
    auto recorder = worst::Recorder::make(session.module(), *function, driver::Shapes(function->parameters.size()));
    REQUIRE(recorder);
    auto results = recorder->add(session.module(), *function, {}, {});
    REQUIRE(results);
    worst::Circuit circuit = std::move(recorder->circuit());
    circuit.reduce(*results);
    worst::Box box;
    for (const auto& variable : benchmark["vars"]) {
      const auto& range = benchmark["ranges"][variable.get<std::string>()];
      box.push_back({range[0], range[1]});
    }
    const worst::Question question{.inputs = inputs};
    worst::BoxBounds bounds(circuit, results->front(), question, box, true);
    const auto found = worst::extreme(bounds, box, worst::Goal::error, {.operations = operations});
    REQUIRE(!found.obstacle);
    CHECK(found.bound >= benchmark["witness_max_abs_error_seen"][way].get<double>());
    worst::Sampler sampler(circuit, results->front(), question);
    std::uint64_t random = 7;
    for (std::size_t k = 0; k < points; ++k) {
      const auto sample = sampler.at(sampler.draw(box, random));
      REQUIRE(sample.valid);
      REQUIRE(sample.error <= found.bound);
    }
    const double ratio = found.bound / benchmark["measured_here"]["fptaylor_" + way]["c"]["bound"].get<double>();
    logarithms += std::log(ratio);
    largest = std::max(largest, ratio);
    ++count;
  }
  CHECK(count == 18);
  return {std::exp(logarithms / count), largest};
}

}  // namespace

TEST_CASE("bounds of the field's benchmarks are above witnesses and at most FPTaylor's") {
  for (const auto inputs : {worst::Inputs::floats, worst::Inputs::reals}) {
    const auto [mean, largest] = ratios(3e6, 300, inputs);
    CHECK(mean < 0.95);
    // FPTaylor's are rounded upward to seven digits, ours are not.
    CHECK(largest <= 1.001);
  }
}
