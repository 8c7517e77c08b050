// Rewrites that are right and rewrites that are wrong.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

constexpr const char* dots = R"(
fn dot_seq(x: f32[n], y: f32[n])  -> f32 = sum i: x[i] * y[i] by seq
fn dot_tree(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree
)";

}  // namespace

TEST_CASE("another order is the same algebra, and not the same bits") {
  CHECK(run_text(std::string(dots) + "check dot_seq == dot_tree in fpsan\n").status == 0);
  CHECK(run_text(std::string(dots) + "check dot_seq == dot_tree in exact\n").status == 0);
  const RunResult run = run_text(std::string(dots) + "check dot_seq == dot_tree in float\n");
  CHECK(run.status == 1);
  // The witness: sizes, inputs, both values in decimal and hexadecimal, their distance, and where the trees part.
  CHECK_THAT(run.out, Contains("\n    at       n = ") && Contains("\n    x =      random(f32[") &&
                          Contains("\n    left     ") && Contains("\n    right    ") && Contains("0x1.") &&
                          Contains(" ulp\n") && Contains("\n    parts    "));
}

TEST_CASE("a subscript that is off by one is another algebra") {
  // Both take n + 1 elements of y; the second multiplies each x[i] by its right neighbour's partner.
  const std::string text =
      "fn right(x: f32[n], y: f32[n + 1]) -> f32 = sum i < n: x[i] * y[i]\n"
      "fn wrong(x: f32[n], y: f32[n + 1]) -> f32 = sum i: x[i] * y[i + 1]\n";
  const RunResult run = run_text(text + "check right == wrong in fpsan\n");
  CHECK(run.status == 1);
  CHECK_THAT(run.out,
             Catch::StartsWith("fails     check right == wrong in fpsan") && Contains("y =      random(f32[2]"));
  CHECK(run_text(text + "check right == wrong in float\n").status == 1);
  CHECK(run_text(text + "check right == right in fpsan\n").status == 0);
}

TEST_CASE("circuits that take different shapes cannot be compared") {
  const RunResult run = run_text(
      "fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i]\n"
      "fn g(x: f32[n], y: f32[n + 1]) -> f32 = sum i: x[i] * y[i + 1]\ncheck f == g in fpsan\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0600]: the two circuits of this check take different shapes"));
}

TEST_CASE("wrong rewrites of other kinds fail in fpsan, right ones hold") {
  const std::string circuits = R"(
fn mean(x: f32[n]) -> f32 = (sum i: x[i] by seq) / f32(n)
fn mean_each(x: f32[n]) -> f32 = sum i: x[i] / f32(n) by tree
fn square(a: f32, b: f32) -> f32 = (a + b) * (a + b)
fn expanded(a: f32, b: f32) -> f32 = a * a + a * b + a * b + b * b
fn forgotten(a: f32, b: f32) -> f32 = a * a + a * b + b * b
fn swapped(a: f32, b: f32) -> f32 = b * b + b * a + (a * a + b * a)
fn doubled(a: f32, b: f32) -> f32 = a * a + 2 * a * b + b * b
fn product(a: f32, b: f32) -> f32 = exp(a) * exp(b)
fn of_sum(a: f32, b: f32) -> f32 = exp(a + b)
fn of_difference(a: f32, b: f32) -> f32 = exp(a - b)
)";
  const auto status = [&](const std::string& check) { return run_text(circuits + "check " + check + "\n").status; };
  CHECK(status("mean == mean_each in fpsan") == 0);
  CHECK(status("square == expanded in fpsan") == 0);
  CHECK(status("square == swapped in fpsan") == 0);
  CHECK(status("square == forgotten in fpsan") == 1);
  CHECK(status("square == doubled in exact") == 0);
  CHECK(status("square == doubled in fpsan") == 1);  // the ring's image of the literal 2 is 35606380, not 1 + 1
  CHECK(status("product == of_sum in fpsan") == 0);
  CHECK(status("product == of_difference in fpsan") == 1);
}

