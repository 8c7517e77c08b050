// examples/algebra: rewrites that hold, and planted bugs that do not. What the ring says is the last case's; before it,
// the same is said without a ring: under `float` with proven bounds on rounding, and under `exact`.
#include <algorithm>
#include <regex>

#include "tests/cli/reckon_run.h"
#include "tests/support/sanitized.h"

using namespace reckon::test;

namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / folder)) {
    if (entry.path().extension() == ".rk") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A file's circuits, and the lines of its checks.
struct Program {
  std::string circuits;
  std::vector<std::string> checks;
};

Program read_program(const std::string& path) {
  Program out;
  for (const std::string& line : lines_of(read_file(source_folder() / path))) {
    if (line.starts_with("check ")) out.checks.push_back(line.substr(0, line.find("    #")));
    else out.circuits += line + "\n";
  }
  return out;
}

/// `check f == g in algebra for ...` with another comparison (`==` or `~`) and what follows it. Conditions `x > 0`
/// become ranges.
std::string restated(const std::string& check, const std::string& compare, const std::string& meaning, int trials) {
  std::smatch parts;
  REQUIRE(std::regex_match(check, parts, std::regex(R"(check (.*) == (.*) in algebra( .*)?)")));
  std::string rest = std::regex_replace(parts[3].str(), std::regex(R"((\w+) > 0)"), "$1: 0.5..4");
  if (rest.find(" trials ") == std::string::npos) rest += " trials " + std::to_string(trials);
  return "check " + parts[1].str() + " " + compare + " " + parts[2].str() + " " + meaning + rest + "\n";
}

}  // namespace

TEST_CASE("every rewrite of examples/algebra has its planted bug") {
  CHECK(names_in("examples/algebra") == names_in("examples/algebra/bugs"));
  CHECK(names_in("examples/algebra").size() >= 16);
}

TEST_CASE("rounding explains the rewrites of examples/algebra, and no planted bug") {
  for (const std::string folder : {"examples/algebra/", "examples/algebra/bugs/"}) {
    const std::string expected = folder.ends_with("bugs/") ? "fails" : "holds";
    for (const std::string& name : names_in(folder)) {
      const Program program = read_program(folder + name);
      std::string text = program.circuits;
      // The first trial draws from the unit range. Larger numbers overflow in some of the rewrites (a softmax that is not
      // shifted), and what is NaN then differs from a number.
      const int trials = expected == "fails" ? 3 : 1;
      for (const std::string& check : program.checks) text += restated(check, "~", "within bound in float", trials);
      const RunResult run = reckon_here(with_time({"run", "-", "--format=json"}), text);
      INFO(folder << name << "\n" << run.out << run.err);
      CHECK(run.status == (expected == "fails" ? 1 : 0));
      CHECK(run.err.empty());
      const auto lines = json_lines(run.out);
      CHECK(lines.size() == program.checks.size());
      CHECK(!lines.empty());
      for (const Json& line : lines) CHECK(line["verdict"] == expected);
    }
  }
}

TEST_CASE("over the reals, the planted bugs of examples/algebra differ") {
  for (const std::string& name : names_in("examples/algebra/bugs")) {
    const Program program = read_program("examples/algebra/bugs/" + name);
    for (const std::string& check : program.checks) {
      const RunResult run = reckon_here({"run", "-"}, program.circuits + restated(check, "==", "in exact", 2));
      INFO(name << ": " << check << "\n" << run.out << run.err);
      CHECK(run.status == 1);
      CHECK(run.out.starts_with("fails "));
    }
  }
}

TEST_CASE("algebra agrees to the rewrites of examples/algebra, and refutes each planted bug") {
  for (const std::string& name : names_in("examples/algebra")) {
    const RunResult run = reckon_here({"examples/algebra/" + name, "--format=json"});
    INFO(name << "\n" << run.out << run.err);
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    const auto lines = json_lines(run.out);
    CHECK(lines.size() == read_program("examples/algebra/" + name).checks.size());
    for (const Json& line : lines) {
      CHECK(line["verdict"] == "holds");
      CHECK((line["strength"] == "agreed" || line["strength"] == "proved"));
    }
  }
  for (const std::string& name : names_in("examples/algebra/bugs")) {
    const RunResult run = reckon_here({"examples/algebra/bugs/" + name, "--format=json"});
    INFO("bugs/" << name << "\n" << run.out << run.err);
    CHECK(run.status == 1);
    CHECK(run.err.empty());
    const auto lines = json_lines(run.out);
    CHECK(lines.size() == read_program("examples/algebra/bugs/" + name).checks.size());
    for (const Json& line : lines) {
      CHECK(line["verdict"] == "fails");
      CHECK(line.contains("counterexample"));
    }
  }
}
