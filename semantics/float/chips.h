#pragma once

#include "interp/semantics.h"

namespace reckon::interp {

/// `float(h200)`: `float`, whose approximate operations are as a chip's instructions. Null if there is no chip of this
/// name.
std::unique_ptr<Semantics> make_float_of_chip(const std::string& chip);

}  // namespace reckon::interp
