// .npy files written by hand.
#pragma once

#include <cstring>
#include <string>
#include <vector>

namespace reckon::test {

/// A .npy file of version 1.0, as NumPy's format specification lays it out; written here by hand.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + bytes;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

}  // namespace reckon::test
