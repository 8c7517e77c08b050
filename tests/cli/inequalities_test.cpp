// `check f <= g in S`: an inequality between two circuits, element by element.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* ordered_circuits = R"(
fn total(x: f32[n]) -> f32 = sum i: x[i] by seq
fn size_of_total(x: f32[n]) -> f32 = abs(total(x))
fn total_of_sizes(x: f32[n]) -> f32 = sum i: abs(x[i]) by seq
fn square(x: f32[n]) -> f32[n] = x * x
fn cube(x: f32[n]) -> f32[n] = x * x * x
fn wave(x: f32) -> f32 = sin(x)
fn bowl(x: f32) -> f32 = 1.5 + x * x
)";

RunResult compared(const std::string& check, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return reckon_here(more, ordered_circuits + check + "\n");
}

}  // namespace

TEST_CASE("an inequality holds where every trial has it") {
  for (const std::string check :
       {"check size_of_total <= total_of_sizes in float for x: -1..1", "check total_of_sizes >= size_of_total in float for x: -1..1",
        "check square > cube in float for x: 0.01..0.9", "check cube < square in float for x: 0.01..0.9",
        "check size_of_total <= total_of_sizes in exact for x: -1..1"}) {
    const RunResult run = compared(check);
    INFO(run.out << run.err);
    CHECK(run.status == 0);
    CHECK_THAT(run.out, StartsWith("holds     " + check) && Contains("(observed; "));
  }
}

TEST_CASE("a counterexample has both values") {
  const RunResult run = compared("check square <= cube in float for x: -1..1", {"--format=json"});
  CHECK(run.status == 1);
  const Json found = json_lines(run.out).at(0)["counterexample"];
  const auto value = [&](const char* side) { return std::stod(found[side]["hex"].get<std::string>()); };
  CHECK(value("left") > value("right"));
}

TEST_CASE("each of the four signs is its own") {
  // 1 and 1, 1 and 2, 2 and 1.
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"<", "010"}, {"<=", "110"}, {">", "001"}, {">=", "101"}};
  for (const auto& [sign, truths] : expected) {
    for (const std::string meaning : {"float", "interval", "exact", "interval(f32)"}) {
      std::string text;
      for (const std::string pair : {"f32(1), f32(1)", "f32(1), f32(2)", "f32(2), f32(1)"}) {
        const auto comma = pair.find(", ");
        text += "check " + pair.substr(0, comma) + " " + sign + " " + pair.substr(comma + 2) + " in " + meaning + "\n";
      }
      const RunResult run = compared(text);
      INFO(text << run.out << run.err);
      const auto lines = lines_of(run.out);
      std::string found;
      for (const std::string& line : lines) {
        if (line.starts_with("holds ")) found += '1';
        if (line.starts_with("fails ")) found += '0';
      }
      CHECK(found == truths);
    }
  }
}

TEST_CASE("an enclosure proves an inequality for a whole range, or leaves it open") {
  const RunResult apart = compared("check wave(x) < bowl(x) in interval for x: -4..4");
  INFO(apart.out << apart.err);
  CHECK(apart.status == 0);
  CHECK_THAT(apart.out, StartsWith("holds ") && Contains("(proved; all of x: -4..4"));
  const RunResult open = compared("check wave(x) <= x in interval for x: 0..1");
  INFO(open.out << open.err);
  CHECK_THAT(open.out, StartsWith("undecided "));
}

TEST_CASE("all numbers of a narrow format are tried, and an inequality of these is proved") {
  const RunResult run = reckon_here({"run", "-"}, R"(
fn f(x: f16) -> f16 = x * x
fn g(x: f16) -> f16 = abs(x * x) + 1
fn h(x: f16) -> f16 = x * x + 1
check f <= g in float
check f < h in float
)");
  INFO(run.out << run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() > 2);
  CHECK_THAT(lines[0], StartsWith("holds ") && Contains("(proved; all 63491 inputs)"));
  // Where 1 is absorbed, they are equal.
  CHECK_THAT(lines[1], StartsWith("fails "));
  CHECK_THAT(run.out, !Contains("apart"));
}

TEST_CASE("two NaNs are in order, a NaN and a number are not") {
  const RunResult both = compared("check square([nan]) <= cube([nan]) in float");
  INFO(both.out << both.err);
  CHECK_THAT(both.out, !StartsWith("fails "));
  const RunResult one = compared("check square([nan]) <= cube([f32(1)]) in float");
  CHECK_THAT(one.out, StartsWith("fails "));
}

TEST_CASE("the semantics may be given from outside, and the sides may be circuits without `in`") {
  const RunResult run = compared("check size_of_total <= total_of_sizes for x: -1..1", {"--in", "float"});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK_THAT(run.out, StartsWith("holds "));
  CHECK_THAT(compared("check 2 < 3").out, StartsWith("holds     check 2 < 3  (proved)"));
}

TEST_CASE("an inequality over the reals is proved, or refuted with inputs") {
  CHECK_THAT(compared("check size_of_total <= total_of_sizes in algebra").out, Contains("(proved for all sizes)"));
  CHECK_THAT(compared("check total_of_sizes >= size_of_total in algebra").out, Contains("(proved for all sizes)"));
  CHECK_THAT(compared("check square <= cube in algebra").out, StartsWith("fails "));
}

TEST_CASE("what has no order is refused in a sentence") {
  const auto refused = [](const RunResult& run, const std::string& words) {
    INFO(run.out << run.err);
    CHECK(run.status == 3);
    CHECK_THAT(run.err, Contains(words));
  };
  refused(compared("check square <= cube in fpsan"), "the values of `fpsan` have no order");
  refused(compared("check square <= cube in padic"), "the values of `padic` have no order");
  refused(compared("check square < cube in algebra"), "`in algebra` asks whether two circuits are equal, or one is at most the other");
  refused(reckon_here({"run", "-"}, "fn f(x: f32) -> bool = x < 1\nfn g(x: f32) -> bool = x < 2\ncheck f <= g in float\n"),
          "`<=` compares numbers, and these results are `bool`");
}
