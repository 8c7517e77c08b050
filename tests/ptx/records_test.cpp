// Launches that are recorded for a GPU, and the script that repeats them there: here on the emulated driver.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/ptx/cuda.h"
#include "tests/support/process.h"
#include "tests/support/python.h"

namespace {

using namespace reckon;
namespace fs = std::filesystem;

test::RunResult repeat(const std::string& python, const fs::path& folder) {
  test::RunOptions options;
  options.environment = {{"LD_LIBRARY_PATH", test::emulated_driver_folder().string()}, {"RECKON_PTX_APPROX", "nearest"}};
  return test::run_command({python, (test::source_folder() / "tests/gpu/replay_kernels.py").string(), folder.string()},
                           options);
}

}  // namespace

TEST_CASE("launches are recorded, and a driver that repeats them is told where its bits differ") {
  const auto python = test::python_with("numpy");
  if (!python) return;
  const test::TemporaryFolder folder;
  test::RunOptions options;
  options.environment = {{"RECKON_PTX_RECORDS", folder.path().string()}};
  REQUIRE(test::run_command({fs::read_symlink("/proc/self/exe").string(), "CUDA's stencils have the bits of their order"},
                            options)
              .status == 0);
  const test::RunResult same = repeat(*python, folder.path());
  INFO(same.out << same.err);
  CHECK(same.status == 0);
  // 777 + 1386 + 200 numbers read and as many written, and each time the seven constants of the module; for two machines.
  CHECK(same.out.find("total: 6 kernels, 6 launches, 37976 bytes, 0 differ, 0 launches failed") != std::string::npos);
  // One byte of a result.
  std::ifstream launches(folder / "launches.jsonl");
  std::string line;
  REQUIRE(std::getline(launches, line));
  std::string bytes = test::read_file(folder / "bytes.bin");
  char& one = bytes.at(nlohmann::json::parse(line)["buffers"].back()["after"].get<std::size_t>());
  one = static_cast<char>(one ^ 1);
  test::write_file(folder / "bytes.bin", bytes);
  const test::RunResult other = repeat(*python, folder.path());
  INFO(other.out);
  CHECK(other.status == 1);
  CHECK(other.out.find("bytes, 1 differ") != std::string::npos);
}
