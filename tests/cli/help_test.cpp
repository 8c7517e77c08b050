// `--help` is part of the interface.
#include "tests/cli/reckon_run.h"
#include "tests/support/golden.h"

using namespace reckon::test;

TEST_CASE("--help of the program and of every command") {
  for (const std::string command : {"", "run", "eval", "compile", "call", "bench", "tune", "draw", "export", "reveal", "ptx",
                                    "trace", "test", "explain", "fmt", "lsp"}) {
    std::vector<std::string> words;
    if (!command.empty()) words.push_back(command);
    words.emplace_back("--help");
    const RunResult run = reckon_here(words);
    INFO("reckon " << command << " --help");
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    check_golden("cli/help" + (command.empty() ? "" : "_" + command) + ".txt", run.out);
    words.back() = "-h";
    CHECK(reckon_here(words).out == run.out);
    for (const std::string& line : lines_of(run.out)) {
      INFO(line);
      CHECK(line.size() <= 120);
    }
  }
}

TEST_CASE("the help names every semantics") {
  const std::string help = reckon_here({"--help"}).out;
  const std::string unknown = reckon_here({"eval", "1", "--in=nothing_like_it"}).err;
  for (const char* name : {"float", "exact", "interval", "fpsan", "count", "bound", "padic", "accept"}) {
    CHECK_THAT(help, Catch::Contains(name));
    CHECK_THAT(unknown, Catch::Contains(std::string("`") + name + "`"));
  }
}

TEST_CASE("--version") {
  const RunResult run = reckon_here({"--version"});
  CHECK(run.status == 0);
  CHECK(run.out == "reckon 0.1.0\n");
  CHECK(run.err.empty());
}
