// tests/planted_bugs.sh plants bugs by replacing texts of the source. A text that is gone would go unseen until the list
// is next run, which takes most of an hour.
#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

TEST_CASE("every bug of the list can be planted") {
  const RunResult run = run_command({"bash", (source_folder() / "tests/planted_bugs.sh").string(), "--check"});
  CHECK(run.out == "");
  CHECK(run.err == "");
  CHECK(run.status == 0);
}
