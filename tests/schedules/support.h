// What the tests of schedules share: trees asked for many at a time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/reckon_run.h"
#include "tests/support/long_run.h"
#include "tests/support/python.h"

namespace reckon::test {

struct Case {
  int n;
  std::string schedule;
};

/// The trees by Reckon, all in one process.
inline std::vector<std::string> trees_here(const std::vector<Case>& cases) {
  std::string input;
  for (const Case& each : cases) input += fmt::format("parens({}, {})\n", each.schedule, each.n);
  const RunResult run = run_program({"eval", "-"}, input, std::chrono::minutes(10));
  CHECK(run.err.substr(0, 2000) == "");
  return lines_of(run.out);
}

/// The trees by a script of this folder, all in one process.
inline std::vector<std::string> trees_there(const std::string& python, const std::string& script,
                                            const std::vector<Case>& cases) {
  std::string input;
  for (const Case& each : cases) input += fmt::format("{}\t{}\n", each.n, each.schedule);
  const RunResult run = run_command({python, (source_folder() / "tests/schedules" / script).string()},
                                    {.input = input, .timeout = std::chrono::minutes(10)});
  CHECK(run.err.substr(0, 2000) == "");
  return lines_of(run.out);
}

/// n - 1 applications, and every leaf once.
inline bool uses_each_leaf_once(const std::string& tree, int n) {
  std::vector<int> leaves;
  for (std::size_t at = 0; at < tree.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(tree[at]))) continue;
    std::size_t used = 0;
    leaves.push_back(std::stoi(tree.substr(at, 12), &used));
    at += used - 1;
  }
  std::sort(leaves.begin(), leaves.end());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] != static_cast<int>(i)) return false;
  }
  return static_cast<int>(leaves.size()) == n && std::count(tree.begin(), tree.end(), '(') == n - 1;
}

}  // namespace reckon::test
