// GPU kernels without a GPU: their PTX on an emulator that shares no code with Reckon, against the host's compiled code.
#include "tests/support/files.h"
#include "tests/support/long_run.h"
#include "tests/support/python.h"

using namespace reckon::test;

TEST_CASE("kernels on an emulated GPU give the host's bits, without races or accesses outside of their buffers") {
  const auto python = python_with("numpy");
  if (!python) return;
  const std::string script = (source_folder() / "tests/gpu/emulator/check.py").string();
  std::vector<std::string> command{*python, "-B", script, program_path().string()};
  if (!long_run()) command.push_back("--short");
  const RunResult run = run_command(command, {.timeout = std::chrono::minutes(10)});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  CHECK(run.out.find(" agree; ") != std::string::npos);
  CHECK(run.out.find("0 of 0") == std::string::npos);
}
