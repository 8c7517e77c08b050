#pragma once

#include <cstdint>
#include <cstdlib>

namespace reckon::differential {

/// The number in a variable of the environment, or `otherwise` where it is not set.
inline std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace reckon::differential
