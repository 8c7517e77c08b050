// The bounds of worst/ beside those of other analysers, on the benchmarks of tests/data/error_bounds.json.
//   bench_error_bounds [--quick] [--points N] [NAME]
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "frontend/elaborate.h"
#include "worst/record.h"
#include "worst/search.h"

namespace {

using namespace reckon;
using Json = nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::string only;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument == "--quick") quick = true;
    else only = argument;
  }
  const std::string root = RECKON_SOURCE_DIR;
  const Json data = Json::parse(contents(root + "/tests/data/error_bounds.json"));
  SourceMap sources;
  frontend::Session session(sources, {});
  const auto file = sources.add("circuits.rk", contents(root + "/bench/error_bounds/circuits.rk"));
  const auto outcome = session.add(file, "", frontend::ParseAs::program);
  if (!outcome.diagnostics.empty()) return 1;
  double logs[2] = {}, worst_ratio[2] = {}, total = 0;
  int count[2] = {};
  for (const Json& benchmark : data["benchmarks"]) {
    const std::string name = benchmark["name"];
    if (!only.empty() && only != name) continue;
    const auto function = session.circuit(name);
    for (const auto inputs : {worst::Inputs::floats, worst::Inputs::reals}) {
      const int of = inputs == worst::Inputs::floats ? 0 : 1;
      const double begin = seconds();
      driver::Shapes shapes(function->parameters.size());
      auto recorder = worst::Recorder::make(session.module(), *function, shapes);
      auto results = recorder->add(session.module(), *function, {}, {});
      if (!results) {
        fmt::print("{}: {}\n", name, results.error().message);
        return 1;
      }
      const worst::Circuit circuit = recorder->circuit().reduced(*results);
      worst::Box box;
      for (const std::string variable : benchmark["vars"]) {
        const Json& range = benchmark["ranges"][variable];
        box.push_back({range[0], range[1]});
      }
      worst::BoxBounds bounds(circuit, results->front(), {.inputs = inputs}, box, true);
      worst::Effort effort;
      effort.operations = quick ? 1e7 : 3e8;
      const auto found = worst::extreme(bounds, box, worst::Goal::error, effort);
      const double took = seconds() - begin;
      total += took;
      const char* way = of == 0 ? "float_inputs" : "real_inputs";
      const double witness = benchmark["witness_max_abs_error_seen"][way];
      const double fptaylor = benchmark["measured_here"][std::string("fptaylor_") + way]["c"]["bound"];
      const double best = benchmark[std::string("best_bound_") + way]["bound"];
      const double ratio = found.bound / fptaylor;
      logs[of] += std::log(ratio);
      worst_ratio[of] = std::max(worst_ratio[of], ratio);
      ++count[of];
      if (!only.empty()) {
        for (const auto& range : found.where) fmt::print("[{:.17g}, {:.17g}] ", range.low, range.high);
        bounds.bound(found.where);
        for (worst::NodeNumber n = 0; n < circuit.nodes().size(); ++n)
          fmt::print("\n  {} {} {} {}: {:.3e}", n,
                     circuit[n].kind == worst::Kind::operation ? ir::traits(circuit[n].op).spelling : "leaf",
                     circuit[n].first, circuit[n].second, bounds.share(n));
        fmt::print("\n");
      }
      fmt::print(
          "{:11} {:6} ours {:.4e} reached {:.4e} FPTaylor {:.4e} best {:.4e} witness {:.4e}  ours/FPTaylor {:.3f} "
          "ours/best {:.3f} "
          "{:7} boxes {:.3f} s{}{}\n",
          name, of == 0 ? "floats" : "reals", found.bound, found.reached, fptaylor, best, witness, ratio,
          found.bound / best, found.boxes, took, found.bound < witness ? "  BELOW THE WITNESS" : "",
          found.obstacle ? "  " + std::string(worst::reason_text(found.obstacle->reason)) : "");
    }
  }
  for (const int of : {0, 1}) {
    fmt::print("{}: geometric mean {:.3f}, largest {:.3f}\n", of == 0 ? "floats" : "reals",
               std::exp(logs[of] / count[of]), worst_ratio[of]);
  }
  fmt::print("{:.2f} s\n", total);
}
