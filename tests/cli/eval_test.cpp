// `reckon eval`: one expression, or one a line.
#include <fmt/format.h>
#include <chrono>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::string text_of(const std::string& expression, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"eval", expression});
  const RunResult run = reckon_here(more);
  INFO(expression << ": " << run.err);
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  return run.out;
}

}  // namespace

TEST_CASE("values as text") {
  CHECK(text_of("1/3") == "1/3  (0.3333333333333333)\n");
  CHECK(text_of("0.1 + 0.2") == "3/10  (0.3)\n");
  CHECK(text_of("f32(1.5)") == "1.5  f32#3fc00000\n");
  CHECK(text_of("f64(1) / f64(3)") == "0.3333333333333333  f64#3fd5555555555555\n");
  CHECK(text_of("[f32(1), 2, 3]") == "[1, 2, 3]\n");
  CHECK(text_of("for i < 2, j < 3: f32(3*i + j)") == "[[0, 1, 2],\n [3, 4, 5]]\n");
  CHECK(text_of("(f32(1), f16(2))") == "(1  f32#3f800000, 2  f16#4000)\n");
  CHECK(text_of("f32(1) < f32(2)") == "true\n");
  CHECK(text_of("(4, 8):(8, 1)") == "(4,8):(8,1)\n");
  CHECK(text_of("coalesce((2,4):(1,2))") == "8:1\n");
  CHECK(text_of("lanes(4, tree) then tree") == "lanes(4, tree) then tree\n");
  CHECK(text_of("\"text\"") == "text\n");
}

TEST_CASE("an expression may begin with a minus") {
  CHECK(text_of("-1/3") == "-1/3  (-0.3333333333333333)\n");
  CHECK(text_of("-f32(0)") == "-0  f32#80000000\n");
  CHECK(reckon_here({"eval", "--format=json", "-x"}).out.find("\"E0200\"") != std::string::npos);
  CHECK(reckon_here({"eval", "--in", "exact", "-f32(1)"}).out == "-1\n");
}

TEST_CASE("a zero that is written with a minus is the negative zero of the float format that it meets") {
  // IEEE 754-2019, 3.4: the sign bit alone.
  CHECK(text_of("f32(-0.0)") == "-0  f32#80000000\n");
  CHECK(text_of("f32(-0)") == "-0  f32#80000000\n");
  CHECK(text_of("f16(-0e5)") == "-0  f16#8000\n");
  CHECK(text_of("f8e4m3(-(0.0))") == "-0  f8e4m3#80\n");
  CHECK(text_of("f32(-(-0.0))") == "0  f32#00000000\n");
  CHECK(text_of("f32(0.0)") == "0  f32#00000000\n");
  CHECK(text_of("-f32(0)") == "-0  f32#80000000\n");
  CHECK(text_of("f32(2) * -0.0") == "-0  f32#80000000\n");
  CHECK(text_of("-0.0 - f32(0)") == "-0  f32#80000000\n");
  CHECK(text_of("f32(1) / -0.0") == "-inf  f32#ff800000\n");
  CHECK(text_of("[f32(1), -0.0, 0.0]") == "[1, -0, 0]\n");
  CHECK(text_of("[[-0.0, f64(0)]]") == "[[-0, 0]]\n");
  CHECK(text_of("copysign(f32(3), -0.0)") == "-3  f32#c0400000\n");
  CHECK(text_of("select(f32(1) < 2, -0.0, f32(1))") == "-0  f32#80000000\n");
  CHECK(text_of("{ let z = -0.0; f32(1) * z }") == "-0  f32#80000000\n");
  // A static number has no sign of zero.
  CHECK(text_of("-0") == "0\n");
  CHECK(text_of("-0.0") == "0\n");
  CHECK(text_of("-0 == 0") == "true\n");
  CHECK(text_of("[f32(5)][-0]") == "5  f32#40a00000\n");
  CHECK(text_of("f32(-0.0 + 0)") == "0  f32#00000000\n");
  CHECK(text_of("u32(-0)") == "0  u32#00000000\n");
  CHECK(text_of("f32(1) + -0.0", {"--in=exact"}) == "1\n");
  // Static arguments that differ in nothing else are different ones.
  const RunResult run = reckon_here({"run", "-"},
                                    "fn times[a](x: f32) -> f32 = x * a\n"
                                    "let g(a) = f32(1) * a\n"
                                    "show times[0](1)\nshow times[-0.0](1)\nshow [g(0), g(-0.0)]\n");
  CHECK(run.out == "0  f32#00000000\n-0  f32#80000000\n[0, -0]\n");
}

TEST_CASE("the standard library is in scope") {
  // The shapes are WG21 P4016's: lanes first, then the same tree over them.
  CHECK(text_of("parens(lanes(4, tree) then tree, 12)") == "((((0 4) 8) ((1 5) 9)) (((2 6) 10) ((3 7) 11)))\n");
  CHECK(text_of("parens(canonical(4), 12)") == text_of("parens(lanes(4, tree) then tree, 12)"));
  CHECK(text_of("parens(numpy, 9)") == "((((0 1) (2 3)) ((4 5) (6 7))) 8)\n");
}

TEST_CASE("-D defines static integers for the expression") {
  CHECK(text_of("depth(tree, n)", {"-D", "n=1024"}) == "10\n");
  CHECK(text_of("m - n", {"-D", "m=5", "-D", "n=7"}) == "-2\n");
}

