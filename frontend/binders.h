// Binders, `sum i: ...` and `for i: ...`, and subscripts.
#pragma once

#include <vector>

#include "frontend/elaborator.h"

namespace reckon::frontend {

Maybe elaborate_binder(Elaborator& elaborator, const Context& context, const Expr& expression);

/// What a reduction or scan combines: the body for each value of an index variable below the extent.
struct Leaves {
  ir::VariableId variable;
  ir::IndexId extent;
  ir::NodeId body;                  ///< numbers, tensors of one shape, or a tuple of them
  std::optional<ir::NodeId> guard;  ///< after `where`: a leaf takes part where it is true
  SourceSpan span;                  ///< the body's
  std::shared_ptr<const Record> record = nullptr;  ///< the names of the body's parts
};
/// The reduction or scan of a binder (elaborate_reduction.cpp).
Maybe elaborate_reduction(Elaborator& elaborator, const Context& context, const Expr& binder, const Leaves& leaves);

/// `iterate(k, f, x)` and `until(f, done, x, at_most k)` (elaborate_iteration.cpp).
Maybe elaborate_iteration(Elaborator& elaborator, const Context& context, const std::string& name,
                          const Expr& expression);

/// `base[i, j]`. `written` are the subscripts' expressions.
Maybe element(Elaborator& elaborator, const Value& base, const std::vector<Value>& subscripts,
              const std::vector<const Expr*>& written, const Expr& at);

}  // namespace reckon::frontend
