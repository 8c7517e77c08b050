// Numbers that meet a format: `x * sqrt(2)`.
#include <fmt/format.h>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::string eval_text(const std::string& expression, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"eval", expression});
  const RunResult run = reckon_here(more);
  INFO(expression << ": " << run.err);
  CHECK(run.status == 0);
  return run.out;
}

std::string program_text(const std::string& program, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"run", "-"};
  words.insert(words.end(), more.begin(), more.end());
  const RunResult run = reckon_here(words, program);
  INFO(run.err);
  CHECK(run.status == 0);
  return run.out;
}

}  // namespace

TEST_CASE("a number that meets a format is rounded to it once, and correctly") {
  // The f32 values of C's M_SQRT2, M_2_PI, M_E and M_PI_4 (<math.h>, POSIX), rounded from 20 and more digits.
  CHECK(eval_text("f32(1) * sqrt(2)") == "1.4142135  f32#3fb504f3\n");
  CHECK(eval_text("f32(1) * (2/pi)") == "0.63661975  f32#3f22f983\n");
  CHECK(eval_text("f32(1) * exp(1)") == "2.7182817  f32#402df854\n");
  CHECK(eval_text("f32(atan(1))") == "0.7853982  f32#3f490fdb\n");
  CHECK(eval_text("f64(sqrt(2))") == "1.4142135623730951  f64#3ff6a09e667f3bcd\n");
  CHECK(eval_text("[f32(1), sqrt(2)]") == "[1, 1.4142135]\n");
  CHECK(eval_text("max(sqrt(2), f16(1))") == "1.414  f16#3da8\n");
  // Just above the middle between two f32s, by less than an f64 shows: rounded by way of f64 it would be 1.
  CHECK(eval_text("f32(1 + 0x1p-24 + 0x1p-60 * sqrt(2))") == "1.0000001  f32#3f800001\n");
  CHECK(eval_text("f32(1 + 0x1p-24 - 0x1p-60 * sqrt(2))") == "1  f32#3f800000\n");
  // One rounding of the whole, not one for each operation.
  CHECK(eval_text("f32(1) * (sqrt(2) * sqrt(2))") == "2  f32#40000000\n");
  CHECK(eval_text("f32(1) * sqrt(2) * sqrt(2)") == "1.9999999  f32#3fffffff\n");
}

TEST_CASE("interpreter and host agree on numbers that meet a format") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "f.rk").string();
  write_file(file,
             "fn f(x: f32[n]) -> f32[n] = for i: x[i] * sqrt(2) + 2/pi\n"
             "fn g(x: f32[n]) -> f32[n] = for i: x[i] * f32#3fb504f3 + f32#3f22f983\n"
             "fn h(x: f64[n]) -> f64 = sum i: select(sqrt(2) < 3/2, x[i], exp(1) * x[i]) by seq\n"
             "check f == g in float\n");
  CHECK_THAT(reckon_here({"run", file}).out, Catch::StartsWith("holds"));
  std::vector<std::string> outputs;
  for (const char* on : {"interp", "host"}) {
    for (const char* name : {"f", "g"}) {
      outputs.push_back(reckon_here({"call", file, "--fn", name, "--arg", "x=0.1,3,-7,1e10", "--on", on}).out);
    }
    CHECK(reckon_here({"call", file, "--fn", "h", "--arg", "x=0.5,0.25", "--on", on}).out ==
          "0.75  f64#3fe8000000000000\n");
  }
  for (const std::string& output : outputs) CHECK(output == outputs[0]);
  CHECK(outputs[0].size() > 10);
  // Enclosures, too: those that literals have.
  outputs.clear();
  for (const char* on : {"interp", "host"}) {
    outputs.push_back(reckon_here({"call", file, "--fn", "f", "--arg", "x=0.1,3", "--on", on, "--in=interval"}).out);
  }
  CHECK(outputs[0] == outputs[1]);
  CHECK_THAT(outputs[0], Catch::StartsWith("[["));
}

TEST_CASE("what such a number means under each semantics is what a literal means") {
  const auto both = [](const std::string& semantics, const std::string& number, const std::string& literal) {
    return std::pair(eval_text("f32(3) * " + number + " in " + semantics),
                     eval_text("f32(3) * " + literal + " in " + semantics));
  };
  // Rounded first: the pattern is what counts.
  for (const char* semantics : {"float", "fpsan", "float(toward_zero)"}) {
    INFO(semantics);
    const auto [number, literal] = both(semantics, "(2/pi)", "f32#3f22f983");
    CHECK(number == literal);
  }
  // The real number itself.
  CHECK(eval_text("f32(3) * sqrt(2) in exact") == "4.2426406871192851464...\n");  // OEIS A010474, the root of 18
  CHECK(eval_text("f64(sqrt(2)) * sqrt(2) in exact") == "2\n");
  CHECK(eval_text("f32(1) * sqrt(2) in interval") == "[1.414213562373095, 1.4142135623730951]\n");
  CHECK_THAT(eval_text("f32(1) * sqrt(2) in interval(100)"), Catch::StartsWith("[1.41421356237309504880168872420"));
  // The float, and how far it lies from the real number: 1.41421356237... - 1.41421354... = 2.4e-8.
  CHECK_THAT(eval_text("f32(1) * sqrt(2) in bound"), Catch::StartsWith("1.4142135  +- 2.5e-8"));
  CHECK(program_text(
            "fn f(x: f32) -> f32 = x * sqrt(2) * sqrt(2)\nfn g(x: f32) -> f32 = 2 * x\ncheck f == g in algebra\n")
            .starts_with("holds"));
  CHECK_THAT(eval_text("f32(1) * sqrt(2) in accept(ieee)"), Catch::StartsWith("1.4142135..1.414213"));
}

