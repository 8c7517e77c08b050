// For what launches a kernel is decoded.
#pragma once

#include <compare>

namespace reckon::ptx {

class Chip;

struct DecodeOptions {
  /// Results of approximate instructions are the nearest numbers, which no chip promises; else they are refused.
  bool approximates_nearest = false;
  const Chip* chip = nullptr;  ///< what approximate instructions give, where its tables know it
  bool follows = false;  ///< for launches with LaunchOptions::values
  friend auto operator<=>(const DecodeOptions&, const DecodeOptions&) = default;
};

}  // namespace reckon::ptx
