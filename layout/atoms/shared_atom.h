// The layouts of operands in shared memory that wgmma and the tensor copy engine know (docs/layouts.md, "Swizzles").
#pragma once

#include <string>
#include <vector>

#include "layout/layout.h"
#include "layout/swizzle.h"

namespace reckon::layout {

/// swizzle o 0 o layout, in elements.
struct SharedAtom {
  std::string name;  ///< K_SW128, K_SW64, K_SW32, K_INTER (rows of K), MN_SW128, ... (rows of M or N)
  Swizzle swizzle;
  Layout layout;
};

const std::vector<std::string>& shared_atom_names();
/// For elements of 4 to 64 bits, a power of two.
Result<SharedAtom> shared_atom(const std::string& name, int element_bits);

}  // namespace reckon::layout
