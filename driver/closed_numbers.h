// Expressions of numbers alone, such as `sqrt(2)` or `2/pi`, that meet a format.
//
// Each is one real number. A semantics that cannot compute with real numbers gets a literal in its place, which means
// to it what a written literal means: `float` rounds it once, `bound` knows the error of that.
#pragma once

#include <gmpxx.h>

#include "driver/traits.h"
#include "ir/module.h"

namespace reckon::driver {

struct ClosedNumber {
  /// The number itself, if it is known to be rational; otherwise a rational that is rounded to the format as the number
  /// is, and that lies no nearer to the rounded value.
  mpq_class value;
  bool exact = false;
  /// There is no f64 from the value to the number, so that both have the same enclosures; true if it is exact.
  bool separated = false;
};

/// Computes such numbers. A number without a value, and one whose rounding cannot be decided, is a diagnostic.
class ClosedNumbers {
 public:
  virtual ~ClosedNumbers() = default;
  /// Of a closed scalar node of type `number`.
  virtual Expected<ClosedNumber> number(ir::Module& module, ir::NodeId node, ir::Scalar format) const = 0;
  /// Of a comparison of two such nodes.
  virtual Expected<bool> truth(ir::Module& module, ir::NodeId comparison) const = 0;
};

/// Whether the node is computed from literals alone, by operations on scalars.
bool is_closed(const ir::Module& module, ir::NodeId node);

/// The circuit with literals in the place of the closed numbers that meet a format, and of their comparisons, if the
/// semantics wants that (Traits::closed_numbers).
Expected<ir::Function> with_closed_numbers(ir::Module& module, const ir::Function& function, const Traits& traits);

}  // namespace reckon::driver
