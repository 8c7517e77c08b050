// Quantities in words.
#pragma once

#include <fmt/format.h>

#include <string>

namespace reckon::cli {

/// Three digits or a little more, and the unit with its prefix: `3.78 TB`, `141 us`.
inline std::string scaled(double value, const char* unit) {
  constexpr const char* prefixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P"};
  int k = 3;
  for (; value != 0 && value < 1 && k > 0; --k) value *= 1000;
  for (; value >= 1000 && k < 8; ++k) value /= 1000;
  return fmt::format("{:.{}f} {}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, prefixes[k], unit);
}

}  // namespace reckon::cli
