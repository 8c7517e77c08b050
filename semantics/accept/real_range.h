// The true values of an operation over a box of arguments, from which all accuracies start.
#pragma once

#include "ir/op.h"
#include "semantics/accept/number_kind.h"

namespace reckon::interp::accept {

struct Range {
  Interval values;
  bool some = true;        ///< false: no argument of the box has a value
  bool undefined = false;  ///< some argument has none: a root of a negative number, 0/0, the sine of infinity
  bool pole = false;       ///< a divisor, for instance, may be 0, so that values are infinite
};

/// `box` has an interval for each argument, whose ends are numbers of the kind (or infinities, which are then values).
/// Rounded outward to the kind, `values` is the tightest enclosure; an end itself may be off by 2^-51 of its size if
/// the function is elementary and the kind is narrower than f64. It takes all operations of ops.def from `add` to
/// `round`, `ldexp`, and `convert`, which is the identity here.
Range real_range(const NumberKind& kind, ir::Op op, const Interval* box);
/// The same at one point, where the range is one value.
Range real_value(const NumberKind& kind, ir::Op op, const double* point);

/// The value that the suite has at a point: the same, but elementary functions are the correctly rounded f64 values,
/// which may happen to be numbers of the kind when the true values are not.
Range suite_value(const NumberKind& kind, ir::Op op, const double* point);

/// The value rounded to nearest even in f64.
double nearest_value(ir::Op op, const double* point);

}  // namespace reckon::interp::accept
