// `--explain-rounding`: a note for each number of the text that its format does not hold.
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon::test;
using Catch::Contains;

TEST_CASE("every kind of rounding of a number, with its place") {
  const std::string program = R"(let c = 1/10
fn f(x: f32) -> f32 = x * 0.1 + 0.5 + c
fn g(x: f16) -> f16 = x * 1e60 + 1e-60 + 6e-8
show f(1)
show f(1) in exact
show f(1) in float(down)
show g(1) in interval
show g(1)
show [f32(pi), 2*pi, -0.1, 1/3]
show f8e4m3(1000)
show f64([0.1, 0.5]) in bound
show f32(1e-400)
show f32(16777217) in fpsan
check f(2) ~ 0.3 within 1 in float
show f32#3dcccccd
show 1/3
)";
  const RunResult run = reckon_here({"run", "-", "--explain-rounding"}, program);
  CHECK(run.status == 0);
  check_golden("cli/rounding_notes.txt", run.err);
  // Results are what they are without the notes.
  CHECK(run.out == reckon_here({"run", "-"}, program).out);
  CHECK(reckon_here({"run", "-"}, program).err.empty());
}

TEST_CASE("the values and distances of notes are those of the C library's conversion") {
  std::mt19937_64 random(11);
  std::string program;
  std::vector<std::string> numbers;
  for (int k = 0; k < 300; ++k) {
    char text[64];
    std::snprintf(text, sizeof text, "%d.%06de%d", 1 + static_cast<int>(random() % 9), static_cast<int>(random() % 1000000),
                  static_cast<int>(random() % 86) - 46);
    numbers.emplace_back(text);
    program += "show f32(" + numbers.back() + ")\n";
  }
  const RunResult run = reckon_here({"run", "-", "--explain-rounding", "--format=json"}, program);
  CHECK(run.err.empty());
  std::size_t at = 0, notes = 0;
  std::string note;
  for (const std::string& line : lines_of(run.out)) {
    const Json json = Json::parse(line);
    if (json["kind"] == "note") {
      note = json["message"];
      CHECK(json["line"] == at + 1);
      CHECK(json["column"] == 10);
      continue;
    }
    REQUIRE(at < numbers.size());
    const std::string& number = numbers[at++];
    INFO(number << ": " << note);
    const float value = std::strtof(number.c_str(), nullptr);
    const long double wanted = std::strtold(number.c_str(), nullptr);
    if (note.empty()) {
      CHECK(static_cast<long double>(value) == wanted);
      continue;
    }
    ++notes;
    CHECK(note.starts_with("`" + number + "` is rounded to f32: "));
    const auto open = note.find('(');
    if (std::isinf(value)) {
      CHECK_THAT(note, Contains("inf, beyond the largest, 3.4028235e38"));
    } else {
      REQUIRE(open != std::string::npos);
      CHECK(std::strtof(note.c_str() + open + 1, nullptr) == value);
      int exponent = 0;
      std::frexp(value, &exponent);
      const long double ulp = std::ldexp(1.0L, value == 0 ? -149 : std::max(exponent - 24, -149));
      const double told = std::strtod(note.c_str() + note.find("), ") + 3, nullptr);
      CHECK(told == Approx(static_cast<double>((value - wanted) / ulp)).epsilon(0.006));
    }
    note.clear();
  }
  CHECK(at == numbers.size());
  CHECK(notes > 250);
}

TEST_CASE("eval, call and compile explain as well") {
  const std::string said = "note: `0.1` is rounded to f32: 0.1 (0x1.99999ap-4), +0.200 ulp";
  CHECK_THAT(reckon_here({"eval", "--explain-rounding", "f32(0.1)"}).err, Contains(said));
  const TemporaryFolder folder;
  const std::string file = (folder / "f.rk").string();
  write_file(file, "fn f(x: f32) -> f32 = x * 0.1\n");
  CHECK_THAT(reckon_here({"call", file, "--fn", "f", "--arg", "x=1", "--explain-rounding"}).err, Contains(said));
  for (const std::string emit : {"ir", "ptx"}) {
    CHECK_THAT(reckon_here({"compile", file, "--fn", "f", "--explain-rounding", "--emit=" + emit}).err, Contains(said));
  }
}
