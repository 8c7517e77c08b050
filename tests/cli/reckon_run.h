// Running `reckon` in the repository, as its documentation does, so that paths in messages are the same everywhere.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/process.h"

namespace reckon::test {

using Json = nlohmann::ordered_json;

inline RunResult reckon_in(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                           std::string_view input = {}) {
  return run_program(arguments, RunOptions{.input = input, .folder = folder, .environment = {}});
}
inline RunResult reckon_here(const std::vector<std::string>& arguments, std::string_view input = {}) {
  return reckon_in(source_folder(), arguments, input);
}

/// `reckon run -` of this program.
inline RunResult run_text(const std::string& text, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"run", "-"});
  return reckon_here(more, text);
}

/// `reckon call FILE --fn CIRCUIT ...`.
inline RunResult call(const std::string& file, const std::string& circuit, std::vector<std::string> more) {
  more.insert(more.begin(), {"call", file, "--fn", circuit});
  return reckon_here(more);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

/// One JSON object a line, and nothing else.
inline std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> out;
  for (const std::string& line : lines_of(text)) {
    INFO(line);
    out.push_back(Json::parse(line, nullptr, false));
    REQUIRE(out.back().is_object());
  }
  return out;
}

/// The one object that `reckon eval EXPR --format=json` prints.
inline Json evaluated(const std::string& expression, std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"eval", expression, "--format=json"});
  const RunResult run = reckon_here(more);
  INFO(expression << ": " << run.out << run.err);
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
  const auto lines = json_lines(run.out);
  REQUIRE(lines.size() == 1);
  return lines[0];
}

}  // namespace reckon::test
