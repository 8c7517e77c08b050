// Rational inputs at the conditions of two circuits, found in exact arithmetic: floats mostly miss `x * y <= z` at
// x * y = z, `x == 1/3`, and the zeros of most divisors.
#pragma once

#include "check/check.h"
#include "ir/bind.h"

namespace reckon::check {

/// For each parameter its elements, in row-major order.
using RationalPoint = std::vector<std::vector<mpq_class>>;

struct RationalPoints {
  std::vector<std::vector<std::int64_t>> shapes;  ///< of the parameters
  std::vector<RationalPoint> points;
};

/// At most `most` inputs at these sizes (those of `left`'s dimensions), within the ranges. The other inputs are small
/// integers; one element, or all elements of a parameter, are moved to where the two sides of a comparison (comparisons.h)
/// are equal: a root of a polynomial in that element of degree at most 2, or one of a few numbers. Then come points at
/// as many conditions at once as possible, points on chosen sides of all conditions, and the endpoints of the ranges.
/// Empty if a parameter is a tuple or not a tensor of floats.
RationalPoints rational_points(ir::Module& module, const ir::Function& left, const ir::Function& right,
                               const ir::Dimensions& sizes, const std::vector<frontend::RangeClause>& ranges,
                               std::size_t most);

/// The circuits' arguments under `exact`; empty if the semantics does not have such numbers.
std::vector<interp::Argument> exact_arguments(const ir::Module& module, const ir::Function& circuit,
                                              const interp::Semantics& exact, const RationalPoints& of,
                                              const RationalPoint& point);

/// The nearest floats; nothing if one of them is not within its range.
std::optional<std::vector<ir::HostTensor>> nearest_floats(const ir::Module& module, const ir::Function& circuit,
                                                          const RationalPoints& of, const RationalPoint& point,
                                                          const std::vector<frontend::RangeClause>& ranges);

/// The same numbers as floats; nothing if one of them is not a float of its type.
std::optional<std::vector<ir::HostTensor>> floats_of(const ir::Module& module, const ir::Function& circuit,
                                                     const RationalPoints& of, const RationalPoint& point);

/// The inputs as a witness shows them.
std::vector<WitnessInput> shown_inputs(const ir::Module& module, const ir::Function& circuit, const RationalPoints& of,
                                       const RationalPoint& point);

}  // namespace reckon::check
