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
  CHECK(check["judged"]["results"] == 2);
  CHECK(check["judged"]["unbounded"] == 1);
  CHECK(check["judged"]["inside"] == 1);
  CHECK(check["judged"]["reasons"].size() == 1);
  CHECK(says(check, "1 result may be anything: "));
}

TEST_CASE("a check that judges nothing says so") {
  const Json check = check_of(wgsl + "check sqrt([f32(0), 0]) ~ [f32(7), -1] in accept(wgsl)\n", 0);
  CHECK(check["judged"]["inside"] == 0);
  CHECK(says(check, "this check judged nothing"));
}

TEST_CASE("all results are judged, and the worst is shown") {
  // Every trial's first element is exact, and the last 2^20 ulps off in half of the range.
  const Json check = check_of(
      "import \"profiles/ieee\"\nfn f(x: f32[n]) -> f32[n] = for i: x[i] + 1\n"
      "fn g(x: f32[n]) -> f32[n] = for i: select(x[i] < 0, x[i] + 1, x[i] + 1.5)\n"
      "check f ~ g in accept(ieee) for n: {10}, x: -0.5..0.5 trials 20\n", 1);
  CHECK(check["judged"]["results"] == 200);
  const int outside = check["judged"]["outside"], inside = check["judged"]["inside"];
  CHECK(outside + inside == 200);
  CHECK(outside > 60);
  CHECK(inside > 60);
  CHECK(check["evidence"]["trials"] == 20);
  // Of results from 1 to 1.5 that are 0.5 too large, 2^22 ulps of 2^-23 are the worst there can be, and the shown one; at 1,
  // whose neighbour below is at 2^-24, twice as many.
  CHECK(check["judged"]["worst_ulps"].get<double>() > 4e6);
  CHECK(check["judged"]["worst_ulps"].get<double>() <= 8388608);
}

TEST_CASE("how much of what is allowed was used") {
  // Around 1/3 WGSL allows 2.5 ulps: of the quotients between, the ends use all of it.
  const std::string program = wgsl + "check f32(1) / f32(3) ~ f32#";
  CHECK(check_of(program + "3eaaaaad in accept(wgsl)\n", 0)["judged"]["used"] == 1.0);
  CHECK(check_of(program + "3eaaaaab in accept(wgsl)\n", 0)["judged"]["used"].get<double>() < 0.5);
}

TEST_CASE("a table of all operations ends a program of several checks") {
  const std::string program = wgsl + "check sqrt([f32(1), 4]) ~ [1, 2] in accept(wgsl)\n"
                                     "check exp([f32(1), 0]) ~ [3, 1] in accept(wgsl)\n"
                                     "check sqrt([f32(1), 4]) ~ [1, 2.5] in accept(wgsl)\n";
  const RunResult run = reckon_here({"run", "-", "--format=json"}, program);
  CHECK(run.status == 1);
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3]["kind"] == "accepted");
  CHECK(lines[3]["of"] == "sqrt([f32(1), 4])");
  CHECK(lines[3]["checks"] == 2);
  CHECK(lines[3]["results"] == 4);
  CHECK(lines[3]["inside"] == 3);
  CHECK(lines[3]["outside"] == 1);
  CHECK(lines[4]["of"] == "exp([f32(1), 0])");
  CHECK(lines[4]["outside"] == 1);
  const RunResult text = reckon_here({"run", "-"}, program);
  CHECK(text.out.find("accepted  of ") != std::string::npos);
  CHECK(reckon_here({"run", "-", "--quiet"}, program).out.find("accepted  of ") == std::string::npos);
  // One check needs no table.
  CHECK(reckon_here({"run", "-"}, wgsl + "check sqrt([f32(1), 4]) ~ [1, 2] in accept(wgsl)\n").out.find("accepted  of ") ==
        std::string::npos);
}

namespace {

const std::string functions = "\"" RECKON_TEST_LIBRARY "\"";
const std::string circuits =
    "import \"profiles/wgsl\"\nimport \"profiles/ieee\"\nfn e(x: f32[n]) -> f32[n] = for i: exp(x[i])\n"
    "fn one(x: f32) -> f32 = exp(x)\nfn plus(x: f32[n], y: f32) -> f32[n] = for i: x[i] + y\n"
    "fn half(x: f16[n]) -> f16[n] = for i: sqrt(x[i])\nfn muladd(x: f64, y: f64, z: f64) -> f64 = fma(x, y, z)\n";
std::string loaded(const std::string& symbol) { return "load(" + functions + ", \"" + symbol + "\")"; }

}  // namespace

