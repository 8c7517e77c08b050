// The sizes that a check tries for dimensions for which it names none.
#pragma once

#include "frontend/elaborate.h"
#include "ir/bind.h"

namespace reckon::check {

/// Every integer of at least 2 that a size, a subscript, a condition on indices or a schedule of the two circuits is
/// computed with or compared with: `128` of `i < 128`, `min(n, 128)`, `x[i // 128]`, `lanes(128, tree)`, `length n: if n
/// <= 128 ...`. The circuits may behave differently on its two sides. Ascending.
std::vector<std::int64_t> constants_in_sight(ir::Module& module, const frontend::ElaboratedItem& item);

/// Limits of the sizes that a check chooses.
struct SizeLimits {
  /// The largest product of all dimensions of one choice, which bounds the number of leaves.
  std::int64_t index_values = std::int64_t{1} << 14;
  /// The same limit for the neighbours of a constant of the program.
  std::int64_t constant_index_values = std::int64_t{1} << 20;
  /// Whether each of several dimensions takes all of the usual sizes in turn, or only some of them.
  bool each_alone = true;
};

/// The sizes given by the check; for dimensions that it leaves free, small numbers, primes, the neighbours of powers of
/// two, and the neighbours and the double of every constant in sight: for all dimensions at once, for several mixed, and
/// for each dimension alone beside small ones. Those with few index values come first.
std::vector<ir::Dimensions> choose_sizes(ir::Module& module, const frontend::ElaboratedItem& item,
                                         const SizeLimits& limits = {});

/// The product of all sizes; the largest number there is where it does not fit.
std::int64_t index_values(const ir::Dimensions& sizes);

/// `n = 3, m = 4`.
std::string size_text(const ir::Module& module, const ir::Dimensions& sizes);
/// `n: 1..3, 5, 7`; of several dimensions, every combination where there are few, and otherwise each dimension's values
/// and how many combinations there are. Empty without dimensions.
std::string sizes_text(const ir::Module& module, const std::vector<ir::Dimensions>& sizes);

}  // namespace reckon::check