TEST_CASE("the sum of 1e8, 1 and -1e8 in f32 depends on its order") {
  // Next to 1e8 the floats are 8 apart: 1e8 + 1 is 1e8.
  CHECK(text_of("sum i: [f32(1e8), f32(1), f32(-1e8)][i] by seq") == "0  f32#00000000\n");
  CHECK(text_of("sum i: [f32(1e8), f32(-1e8), f32(1)][i] by seq") == "1  f32#3f800000\n");
}

TEST_CASE("the issue's lines: fpsan payloads") {
  const RunResult run = reckon_here({"eval", "-", "--in=fpsan", "--format=json"},
                                    "f32#3fc00000 + f32#40200000\nexp(f32#3fc00000)\nf32#3fc00000 / f32#40200000\n"
                                    "f16(1.5) * f16(2.5)\n");
  CHECK(run.status == 0);
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["payload"] == "54789d8b");
  CHECK(lines[0]["bits"] == "2b8eb900");
  CHECK(lines[1]["payload"] == "de618101");
  CHECK(lines[1]["bits"] == "b242d899");
  CHECK(lines[2]["payload"] == "718f4ad6");
  CHECK(lines[3]["type"] == "f16");
  CHECK(lines[3]["semantics"] == "fpsan");
}

TEST_CASE("eval - goes on after mistakes, and names their lines") {
  const RunResult run = reckon_here({"eval", "-", "--format=json"}, "f32(1)\n1 +\n\n   \nnope\nf32(2)\n[1, 2\n");
  CHECK(run.status == 3);
  CHECK(run.err.empty());
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0]["kind"] == "value");
  CHECK(lines[1]["kind"] == "error");
  CHECK(lines[1]["code"] == "E0100");
  CHECK(lines[1]["message"] == "expected an expression, found the end of the text");
  CHECK(lines[1]["line"] == 2);
  CHECK(lines[1]["column"] == 4);
  CHECK(lines[2]["code"] == "E0200");
  CHECK(lines[2]["line"] == 5);
  CHECK(lines[2]["column"] == 1);
  CHECK(lines[3]["value"] == "2");
  CHECK(lines[4]["code"] == "E0102");
  CHECK(lines[4]["line"] == 7);
}

TEST_CASE("eval - as text: results and messages on their own streams") {
  const RunResult run = reckon_here({"eval", "-"}, "f32(1)\nnope\nf32(2)\r\n");
  CHECK(run.status == 3);
  CHECK(run.out == "1  f32#3f800000\n2  f32#40000000\n");
  CHECK(run.err.find("standard input:2:1") != std::string::npos);
}

TEST_CASE("lines do not see each other") {
  const RunResult run = reckon_here({"eval", "-"}, "1\nans\n");
  CHECK(run.status == 3);
}

TEST_CASE("five thousand lines go through one process") {
  std::string input;
  for (int i = 0; i < 5000; ++i) input += fmt::format("f64({}) * f64(0.5) + exp(f64(0))\n", i);
  const RunResult run = reckon_here({"eval", "-", "--format=json"}, input);
  CHECK(run.status == 0);
  auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 5000);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    REQUIRE(std::stod(lines[i]["value"].get<std::string>()) == static_cast<double>(i) * 0.5 + 1);
  }
  CHECK(run.wall.count() < 60);  // about one second on an idle machine
}

TEST_CASE("every FPSan vector of this generation comes out of eval -") {
  const auto expression = [](const std::vector<std::string>& words) -> std::string {
    const std::string& operation = words[1];
    const std::string from = words[2].substr(0, words[2].find('>'));
    std::vector<std::string> operands;
    for (std::size_t k = 3; k < words.size(); ++k) operands.push_back(from + "#" + words[k]);
    for (const auto& [name, sign] : {std::pair("add", "+"), {"sub", "-"}, {"mul", "*"}, {"div", "/"}, {"rem", "%"}}) {
      if (operation == name) return operands[0] + " " + sign + " " + operands[1];
    }
    if (operation == "cast") return words[2].substr(words[2].find('>') + 1) + "(" + operands[0] + ")";
    return fmt::format("{}({})", operation, fmt::join(operands, ", "));
  };
  const auto known_format = [](const std::string& format) {
    return format == "f64" || format == "f32" || format == "f16" || format == "bf16";
  };
  std::string input;
  std::vector<std::pair<std::string, std::string>> expected;  // carrier, payload
  std::vector<std::string> expressions;
  for (const std::string& line : lines_of(read_file(data_folder() / "fpsan_vectors.txt"))) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t arrow = line.find(" -> ");
    std::istringstream left(line.substr(0, arrow)), right(line.substr(arrow + 4));
    const std::vector<std::string> words{std::istream_iterator<std::string>(left), {}};
    const std::size_t to = words[2].find('>');
    if (words[0] != "now" || words[1] == "erf" || !known_format(words[2].substr(0, to))) continue;
    if (to != std::string::npos && !known_format(words[2].substr(to + 1))) continue;
    std::string carrier, payload;
    right >> carrier >> payload;
    expressions.push_back(expression(words));
    expected.emplace_back(carrier, payload);
    input += expressions.back() + "\n";
  }
  REQUIRE(expected.size() >= 570);
  auto lines = json_lines(reckon_here({"eval", "-", "--in=fpsan", "--format=json"}, input).out);
  REQUIRE(lines.size() == expected.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(expressions[i] << ": " << lines[i].dump());
    REQUIRE(lines[i]["kind"] == "value");
    CHECK(lines[i]["bits"] == expected[i].first);
    CHECK(lines[i]["payload"] == expected[i].second);
  }
}
