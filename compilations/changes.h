// Whether compilers change a circuit's results, and which error terms they destroy, at inputs that are tried.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compilations/results.h"

namespace reckon::compilations {

/// What compilations make of a node.
struct Change {
  NodeNumber node = 0;
  std::size_t tried = 0;    ///< inputs
  std::size_t complete = 0;  ///< at so many of them all compilations were looked at
  std::size_t changed = 0;  ///< at so many of them some compilation gives another value
  // Where a compilation gives a value that is furthest from what is written, over the larger of the two (4: one of them
  // is no number):
  double distance = 0;
  std::vector<double> inputs;
  double written = 0;
  Result other;
};

struct Changes {
  Change output;
  /// The error terms: sums that are 0 in real numbers, but not as floats, and that are a part of something else.
  std::vector<Change> error_terms;
  bool may_change = false;            ///< there is something to rewrite; otherwise nothing was tried
  std::optional<NodeNumber> unknown;  ///< an operation that is not known
};

struct Draw {
  std::vector<std::pair<double, double>> ranges;  ///< of the inputs
  std::vector<Format> formats;
  std::size_t count = 200;  ///< inputs that are tried, unless there are too many compilations
  std::uint64_t seed = 1;
};

Changes changes(const Circuit& circuit, NodeNumber output, const std::vector<std::string>& names,
                const Rewrites& rewrites, const Draw& draw, const std::atomic<bool>* interrupted);

}  // namespace reckon::compilations
