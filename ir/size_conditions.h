// The conditions under which sizes can be used, stated for sizes that are not known yet. Code that is compiled once for
// all sizes, and is called from elsewhere, has to check them itself.
#pragma once

#include <vector>

#include "ir/module.h"

namespace reckon::ir {

struct SizeCondition {
  IndexId holds;       ///< over the function's dimensions; not 0 if the condition is met
  SourceSpan place{};  ///< what the condition is for
};

/// Where all conditions are met, ir::size_problem and ir::check_bounds find nothing wrong. The converse is true of
/// subscripts and extents that are sums of multiples of indices; of others a bound is taken, which may refuse some
/// sizes. An order whose tree depends on the number of leaves is tried for some lengths. Conditions that always hold
/// are left out, and each is given once. The function is prepared for a semantics (driver::prepared), which has checked
/// it if it has no dimensions left: then there are no conditions. E0700 at the place of what cannot be stated without
/// the sizes: a layout that depends on them, an order that has a tree for some lengths alone, a subscript that no bound
/// shows to be in range.
Expected<std::vector<SizeCondition>> size_conditions(Module& module, const Function& function);

}  // namespace reckon::ir