TEST_CASE("distances") {
  const auto status = [&](const std::string& check) {
    return run_text(std::string(dots) + "check " + check + "\n").status;
  };
  CHECK(status("dot_seq ~ dot_tree within relative 1e-3 in float for n: {1000}") == 0);
  CHECK(status("dot_seq ~ dot_tree within 1e-12 in float for n: {1000}") == 1);
  CHECK(status("dot_seq ~ dot_tree within 0 ulp in float for n: {2}") == 0);
  CHECK(status("dot_seq ~ dot_tree within 1e-4 in fpsan for n: {2}") == 0);  // equal: no distance is needed
}

TEST_CASE("a witness of a range") {
  const RunResult run = run_text(
      "fn f(x: f32) -> f32 = x * x\ncheck f(x) within 0..3 in interval for x: 0..2\n"
      "check f(x) within 0..4 in interval for x: 0..2\n"
      "check f(x) within 5..6 in interval for x: 0..2\n"
      "fn g(x: f32) -> f32 = x * (1 - x)\ncheck g(x) within 0..0.5 in interval for x: 0..1\n");
  const auto lines = lines_of(run.out);
  CHECK(run.status == 1);
  // A point refutes what the enclosure of the whole range leaves open; the range refuted as a whole is the witness itself.
  CHECK_THAT(run.out, Contains("fails     check f(x) within 0..3") && Contains("holds     check f(x) within 0..4") &&
                          Contains("fails     check f(x) within 5..6 in interval for x: 0..2  (1 trial)\n    x =      0..2\n") &&
                          Contains("undecided check g(x) within 0..0.5"));
}

TEST_CASE("a range that is refuted as a whole is shown") {
  // f(x) is x: it lies in 2..3, nowhere in 0..1.
  const RunResult run = run_text(
      "fn f(x: f64) -> f64 = x\nfn g(x: f64[n]) -> f64 = sum i: x[i]\n"
      "check f(x) within 0..1 in interval for x: 2..3\n"
      "check g(x) within 0..1 in interval for n: {2}, x: 2..5/2\n");
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Contains("    x =      2..3\n") && Contains("    x =      2..5/2\n"));
}

TEST_CASE("an enclosure of ranges is a proof for stated sizes, and only if every input is a range") {
  const auto strength = [&](const std::string& check) {
    const RunResult run = run_text("fn f(x: f64[n], y: f64) -> f64 = (sum i: x[i]) * y\nfn g(x: f64) -> f64 = x\ncheck " + check + "\n");
    INFO(run.out << run.err);
    for (const char* word : {"proved", "observed"}) {
      if (run.out.find(word) != std::string::npos) return std::string(word);
    }
    return std::string();
  };
  CHECK(strength("f(x, y) within -8..8 in interval for n: {4, 8}, x: -1..1, y: 0..1") == "proved");
  CHECK(strength("f(x, y) within -2000..2000 in interval for x: -1..1, y: 0..1") == "proved");  // at the sizes that it names
  CHECK(strength("g(x) within 0..1 in interval for x: 0..1") == "proved");
  CHECK(strength("g == g in interval") == "observed");  // at points
}

