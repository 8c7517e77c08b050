#include "ir/op.h"

namespace reckon::ir {

std::optional<Op> op_named(std::string_view spelling) {
  for (int i = 0; i <= static_cast<int>(Op::source); ++i) {
    if (traits(static_cast<Op>(i)).spelling == spelling) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace reckon::ir
