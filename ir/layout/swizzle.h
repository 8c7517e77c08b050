// Swizzles (layouts.md, 2.12).
#pragma once

namespace reckon::layout {

struct Swizzle {
  int bits = 0, base = 0, shift = 0;

  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

}  // namespace reckon::layout