TEST_CASE("numbers of a list that an index chooses take the format first") {
  CHECK(program_text("fn f(x: f32[3]) -> f32[3] = for i: x[i] * [0.1, sqrt(2), 3][i]\nshow f([1, 1, 1])\n") ==
        "[0.1, 1.4142135, 3]\n");
  CHECK(program_text("fn f(x: f32) -> f32 = x * sum i: [0.1, 0.2, 0.3][i] by seq\nshow f(1)\n") ==
        program_text("show sum i: [f32(0.1), 0.2, 0.3][i] by seq\n"));
}

TEST_CASE("in a program, what meets no format has none") {
  const RunResult run = reckon_here({"run", "-"}, "show sqrt(2)\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Catch::Contains("E0500"));
  CHECK(program_text("show sqrt(2) in exact\n") == "1.4142135623730950488...\n");
  CHECK(program_text("show 1/3\nshow [0.1, 0.2]\n") == "1/3\n[1/10, 1/5]\n");
}

TEST_CASE("a number that has no value, or whose rounding cannot be told, is an error at its place") {
  const auto error = [](const std::string& program) {
    const RunResult run = reckon_here({"run", "-"}, program);
    CHECK(run.status == 3);
    return run.err;
  };
  CHECK_THAT(error("fn f(x: f32) -> f32 = x * sqrt(-1)\nshow f(1)\n"),
             Catch::Contains("the square root of a negative number has no value") && !Catch::Contains("`exact`"));
  CHECK_THAT(error("fn f(x: u32) -> u32 = x + sqrt(2)\nshow f(1)\n"), Catch::Contains("a `u32` is needed"));
}

TEST_CASE("a let may state its type") {
  CHECK(program_text("let x: f32[3] = [0.1, 0.2, 0.3]\nshow x * 2\n") == "[0.2, 0.4, 0.6]\n");
  CHECK(program_text("let c: f32 = sqrt(2)\nshow c\n") == "1.4142135  f32#3fb504f3\n");
  CHECK(program_text("fn f(x: f32) -> f32 { let c: f32 = 1/3; x * c }\nshow f(3)\n") == "1  f32#3f800000\n");
  CHECK(program_text("let p: (f32, f16) = (1, 2)\nshow p\n") == "(1  f32#3f800000, 2  f16#4000)\n");
  const auto error = [](const std::string& program) {
    const RunResult run = reckon_here({"run", "-"}, program);
    CHECK(run.status == 3);
    return run.err;
  };
  CHECK_THAT(error("let x: f32[3] = [1, 2]\n"), Catch::Contains("dimension 1 of `x` should be `3` and is `2`"));
  CHECK_THAT(error("let x: f32 = f64(1)\n"), Catch::Contains("E0300") && Catch::Contains("f32(f64(1))"));
  CHECK_THAT(error("let x: f32[n] = [1, 2]\n"), Catch::Contains("`n` is not defined"));
}

TEST_CASE("an expression may name its semantics") {
  CHECK(eval_text("sqrt(2) in exact(digits(30))") == "1.41421356237309504880168872421...\n");
  CHECK(eval_text("f32(1)/3 in interval", {"--in=exact"}) == "[0.3333333333333333, 0.33333333333333337]\n");
  CHECK(reckon_here({"eval", "1 in nowhere"}).status == 3);
}

TEST_CASE("`eval` shows numbers without a format") {
  CHECK(eval_text("sqrt(2)") == "1.4142135623730951\n");
  CHECK(eval_text("1/3") == "1/3  (0.3333333333333333)\n");
  CHECK(eval_text("sqrt(4)") == "2\n");
  CHECK(eval_text("pow(2, 100)") == "1267650600228229401496703205376\n");
  CHECK(eval_text("[0.1, 0.2]") == "[0.1, 0.2]\n");
  CHECK(eval_text("(1/3, sqrt(2))") != "");
  CHECK(eval_text("sqrt(2) < 3/2") == "true\n");
  const auto lines = json_lines(reckon_here({"eval", "-", "--format=json"}, "sqrt(2)\n1/3\n").out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["type"] == "f64");
  CHECK(lines[0]["bits"] == "3ff6a09e667f3bcd");
  CHECK(lines[1]["value"] == "1/3");
  CHECK(lines[1]["decimal"] == "0.3333333333333333");
}

TEST_CASE("notes on roundings know numbers that meet a format") {
  const RunResult run =
      reckon_here({"run", "-", "--explain-rounding"}, "fn f(x: f32) -> f32 = x * sqrt(2)\nshow f(1)\n");
  CHECK_THAT(run.err, Catch::Contains("`sqrt(2)` is rounded to f32: 1.4142135 (0x1.6a09e6p+0)"));
}
