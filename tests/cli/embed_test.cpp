// Reckon inside a C++ program that sees its one public header.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;

TEST_CASE("examples/embed.cpp builds against the public header alone, and runs") {
  if (!std::filesystem::exists(RECKON_EMBED_PROGRAM)) {
    WARN("the example `embed` was not built");
    return;
  }
  const RunResult run =
      run_command({RECKON_EMBED_PROGRAM}, RunOptions{.input = {}, .folder = source_folder(), .environment = {}});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  // 1*4 + 2*5 + 3*6, on the host and interpreted; `x` misspelt gives a message and no exception.
  CHECK(run.out == "32\n32\nE0200 at 1:32: `z` is not defined\n");
}

TEST_CASE("embed.cpp is short and includes one header of ours") {
  const std::string text = read_file(source_folder() / "examples" / "embed.cpp");
  CHECK(lines_of(text).size() < 30);
  std::size_t quoted = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("#include \"")) ++quoted;
    if (line.starts_with("#include") && line.find("reckon") != std::string::npos)
      CHECK(line == "#include <reckon/reckon.h>");
  }
  CHECK(quoted == 0);
}
