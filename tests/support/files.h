// Where the tests find things, and files read and written whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace reckon::test {

/// The repository: the environment's RECKON_SOURCE_DIR, or the folder that was configured.
std::filesystem::path source_folder();
/// tests/data: the environment's RECKON_TEST_DATA, or the folder in the repository.
std::filesystem::path data_folder();
/// The built `reckon`: the environment's RECKON_PROGRAM, or the program of this build.
std::filesystem::path program_path();
/// The folder with the CUDA driver whose device is the emulator of PTX (ptx/driver/), for LD_LIBRARY_PATH.
std::filesystem::path emulated_driver_folder();

/// All bytes of the file. Fails the running test if there are none to be had.
std::string read_file(const std::filesystem::path& path);
/// Makes the parent folders that are missing. Fails the running test if it cannot write.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// A folder that is there for as long as the value is.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace reckon::test
