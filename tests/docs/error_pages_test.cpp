// Every diagnostic code has a page in docs/errors/, and its programs and commands print what the page says. `./dev golden
// --update docs` rewrites their outputs.
#include <catch2/catch.hpp>

#include <filesystem>
#include <map>
#include <set>

#include "diagnostics/pages.h"
#include "tests/docs/examples.h"
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace {

using namespace reckon;
using namespace reckon::test;
namespace fs = std::filesystem;

/// Pages whose commands are not run, and why.
const std::map<std::string, std::string> not_run = {
    {"E0001", "needs ptxas, and no folder for temporary files"},
    {"E0506", "needs a library of a class that throws; tests/api/own_semantics_mistakes_test.cpp"},
    {"E0900", "a machine may have a GPU; tests/cli/status_test.cpp hides it"},
    {"E0901", "a machine may have ptxas; tests/cli/status_test.cpp hides it"},
    {"E0902", "needs a GPU; tests/runtime/cuda_driver_test.cpp"},
    {"E0903", "needs mpirun; tests/mpi/sweeps_test.cpp"},
    {"E0910", "would take hours; tests/repl/repl_test.cpp"},
};
/// Codes that no program and no command leads to.
const std::set<std::string> no_example = {"E0710", "E0711", "E0999"};

fs::path pages_folder() { return source_folder() / "docs" / "errors"; }
fs::path page_path(Code code) { return pages_folder() / (code_text(code) + ".md"); }

/// Runs the examples of one page in one folder, in which each program is `program.rk` until the next.
class PageRun {
 public:
  PageRun() { fs::create_symlink(program_path(), bin_ / "reckon"); }

  RunResult run(const Example& example) const {
    if (!example.is_commands) {
      write_file(folder_ / "program.rk", example.program);
      return run_program({"run", "program.rk"}, in_folder());
    }
    RunOptions options = in_folder();
    options.environment = {{"PATH", bin_.path().string() + ":" + std::getenv("PATH")}};
    return run_command({"sh", "-c", "{\n" + example.program + "} 2>&1"}, options);
  }

 private:
  RunOptions in_folder() const { return {.input = {}, .folder = folder_.path(), .environment = {}}; }

  TemporaryFolder folder_, bin_;
};

/// What the example prints as the page shows it; nothing if it is not run.
std::optional<std::string> printed(const PageRun& page, const Example& example, const std::string& code) {
  if (example.is_commands && not_run.contains(code)) return std::nullopt;
  const RunResult result = page.run(example);
  return result.out + result.err;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

TEST_CASE("every diagnostic code has a page, and every page a code") {
  std::set<std::string> pages, rows;
  for (const auto& entry : fs::directory_iterator(pages_folder())) pages.insert(entry.path().filename().string());
  for (const Code code : all_codes()) {
    const std::string name = code_text(code);
    INFO(name);
    rows.insert(name + ".md");
    REQUIRE(fs::exists(page_path(code)));
    const std::string page = read_file(page_path(code));
    CHECK(page.substr(0, page.find('\n')) == "# " + name + ": " + std::string(code_title(code)));
    // What is inside of the program is the page.
    CHECK(page_of(code) == page);
    // The message itself, or the code's own line of one, stands on the page.
    CHECK(count(page, "error[" + name + "]: ") >= 1);
  }
  CHECK(pages == rows);
  CHECK(page_of(Code{9999}).empty());
}

TEST_CASE("the programs and commands on the pages of codes print what the pages say") {
  for (const Code code : all_codes()) {
    const std::string name = code_text(code);
    INFO(name);
    if (updating_golden()) {
      const PageRun page;
      const std::string before = read_file(page_path(code));
      const std::string now = updated(before, [&](const Example& example) { return printed(page, example, name); });
      if (now != before) write_file(page_path(code), now);
    }
    const PageRun page;
    std::size_t wrong = 0, right = 0, commands = 0;
    for (const Example& example : examples(read_file(page_path(code)))) {
      INFO(page_path(code) << ":" << example.line);
      if (example.is_commands) {
        ++commands;
        const auto output = printed(page, example, name);
        if (output && *output != example.output) FAIL_CHECK(line_differences(example.output, *output));
        continue;
      }
      const RunResult result = page.run(example);
      const bool is_wrong = example.output.starts_with("error[");
      ++(is_wrong ? wrong : right);
      if (is_wrong) {
        CHECK(result.status == 3);
        CHECK(count(result.err, "error[") == 1);
        CHECK(result.err.starts_with("error[" + name + "]: "));
        if (result.err != example.output) FAIL_CHECK(line_differences(example.output, result.err));
      } else {
        CHECK(result.status == 0);
        CHECK(result.err.empty());
        if (example.has_output && result.out != example.output) {
          FAIL_CHECK(line_differences(example.output, result.out));
        }
      }
    }
    // A mistake is shown, by a program or by a command; a wrong program stands beside what is right.
    CHECK((wrong + commands > 0) != no_example.contains(name));
    CHECK((wrong == 0 || right + commands > 0));
  }
}

TEST_CASE("examples of a page are found, with their outputs") {
  const std::string page =
      "Text\n\n```reckon\nshow 1\n```\n\n```text\n1\n```\n\n```reckon\nlet a = 1\n```\n```\n$ one\n$ "
      "two\nsaid\n```\n```sh\nx\n```\n";
  const auto found = examples(page);
  REQUIRE(found.size() == 3);
  CHECK(found[0].line == 3);
  CHECK(found[0].program == "show 1\n");
  CHECK(found[0].output == "1\n");
  CHECK_FALSE(found[1].has_output);
  CHECK(found[2].is_commands);
  CHECK(found[2].program == "one\ntwo\n");
  CHECK(found[2].output == "said\n");
  const std::string now = updated(page, [](const Example& example) -> std::optional<std::string> {
    if (example.is_commands) return std::nullopt;
    return "2\n3\n";
  });
  CHECK(now ==
        "Text\n\n```reckon\nshow 1\n```\n\n```text\n2\n3\n```\n\n```reckon\nlet a = 1\n```\n```\n$ one\n$ "
        "two\nsaid\n```\n```sh\nx\n```\n");
}
