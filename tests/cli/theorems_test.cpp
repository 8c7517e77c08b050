// examples/theorems: each statement is proved, by steps that the checker accepts; what differs from it a little is not.
#include <catch2/catch.hpp>

#include <filesystem>

#include "tests/cli/reckon_run.h"

using namespace reckon::test;

namespace {

std::string theorem_text(const std::string& name) {
  return read_file(source_folder() / "examples" / "theorems" / name);
}

std::vector<Json> verdicts(const std::string& program, const std::string& seconds = "2") {
  const RunResult run = run_program({"run", "--explain-proofs", "--format=json", "--budget=" + seconds, "-"}, program);
  INFO(run.err);
  CHECK(run.err.empty());
  return json_lines(run.out);
}

/// The check with this text in the program after one change is not proved.
void mutant_is_not_proved(const std::string& name, const std::string& from, const std::string& to,
                          const std::string& claim) {
  std::string program = theorem_text(name);
  INFO(name << ": " << from << " -> " << to);
  REQUIRE(program.find(from) != std::string::npos);
  for (std::size_t at = 0; (at = program.find(from, at)) != std::string::npos; at += to.size())
    program.replace(at, from.size(), to);
  int found = 0;
  for (const Json& each : verdicts(program)) {
    if (each["text"].get<std::string>().rfind("check " + claim, 0) != 0) continue;
    ++found;
    CHECK((each["verdict"] != "holds" || each["strength"] != "proved"));
  }
  CHECK(found == 1);
}

}  // namespace

TEST_CASE("the theorems of examples/theorems are proved, step by step") {
  std::size_t proved = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "examples" / "theorems")) {
    if (entry.path().extension() != ".rk") continue;
    for (const Json& each : verdicts(read_file(entry.path()))) {
      INFO(each.dump());
      CHECK(each["verdict"] == "holds");
      CHECK(each["strength"] == "proved");
      CHECK(each["evidence"]["all_sizes"] == true);
      const Json& proof = each["evidence"]["proof_object"];
      const Json parts = proof.contains("parts") ? proof["parts"] : Json::array({proof});
      CHECK(!parts.empty());
      for (const Json& part : parts) CHECK(part["steps"].size() >= 1);
      CHECK(each["evidence"]["steps"].size() >= 2);
      ++proved;
    }
  }
  CHECK(proved >= 19);
}

TEST_CASE("statements that differ a little from a theorem are not proved") {
  mutant_is_not_proved("enclosures.rk", "low + low2 - abs(down2)", "low + low2 + abs(down2)", "lower_end <= between");
  mutant_is_not_proved("enclosures.rk", "high + high2 + abs(up2)", "high + abs(up2)", "between <= upper_end");
  mutant_is_not_proved("enclosures.rk", "(x[i] - abs(r[i]), x[i]", "(x[i] + abs(r[i]), x[i]", "lower_end <= between");
  mutant_is_not_proved("enclosures.rk", "max(weight, weight2) * (1 + 1 / 16777216)", "max(weight, weight2)",
                       "error <= allowed");
  mutant_is_not_proved("enclosures.rk", "max(weight, weight2)", "weight", "error <= allowed");
  mutant_is_not_proved("enclosures.rk", "* (1 + d2)", "* (1 + 2 * d2)", "error <= allowed");
  mutant_is_not_proved("enclosures.rk", "for d: -1 / 16777216 .. 1 / 16777216", "for d: -1 / 8388608 .. 1 / 8388608",
                       "error <= allowed");
  mutant_is_not_proved("enclosures.rk", "x[i], abs(x[i]), f64(1)", "x[i], x[i], f64(1)", "error <= allowed");
  mutant_is_not_proved("sums.rk", "= sum i: abs(x[i])\n", "= sum i: x[i]\n", "abs(total(x)) <= magnitude(x)");
  mutant_is_not_proved("sums.rk", "= max i: x[i]", "= min i: x[i]", "total <= all_greatest");
  mutant_is_not_proved("sums.rk", "x[i] + abs(d[i])", "x[i] + d[i]", "plain <= raised");
  mutant_is_not_proved("sums.rk", "f64(2 * i + 1)", "f64(2 * i + 2)", "odd == square");
  mutant_is_not_proved("sums.rk", "f64(n - 1) / 2", "f64(n + 1) / 2", "numbers == triangle");
  mutant_is_not_proved("blocks.rk", "x[m + i] by seq", "x[i] by seq", "whole == parts");
  mutant_is_not_proved("blocks.rk", "x[i + d + j]", "x[i + d + 1 + j]", "window == doubled");
  mutant_is_not_proved("blocks.rk", "x[8 * s + q]", "x[8 * s + 7]", "flat == in_blocks");
  mutant_is_not_proved("in_order.rk", "1 + f64(1) / 16777216", "1 + f64(1) / 33554432", "error <= allowed");
  mutant_is_not_proved("in_order.rk", "* (1 + d2)", "* (1 + 2 * d2)", "error <= allowed");
  mutant_is_not_proved("in_order.rk", "magnitude + magnitude2", "magnitude", "error <= allowed");
  mutant_is_not_proved("in_order.rk", "x[i], abs(x[i]), d[i]", "x[i], x[i], d[i]", "error <= allowed");
  mutant_is_not_proved("growth.rk", "weight * (1 + v)", "weight * (1 + v) * (1 + v)", "in_order == power");
}

TEST_CASE("Strassen's product with one wrong sign is refuted with matrices for which it is wrong") {
  // Each occurs once in the one level and once in the recursion.
  const std::pair<const char*, const char*> changes[] = {
      {"(a00 + a11, b00 + b11)", "(a00 + a11, b00 - b11)"}, {"(a10 + a11, b00)", "(a10 - a11, b00)"},
      {"(a00, b01 - b11)", "(a00, b01 + b11)"},             {"(a11, b10 - b00)", "(a11, b10 + b00)"},
      {"(a00 + a01, b11)", "(a00 - a01, b11)"},             {"(a10 - a00, b00 + b01)", "(a10 + a00, b00 + b01)"},
      {"(a01 - a11, b10 + b11)", "(a01 - a11, b10 - b11)"}, {"m1 + m4 - m5 + m7", "m1 + m4 + m5 + m7"}};
  for (const auto& [from, to] : changes) {
    std::string program = theorem_text("strassen.rk");
    INFO(from << " -> " << to);
    int changed = 0;
    for (std::size_t at = 0; (at = program.find(from, at)) != std::string::npos; at += std::string(to).size(), ++changed)
      program.replace(at, std::string(from).size(), to);
    CHECK(changed == 2);
    int refuted = 0;
    // The first trial refutes it, but an element takes its time on a busy machine.
    for (const Json& each : verdicts(program, "60")) {
      INFO(each.dump());
      REQUIRE(each["verdict"] == "fails");
      CHECK(each["counterexample"]["inputs"].contains("a"));
      ++refuted;
    }
    CHECK(refuted == 3);
  }
}
