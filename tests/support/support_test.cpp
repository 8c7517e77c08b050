// The harness itself: what it must notice when something is wrong.
#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

namespace reckon::test {
namespace {

using namespace std::chrono_literals;

RunResult shell(const std::string& script, const RunOptions& options = {}) {
  return run_command({"sh", "-c", script}, options);
}

TEST_CASE("line differences keep three lines of context") {
  CHECK(line_differences("a\nb\n", "a\nb\n").empty());
  CHECK(line_differences("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n") ==
        "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n");
  CHECK(line_differences("a\nb\n", "a\n") == "@@ -1,2 +1 @@\n a\n-b\n");
  CHECK(line_differences("", "a\n") == "@@ -0,0 +1 @@\n+a\n");
}

TEST_CASE("a line break at the end, and a carriage return before one, are differences") {
  CHECK(line_differences("a", "a\n") == "\\ the expected text has no line break at its end\n");
  CHECK(line_differences("a\n", "a") == "\\ the actual text has no line break at its end\n");
  CHECK(line_differences("", "a") == "@@ -0,0 +1 @@\n+a\n\\ the actual text has no line break at its end\n");
  CHECK_FALSE(line_differences("a\n", "a\r\n").empty());
}

TEST_CASE("line differences of far places stand apart") {
  std::string expected, actual;
  for (int k = 0; k < 100; ++k) {
    expected += std::to_string(k) + "\n";
    actual += (k == 20 || k == 80 ? "changed" : std::to_string(k)) + "\n";
  }
  check_golden("support/far_differences.txt", line_differences(expected, actual));
}

TEST_CASE("a command's streams and status are caught") {
  const RunResult result = shell("cat; echo warned >&2; exit 3", {.input = "given"});
  CHECK(result.status == 3);
  CHECK(result.out == "given");
  CHECK(result.err == "warned\n");
  CHECK_FALSE(result.timed_out);
  CHECK(result.peak_memory_kb > 0);
}

TEST_CASE("a command's environment and folder can be set") {
  const TemporaryFolder folder;
  const RunResult result =
      shell("printf %s \"$RECKON_PROBE\" > here", {.folder = folder.path(), .environment = {{"RECKON_PROBE", "yes"}}});
  CHECK(result.status == 0);
  CHECK(read_file(folder / "here") == "yes");
}

TEST_CASE("more input and output than a pipe holds") {
  const std::string big(4 << 20, 'x');
  CHECK(shell("cat", {.input = big}).out == big);
  CHECK(shell("exit 0", {.input = big}).status == 0);
}

TEST_CASE("a command past its limit is killed with its children") {
  const RunResult result = shell("sleep 30 & sleep 30", {.timeout = 100ms});
  CHECK(result.timed_out);
  CHECK(result.status == 128 + 9);
  CHECK(result.wall < 10s);
  CHECK(shell("exec >&- 2>&-; sleep 30", {.timeout = 100ms}).timed_out);
}

TEST_CASE("a command that is not there has status 127") { CHECK(run_command({"/nowhere/at/all"}).status == 127); }

TEST_CASE("golden files stand in the folders of tests") {
  const std::filesystem::path golden = source_folder() / "tests" / "golden";
  for (const auto& entry : std::filesystem::directory_iterator(golden)) {
    INFO(entry.path());
    CHECK(entry.is_directory());
    CHECK(std::filesystem::is_regular_file(source_folder() / "tests" / entry.path().filename() / "CMakeLists.txt"));
  }
}

}  // namespace
}  // namespace reckon::test