TEST_CASE("ranges in pieces prove more, and nothing wrong") {
  const std::string circuits = "fn f(x: f32) -> f32 = x * x - x\nfn g(x: f32, y: f32) -> f32 = x * y - x\nfn h(x: f32[2]) -> f32 = x[0] - x[1]\n";
  const auto verdict = [&](const std::string& check) {
    const RunResult run = run_text(circuits + "check " + check + "\n");
    INFO(run.out << run.err);
    return run.out.substr(0, run.out.find(' '));
  };
  // f has the range -1/4..0: 64 pieces bring the enclosure to within 1/32 of it, and never inside.
  CHECK(verdict("f(x) within -0.27..0.02 in interval for x: 0..1") == "undecided");
  CHECK(verdict("f(x) within -0.27..0.02 in interval(split(64)) for x: 0..1") == "holds");
  CHECK(verdict("f(x) within -0.24..0.02 in interval(split(64)) for x: 0..1") != "holds");
  CHECK(verdict("f(x) within -0.24..0.02 in interval(split(1000)) for x: 0..1") == "fails");
  // g lies in -2..0 and takes both ends in corners of the box: every piece of both inputs counts.
  CHECK(verdict("g(x, y) within -2..0 in interval for x: 0..1, y: -1..1") == "undecided");
  CHECK(verdict("g(x, y) within -2.1..0.1 in interval(split(32)) for x: 0..1, y: -1..1") == "holds");
  CHECK(verdict("g(x, y) within -1.9..0.1 in interval(split(64)) for x: 0..1, y: -1..1") == "fails");
  CHECK(verdict("g(x, y) within -2.1..-0.1 in interval(split(64)) for x: 0..1, y: -1..1") == "fails");
  // Elements of a tensor vary apart: their common range is not cut.
  CHECK(verdict("h(x) within -0.5..0.5 in interval(split(8)) for x: 0..1") == "fails");
  CHECK(verdict("h(x) within -1..1 in interval(split(8)) for x: 0..1") == "holds");
  const RunResult many = run_text(circuits + "check g(x, y) within -2..0 in interval(split(100000)) for x: 0..1, y: -1..1\n");
  CHECK(many.status == 3);
  CHECK_THAT(many.err, Contains("error[E0603]") && Contains("pieces"));
}

TEST_CASE("P4016's known answers") {
  const RunResult run = reckon_here({"examples/canonical.rk"});
  CHECK(run.status == 0);
  CHECK_THAT(run.out, Contains("f64#40618f71f6379380\n") && Contains("f64#40618f71f6379397\n"));
}

TEST_CASE("a check that would need eighty terabytes is refused") {
  const RunResult run = run_text(std::string(dots) + "check dot_seq == dot_tree in float for n: {10000000000000}\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0410]"));
}

TEST_CASE("irrational sums end with the budget") {
  // Refined to the 10,000 bits at which balls give up, one comparison takes many seconds.
  const RunResult run = reckon_here({"run", "-", "--budget", "1"}, R"(
fn left(x: f32[n]) -> f32 = sum i: exp(x[i]) * sin(x[i])
fn right(x: f32[n]) -> f32 = sum i: sin(x[i]) * exp(x[i]) by tree
check left == right in exact for n: {20000}
)");
  CHECK(run.wall.count() < 10);
  CHECK_THAT(run.out, Contains("no evaluation ended within 1 s"));
}

TEST_CASE("a distance is not below 0, and a range is not empty") {
  const std::string circuit = "fn f(x: f32) -> f32 = x\n";
  for (const char* check :
       {"check f ~ f within -1\n", "check f ~ f within relative -1e-3\n", "check f ~ f within -2 ulp\n"}) {
    const RunResult run = run_text(circuit + check);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains("a distance is 0 or more"));
  }
  const RunResult run = run_text(circuit + "check f within 2..1 for x: 0..1 in interval\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("this range is empty"));
}

TEST_CASE("without a value is a boolean in JSON") {
  const RunResult run = reckon_here({"run", "-", "--format=json"}, R"(
fn whole(x: f32) -> f32 = x + 1
fn quotient(x: f32) -> f32 = (x * x - 1) / (x - 1)
check quotient == whole in algebra everywhere
)");
  CHECK_THAT(run.out, Contains(R"("left":{"defined":false})") && Contains(R"("right":{"defined":true})"));
}

TEST_CASE("a bool has no range, and normal makes none") {
  const RunResult ranged = run_text("fn f(m: bool) -> f32 = select(m, f32(1), 2)\ncheck f == f in float for m: 0..1\n");
  CHECK(ranged.status == 3);
  CHECK_THAT(ranged.err, Contains("error[E0600]: `m` is a `bool`, which has no range") &&
                             Contains("help: leave this out: a check draws both true and false"));
  const RunResult normal = run_text("show normal(bool[2], 1)\n");
  CHECK_THAT(normal.err, Contains("error[E0300]: `normal` makes floats, and no `bool`") &&
                             Contains("help: `random(bool[n], seed)` is true or false, each as likely"));
}
