// cmake/ReckonAddTest.cmake, as a project that has programs in Reckon uses it.
#include "tests/cli/reckon_run.h"

using namespace reckon::test;
using Catch::Contains;
namespace fs = std::filesystem;

TEST_CASE("a CMake project adds its programs as a test") {
  const TemporaryFolder folder;
  write_file(
      folder / "CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES NONE)\nenable_testing()\n"
      "include(" +
          (source_folder() / "cmake/ReckonAddTest.cmake").string() +
          ")\n"
          "reckon_add_test(NAME good PATHS programs MATCHING good JOBS 2 TIMEOUT 50 JUNIT good.xml LABELS reckon)\n"
          "reckon_add_test(NAME all)\n");
  write_file(folder / "programs/good.rk", "show 1\n#| 1\n");
  write_file(folder / "programs/bad.rk", "show 1\n#| 2\n");
  const std::string build = (folder / "build").string();
  const auto configure = [&](const std::string& program) {
    return run_command({"cmake", "-G", "Ninja", "-S", folder.path().string(), "-B", build, "-DRECKON_PROGRAM=" + program});
  };
  const RunResult configured = configure(program_path().string());
  INFO(configured.out << configured.err);
  REQUIRE(configured.status == 0);
  const RunResult good = run_command({"ctest", "--test-dir", build, "-L", "reckon", "-V"});
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Contains("1 test: 1 passes"));
  CHECK(fs::exists(folder / "build/good.xml"));
  const RunResult all = run_command({"ctest", "--test-dir", build, "--output-on-failure"});
  CHECK(all.status != 0);
  CHECK_THAT(all.out, Contains("differs   programs/bad.rk") && Contains("50% tests passed"));

  write_file(folder / "CMakeLists.txt",
             read_file(folder / "CMakeLists.txt") + "reckon_add_test(NAME none PATHS nowhere)\n");
  CHECK_THAT(configure(program_path().string()).err, Contains("there is no file or folder `nowhere`"));
}
