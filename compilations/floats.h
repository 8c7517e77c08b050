// One operation of a circuit of scalars on floats, rounded to nearest even.
#pragma once

#include <optional>

#include "worst/circuit.h"

namespace reckon::compilations {

using numerics::Format;

/// The operation on numbers of the format, infinities and NaN; every NaN is the same. Nothing for an operation that it
/// does not know. Of `convert`, the operand may be of any format.
std::optional<double> rounded(ir::Op op, Format format, double a, double b = 0, double c = 0);

/// The order of results: numbers, with -0 below +0, and NaN last.
bool is_less(double a, double b);
bool is_same(double a, double b);

}  // namespace reckon::compilations
