// `check ... in algebra`: conditions, and witnesses that one can check by hand.
#include "tests/cli/reckon_run.h"
#include "tests/support/sanitized.h"

using namespace reckon::test;
using Catch::Contains;

namespace {

const std::string roots = R"(
fn root(y: f32, x: f32) -> f32 = sqrt(x * x) * y
fn itself(y: f32, x: f32) -> f32 = x * y
fn roots(x: f32[n]) -> f32[n] = for i: sqrt(x[i] * x[i])
fn themselves(x: f32[n]) -> f32[n] = for i: x[i]
)";

}  // namespace

TEST_CASE("conditions on parameters of circuits that are named alone") {
  for (const char* holds : {"check root == itself in algebra for x > 0", "check root == itself in padic for 0 < x",
                            "check root == itself in algebra for x: 1/2..8",
                            "check root == itself in exact for x > 0, y: -1..1",
                            "check root(y, x) == x * y in algebra for y: -1..1, x > 0",
                            "check roots == themselves in algebra for n: {3}, x > 0"}) {
    const RunResult run = run_text(roots + holds + "\n");
    INFO(holds << "\n" << run.out << run.err);
    CHECK(run.status == 0);
  }
  for (const auto& [fails, witness] : {std::pair("check root == itself in algebra", "x =      -1\n"),
                                       {"check root == itself in algebra for y > 0", "x =      -1\n"},
                                       {"check root == itself in algebra for x < 0", "x =      -1\n"},
                                       {"check root == itself in algebra for x: -3..-2", "x =      -3\n"},
                                       {"check roots == themselves in algebra for n: {3}", "x =      [0, 0, -1]\n"}}) {
    const RunResult run = run_text(roots + fails + "\n");
    INFO(fails << "\n" << run.out << run.err);
    CHECK(run.status == 1);
    CHECK_THAT(run.out, Contains(witness));
  }
}

TEST_CASE("a condition on nothing") {
  RunResult run = run_text(roots + "check root == itself in algebra for z > 0\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0600]: no circuit of this check has a parameter `z`") &&
                          Contains("the parameters are `y`, `x`"));
  run = run_text(roots + "check root == itself in algebra for x > 0, x: 0..1\n");
  CHECK(run.status == 3);
  CHECK_THAT(run.err, Contains("error[E0600]: this check has two clauses about `x`"));
}

TEST_CASE("the witness of every planted bug, evaluated again, differs as it says") {
  int evaluated_again = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "examples/algebra/bugs")) {
    const std::string name = entry.path().filename().string();
    const RunResult run = reckon_here({"examples/algebra/bugs/" + name, "--format=json"});
    // The circuits alone.
    std::string circuits;
    for (const std::string& line : lines_of(read_file(entry.path()))) {
      if (!line.starts_with("check ")) circuits += line + "\n";
    }
    for (const Json& line : json_lines(run.out)) {
      const Json& counterexample = line["counterexample"];
      const std::string check = line["text"].get<std::string>();
      const std::size_t equals = check.find(" == "), in = check.find(" in ");
      std::vector<std::string> sides{check.substr(6, equals - 6), check.substr(equals + 4, in - equals - 4)};
      for (std::string& side : sides) side = side.substr(0, side.find('('));
      std::string arguments;
      bool written_out = true;
      std::size_t elements_not_zero = 0;
      for (const auto& [parameter, input] : counterexample["inputs"].items()) {
        const std::string text = input.value("expression", "");
        const std::string value = text.empty() ? input["elements"][0].get<std::string>() : text;
        written_out &= value.find("but") == std::string::npos && value.find("random") == std::string::npos &&
                       value.find("everywhere") == std::string::npos;
        for (std::size_t at = 0; at < value.size(); ++at) {
          elements_not_zero += std::isdigit(static_cast<unsigned char>(value[at])) && value[at] != '0' &&
                               (at == 0 || value[at - 1] == ' ' || value[at - 1] == '[' || value[at - 1] == '-');
        }
        arguments += (arguments.empty() ? "" : ", ") + value;
      }
      INFO(name << ": " << line["text"] << "\n" << arguments << "\n" << run.out);
      // The search for simple inputs ends by the clock, and a sanitized program gets less far.
      CHECK((sanitized || elements_not_zero <= 12));
      if (!written_out) continue;
      for (const auto& [side, key] : {std::pair(sides[0], "left"), {sides[1], "right"}}) {
        std::string element;
        if (counterexample.contains("element")) {
          for (const Json& index : counterexample["element"]) element += (element.empty() ? "[" : ", ") + index.dump();
          if (!element.empty()) element += "]";
        }
        const RunResult again =
            run_text(circuits + "show " + side + "(" + arguments + ")" + element + " in exact(bits(256))\n");
        INFO(again.out << again.err);
        CHECK(again.status == 0);
        // Of a tuple the differing part is in it.
        const std::string value = counterexample[key]["value"].get<std::string>();
        if (again.out.starts_with("(")) CHECK_THAT(again.out, Contains(value));
        else CHECK(again.out == value + "\n");
        ++evaluated_again;
      }
    }
  }
  CHECK(evaluated_again > 60);
}

TEST_CASE("a number longer than any memory is an error, and no end of the program") {
  const RunResult run = run_text("check exp2(f64(300000000000)) == exp2(f64(300000000001)) in exact\nshow 1 + 1\n");
  INFO(run.out << run.err);
  CHECK_THAT(run.err, Contains("error[E0410]"));
  CHECK(run.out == "2\n");
}
