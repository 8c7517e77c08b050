// `in accept(P)` from the program's side: where profiles come from, and what is said.
#include <catch2/catch.hpp>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/support/process.h"

using namespace reckon::test;

namespace {

RunResult run(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return run_program(more, RunOptions{.input = text, .folder = {}, .environment = {}});
}

}  // namespace

TEST_CASE("values and checks in accept(P), of the library's profiles and of one's own") {
  const RunResult done = run(R"(
import "profiles/wgsl"
import "profiles/cuda"
import "profiles/ieee"
profile loose = wgsl with { sin(x), cos(x) in f32 : absolute(0x1p-4) for x: -pi..pi }
fn tangent(x: f32) -> f32 = tan(x)
show f32(1) / 3 in accept(ieee)
show f32(1) / 3 in accept(wgsl)
show exp(f32(1)) in accept(cuda)
show exp(f32(1)) in accept(cuda_fast)
show tan(f32(1)) in accept(wgsl)
show tan(f32(1)) in accept(loose)
show tan(f32(1.5703125)) in accept(wgsl)
show sqrt(f32(0)) in accept(wgsl)
show clamp(f32(5), 3, 1) in accept(wgsl)
show [f32(1), f32(2)] + [f32(0.1), f32(0.2)] in accept(wgsl)
show approx.exp2(f32(0.5)) in accept(cuda)
check tangent(x) within -1..1 in accept(wgsl) for x: -0.5..0.5
check tangent(x) within -1..1 in accept(loose) for x: -0.75..0.75
)");
  CHECK(done.err.empty());
  check_golden("profiles/accept.txt", done.out);
}

TEST_CASE("in JSON, alternatives are a list of objects, and NaN is true") {
  const RunResult done = run(R"(
import "profiles/wgsl"
import "profiles/ieee"
show clamp(f32(5), 3, 2) in accept(wgsl)
show bits(f32(0)) in accept(wgsl)
show sqrt(clamp(f32(5), -1, 4)) + (f32(1) / 0) * 0 in accept(ieee)
)",
                             {"--format=json"});
  std::vector<nlohmann::json> values;
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);) values.push_back(nlohmann::json::parse(line));
  REQUIRE(values.size() == 3);
  // clamp(5, 3, 2) is min(max(5, 3), 2) = 2, or the middle one of 5, 3 and 2.
  using nlohmann::json;
  CHECK(values[0]["alternatives"] == json::parse(R"([{"lo":"0x1p+1","hi":"0x1p+1"},{"lo":"0x1.8p+1","hi":"0x1.8p+1"}])"));
  CHECK(values[0]["lo"] == "0x1p+1");
  CHECK(values[0]["hi"] == "0x1.8p+1");
  CHECK(values[1]["alternatives"] == json::parse(R"([{"lo":"0","hi":"0"},{"lo":"2147483648","hi":"2147483648"}])"));
  CHECK(values[2]["nan"] == true);
}

TEST_CASE("a profile may be named on the command line, of the program or of the library") {
  const std::string text = "profile mine { formats f32; add : exact }\nshow f32(1) + f32(2)\n";
  CHECK(run(text, {"--in=accept(mine)"}).out == "3\n");
  CHECK(run(text, {"--in=accept(ieee)"}).out == "3\n");
  const RunResult unknown = run(text, {"--in=accept(miner)"});
  CHECK(unknown.status != 0);
  CHECK(unknown.err.find("did you mean `mine`?") != std::string::npos);
  CHECK(run_program({"eval", "f32(1) + 2", "--in=accept(wgsl)"}).out == "3\n");
  CHECK(run_program({"eval", "1", "--in=accept"}).err.find("E0446") != std::string::npos);
}

TEST_CASE("an operation or a format that the profile does not speak of is an error where it is used") {
  const RunResult operation = run("profile p { formats f32; add : exact }\nshow f32(1) + exp(f32(2)) in accept(p)\n");
  CHECK(operation.status == 3);
  CHECK(operation.err.find("standard input:2:15") != std::string::npos);
  const RunResult format = run("profile p { formats f32; add : exact }\nshow f16(1) + f16(2) in accept(p)\n");
  CHECK(format.err.find("E0531") != std::string::npos);
}
