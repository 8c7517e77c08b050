// The syntax tree as s-expressions, for tests: `(+ 1 (* x 2))`.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace reckon::frontend::testing {

std::string dump(const Program& program, ExprId id);
std::string dump(const Program& program, const Item& item);
/// All items, or the lone expression.
std::string dump(const Program& program);

}  // namespace reckon::frontend::testing
