// A black box: it adds numbers in an unknown order, and can only be called.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "diagnostics/codes/box_unusable.h"
#include "diagnostics/diagnostic.h"
#include "numerics/format.h"

namespace reckon::reveal {

using numerics::Format;

/// One question: bit patterns of the input format. `y` is empty for a sum of x, and has a factor for each element of x
/// for a sum of products x[i] * y[i].
struct Input {
  std::vector<std::uint64_t> x, y;
};

/// The sum, as a bit pattern of the result format; E0620 if the box fails.
using Box = std::function<Expected<std::uint64_t>(const Input&)>;

/// The formats of the elements, the running sums and the answer. The accumulator can hold every value of the input
/// format.
struct Formats {
  Format input = Format::f32;
  Format accumulator = Format::f32;
  Format result = Format::f32;
};

/// E0620: this box cannot be asked.
inline Diagnostic unusable(std::string message) { return Diagnostic(code::box_unusable, {}, std::move(message)); }

}  // namespace reckon::reveal
