// Binders, `sum i: ...` and `for i: ...`, and subscripts.
#pragma once

#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

Maybe elaborate_binder(Elaborator& elaborator, const Context& context, const Expr& expression);
/// `base[i, j]`. `written` are the subscripts' expressions.
Maybe element(Elaborator& elaborator, const Value& base, const std::vector<Value>& subscripts,
              const std::vector<const Expr*>& written, const Expr& at);

}  // namespace reckon::frontend
