// Straight-line benchmarks: each has a finite bound, or a part of its ranges where it has none is named; and no bound is below an error
// that the search met.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

TEST_CASE("every straight-line benchmark has a bound, or a place where it has none") {
  const std::string cores = read_file(data_folder() / "fpbench.fpcore");
  std::vector<std::string> parts;
  std::size_t count = 0;
  for (std::size_t at = cores.find("(FPCore"); at != std::string::npos;) {
    const std::size_t next = cores.find("\n(FPCore", at);
    if (count++ % 8 == 0) parts.emplace_back();
    parts.back() += cores.substr(at, next - at) + "\n";
    at = next == std::string::npos ? next : next + 1;
  }
  CHECK(count == 56);
  std::size_t bounded = 0, unbounded = 0;
  for (const std::string& part : parts) {
    const TemporaryFolder folder;
    write_file(folder.path() / "a.fpcore", part);
    const RunResult found = run_program({"run", (folder.path() / "a.fpcore").string(), "--format=json"});
    INFO(found.err);
    REQUIRE(found.status == 0);
    std::istringstream lines(found.out);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json.contains("unbounded")) {
        ++unbounded;
        INFO(line);
        CHECK(json["at"]["text"] == "f64(1) / x");
      }
      if (!json.contains("bound")) continue;
      ++bounded;
      const double bound = std::stod(json["bound"].get<std::string>()), seen = std::stod(json["found"].get<std::string>());
      CHECK(std::isfinite(bound));
      CHECK(seen <= bound * 1.0001);  // four digits, rounded to nearest
    }
  }
  CHECK(bounded == 55);
  CHECK(unbounded == 1);
}
