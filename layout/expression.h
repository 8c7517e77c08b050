// A layout expression as a picture wants it: its value and, if it is a call, what the call was given.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/bit_matrix.h"
#include "layout/bounds.h"
#include "layout/composed.h"
#include "layout/coordinate_layout.h"
#include "layout/tiler.h"

namespace reckon::layout {

using AnyValue = std::variant<Layout, Composed, Swizzle, CoordinateLayout, Bounds, BitMatrix>;

/// An argument of a call. Several readings may be possible: `(2,4)` is a tiler and a compact layout.
struct Argument {
  std::string text;               ///< as written
  std::optional<AnyValue> value;  ///< the value as a layout, or as another value that pictures show
  bool is_layout = false;         ///< it was a layout already, not a shape or an integer that may be read as one
  std::optional<Tiler> tiler;
};

struct Call {
  std::string function;  ///< `zipped_divide`
  std::vector<Argument> arguments;
};

struct Expression {
  AnyValue value;
  std::int64_t offset = 0;  ///< where the value starts: of `slice`, `local_tile`
  std::optional<Call> call;
};

}  // namespace reckon::layout
