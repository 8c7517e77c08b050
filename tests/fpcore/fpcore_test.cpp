// FPCores as programs: what they become, what is refused, and the field's benchmarks in both spellings.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fpcore/program.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon;
using namespace reckon::test;

namespace {

Expected<std::string> program(const std::string& text) {
  SourceMap sources;
  return fpcore::program_of(sources, sources.add("x.fpcore", text));
}
std::string refused(const std::string& text) {
  const auto found = program(text);
  REQUIRE(!found);
  return found.error().message;
}

RunResult run_text(const std::string& name, const std::string& text, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_file(folder / name, text);
  std::vector<std::string> arguments{"run", (folder / name).string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

/// The bounds that a program shows, in order.
std::vector<double> bounds(const RunResult& found) {
  INFO(found.out << found.err);
  REQUIRE(found.status == 0);
  std::vector<double> out;
  std::size_t at = 0;
  while (at < found.out.size()) {
    const std::size_t end = found.out.find('\n', at);
    const auto json = nlohmann::json::parse(found.out.substr(at, end - at));
    if (json.contains("bound")) out.push_back(std::stod(json["bound"].get<std::string>()));
    at = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("an FPCore becomes a circuit and a question about its ranges") {
  const auto found = program(
      "; a comment\n"
      "(FPCore (x y) :name \"the sum\" :precision binary32 :pre (and (<= 0 x 1/2) (< -3 y) (>= 1e1 y) (< x y))\n"
      "  (let* ((t (+ x 0.1)) (t (* t PI))) (if (> t y) (- t) (fma t y 1))))");
  REQUIRE(found);
  CHECK(*found ==
        "fn the_sum(x: f32, y: f32) -> f32 {\n"
        "  let t = (x + f32(1/10));\n"
        "  let t_2 = (t * f32(pi));\n"
        "  select((t_2 > y), (-t_2), fma(t_2, y, f32(1)))\n"
        "}\n"
        "show \"the sum\"\n"
        "show bound(the_sum) for x: 0..1/2, y: (-3)..10, (x < y)\n");
}

TEST_CASE("what FPCore has and Reckon's circuits do not is refused by its name") {
  CHECK(refused("(FPCore (x) (while (< x 1) ((x x (+ x 1))) x))").find("constants alone do not decide") !=
        std::string::npos);
  CHECK(refused("(FPCore (x) (! :precision binary32 (+ x 1)))").find("rounds `binary64` to `binary32` at once") !=
        std::string::npos);
  CHECK(refused("(FPCore (x) (! :round toZero (+ x 1)))") == "`toZero` is not read from FPCore");
  CHECK(refused("(FPCore (x) :round toPositive (+ x 1))") == "`toPositive` is not read from FPCore");
  CHECK(refused("(FPCore (x) (remainder x 1))") == "`remainder` is not read from FPCore");
  CHECK(refused("(FPCore ((A n)) (ref A 1))") ==
        "a tensor of size `n` is not read from FPCore: sizes are numbers, up to 20000 in all");
  CHECK(refused("(FPCore ((A 3)) (ref A 3))") == "the tensor has no such element");
  CHECK(refused("(FPCore (x) (while TRUE ((x x (+ x 1))) x))") ==
        "this `while` has no end, and is not read from FPCore");
  CHECK(refused("(FPCore (x) :precision real x)").find("precision") != std::string::npos);
  CHECK(refused("(FPCore (x) y)") == "`y` is not read from FPCore");
  CHECK(refused("(FPCore (x) (+ x 1)") == "this parenthesis is not closed");
  CHECK(refused("(FPCore (x) x))") == "this parenthesis closes nothing");
  CHECK(refused("(FPCore (x) :name \"a x)") == "this string has no end");
  CHECK(refused("(+ 1 2)").find("an FPCore is needed here") != std::string::npos);
  std::string deep = "x";
  for (int k = 0; k < 1000; ++k) deep = "(sqrt " + deep + ")";
  CHECK(refused("(FPCore (x) " + deep + ")") == "this is nested too deeply");
}

TEST_CASE("reckon run takes an FPCore, and says where it has a mistake") {
  const RunResult found = run_text("a.fpcore", "(FPCore f (x) :pre (<= 1 x 2) (* x x))\n(FPCore (x) (+ x 1))\n");
  CHECK(found.status == 0);
  // Half a unit below 4.
  CHECK(found.out.find("at most 2.221e-16") != std::string::npos);
  CHECK(found.out.find("core (no range is stated for x: all numbers)") != std::string::npos);
  CHECK(found.out.find("the result may overflow in `x + f64(1)`") != std::string::npos);
  const RunResult wrong = run_text("a.fpcore", "(FPCore (x)\n  (digits 1 2))\n");
  CHECK(wrong.status == 3);
  CHECK(wrong.err.find("a.fpcore:2:3") != std::string::npos);
}

TEST_CASE("the field's benchmarks have the same bounds as FPCores and as circuits") {
  const auto data = nlohmann::json::parse(read_file(data_folder() / "error_bounds.json"));
  std::string cores, circuits = read_file(source_folder() / "bench/error_bounds/circuits.rk");
  for (const auto& benchmark : data["benchmarks"]) {
    std::string arguments, pre;
    std::vector<std::string> ranges;
    for (const auto& variable : benchmark["vars"]) {
      const std::string name = variable;
      const auto& range = benchmark["ranges"][name];
      arguments += " " + name;
      pre += fmt::format(" (<= {} {} {})", range[0].dump(), name, range[1].dump());
      const auto ends = [](const nlohmann::json& end) { return end < 0 ? "(" + end.dump() + ")" : end.dump(); };
      ranges.push_back(fmt::format("{}: {}..{}", name == "T" ? "t" : name, ends(range[0]), ends(range[1])));
    }
    const std::string name = benchmark["name"];
    cores +=
        fmt::format("(FPCore {} ({}) :pre (and{}) {})\n", name, arguments, pre, benchmark["fpcore"].get<std::string>());
    circuits += fmt::format("show bound({}) for {}\n", name, fmt::join(ranges, ", "));
  }
  const auto as_cores = bounds(run_text("a.fpcore", cores, {"--format=json"}));
  const auto as_circuits = bounds(run_text("a.rk", circuits, {"--format=json"}));
  REQUIRE(as_cores.size() == 18);
  REQUIRE(as_circuits.size() == 18);
  for (std::size_t k = 0; k < 18; ++k) {
    INFO(data["benchmarks"][k]["name"]);
    CHECK(as_cores[k] <= as_circuits[k] * 1.01);
    CHECK(as_circuits[k] <= as_cores[k] * 1.01);
  }
}

TEST_CASE("an argument with the name of a function does not hide it") {
  const auto found = program("(FPCore (gamma) :pre (<= 1 gamma 2) (tgamma gamma))");
  REQUIRE(found);
  CHECK(found->find("fn core(gamma_: f64) -> f64 {\n  gamma(gamma_)\n}") == 0);
}

TEST_CASE("loops and tensors of an FPCore are written out") {
  // What the same loops give in C++, whose operations on doubles round as the circuit's do.
  const std::string cores =
      "(FPCore euler (y) (for ([k 20]) ([v y (+ v (* 0.05 (- v (* v v))))]) v))\n"
      "(FPCore halved (x) (while* (< i 5) ([i 0 (+ i 1)] [s x (/ s (+ i 1))]) s))\n"
      "(FPCore steps (x) (while (and (< t 1) TRUE) ([t 0 (+ t 0.1)] [s x (+ s t)]) s))\n"
      "(FPCore rows ((A 2 3)) (tensor ([i (size A 0)]) (for ([j (size A 1)]) ([s (dim A) (+ s (ref A i j))]) s)))\n"
      "(FPCore sums (x) (tensor* ([i 3]) ([s 0 (+ s (* x i))]) s))\n"
      "(FPCore half (x) (round x))\n";
  const TemporaryFolder folder;
  write_file(folder / "a.fpcore", cores);
  const auto called = [&](const std::string& name, const std::string& argument) {
    const RunResult found = run_program({"call", (folder / "a.fpcore").string(), "--fn", name, "--arg", argument});
    INFO(found.out << found.err);
    REQUIRE(found.status == 0);
    return found.out;
  };
  double v = 1.25, s = 1.5, t = 0;
  for (int k = 0; k < 20; ++k) v = v + 0.05 * (v - v * v);
  CHECK(std::stod(called("euler", "y=1.25")) == v);
  // The divisor is of the new i, as the assignments of `while*` go in turn.
  CHECK(std::stod(called("halved", "x=720")) == 1.0);
  int rounds = 0;
  for (; t < 1; ++rounds) s += t, t += 0.1;
  CHECK(rounds == 11);  // ten tenths are less than 1
  CHECK(std::stod(called("steps", "x=1.5")) == s);
  CHECK(called("rows", "A=[[1, 2, 3], [4, 5, 6]]").find("[8, 17]") != std::string::npos);
  CHECK(called("sums", "x=2").find("[0, 2, 6]") != std::string::npos);
  for (const double x : {0.5, -0.5, 1.5, 2.5, 0.49999999999999994, -3.5, 2.4, 1e300})
    CHECK(std::stod(called("half", fmt::format("x={}", x))) == std::round(x));
}

TEST_CASE("bounds of expressions that cancel") {
  // Some at a time: the program may take ten seconds.
  std::vector<std::string> parts;
  const std::string cores = read_file(data_folder() / "hamming.fpcore");
  std::size_t count = 0;
  for (std::size_t at = cores.find("(FPCore"); at != std::string::npos;) {
    const std::size_t next = cores.find("(FPCore", at + 1);
    if (count++ % 5 == 0) parts.emplace_back();
    parts.back() += cores.substr(at, next - at);
    at = next;
  }
  CHECK(count == 26);
  int bounded = 0, unbounded = 0, close = 0;
  for (const std::string& part : parts) {
    const RunResult found = run_text("a.fpcore", part, {"--format=json"});
    REQUIRE(found.status == 0);
    std::istringstream lines(found.out);
    for (std::string line; std::getline(lines, line);) {
      const auto json = nlohmann::json::parse(line);
      if (json.contains("unbounded")) {
        ++unbounded;
        CHECK(json["at"]["text"] == "tan(x)");  // its pole lies in the range
      }
      if (!json.contains("bound")) continue;
      ++bounded;
      const double bound = std::stod(json["bound"].get<std::string>()),
                   seen = std::stod(json["found"].get<std::string>());
      CHECK(seen <= bound * 1.0001);  // four digits, rounded to nearest
      if (seen >= bound / 2) ++close;
    }
  }
  CHECK(bounded == 25);
  CHECK(unbounded == 1);
  CHECK(close == 25);
}

TEST_CASE("numbers of FPCore may begin or end with their point") {
  const auto found = program("(FPCore (x*) :pre (< -.5 x* 1.) (+ (* .25 x*) (* -.985 1.e-3)))");
  REQUIRE(found);
  CHECK(found->find("f64(1/4) * x") != std::string::npos);
  CHECK(found->find("f64(-197/200) * f64(1/1000)") != std::string::npos);
  CHECK(found->find("(-1/2)..1") != std::string::npos);
  // 0x1.ap3 = 13, and 0xf.p-1 = 7.5: the digits of hexadecimal numbers are letters, too.
  const auto hexadecimal = program("(FPCore (x*) (+ (* 0x1.ap3 x*) 0xf.p-1))");
  REQUIRE(hexadecimal);
  CHECK(hexadecimal->find("f64(13) * x") != std::string::npos);
  CHECK(hexadecimal->find("f64(15/2)") != std::string::npos);
  CHECK(!program("(FPCore (x*) (+ . x*))"));
}

TEST_CASE("a loop without end is refused, and not written out for long") {
  const auto begin = std::chrono::steady_clock::now();
  const auto loop = [](const std::string& of) {
    return refused("(FPCore (x y) :pre (and (<= 0 x 1) (<= 0 y 1)) " + of + ")");
  };
  CHECK(loop("(while* TRUE ([x (* 3/4 x) (- x y)] [y y x]) y)").find("`while*` has no end") != std::string::npos);
  CHECK(loop("(while* (< k 1) ([k 0 k] [x (* 3/4 x) (- x y)] [y y x]) y)").find("more than 20000 assignments") !=
        std::string::npos);
  CHECK(loop("(while (< k 1) ([k 0 (- k 1)]) x)").find("more than 20000") != std::string::npos);
  CHECK(loop("(while (< 0 1) () x)").find("more than 20000 rounds") != std::string::npos);
  CHECK(loop("(for ([i 150] [j 150]) ([k 0 j]) x)").find("more than 20000") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("an argument without a range may be any number, and where there is no bound is named") {
  const auto answer = [](const std::string& core) { return run_text("a.fpcore", core + "\n").out; };
  // The roots of all numbers that are not negative: half a unit of the binade below 2^512.
  const std::string root = answer("(FPCore (x) :name \"root\" :pre (>= x 0) (sqrt x))");
  CHECK(root.find("root (no range is stated for x: all numbers)\nat most 7.443e137") != std::string::npos);
  // Of two bounds on one side, the tighter one counts.
  CHECK(answer("(FPCore (x) :pre (and (<= 2 x 3) (<= 1 x) (<= x 4)) x)").find("result     2 to 3") !=
        std::string::npos);
  const std::string overflow = answer("(FPCore (x y) :pre (<= 1 y 2) (* x y))");
  CHECK(overflow.find("(no range is stated for x: all numbers)") != std::string::npos);
  CHECK(overflow.find("the result may overflow in `x * y`") != std::string::npos);
  CHECK(overflow.find("x: -1.797") == std::string::npos);  // a part of the range alone
  const std::string exponential = answer("(FPCore (x) :pre (>= x 0) (exp x))");
  CHECK(exponential.find("the result may overflow in `exp(x)`") != std::string::npos);
  const std::string narrow = answer("(FPCore (x) :precision binary16 (/ x 2))");
  CHECK(narrow.find("at most 2.981e-8") != std::string::npos);  // half of the least number
}
