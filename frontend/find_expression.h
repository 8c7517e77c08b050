// Looking for something in an expression.
#pragma once

#include <vector>

#include "frontend/ast.h"

namespace reckon::frontend {

/// The first result of `look(expression)` that converts to true, from the root downwards.
template <class Look>
auto find_expression(const Program& tree, ExprId root, Look&& look) -> decltype(look(tree[root])) {
  std::vector<ExprId> stack{root};
  while (!stack.empty()) {
    const Expr& at = tree[stack.back()];
    stack.pop_back();
    if (auto found = look(at)) return found;
    stack.insert(stack.end(), at.children.begin(), at.children.end());
  }
  return {};
}

}  // namespace reckon::frontend
