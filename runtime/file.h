// Atomic writing of files: afterwards a file has either its new contents entirely, or its old contents.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace reckon::runtime {

/// An open file, closed at the end of its scope.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /// Whether it succeeded; if not, errno has the reason.
  bool close();
  /// Whether all `size` bytes could be read, or written.
  bool read(void* to, std::size_t size);
  bool write(const void* from, std::size_t size);

 private:
  int descriptor_;
};

/// Writes the parts, one after the other, as the file's contents. An existing file is replaced in one step and keeps
/// its permissions; a link is followed; a device or pipe is written to. The result is empty, or says why writing
/// failed.
std::string write_file(const std::string& path, std::initializer_list<std::string_view> parts);

}  // namespace reckon::runtime
