// Arithmetic of literals at compile time, exact and rounded.
#pragma once

#include <optional>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// + - * / neg abs fma min max of rational literals, as rationals. Nothing for other operations and literals, for a
/// division by zero, and where the result would be very long.
std::optional<mpq_class> exact_arithmetic(const Module& module, Op op, const std::vector<NodeId>& operands);

/// The same of literals rounded to their format, with the result rounded once, to nearest even (IEEE 754-2019, 4.3.1):
/// the bits that the operation gives. Nothing where the result is zero, whose sign the operands' signs decide, or is
/// not finite.
std::optional<mpq_class> rounded_arithmetic(const Module& module, Op op, const std::vector<NodeId>& operands);

/// A comparison of two rational literals.
std::optional<bool> exact_comparison(const Module& module, Op op, const std::vector<NodeId>& operands);
/// A comparison of two literals rounded to their format, where both are finite.
std::optional<bool> rounded_comparison(const Module& module, Op op, const std::vector<NodeId>& operands);

/// The value of a rational literal.
std::optional<mpq_class> rational_literal(const Module& module, NodeId id);
/// The value that a literal has once it is rounded to its format, where that is finite.
std::optional<mpq_class> rounded_literal(const Module& module, NodeId id);

}  // namespace reckon::ir
