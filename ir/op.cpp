#include "ir/op.h"

namespace reckon::ir {

std::optional<Op> op_named(std::string_view spelling) {
  for (int i = 0; i <= static_cast<int>(Op::source); ++i) {
    if (traits(static_cast<Op>(i)).spelling == spelling) return static_cast<Op>(i);
  }
  return std::nullopt;
}

std::string exact_spelling(Op approximate) {
  if (approximate == Op::approx_rcp) return "1 / x";
  if (approximate == Op::approx_div) return "x / y";
  const std::string_view spelling = traits(approximate).spelling;
  return std::string(spelling.substr(spelling.find('.') + 1)) + "(x)";
}

}  // namespace reckon::ir
