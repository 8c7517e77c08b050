#include "runtime/kernel_folder.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "tests/support/files.h"

using namespace reckon::runtime;
namespace fs = std::filesystem;

TEST_CASE("a folder of kernels keeps what fits, and what was used last") {
  const reckon::test::TemporaryFolder folder;
  const std::string place = (folder / "deep/kernels").string();
  KernelFolder kernels(place, 1000);
  CHECK_FALSE(kernels.find("a"));
  CHECK_FALSE(fs::exists(place));
  kernels.keep("a", std::string(400, 'a'));
  kernels.keep("b", std::string(400, 'b'));
  CHECK(kernels.find("a") == std::string(400, 'a'));
  CHECK(kernels.find("b") == std::string(400, 'b'));
  using namespace std::chrono_literals;
  fs::last_write_time(fs::path(place) / "a", fs::file_time_type::clock::now() - 1h);
  fs::last_write_time(fs::path(place) / "b", fs::file_time_type::clock::now() - 2h);
  CHECK(kernels.find("b"));  // now it is the younger one
  kernels.keep("c", std::string(300, 'c'));
  CHECK_FALSE(kernels.find("a"));
  CHECK_FALSE(kernels.find("b"));
  CHECK(kernels.find("c"));
}

TEST_CASE("a folder that cannot be written keeps nothing, without a word") {
  const reckon::test::TemporaryFolder folder;
  reckon::test::write_file(folder / "file", "");
  KernelFolder kernels((folder / "file").string());
  kernels.keep("a", "x");
  CHECK_FALSE(kernels.find("a"));
}
