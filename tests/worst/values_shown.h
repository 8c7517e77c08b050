// What a program shows, as JSON.
#pragma once

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace reckon::test {

/// A value for each of the program's `show` items. The program has no errors.
inline std::vector<nlohmann::json> values_shown(const std::string& program) {
  const RunResult found = run_program({"run", "-", "--format=json"}, program);
  INFO(program << found.out << found.err);
  REQUIRE(found.status == 0);
  std::vector<nlohmann::json> out;
  std::istringstream lines(found.out);
  for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

}  // namespace reckon::test
