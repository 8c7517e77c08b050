#include "numerics/orders/tree.h"

namespace reckon::numerics {

std::string OrderTree::text() const {
  if (leaf_count == 0) return {};
  // Trees may be as deep as they have leaves, so there is no recursion. The stack holds what is still to be written:
  // a node, or one of the two characters.
  constexpr std::int64_t close = -1, space = -2;
  std::string out;
  std::vector<std::int64_t> stack{root()};
  while (!stack.empty()) {
    const std::int64_t at = stack.back();
    stack.pop_back();
    if (at == close) {
      out += ')';
    } else if (at == space) {
      out += ' ';
    } else if (at < leaf_count) {
      out += std::to_string(at);
    } else {
      const auto& [left, right] = pairs[static_cast<std::size_t>(at) - leaf_count];
      out += '(';
      stack.insert(stack.end(), {close, right, space, left});
    }
  }
  return out;
}

OrderTree left_fold(const std::vector<std::uint32_t>& permutation) {
  OrderTree out;
  out.leaf_count = static_cast<std::uint32_t>(permutation.size());
  for (std::uint32_t k = 1; k < out.leaf_count; ++k) {
    out.pairs.emplace_back(k == 1 ? permutation[0] : out.leaf_count + k - 2, permutation[k]);
  }
  return out;
}

}  // namespace reckon::numerics
