// Looking for something in an expression, or in the types of an item.
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

/// The dimensions of the item's parameters, as written, those of tuples' parts among them.
inline std::vector<ExprId> dimensions_of(const Item& item) {
  std::vector<ExprId> out;
  for (const ParameterDecl& parameter : item.parameters) {
    std::vector<const TypeExpr*> types{&parameter.type};
    while (!types.empty()) {
      const TypeExpr* type = types.back();
      types.pop_back();
      for (const TypeExpr& part : type->parts) types.push_back(&part);
      out.insert(out.end(), type->dims.begin(), type->dims.end());
    }
  }
  return out;
}

}  // namespace reckon::frontend
