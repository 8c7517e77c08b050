// Examples that are programs of their own: device.cpp on the stand-in driver, which is found where the loader looks first,
// circuits.cpp and own_semantics.cpp.
#include "tests/support/files.h"
#include "tests/support/golden.h"
#include "tests/support/process.h"

#include <catch2/catch.hpp>

using namespace reckon::test;

namespace {

RunResult run_example(const TemporaryFolder& folder, const std::string& devices) {
  std::filesystem::create_symlink(RECKON_FAKE_CUDA, folder.path() / "libcuda.so.1");
  RunOptions options;
  options.environment = {{"LD_LIBRARY_PATH", folder.path().string()}, {"FAKE_CUDA_DEVICES", devices}};
  return run_command({RECKON_DEVICE_PROGRAM}, options);
}

}  // namespace

TEST_CASE("examples/device.cpp runs from its upload to its results") {
  const TemporaryFolder folder;
  const RunResult run = run_example(folder, "1");
  CHECK(run.err == "");
  CHECK(run.status == 0);
  CHECK(run.out == "1: 0\n2: 0\n3: 0\n");  // the stand-in does not know these kernels
}

TEST_CASE("examples/device.cpp says that there is no GPU, with status 69") {
  const TemporaryFolder folder;
  const RunResult run = run_example(folder, "0");
  CHECK(run.status == 69);
  CHECK(run.out == "");
  CHECK_THAT(run.err, Catch::StartsWith("error[E0900]: no GPU can be used: the CUDA driver sees no device\n"));
}

TEST_CASE("examples/circuits.cpp builds against the public headers alone, and prints what it computes") {
  const RunResult run = run_command({RECKON_CIRCUITS_PROGRAM});
  CHECK(run.err == "");
  CHECK(run.status == 0);
  check_golden("api/circuits_example.txt", run.out);
}

TEST_CASE("examples/own_semantics.cpp builds against the public headers alone, and prints what it computes") {
  const RunResult run = run_command({RECKON_OWN_SEMANTICS_PROGRAM});
  CHECK(run.err == "");
  CHECK(run.status == 0);
  check_golden("api/own_semantics_example.txt", run.out);
}
