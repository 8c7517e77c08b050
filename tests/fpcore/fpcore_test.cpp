// FPCores as programs: what they become, what is refused, and the field's benchmarks in both spellings.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fpcore/program.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon;
using namespace reckon::test;

namespace {

Expected<std::string> program(const std::string& text) {
  SourceMap sources;
  return fpcore::program_of(sources, sources.add("x.fpcore", text));
}
std::string refused(const std::string& text) {
  const auto found = program(text);
  REQUIRE(!found);
  return found.error().message;
}

RunResult run_text(const std::string& name, const std::string& text, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder / name, text);
  std::vector<std::string> arguments{"run", (folder / name).string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

/// The bounds that a program shows, in order.
std::vector<double> bounds(const RunResult& found) {
  INFO(found.out << found.err);
  REQUIRE(found.status == 0);
  std::vector<double> out;
  std::size_t at = 0;
  while (at < found.out.size()) {
    const std::size_t end = found.out.find('\n', at);
    const auto json = nlohmann::json::parse(found.out.substr(at, end - at));
    if (json.contains("bound")) out.push_back(std::stod(json["bound"].get<std::string>()));
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("an FPCore becomes a circuit and a question about its ranges") {
  const auto found = program(
      "; a comment\n"
      "(FPCore (x y) :name \"the sum\" :precision binary32 :pre (and (<= 0 x 1/2) (< -3 y) (>= 1e1 y) (< x y))\n"
      "  (let* ((t (+ x 0.1)) (t (* t PI))) (if (> t y) (- t) (fma t y 1))))");
  REQUIRE(found);
  CHECK(*found ==
        "fn the_sum(x: f32, y: f32) -> f32 {\n"
        "  let t = (x + f32(1/10));\n"
        "  let t_2 = (t * f32(pi));\n"
        "  select((t_2 > y), (-t_2), fma(t_2, y, f32(1)))\n"
        "}\n"
        "show \"the sum\"\n"
        "show bound(the_sum) for x: 0..1/2, y: (-3)..10, (x < y)\n");
}

TEST_CASE("what FPCore has and Reckon's circuits do not is refused by its name") {
  CHECK(refused("(FPCore (x) (while (< x 1) ((x x (+ x 1))) x))") == "`while` is not read from FPCore");
  CHECK(refused("(FPCore (x) (! :precision binary32 (+ x 1)))") == "`!` is not read from FPCore");
  CHECK(refused("(FPCore ((A n)) (ref A 1))").find("tensors") != std::string::npos);
  CHECK(refused("(FPCore (x) :precision real x)").find("precision") != std::string::npos);
  CHECK(refused("(FPCore (x) y)") == "`y` is not read from FPCore");
  CHECK(refused("(FPCore (x) (+ x 1)") == "this parenthesis is not closed");
  CHECK(refused("(FPCore (x) x))") == "this parenthesis closes nothing");
  CHECK(refused("(FPCore (x) :name \"a x)") == "this string has no end");
  CHECK(refused("(+ 1 2)").find("an FPCore is needed here") != std::string::npos);
  std::string deep = "x";
  for (int k = 0; k < 1000; ++k) deep = "(sqrt " + deep + ")";
  CHECK(refused("(FPCore (x) " + deep + ")") == "this is nested too deeply");
}

TEST_CASE("reckon run takes an FPCore, and says where it has a mistake") {
  const RunResult found = run_text("a.fpcore", "(FPCore f (x) :pre (<= 1 x 2) (* x x))\n(FPCore (x) (+ x 1))\n");
  CHECK(found.status == 0);
  // Half a unit below 4.
  CHECK(found.out.find("at most 2.221e-16") != std::string::npos);
  CHECK(found.out.find("core: no range is stated for x") != std::string::npos);
  const RunResult wrong = run_text("a.fpcore", "(FPCore (x)\n  (array 1 2))\n");
  CHECK(wrong.status == 3);
  CHECK(wrong.err.find("a.fpcore:2:3") != std::string::npos);
}

TEST_CASE("the field's benchmarks have the same bounds as FPCores and as circuits") {
  const auto data = nlohmann::json::parse(read_file(data_folder() / "error_bounds.json"));
  std::string cores, circuits = read_file(source_folder() / "bench/error_bounds/circuits.rk");
  for (const auto& benchmark : data["benchmarks"]) {
    std::string arguments, pre;
    std::vector<std::string> ranges;
    for (const auto& variable : benchmark["vars"]) {
      const std::string name = variable;
      const auto& range = benchmark["ranges"][name];
      arguments += " " + name;
      pre += fmt::format(" (<= {} {} {})", range[0].dump(), name, range[1].dump());
      const auto ends = [](const nlohmann::json& end) { return end < 0 ? "(" + end.dump() + ")" : end.dump(); };
      ranges.push_back(fmt::format("{}: {}..{}", name == "T" ? "t" : name, ends(range[0]), ends(range[1])));
    }
    const std::string name = benchmark["name"];
    cores +=
        fmt::format("(FPCore {} ({}) :pre (and{}) {})\n", name, arguments, pre, benchmark["fpcore"].get<std::string>());
    circuits += fmt::format("show bound({}) for {}\n", name, fmt::join(ranges, ", "));
  }
  const auto as_cores = bounds(run_text("a.fpcore", cores, {"--format=json"}));
  const auto as_circuits = bounds(run_text("a.rk", circuits, {"--format=json"}));
  REQUIRE(as_cores.size() == 18);
  REQUIRE(as_circuits.size() == 18);
  for (std::size_t k = 0; k < 18; ++k) {
    INFO(data["benchmarks"][k]["name"]);
    CHECK(as_cores[k] <= as_circuits[k] * 1.01);
    CHECK(as_circuits[k] <= as_cores[k] * 1.01);
  }
}

TEST_CASE("an argument with the name of a function does not hide it") {
  const auto found = program("(FPCore (gamma) :pre (<= 1 gamma 2) (tgamma gamma))");
  REQUIRE(found);
  CHECK(found->find("fn core(gamma_: f64) -> f64 {\n  gamma(gamma_)\n}") == 0);
}
