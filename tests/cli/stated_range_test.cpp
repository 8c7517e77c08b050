// The range that a parameter states for its integers, `label: u32[b] < c`.
#include <fmt/format.h>

#include <filesystem>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

constexpr const char* circuits = R"(
fn pick(x: f32[n], k: i32[m] < n) -> f32[m] = for i: x[k[i]]
fn pick_to(x: f32[n], k: i32[m] in 0..n - 1) -> f32[m] = for i: x[k[i]]
fn pick_any(x: f32[n], k: i32[m]) -> f32[m] = for i: x[k[i]]
fn one(x: f32[n], k: u8 < n) -> f32 = x[k]
fn total(k: u8[n] < 100) -> u8 = sum i: k[i] by seq
fn total_any(k: u8[n]) -> u8 = sum i: k[i] by seq
fn counts(key: u32[n] < 4) -> u32[4] = for b: sum i where key[i] == b: u32(1)
fn inner(k: u8[n]) -> u8 = total(k)
)";

}  // namespace

TEST_CASE("integers within the range that a parameter states are what they are without it") {
  const RunResult run = run_text(std::string(circuits) + R"(
show pick([1, 2, 3], [i32(2), 0, 1])
show pick_to([1, 2, 3], [i32(2), 0, 1])
show one([1, 2, 3], u8(2))
show counts([u32(3), 1, 1])
check pick == pick_any in float
check pick == pick_to in algebra
check pick == pick_any in algebra
check total == total_any in fpsan
)");
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("[3, 1, 2]\n[3, 1, 2]\n3  f32#40400000\n[0, 2, 0, 1]\n"));
  CHECK_THAT(run.out, Contains("check pick == pick_any in algebra  (proved for all sizes)"));
}

TEST_CASE(
    "an integer outside of the range that a parameter states is one error, on the host, too, and nothing is written") {
  const TemporaryFolder folder;
  const std::string program = (folder / "p.rk").string(), out = (folder / "out.npy").string();
  write_file(program, circuits);
  struct Row {
    const char* circuit;
    std::vector<std::string> arguments;
    const char* message;
  };
  const Row rows[] = {
      {"pick",
       {"x=1,2,3", "k=0,3,-1"},
       "error[E0308]: index 3 is out of range: the dimension has 3 elements (`k[1]` is 3)"},
      {"pick",
       {"x=1,2,3", "k=-1"},
       "error[E0308]: index -1 is out of range: the dimension has 3 elements (`k[0]` is -1)"},
      {"pick_to",
       {"x=1,2,3", "k=0,3"},
       "error[E0308]: index 3 is out of range: the dimension has 3 elements (`k[1]` is 3)"},
      {"one", {"x=1,2,3", "k=200"}, "error[E0308]: index 200 is out of range: the dimension has 3 elements"},
      {"total", {"k=1,100"}, "error[E0308]: `k[1]` = 100 is outside of the stated range, 0 to 99"},
      {"inner", {"k=1,100"}, "error[E0308]: `k[1]` = 100 is outside of the stated range, 0 to 99"},
      {"counts", {"key=0,1,4"}, "error[E0308]: `key[2]` = 4 is outside of the stated range, 0 to 3"},
  };
  for (const Row& row : rows) {
    for (const char* on : {"interp", "host"}) {
      std::vector<std::string> more{fmt::format("--on={}", on), "-o", out};
      for (const std::string& each : row.arguments) more.insert(more.end(), {"--arg", each});
      const RunResult run = call(program, row.circuit, more);
      INFO(row.circuit << " on " << on << "\n" << run.err);
      CHECK(run.status == 3);
      CHECK_THAT(run.err, Contains(row.message));
      CHECK(run.err.find("error[", run.err.find("error[") + 1) == std::string::npos);
      CHECK_FALSE(std::filesystem::exists(out));
    }
  }
}

TEST_CASE("a range is stated for integers and begins at 0") {
  const auto refused = [](const char* text) {
    const RunResult run = run_text(text);
    CHECK(run.status == 3);
    return run.err;
  };
  CHECK_THAT(refused("fn f(x: f32[n] < 3) -> f32 = sum i: x[i]\n"),
             Contains("a range is stated for integers, and `x` is `f32[n]`") && Contains("`check ... for x: 0..1`"));
  CHECK_THAT(refused("fn f(x: i32[n] in -1..3) -> i32 = sum i: x[i]\n"),
             Contains("the range of a parameter begins at 0") && Contains("`x[i[k] - low]`"));
  CHECK_THAT(refused("fn f(x: i32[n] < q) -> i32 = sum i: x[i]\n"), Contains("`q` is not defined"));
  CHECK_THAT(refused("type pair = (a: i32 < 3, b: i32)\n"), Contains("error[E0100]"));
  // A range that holds n does not make `x[n]` an element.
  CHECK_THAT(refused("fn f(x: f32[n], k: u32 in 0..n) -> f32 = x[k]\nshow f([1, 2], u32(2))\n"),
             Contains("index 2 is out of range: the dimension has 2 elements"));
}
