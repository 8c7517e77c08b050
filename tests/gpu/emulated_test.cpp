// GPU kernels without a GPU: their PTX on an emulator that shares no code with Reckon, against the host's compiled code.
#include <cstdio>
#include <filesystem>

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

TEST_CASE("random programs on an emulated GPU give the interpreter's bits") {
  const auto python = python_with("numpy");
  if (!python) return;
  const TemporaryFolder folder;
  const std::string tests = std::filesystem::read_symlink("/proc/self/exe").string();
  RunOptions options{.timeout = std::chrono::minutes(10)};
  options.environment = {{"RECKON_DIFFERENTIAL_EXPORT", folder.path().string()},
                         {"RECKON_DIFFERENTIAL_COUNT", std::to_string(trials(16))},
                         {"RECKON_DIFFERENTIAL_SEED", "7001"}};
  REQUIRE(run_command({tests, "random programs give the same bits everywhere"}, options).status == 0);
  const std::string script = (source_folder() / "tests/gpu/emulator/check_random.py").string();
  const RunResult run = run_command({*python, "-B", script, folder.path().string()}, {.timeout = std::chrono::minutes(10)});
  INFO(run.out << run.err);
  CHECK(run.status == 0);
  int agree = 0, all = 0;
  REQUIRE(std::sscanf(run.out.c_str(), "%d of %d agree", &agree, &all) == 2);
  CHECK(all >= trials(16));
  CHECK(agree > all / 2);
}
