// What several sources of this folder ask of an extent or a stride.
#pragma once

#include <bit>
#include <cstdint>

namespace reckon::layout {

inline bool power_of_two(std::int64_t x) { return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x)); }

}  // namespace reckon::layout
