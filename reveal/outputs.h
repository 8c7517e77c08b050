// Finds the orders in which a black box adds that gives many sums of one array, or of the products of two: sums of rows,
// a matrix product.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reveal/reveal.h"

namespace reckon::reveal {

/// All results, as bit patterns of the result's format: always as many. E0620 if the box fails.
using OutputsBox = std::function<Expected<std::vector<std::uint64_t>>(const Input&)>;

struct OutputsQuestion {
  Question each;                              ///< of one output; its n follows from the outputs
  std::vector<std::int64_t> x_shape, y_shape; ///< of the arrays, row by row; y's is empty unless products are added
};

/// The elements of an array that an output depends on, leaf by leaf.
struct Elements {
  std::vector<std::int64_t> at;
  /// The axes on which they share one coordinate, if they are all that do: axis 0 for a row of a matrix.
  std::vector<int> fixed;
  bool slice = false;  ///< they are
};

/// Outputs that are computed in one way.
struct OutputGroup {
  std::vector<std::int64_t> outputs;
  Outcome outcome;                     ///< of each; the calls are those of the first
  std::string x_pattern, y_pattern;    ///< `x[i, :]`, `y[:, j]`, the first axis that is fixed being i; or empty
};

struct OutputsOutcome {
  std::vector<OutputGroup> groups;     ///< in the order of their first outputs
  std::vector<Elements> x, y;          ///< by output; y is empty unless products are added
  std::vector<std::vector<double>> weights;  ///< by output: those of its scaling, which its group does not share
  Calls calls;                         ///< of the box, all outputs together
  std::int64_t verified = 0;           ///< random arrays on which all outputs were compared
};

/// Which elements an output depends on is found first: whether outputs belong to coordinates of some axes (rows, say) by
/// some 2 log2 calls, then element by element of one row, for all rows in the same calls. Then each output is a box of
/// its own for reveal(); a call answers for all outputs that give each element the same place in their sums, so that
/// all rows, or all elements of a matrix product, take as many calls as one. At last all outputs are compared on random
/// arrays.
Expected<OutputsOutcome> reveal_outputs(const OutputsBox& box, const OutputsQuestion& question);

}  // namespace reckon::reveal
