// The properties of a semantics on which the preparation of a circuit depends.
#pragma once

#include "ir/laws.h"

namespace reckon::driver {

struct Traits {
  ir::Laws laws;           ///< that rewrites may use
  ir::Laws compiled_laws;  ///< those of them that keep the evaluator's bits in compiled code
  /// Whether `any`, `any_tree` and `any_seq` have a meaning of their own: all answers of their orders (accept),
  bool folds_all_orders = false;
  /// or one answer that holds for every order (bound(any)).
  bool bounds_all_orders = false;

  bool knows_sets_of_orders() const { return folds_all_orders || bounds_all_orders; }
  friend auto operator<=>(const Traits&, const Traits&) = default;
};

}  // namespace reckon::driver
