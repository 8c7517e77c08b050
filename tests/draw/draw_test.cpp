// `reckon draw`: what it prints, that a picture shows the tree, and what it refuses.
#include <algorithm>

#include "tests/schedules/support.h"
#include "tests/support/golden.h"

using namespace reckon::test;

namespace {

RunResult draw(const std::string& schedule, int n, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"draw", schedule, "--n", std::to_string(n)});
  return reckon_here(more);
}

/// Reads a text picture back: column by column, a `'` joins its line to the one of the `+` above it.
std::string tree_of(const std::string& picture) {
  std::vector<std::string> lines = lines_of(picture), nodes;
  lines.erase(lines.begin(), lines.begin() + 3);
  std::size_t width = 0;
  for (std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(' '), last = line.find(' ', first);
    nodes.push_back(line.substr(first, last - first));
    line = line.substr(last + 2);
    width = std::max(width, line.size());
  }
  for (std::size_t column = 0; column < width; ++column) {
    std::size_t upper = lines.size();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const char here = column < lines[i].size() ? lines[i][column] : ' ';
      if (here == '+') {
        upper = i;
      } else if (here == '\'') {
        if (upper == lines.size()) return "a joint without a line above";
        nodes[upper] = "(" + nodes[upper] + " " + nodes[i] + ")";
        upper = lines.size();
      } else if (here != '|') {
        if (upper != lines.size()) return "a joint that leads nowhere";
      }
    }
  }
  return nodes[0];
}

}  // namespace

TEST_CASE("pictures of schedules") {
  const std::vector<std::tuple<std::string, std::string, int>> pictures = {
      {"tree_2", "tree", 2},
      {"halving_7", "halving", 7},
      {"lanes_16", "lanes(4, tree) then tree", 16},
      {"seq_64", "seq", 64},
      {"lanes_1000", "lanes(128, tree) then tree", 1000},
      {"numpy_1000", "numpy", 1000},
      {"three_stages_1000", "tile(8, seq) then tile(32, tree) then seq", 1000},
  };
  const auto python = python_with("xml.dom.minidom");
  const TemporaryFolder folder;
  for (const auto& [name, schedule, n] : pictures) {
    INFO(name);
    const RunResult text = draw(schedule, n);
    CHECK(text.status == 0);
    CHECK(text.err.empty());
    check_golden("draw/" + name + ".txt", text.out);
    for (const std::string& line : lines_of(text.out)) CHECK(line.size() <= 120);
    const std::string file = (folder / (name + ".svg")).string();
    const RunResult saved = draw(schedule, n, {"-o", file});
    CHECK(saved.status == 0);
    CHECK(saved.out == "saved     " + file + "  (svg)\n");
    const std::string svg = read_file(file);
    check_golden("draw/" + name + ".svg", svg);
    CHECK(draw(schedule, n, {"-o", "-"}).out == svg);
    CHECK(svg.find("script") == std::string::npos);
    if (python) {
      CHECK(run_command({*python, "-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", file}).err == "");
    }
  }
}

TEST_CASE("a text picture shows the tree, for lengths up to 64") {
  std::vector<Case> cases;
  for (int n : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 32, 33, 47, 63, 64}) {
    for (const char* schedule :
         {"seq", "tree", "halving", "lanes(3, seq) then halving", "tile(5, tree) then lanes(2, seq) then seq",
          "split(7, tree, split(2, seq, halving))"}) {
      cases.push_back({n, schedule});
    }
  }
  const auto trees = trees_here(cases);
  REQUIRE(trees.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].schedule << " of " << cases[i].n);
    REQUIRE(tree_of(draw(cases[i].schedule, cases[i].n).out) == trees[i]);
  }
  CHECK(tree_of(reckon_here({"draw", "'((3 (0 1)) 2)"}).out) == "((3 (0 1)) 2)");
  CHECK(tree_of(reckon_here({"draw", "parens(tree, 6)"}).out) == "(((0 1) (2 3)) (4 5))");
}

TEST_CASE("large trees are drawn, whatever their form") {
  // What is quadratic, or recurses into a fold's depth, does not come back within the minute that a run has.
  for (const char* schedule : {"seq", "tree", "numpy", "lanes(128, seq) then tree", "tile(1000, seq) then halving"}) {
    INFO(schedule);
    const RunResult run = draw(schedule, schedule == std::string("seq") ? 300'000 : 100'000);
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(run.out.size() < 8000);
  }
}

TEST_CASE("what cannot be drawn is said") {
  const auto code = [](const std::vector<std::string>& words) {
    std::vector<std::string> all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    const RunResult run = reckon_here(all);
    CHECK(run.out.empty());
    CHECK(run.status == 3);
    return run.err.substr(0, 12);
  };
  CHECK(code({"tree"}) == "error[E0603]");
  CHECK(code({"1.5", "--n", "4"}) == "error[E0404]");
  CHECK(code({"tile(2, seq)", "--n", "4"}) == "error[E0404]");
  CHECK(code({"'((0 1) 2)", "--n", "4"}) == "error[E0402]");
  CHECK(code({"any", "--n", "4"}) == "error[E0507]");
  CHECK(code({"(2,3):(1,2)", "--n", "4"}) == "error[E0603]");
  CHECK(code({"tree", "--n", "1000001"}) == "error[E0410]");
  CHECK(code({"nowhere", "--n", "4"}) == "error[E0200]");
  CHECK(code({"tree then", "--n", "4"}).starts_with("error[E01"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"draw"},
                                             {"draw", "tree", "--n", "0"},
                                             {"draw", "tree", "--n", "-3"},
                                             {"draw", "tree", "--n", "x"},
                                             {"draw", "tree", "--n", "4", "-o", "tree.png"},
                                             {"draw", "tree", "--n", "4", "-o", "/nonexistent/tree.svg"}}) {
    const RunResult run = reckon_here(words);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_FALSE(run.err.empty());
  }
}

TEST_CASE("a picture as JSON, and sizes by name") {
  const RunResult run = reckon_here({"draw", "tile(b, seq) then seq", "--n", "4", "-D", "b=2", "--format=json"});
  CHECK(run.status == 0);
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["kind"] == "picture");
  CHECK(lines[0]["form"] == "text");
  CHECK(tree_of(lines[0]["value"].get<std::string>()) == "((0 1) (2 3))");
}
