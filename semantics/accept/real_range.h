// The true values of an operation over a box of arguments: where all accuracies start from.
#pragma once

#include "ir/op.h"
#include "semantics/accept/number_kind.h"

namespace reckon::interp::accept {

struct Range {
  Interval values;
  bool some = true;        ///< false: no argument of the box has a value
  bool undefined = false;  ///< some argument has none: a root of a negative number, 0/0, the sine of infinity
  bool pole = false;       ///< a divisor may be 0, or the like: values are infinite
};

/// `box` has an interval for each argument, with ends that are numbers of the kind (or infinite, which they are then as
/// values). Rounded outward to the kind, `values` is the tightest enclosure; an end itself may be off by 2^-51 of its
/// size where the function is elementary and the kind is narrower than f64. All of ops.def's operations from `add` to
/// `round`, `ldexp`, and `convert`, which is the identity here.
Range real_range(const NumberKind& kind, ir::Op op, const Interval* box);
/// At one point: the same, where the range is one value.
Range real_value(const NumberKind& kind, ir::Op op, const double* point);

/// What the suite has at a point: the same, but elementary functions are the correctly rounded f64 values, which may
/// happen to be numbers of the kind where the true ones are not.
Range suite_value(const NumberKind& kind, ir::Op op, const double* point);

/// The value rounded to nearest even in f64.
double nearest_value(ir::Op op, const double* point);

}  // namespace reckon::interp::accept
