// docs/tutorial.md, followed word for word, prints what it says.
#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace reckon::test;

TEST_CASE("a reader who follows the tutorial gets the printed answers") {
  const RunResult run = run_command({"python3", (source_folder() / "tests/docs/follow_tutorial.py").string(),
                                     (source_folder() / "docs/tutorial.md").string(), program_path().string()});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
}
