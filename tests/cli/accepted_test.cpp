// `check f in accept(P)`, `check f ~ g in accept(P)`: floats held against the answers that a profile allows.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

Json check_of(const std::string& program, int status) {
  const RunResult run = reckon_here({"run", "-", "--format=json"}, program);
  INFO(program << run.out << run.err);
  CHECK(run.status == status);
  const auto lines = json_lines(run.out);
  REQUIRE(!lines.empty());
  return lines.back();
}

bool says(const Json& check, const std::string& sentence) {
  const std::string text = check.dump();
  INFO(text);
  return text.find(sentence) != std::string::npos;
}

const std::string wgsl = "import \"profiles/wgsl\"\nimport \"wgsl\"\n";

}  // namespace

TEST_CASE("a circuit's own floats are answers of a conforming machine") {
  const Json check = check_of(wgsl + "fn f(x: f32[n]) -> f32[n] = tanh(x) * exp(x) / 3\ncheck f in accept(wgsl)\n", 0);
  CHECK(check["verdict"] == "holds");
  CHECK(check["semantics"] == "accept(wgsl)");
}

TEST_CASE("the nearest accepted value of a quotient") {
  // 1/3 lies between 3eaaaaaa and 3eaaaaab; WGSL allows 2.5 ulp from either, so that 3eaaaaad is the last one allowed.
  const std::string program = wgsl + "check f32(1) / f32(3) ~ f32#";
  CHECK(check_of(program + "3eaaaaad in accept(wgsl)\n", 0)["verdict"] == "holds");
  CHECK(check_of(program + "3eaaaaa8 in accept(wgsl)\n", 0)["verdict"] == "holds");
  const Json above = check_of(program + "3eaaaab0 in accept(wgsl)\n", 1);
  CHECK(above["verdict"] == "fails");
  CHECK(above["counterexample"]["distance"] == "3 ulp");
  CHECK(says(above, "f32#3eaaaaad"));
  const Json below = check_of(program + "3eaaaaa7 in accept(wgsl)\n", 1);
  CHECK(below["counterexample"]["distance"] == "1 ulp");
  CHECK(says(below, "f32#3eaaaaa8"));
  // ieee: either neighbour.
  const std::string either = "import \"profiles/ieee\"\ncheck f32(1) / f32(3) ~ f32#";
  CHECK(check_of(either + "3eaaaaaa in accept(ieee)\n", 0)["verdict"] == "holds");
  CHECK(check_of(either + "3eaaaaac in accept(ieee)\n", 1)["counterexample"]["distance"] == "1 ulp");
}

TEST_CASE("a file's results: which are outside, the worst first") {
  const Json check = check_of(wgsl +
                                  "let x = [f32(0.25), 1, 2, 3, 4]\nlet y = [f32(0.5), 1, 1.5, 1.7320508, 2.0001]\n"
                                  "check sqrt(x) ~ y in accept(wgsl)\n",
                              1);
  CHECK(check["verdict"] == "fails");
  CHECK(check["counterexample"]["element"] == Json::parse("[2]"));
  CHECK(says(check, "2 of 5 results are outside: [2], [4]"));
}

TEST_CASE("anything goes where a profile says nothing, and is counted") {
  // sqrt(0) is 1 / inverseSqrt(0): WGSL states no accuracy there.
  const Json check = check_of(wgsl + "check sqrt([f32(0), 1]) ~ [f32(7), 1] in accept(wgsl)\n", 0);
  CHECK(check["verdict"] == "holds");
  CHECK(check["evidence"]["unbounded"] == "1");
}

TEST_CASE("a dot product in any order holds each of the orders") {
  const std::string dots =
      wgsl + "fn tree_dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree\n"
             "fn any_dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by any_seq\n"
             "fn skewed(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] * 1.00001 by seq\n";
  CHECK(check_of(dots + "check any_dot ~ tree_dot in accept(wgsl) for n: {2, 3, 4, 33}\n", 0)["verdict"] == "holds");
  CHECK(check_of(dots + "check any_dot ~ skewed in accept(wgsl) for n: {2, 3, 4}\n", 1)["verdict"] == "fails");
}

TEST_CASE("`~` asks how near unless a profile says it") {
  const RunResult run = reckon_here({"run", "-"}, "fn f(x: f32) -> f32 = exp(x)\ncheck f ~ f in float\n");
  CHECK(run.status == 3);
  CHECK(run.err.find("`~` needs a tolerance") != std::string::npos);
}
