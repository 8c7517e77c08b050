// What sums, products and suprema have in common: several variables over ranges, and a body. The order of the
// variables, their direction and how they are tiled do not matter, so they are brought into one form.
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// A binder that is open: its variables are temporaries.
struct Binding {
  AtomKind kind{};
  std::vector<Binder> binders;
  PolynomialId body;

  /// Makes f(b s + q) over s < a and q < b to f(k) over k < a b; and the same over s < ceil(n / b) and q < min(b, n - b
  /// s) to f(k) over k < n. Returns whether anything was merged.
  bool merge_tiles(Terms& terms);
  /// Turns a variable around that every subscript counts down, as in f(n - 1 - i). Returns whether there was one.
  bool reverse_index(Terms& terms);
  /// The closed binder as one atom times a rational: of the orders and directions tried, the form that was made first.
  PolynomialId close(Terms& terms) const;

 private:
  bool merge(Terms& terms, std::size_t outer, std::size_t inner);
};

/// Whether the expression is evidently 0 or more for all values of its dimensions and variables.
bool evidently_natural(const IndexStore& indices, IndexId id);

/// The ranges of tiles: s < (n + b - 1) // b, with min(b, n - b s) elements in each tile. Gives the width b and the
/// total n if `size` is the size of the tile whose number the binder has.
struct Tiling {
  IndexId width, total;
};
std::optional<Tiling> tiled(Terms& terms, const Binder& binder, IndexId size);

/// Where a variable occurs in a form: in subscripts and extents, or as a number.
struct Occurrences {
  std::vector<IndexId> subscripts;  ///< those that mention the variable
  bool as_number = false;           ///< it occurs as a number, too
};
Occurrences occurrences(const TermStore& terms, PolynomialId id, VariableId variable);

/// How the expression changes with the variable: 1 up, -1 down, 0 not at all, 2 unknown.
int direction(const IndexStore& indices, IndexId id, VariableId variable);

/// A number that does not depend on the names of variables other than the marked one: forms that are equal up to a
/// renaming of the others have the same signature.
std::size_t signature(const TermStore& terms, PolynomialId id, VariableId marked, const std::vector<Binder>& others);

}  // namespace reckon::ir::normal
