// Operators: static values are computed exactly, sizes and indices become index expressions, all others circuit nodes.
#pragma once

#include <string>
#include <vector>

#include "frontend/elaborator.h"
#include "ir/op.h"

namespace reckon::frontend {

Maybe unary(Elaborator& elaborator, const std::string& sign, const Value& value, const Expr& at, SourceSpan operand);
Maybe binary(Elaborator& elaborator, const std::string& sign, const Value& left, const Value& right, const Expr& at,
             SourceSpan left_span, SourceSpan right_span);
Maybe static_arithmetic(Elaborator& elaborator, const std::string& sign, const mpq_class& a, const mpq_class& b,
                        const Expr& at, SourceSpan right_span);
/// An element-wise operation on values of which at least one is dynamic (or becomes so).
Maybe apply(Elaborator& elaborator, ir::Op op, const std::vector<Value>& arguments,
            const std::vector<SourceSpan>& spans, SourceSpan at, const std::string& spelled);

}  // namespace reckon::frontend
