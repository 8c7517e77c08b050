// All patterns of 32 bits, or a part of them, so that several processes can try all of them together.
//   RECKON_PART=3/16   the fourth of sixteen parts
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace reckon::test {

struct Patterns32 {
  std::uint64_t begin = 0, end = std::uint64_t{1} << 32;
};

/// The part that this process tries; all patterns if RECKON_PART does not name one.
inline Patterns32 patterns32() {
  Patterns32 out;
  unsigned part = 0, parts = 0;
  const char* given = std::getenv("RECKON_PART");
  if (given == nullptr || std::sscanf(given, "%u/%u", &part, &parts) != 2 || part >= parts) return out;
  const std::uint64_t all = out.end;
  out.begin = all * part / parts;
  out.end = all * (part + 1) / parts;
  return out;
}

}  // namespace reckon::test
