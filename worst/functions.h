// Elementary functions with their first two derivatives, over intervals. The derivatives are those of the table
// (numerics/functions/table.h), whose formulas are differentiated once more.
#pragma once

#include "worst/intervals.h"

namespace reckon::worst {

/// Whether the function has a value everywhere on the interval.
bool is_defined(numerics::Function f, const Interval& x);
/// Enclosures over x, which lies in the domain: everything where nothing is known.
Interval value(numerics::Function f, const Interval& x);
Interval derivative(numerics::Function f, const Interval& x, const Interval& value);
Interval second_derivative(numerics::Function f, const Interval& x, const Interval& value);

}  // namespace reckon::worst
