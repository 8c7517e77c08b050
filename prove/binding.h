// What sums, products and suprema have in common: several variables over ranges, and a body. The order of the
// variables, their direction and how they are tiled do not count, and are brought into one form.
#pragma once

#include "prove/terms.h"

namespace reckon::ir::normal {

/// What is bound, open: the variables are temporaries.
struct Binding {
  AtomKind kind{};
  std::vector<Binder> binders;
  PolynomialId body;

  /// f(b s + q) over s < a and q < b becomes f(k) over k < a b; also over s < ceil(n / b) and q < min(b, n - b s),
  /// which becomes k < n. Whether anything was merged.
  bool merge_tiles(Terms& terms);
  /// A variable whose every subscript goes down with it, f(n - 1 - i), is turned around. Whether one was.
  bool reverse_index(Terms& terms);
  /// As one atom, times a rational: the variables in the order and direction that makes the form that was first.
  PolynomialId close(Terms& terms) const;

 private:
  bool merge(Terms& terms, std::size_t outer, std::size_t inner);
};

/// Whether it is 0 or more for every value of its dimensions and variables.
bool evidently_natural(const IndexStore& indices, IndexId id);

/// The ranges of tiles: s < (n + b - 1) // b, and min(b, n - b s) elements in each. Their width b and all of them, n,
/// if `size` is the size of the tile that the binder numbers.
struct Tiling {
  IndexId width, total;
};
std::optional<Tiling> tiled(Terms& terms, const Binder& binder, IndexId size);

/// Where a variable occurs in a form: in subscripts and extents, or as a number.
struct Occurrences {
  std::vector<IndexId> subscripts;  ///< those that mention the variable
  bool as_number = false;           ///< it occurs as a number, too
};
Occurrences occurrences(const Terms& terms, PolynomialId id, VariableId variable);

/// Which way the expression goes with the variable: 1, -1, 0 if it does not mention it, 2 if there is no saying.
int direction(const IndexStore& indices, IndexId id, VariableId variable);

/// A number that does not depend on how the variables are named, but for the marked one: forms that are equal up to a
/// renaming of the others have one.
std::size_t signature(const Terms& terms, PolynomialId id, VariableId marked, const std::vector<Binder>& others);

}  // namespace reckon::ir::normal
