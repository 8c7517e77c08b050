// What `--format=json` writes: the contract that scripts rely on.
#include <cmath>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::vector<Json> run_json(const std::string& text) {
  return json_lines(reckon_here({"run", "-", "--format=json"}, text).out);
}

}  // namespace

TEST_CASE("a value in float has its decimal, its hexadecimal float and its bits") {
  CHECK(evaluated("f32(1.5)").dump() ==
        R"({"kind":"value","type":"f32","semantics":"float","value":"1.5","hex":"0x1.8p+0","bits":"3fc00000"})");
  CHECK(
      evaluated("f64(-0.1)").dump() ==
      R"({"kind":"value","type":"f64","semantics":"float","value":"-0.1","hex":"-0x1.999999999999ap-4","bits":"bfb999999999999a"})");
  CHECK(evaluated("f16(65504)")["bits"] == "7bff");
  CHECK(evaluated("bf16(1)")["bits"] == "3f80");
  CHECK(evaluated("f32(inf)")["value"] == "inf");
  CHECK(evaluated("f32(nan)")["bits"] == "7fc00000");
  CHECK(evaluated("-f32(0)")["value"] == "-0");
  CHECK(std::stod(evaluated("f32#00000001")["hex"].get<std::string>()) == std::ldexp(1.0, -149));  // the smallest
}

TEST_CASE("a value in interval has its ends as hexadecimal floats") {
  Json third = evaluated("f32(1) / f32(3)", {"--in=interval"});
  CHECK(third["semantics"] == "interval");
  // 1/3 lies between neighbours of f64; enclosing it more tightly than that is not possible with f64 ends.
  CHECK(third["lo"] == "0x1.5555555555555p-2");
  CHECK(third["hi"] == "0x1.5555555555556p-2");
  Json unbounded = evaluated("f32(1) / (f32(1) / 3 - f32(2) / 6)", {"--in=interval"});
  CHECK(unbounded["unbounded"] == true);
  // With a note on the operation that left an element empty.
  const RunResult run = reckon_here({"eval", "for i < 2: sqrt([f32(4), -1][i])", "--format=json", "--in=interval"});
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 2);
  const bool note_first = lines[0]["kind"] == "note";
  CHECK(lines[note_first ? 0 : 1]["kind"] == "note");
  CHECK(lines[note_first ? 1 : 0].dump().find("{\"empty\":true}") != std::string::npos);
}

TEST_CASE("a value in a ring has its payload, and in fpsan the bits of its carrier") {
  CHECK(evaluated("f32(1.5) + f32(2.5)", {"--in=fpsan"}).dump() ==
        R"({"kind":"value","type":"f32","semantics":"fpsan","payload":"54789d8b","bits":"2b8eb900"})");
  CHECK(evaluated("f16(1.5)", {"--in=fpsan"})["payload"].get<std::string>().size() == 4);
  CHECK(evaluated("f64(1.5)", {"--in=fpsan"})["payload"].get<std::string>().size() == 16);
}

TEST_CASE("a value in exact is a rational") {
  CHECK(evaluated("f32(1) / f32(3)", {"--in=exact"}).dump() ==
        R"({"kind":"value","type":"f32","semantics":"exact","value":"1/3"})");
}

TEST_CASE("a tensor has a shape and its values in row-major order") {
  CHECK(evaluated("for i < 2, j < 3: f32(3*i + j)")["shape"].dump() == "[2,3]");
  Json tensor = evaluated("[f32(1), 2]");
  CHECK(tensor.dump() ==
        R"({"kind":"value","type":"f32","semantics":"float","shape":[2],"values":[)"
        R"({"value":"1","hex":"0x1p+0","bits":"3f800000"},{"value":"2","hex":"0x1p+1","bits":"40000000"}]})");
  CHECK(evaluated("[f32(1)]")["shape"].dump() == "[1]");  // one element is a tensor still
  CHECK(evaluated("[f32(1), 2]", {"--in=fpsan"})["values"][0].contains("payload"));
  CHECK(evaluated("[f32(1), 2]", {"--in=interval"})["values"][1]["lo"] == "0x1p+1");
}

TEST_CASE("a tuple is one object for each part") {
  const RunResult run = reckon_here({"eval", "(f32(1), [f16(2)])", "--format=json"});
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["type"] == "f32");
  CHECK(lines[1]["type"] == "f16");
}

