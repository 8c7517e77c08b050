#include "tests/support/files.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

namespace reckon::test {
namespace {

std::filesystem::path configured(const char* variable, std::filesystem::path otherwise) {
  const char* value = std::getenv(variable);
  return value && *value ? std::filesystem::path(value) : otherwise;
}

}  // namespace

std::filesystem::path source_folder() { return configured("RECKON_SOURCE_DIR", RECKON_TESTS_SOURCE_DIR); }

std::filesystem::path data_folder() { return configured("RECKON_TEST_DATA", source_folder() / "tests" / "data"); }

std::filesystem::path program_path() { return configured("RECKON_PROGRAM", RECKON_TESTS_PROGRAM); }

std::filesystem::path emulated_driver_folder() { return RECKON_TESTS_EMULATED_DRIVER; }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) FAIL("cannot read " << path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) FAIL("cannot write " << path);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "reckon-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) FAIL("cannot make a folder in " << std::filesystem::temp_directory_path());
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace reckon::test
