// Files for the tests of .npy, written byte by byte from the published format.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/files.h"

namespace reckon::runtime {

/// A folder for the length of a test.
class Folder : public test::TemporaryFolder {
 public:
  std::string file(const std::string& name) const { return (path() / name).string(); }
};

inline std::string put(const std::string& path, const std::string& bytes) {
  test::write_file(path, bytes);
  return path;
}

/// A little-endian number of `count` bytes.
inline std::string number(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

/// Magic string, version, header length, header: then the data.
inline std::string npy(const std::string& dictionary, const std::string& data, int version = 1) {
  return "\x93NUMPY" + number(static_cast<std::uint64_t>(version), 2) +
         number(dictionary.size(), version == 1 ? 2 : 4) + dictionary + data;
}

inline std::string dictionary(const std::string& descr, const std::string& shape, bool fortran_order = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") + ", 'shape': " + shape +
         ", }";
}

}  // namespace reckon::runtime
