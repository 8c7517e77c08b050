// Intervals with other endpoints than f64.
#pragma once

#include <cstdint>
#include <memory>

#include "interp/semantics.h"

namespace reckon::interp {

std::unique_ptr<Semantics> make_interval_f32();
/// Endpoints of so many bits, 2 at least.
std::unique_ptr<Semantics> make_interval_wide(std::int64_t bits);

}  // namespace reckon::interp
