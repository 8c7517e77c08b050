#include "ptx/emulate/joined.h"

#include <algorithm>
#include <array>

namespace reckon::ptx {
namespace {

/// Of floats, without a rounding: the compiler leaves it to the assembler.
bool is_free(const Instruction& one) {
  static constexpr std::array<std::string_view, 8> floats{"f32",   "f64",    "f16",   "bf16",
                                                          "f16x2", "bf16x2", "f32x2", "tf32"};
  static constexpr std::array<std::string_view, 4> roundings{"rn", "rz", "rm", "rp"};
  const auto has_any = [&](const auto& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return one.has(word); });
  };
  return has_any(floats) && !has_any(roundings);
}

}  // namespace

std::vector<std::uint32_t> lines_that_may_be_joined(const Function& function) {
  std::vector<bool> of_product(function.registers.size());
  for (const Instruction& one : function.instructions) {
    // An approximate quotient is a product with a reciprocal.
    const bool multiplies = one.name == "mul" || (one.name == "div" && (one.has("full") || one.has("approx")));
    if (multiplies && is_free(one) && !one.operands.empty() && one.operands[0].kind == Operand::Kind::reg)
      of_product[one.operands[0].index] = true;
  }
  std::vector<std::uint32_t> out;
  for (const Instruction& one : function.instructions) {
    if ((one.name != "add" && one.name != "sub") || !is_free(one)) continue;
    for (std::size_t k = 1; k < one.operands.size(); ++k) {
      if (one.operands[k].kind != Operand::Kind::reg || !of_product[one.operands[k].index]) continue;
      out.push_back(one.line);
      break;
    }
  }
  return out;
}

}  // namespace reckon::ptx
