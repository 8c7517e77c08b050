// What users of Python, C and CUDA write by habit: one program a line, and for each one error that says what to write.
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

using namespace reckon::test;

TEST_CASE("what other languages write gives one error that says how it is written here") {
  std::istringstream programs(read_file(source_folder() / "tests/diagnostics/habits.txt"));
  static const std::regex help("= help: .*");
  std::string shown, program;
  std::size_t tried = 0;
  while (std::getline(programs, program)) {
    ++tried;
    INFO(program);
    const RunResult run = run_program({"run", "-"}, RunOptions{.input = program + "\n", .folder = {}, .environment = {}});
    CHECK(run.status == 3);
    CHECK(run.err.starts_with("error["));
    CHECK(run.err.find("\nerror[") == std::string::npos);
    CHECK(run.err.find("= help: ") != std::string::npos);
    shown += program + "\n  " + run.err.substr(0, run.err.find('\n')) + "\n";
    for (std::sregex_iterator at(run.err.begin(), run.err.end(), help), end; at != end; ++at) shown += "  " + at->str() + "\n";
  }
  CHECK(tried >= 60);
  check_golden("diagnostics/habits.txt", shown);
}

TEST_CASE("a definition with a syntax error is not reported as missing, too") {
  for (const char* program : {"fn sq(x: f32) -> f32 = x**2\nshow sq(f32(3))\n", "let k = 1..2..3\nshow k + 1\n",
                              "fn h(x: f32) -> f32 = x ? 1 : 2\nfn g(x: f32) -> f32 = h(x)\n"}) {
    const RunResult run = run_program({"run", "-"}, RunOptions{.input = program, .folder = {}, .environment = {}});
    INFO(run.err);
    CHECK(run.status == 3);
    CHECK(run.err.find("is not defined") == std::string::npos);
  }
}
