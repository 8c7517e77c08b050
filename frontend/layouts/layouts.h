// Layouts as values: written, applied and compared, and calls of the layout algebra's functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborator.h"
#include "layout/expression.h"

namespace reckon::frontend {

Diagnostic layout_problem(const layout::Problem& problem, SourceSpan at);
/// `shape:stride`, also of sizes and indices that are not known numbers.
Maybe elaborate_colon(Elaborator& elaborator, const Context& context, const Expr& expression);
Maybe apply_layout(Elaborator& elaborator, const layout::Layout& layout, const std::vector<Value>& arguments,
                   const std::vector<SourceSpan>& spans, SourceSpan at);
Maybe apply_layout_object(Elaborator& elaborator, const LayoutObject& object, const std::vector<Value>& arguments,
                          const std::vector<SourceSpan>& spans, SourceSpan at);
Maybe compare_objects(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right,
                      const Expr& at);
/// `L(i, j)` at indices of the program (apply_at_indices.cpp).
Maybe apply_at_indices(Elaborator& elaborator, const Context& context, const Value& layout,
                       const std::vector<Value>& arguments, const Expr& at);

// The functions, by their table (functions.h)
bool is_layout_function(const std::string& name);
Maybe call_layout_function(Elaborator& elaborator, const std::string& name, const std::vector<Value>& arguments,
                           const std::vector<SourceSpan>& spans, SourceSpan at);

/// A lone expression in the form that pictures need; nothing if it is not a layout (expression.cpp).
std::optional<layout::Expression> layout_expression(Elaborator& elaborator, const Session::Lone& lone);

}  // namespace reckon::frontend
