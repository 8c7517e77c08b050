// Converts the IR's named reals to those of the number library.
#pragma once

#include <optional>

#include "ir/module.h"
#include "numerics/elementary.h"

namespace reckon::interp {

/// Gives nothing for `one`.
inline std::optional<numerics::RealConstant> real_constant(ir::RealConstant constant) {
  switch (constant) {
    case ir::RealConstant::pi: return numerics::RealConstant::pi;
    case ir::RealConstant::e: return numerics::RealConstant::e;
    case ir::RealConstant::ln2: return numerics::RealConstant::ln2;
    case ir::RealConstant::log2e: return numerics::RealConstant::log2e;
    case ir::RealConstant::one: break;
  }
  return std::nullopt;
}

}  // namespace reckon::interp
