// Calls of builtin circuits in the two sides of a check.
#include "check/check.h"
#include "driver/prepare.h"

namespace reckon::check {

frontend::ElaboratedItem with_settled_calls(ir::Module& module, const frontend::ElaboratedItem& item,
                                            const driver::Traits& traits) {
  frontend::ElaboratedItem out = item;
  const bool judged = item.relation == frontend::Item::Relation::accepted;
  if (out.left) out.left = driver::settled_calls(module, *out.left, traits);
  if (out.right)
    out.right = judged ? ir::inline_calls(module, *out.right) : driver::settled_calls(module, *out.right, traits);
  return out;
}

}  // namespace reckon::check
