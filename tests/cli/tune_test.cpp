// `reckon tune` where there is no GPU: what it lists, and its errors; `--choose` of other subcommands.
#include <set>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

const char* const program = "fn total(x: f32[m, n]) -> f32[m] = for i: sum j: x[i, j]\n";

RunResult reckon_with(const std::string& command, std::vector<std::string> options) {
  const TemporaryFolder folder;
  write_file(folder / "program.rk", program);
  options.insert(options.begin(), {command, "program.rk", "--fn=total"});
  return reckon_in(folder.path(), options);
}

}  // namespace

TEST_CASE("tune lists ways, the fastest by the model first") {
  const RunResult run = reckon_with("tune", {"--list", "-Dm=1000", "-Dn=3000", "--format=json"});
  REQUIRE(run.status == 0);
  const Json found = json_lines(run.out)[0];
  CHECK(found["circuit"] == "total");
  CHECK(found["kept"] == false);
  CHECK(!found.contains("best"));
  REQUIRE(found["ways"].size() > 5);
  CHECK(found["ways"][0]["choices"].empty());
  std::set<std::string> ways;
  for (const Json& way : found["ways"]) {
    ways.insert(way["choices"].dump());
    // 1000 rows of 3000 elements of 4 bytes, at 3.35 TB/s, cannot take less.
    if (way.contains("modelled_seconds")) CHECK(way["modelled_seconds"].get<double>() >= 12e6 / 3.35e12);
  }
  CHECK(ways.size() == found["ways"].size());
  CHECK(ways.contains(R"({"reckon_total_0.threads":"1024"})"));

  const RunResult text = reckon_with("tune", {"--list", "-Dm=1000", "-Dn=3000"});
  CHECK(lines_of(text.out)[0] == "circuit    total, float");
  CHECK(text.out.find("1.00  usual") != std::string::npos);
}

TEST_CASE("tune: errors") {
  RunResult run = reckon_with("tune", {"--list", "-Dm=1000"});
  CHECK(run.status == 3);
  CHECK(run.err.find("the size of `x` is not known") != std::string::npos);
  run = reckon_with("tune", {"--list", "-Dm=1000", "-Dn=3000", "--in=exact"});
  CHECK(run.status == 3);
  CHECK(run.err.find("E0700") != std::string::npos);
  run = reckon_with("tune", {"--most=0", "-Dm=1000", "-Dn=3000"});
  CHECK(run.status == 2);
}

TEST_CASE("--choose states a way of placement") {
  const std::vector<std::string> sizes{"-Dm=1000", "-Dn=3000"};
  const auto report = [&](const std::string& choice) {
    auto options = sizes;
    options.insert(options.end(), {"--emit=report", "--choose", choice});
    return reckon_with("compile", options);
  };
  CHECK(report("reckon_total_0.threads=64").out.find("shared by the 64 threads of a block") != std::string::npos);
  CHECK(report("reckon_total_0.threads=512").out.find("shared by the 512 threads of a block") != std::string::npos);
  RunResult run = report("reckon_total_0.threads=48");
  CHECK(run.status == 3);
  CHECK(run.err.find("they are 32, 64, 128, 256, 512, 1024") != std::string::npos);
  run = report("threads");
  CHECK(run.status == 2);
  CHECK(run.err.find("write CHOICE=WAY") != std::string::npos);
}
