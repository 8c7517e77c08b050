// Functions of two operands with their derivatives, over boxes of the operands.
#pragma once

#include "worst/intervals.h"

namespace reckon::worst {

using numerics::BinaryFunction;

/// The two derivatives, each with respect to one operand.
struct Gradient {
  Interval first{}, second{};
};

/// Whether the function has a value everywhere in the box, and is continuous there; for zeros of both signs, too.
bool is_defined(BinaryFunction f, const Interval& a, const Interval& b);
/// Whether the box touches the half line on which atan2 jumps.
bool touches_cut(BinaryFunction f, const Interval& a, const Interval& b);
/// Enclosures over a box in which the function is defined: everything where nothing is known. `value`: of the function.
Interval value(BinaryFunction f, const Interval& a, const Interval& b);
Gradient gradient(BinaryFunction f, const Interval& a, const Interval& b, const Interval& value);
/// How far the function is from its linear part at most, at (a + da, b + db) with |da| <= `first` and |db| <= `second`,
/// where both points lie in the box: half of what the second derivatives make of (da, db).
double second_order(BinaryFunction f, const Interval& a, const Interval& b, const Interval& value, double first,
                    double second);

}  // namespace reckon::worst
