// What a semantics says of itself. Those who prepare circuits for it, check in it or compile for it ask its traits, and
// never its name, so that a new semantics needs no change there.
#pragma once

#include <compare>
#include <optional>

#include "ir/laws.h"
#include "numerics/float_mode.h"

namespace reckon::codegen {
class CompiledSemantics;
}

namespace reckon::driver {

class ClosedNumbers;

struct Traits {
  // How circuits are prepared for it.
  ir::Laws laws;                  ///< that rewrites may use
  ir::Laws compiled_laws = laws;  ///< those of them that keep the evaluator's bits in compiled code
  /// Whether `any`, `any_tree` and `any_seq` have a meaning of their own: all answers of their orders (accept),
  bool folds_all_orders = false;
  /// or one answer that holds for every order of the circuit's sums (bound(any)).
  bool bounds_all_orders = false;
  /// Calls of builtin circuits have rules of their own (accept): they stay calls.
  bool calls_have_rules = false;
  /// The number of applications is what is asked for (count): prefixes of a scan may not share applications.
  bool counts_applications = false;
  /// Numbers that meet a format become literals, which this computes (driver/closed_numbers.h); null if the semantics
  /// has values for numbers without a format, and computes with them.
  const ClosedNumbers* closed_numbers = nullptr;
  /// How code is generated (codegen/compiled_semantics.h); null if only the evaluator has the semantics.
  const codegen::CompiledSemantics* compiled = nullptr;

  // What a value is.
  /// One float of its format: it has bits, and a place among its neighbours, in units of the last place.
  bool floats = false;
  /// The float, or more about it, that a circuit gives in its stated orders with every operation rounded to nearest
  /// (float, bound): what questions about rounding are about.
  bool rounds_to_nearest = false;
  /// How the operations that a circuit states round, where that is not to nearest with subnormals kept (float(up), ...).
  std::optional<numerics::FloatMode> mode = std::nullopt;
  /// A float and how far it may lie from the real result (bound).
  bool bounds_errors = false;
  /// One real number, known to as many digits as are asked for (exact).
  bool reals = false;
  /// All that the result can be where each input is anywhere in a range of reals (interval).
  bool encloses = false;
  /// Every answer that an accuracy profile permits (accept).
  bool permits_answers = false;
  /// An element of a ring: two elements are equal or not, and have no distance.
  bool ring = false;
  /// Checks draw elements of the ring, not floats, and pass over elements that are undefined (padic).
  bool draws_values = false;
  /// A set of reals that is none of those above.
  bool sets = false;
  /// A value is no real, and has no distance from another one.
  bool no_distance = false;
  /// Whether two values are the same is not defined.
  bool no_equality = false;
  /// The pattern of a float, scrambled: operations on the pattern itself are not followed (fpsan).
  bool scrambles_patterns = false;

  /// Whether the operations that a circuit states are what is asked for: their rounding, their number, or their rules.
  /// To all others a circuit that approximates an operation is that operation.
  bool keeps_bodies() const { return floats || rounds_to_nearest || counts_applications || permits_answers; }
  bool knows_sets_of_orders() const { return folds_all_orders || bounds_all_orders; }
  /// Whether a value is a set of reals: one that is partly outside of a range may be so by its own width alone.
  bool set_valued() const { return encloses || bounds_errors || reals || sets; }
  bool has_distance() const { return !ring && !no_distance; }
  friend auto operator<=>(const Traits&, const Traits&) = default;
};

}  // namespace reckon::driver
