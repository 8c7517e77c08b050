// For what launches a kernel is decoded.
#pragma once

#include <compare>

namespace reckon::numerics {
class Chip;
}

namespace reckon::ptx {

struct DecodeOptions {
  /// Results of approximate instructions are the nearest numbers, which no chip promises; else they are refused.
  bool approximates_nearest = false;
  const numerics::Chip* chip = nullptr;  ///< what approximate instructions give, where its tables know it
  bool follows = false;  ///< for launches with LaunchOptions::values
  friend auto operator<=>(const DecodeOptions&, const DecodeOptions&) = default;
};

}  // namespace reckon::ptx