TEST_CASE("functions of a shared library, right and wrong") {
  const Json right = check_of(circuits + "check e ~ " + loaded("right_exp") + " in accept(wgsl) for x: -10..10\n", 0);
  CHECK(right["verdict"] == "holds");
  CHECK(right["judged"]["unbounded"] == 0);
  CHECK(right["judged"]["results"] == right["judged"]["inside"]);
  CHECK(check_of(circuits + "check one ~ " + loaded("right_exp") + " in accept(ieee)\n", 0)["verdict"] == "holds");
  CHECK(check_of(circuits + "check e == " + loaded("right_exp") + " in float for n: {100}\n", 0)["verdict"] == "holds");
  CHECK(check_of(circuits + "check half ~ " + loaded("half_root") + " in accept(ieee) for x: 0..65504\n", 0)["verdict"] == "holds");
  CHECK(check_of(circuits + "check muladd == " + loaded("fused") + " in float\n", 0)["verdict"] == "holds");

  const Json wrong = check_of(circuits + "check e ~ " + loaded("wrong_exp") + " in accept(wgsl) for x: -1..1\n", 1);
  CHECK(wrong["verdict"] == "fails");
  CHECK(wrong["judged"]["outside"].get<int>() > 0);
  CHECK(says(wrong, "the nearest accepted value is"));
  // x + y and three ulps more: ieee allows one, from either neighbour of the exact sum.
  const Json three = check_of(circuits + "check plus ~ " + loaded("add_off_by_3") + " in accept(ieee) for x: 1.125..1.5, y: 0..0.25\n", 1);
  CHECK(three["judged"]["worst_ulps"] == 3);
  CHECK(check_of(circuits + "check plus ~ " + loaded("add_off_by_3") + " within 3 ulp in float for x: 1..1.5, y: 0..0.25\n", 0)["verdict"] == "holds");
  const Json nothing = check_of(circuits + "check one ~ " + loaded("not_a_number") + " in accept(ieee)\n", 1);
  CHECK(nothing["judged"]["worst_ulps"] == "inf");
}

TEST_CASE("mistakes with shared libraries") {
  const auto error = [](const std::string& check) {
    const RunResult run = reckon_here({"run", "-"}, circuits + check + "\n");
    INFO(check << run.out);
    CHECK(run.status == 3);
    return run.err;
  };
  const auto has = [&](const std::string& check, const std::string& message) {
    const std::string text = error(check);
    INFO(text);
    CHECK(text.find(message) != std::string::npos);
  };
  const std::string right = loaded("right_exp");
  has("check e ~ " + loaded("right_epx") + " in accept(wgsl)", "did you mean `right_exp`?");
  has("check e ~ load(" + functions + ", 3) in accept(wgsl)", "a function's name is needed, and this is the number 3");
  has("check " + right + " in accept(wgsl)", "name the circuit that it should be");
  has("check " + right + " ~ e in accept(wgsl)", "write the circuit first");
  has("check exp(f32(1)) ~ " + right + " in accept(wgsl)", "the circuit has no parameters");
  has("fn s(x: f32[n]) -> f32 = sum i: x[i] by seq\ncheck s ~ " + right + " in accept(wgsl)", "which is no function of each element");
  has("fn b(x: bf16) -> bf16 = x\ncheck b ~ " + right + " in accept(ieee)", "no function of C gives a `bf16`");
  has("fn m(x: f16) -> f32 = f32(x)\ncheck m ~ " + right + " in accept(ieee)", "parameter 1 is `f16`");
  has("check e ~ " + right + " within bound in float", "`within bound` is about circuits");
  has("check e == " + right + " in interval", "a library's function gives floats");
  has("check e == " + right + " in algebra", "a library's function gives floats");
  has("show " + right + "(f32(1))", "cannot be called");
  has("show load(" + functions + ")", "it is not a NumPy file");
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
