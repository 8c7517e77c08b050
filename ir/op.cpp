#include "ir/op.h"

#include <iterator>

namespace reckon::ir {

std::optional<Op> op_named(std::string_view spelling) {
  for (std::size_t i = 0; i < std::size(op_traits); ++i) {
    if (op_traits[i].spelling == spelling) return static_cast<Op>(i);
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
