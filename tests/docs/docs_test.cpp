// Every example in docs/ and README.md says what it prints, and this holds them to it. `./dev golden --update docs` rewrites
// the outputs.
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace {

using namespace reckon::test;

struct Example {
  std::size_t line = 0;
  std::string program, output;
};

/// ```reckon blocks, each with the ```text block that follows it.
std::vector<Example> examples(const std::string& text) {
  std::vector<Example> out;
  std::istringstream lines(text);
  std::string line, fence;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.starts_with("```")) {
      const std::string opened = line.substr(3);
      if (!fence.empty()) fence.clear();
      else fence = opened.empty() ? "plain" : opened;
      if (fence == "reckon") out.push_back({number, {}, {}});
      continue;
    }
    if (fence == "reckon") out.back().program += line + "\n";
    if (fence == "text" && !out.empty()) out.back().output += line + "\n";
  }
  return out;
}

/// The page with the output of every example as it is now.
std::string updated(const std::string& text) {
  std::string out, line, fence, program;
  std::istringstream lines(text);
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) {
      const std::string opened = line.substr(3);
      if (!fence.empty()) fence.clear();
      else fence = opened.empty() ? "plain" : opened;
      out += line + "\n";
      if (fence == "reckon") program.clear();
      if (fence == "text" && !program.empty()) out += run_program({"run", "-"}, program).out;
      continue;
    }
    if (fence == "reckon") program += line + "\n";
    if (fence != "text" || program.empty()) out += line + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("the examples of the documentation print what they say") {
  std::vector<std::filesystem::path> pages{source_folder() / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::size_t run = 0;
  for (const auto& page : pages) {
    if (updating_golden()) {
      const std::string before = read_file(page), now = updated(before);
      if (now != before) write_file(page, now);
    }
    for (const Example& example : examples(read_file(page))) {
      INFO(page << ":" << example.line);
      const RunResult result = run_program({"run", "-"}, example.program);
      // Notes beside results are no part of the page.
      CHECK(result.err.find("error") == std::string::npos);
      CHECK(result.err.find("warning") == std::string::npos);
      if (result.out != example.output) {
        FAIL_CHECK(line_differences(example.output, result.out));
      }
      CHECK((result.status == 0 || result.status == 1));
      ++run;
    }
  }
  CHECK(run >= 7);
}
