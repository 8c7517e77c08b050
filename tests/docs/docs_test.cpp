// Every example in docs/ and README.md says what it prints, and this holds them to it. `./dev golden --update docs`
// rewrites the outputs.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/docs/examples.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"

namespace {

using namespace reckon::test;

/// In the folder of the sources, so that a page may name files of tests/data/.
RunResult output_of(const Example& example) {
  return run_program(with_time({"run", "-"}), {.input = example.program, .folder = source_folder(), .environment = {}});
}

/// The page with the output of every example as it is now.
std::string updated_page(const std::string& text) {
  return updated(text, [](const Example& example) -> std::optional<std::string> {
    if (example.is_commands || !example.has_output) return std::nullopt;
    return output_of(example).out;
  });
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
      const std::string before = read_file(page), now = updated_page(before);
      if (now != before) write_file(page, now);
    }
    for (const Example& example : examples(read_file(page))) {
      if (example.is_commands) continue;
      INFO(page << ":" << example.line);
      const RunResult result = output_of(example);
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
