// For what launches a kernel is decoded.
#pragma once

#include <compare>

namespace reckon::ptx {

struct DecodeOptions {
  bool approximates_nearest = false;  ///< LaunchOptions::approximates_nearest
  bool follows = false;               ///< for launches with LaunchOptions::values
  friend auto operator<=>(const DecodeOptions&, const DecodeOptions&) = default;
};

}  // namespace reckon::ptx
