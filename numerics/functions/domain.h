// Where the elementary functions of one operand are defined, and which way they go: what intervals need to know.
#pragma once

#include <limits>

#include "numerics/elementary.h"

namespace reckon::numerics {

/// An open end is a pole or a limit, and no value by itself.
struct Domain {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
  bool low_open = false, high_open = false;
};

constexpr Domain domain_of(Function function) {
  switch (function) {
    case Function::rsqrt:
    case Function::log:
    case Function::log2: return {.low = 0, .low_open = true};
    case Function::log1p: return {.low = -1, .low_open = true};
    case Function::asin:
    case Function::acos: return {.low = -1, .high = 1};
    case Function::acosh: return {.low = 1};
    case Function::atanh: return {.low = -1, .high = 1, .low_open = true, .high_open = true};
    case Function::sqrt: return {.low = 0};
    default: return {};
  }
}

/// Of the monotone ones.
constexpr bool is_decreasing(Function function) { return function == Function::acos || function == Function::rsqrt; }

}  // namespace reckon::numerics
