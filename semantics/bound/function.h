// Enclosures of the elementary functions for `bound`: how far f(x + e) lies from a float result near f(x).
#pragma once

#include <optional>

#include "numerics/elementary.h"
#include "semantics/bound/error_interval.h"

namespace reckon::interp {

/// f(x + e) - result for every e of `error`, where `result` is f(x) rounded once to nearest in `format`; nothing where
/// some x + e lies outside f's domain. x and result are finite.
///
/// The part of the rounding is f(x) enclosed by two neighbouring doubles (MPFR, directed). The part of the operand
/// follows from the mean value theorem, f(x + e) - f(x) = e * f'(t) with t between. Of f' there is an enclosure over
/// all t; for sin and cos |cos(t) - cos(x)| <= |e| serves as well.
std::optional<ErrorInterval> function_error(numerics::Function function, double x, const ErrorInterval& error,
                                            double result, numerics::Format format);

/// The range of f over a box of operands; nothing if f is not defined on all of it, or at the origin under atan2.
std::optional<ErrorInterval> values_of(numerics::BinaryFunction function, const ErrorInterval& x, const ErrorInterval& y);

/// The largest |f'| over [low, high], finite ends; infinity at a pole of f', nothing outside the domain.
std::optional<double> max_slope(numerics::Function function, double low, double high);

}  // namespace reckon::interp