TEST_CASE("static values") {
  CHECK(evaluated("(4, 8):(8, 1)").dump() == R"--({"kind":"static","type":"layout","value":"(4,8):(8,1)"})--");
  CHECK(evaluated("parens(seq, 3)").dump() == R"--({"kind":"static","type":"tree","value":"((0 1) 2)"})--");
  CHECK(evaluated("tile(4, seq) then tree")["type"] == "schedule");
  CHECK(evaluated("1/3").dump() == R"({"kind":"static","type":"rational","value":"1/3","decimal":"0.3333333333333333"})");
  CHECK(evaluated("6 * 7").dump() == R"({"kind":"static","type":"integer","value":"42"})");
  CHECK(evaluated("1 < 2").dump() == R"({"kind":"static","type":"bool","value":"true"})");
}

TEST_CASE("checks: those that hold") {
  auto lines = run_json(
      "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\nfn g(x: f32[n]) -> f32 = sum i: x[i] by tree\n"
      "check f == g in fpsan\ncheck f == g in exact for n: {1, 7} trials 3\ncheck 8 == 8:1\n");
  REQUIRE(lines.size() == 3);
  const Json& agreed = lines[0];
  CHECK(agreed["text"] == "check f == g in fpsan");
  CHECK(agreed["strength"] == "agreed");
  CHECK(agreed["semantics"] == "fpsan");
  CHECK(agreed["evidence"]["sizes"].size() > 20);
  CHECK(agreed["evidence"]["sizes"][0] == Json{{"n", 1}});
  CHECK(agreed["evidence"]["trials"].is_number_integer());
  CHECK(agreed["evidence"]["error_probability"] == "none proven");
  CHECK(lines[1]["strength"] == "observed");
  CHECK(lines[1]["evidence"]["sizes"].dump() == R"([{"n":1},{"n":7}])");
  CHECK(lines[1]["evidence"]["trials"] == 6);
  CHECK(lines[2]["strength"] == "proved");
  CHECK(lines[2]["verdict"] == "holds");
}

TEST_CASE("checks: one that fails has a witness that can be run again") {
  const std::string circuits =
      "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\nfn g(x: f32[n]) -> f32 = sum i: x[i] by tree\n";
  auto lines = run_json(circuits + "check f == g in float\n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["verdict"] == "fails");
  Json witness = lines[0]["counterexample"];
  const int n = witness["dimensions"]["n"].get<int>();
  CHECK(n > 2);  // one and two terms have one order
  CHECK_FALSE(witness["parting"].get<std::string>().empty());
  CHECK(witness["distance"].get<std::string>().ends_with(" ulp"));
  const std::string input = witness["inputs"]["x"]["expression"].get<std::string>();
  auto again = run_json(circuits + "show f(" + input + ")\nshow g(" + input + ")\n");
  REQUIRE(again.size() == 2);
  CHECK(again[0]["bits"] == witness["left"]["bits"]);
  CHECK(again[0]["hex"] == witness["left"]["hex"]);
  CHECK(again[1]["bits"] == witness["right"]["bits"]);
  CHECK(again[0]["bits"] != again[1]["bits"]);
}

TEST_CASE("checks: undecided says so") {
  auto lines = run_json("fn f(x: f32) -> f32 = x * x - x\ncheck f(x) within -0.5..0.5 in interval for x: 0..1\n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["verdict"] == "undecided");
}

TEST_CASE("errors of a program are JSON as well, on standard output, one a line") {
  const RunResult run = reckon_here({"run", "-", "--format=json"}, "show 1\nshow nope\nlet h = 1 // 0\n");
  CHECK(run.status == 3);
  CHECK(run.err.empty());
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["kind"] == "error");
  CHECK(lines[0]["code"] == "E0200");  // in the order of the text
  CHECK(lines[0]["line"] == 2);
  CHECK(lines[1]["code"] == "E0400");
  CHECK(lines[1]["line"] == 3);
}

TEST_CASE("bytes that are no UTF-8 do not break the JSON") {
  const RunResult run = reckon_here({"eval", "-", "--format=json"}, "\xff\xfe\nf32(1)\n");
  CHECK(run.status == 3);
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["code"] == "E0002");
}
