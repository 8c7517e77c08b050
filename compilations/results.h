// All results that compilations of a circuit may give for one input, where compilers may contract additions of products
// to fma, and compute sums and products in any order.
//
// Every operation that is left is rounded to nearest. An operation is compiled once, so that all that read its value
// read the same; a product that is contracted into several additions may besides be computed by itself. A chain of
// additions and subtractions is written anew from its terms wherever its value is needed.
//
// The results of a node are a set of values, made of the sets of its operands. Where a value is read in two ways that
// meet again, the sets of its readers are not independent: then each of its values is taken in turn.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "compilations/floats.h"

namespace reckon::compilations {

using worst::Circuit;
using worst::NodeNumber;

/// What a compiler may do.
struct Rewrites {
  bool contract = false;     ///< an addition of a product may be one fma
  bool reassociate = false;  ///< terms of sums and factors of products may be joined in any order
  std::vector<SourceSpan> any_order = {};  ///< the places of sums whose order is open anyway
};

struct Limits {
  std::uint64_t joins = 20'000'000;  ///< operations that are carried out
  std::size_t terms = 12;            ///< of a chain that is computed in any order
  /// Only the least and the greatest result are asked for. Additions and fma are monotone in their addends, so that of a
  /// chain that is the result itself, of terms with one value each, two values for each subset of its terms are enough.
  bool extremes = false;
  const std::atomic<bool>* interrupted = nullptr;
};

/// A value, and an expression that gives it.
struct Result {
  double value = 0;
  std::string expression;
};

struct Results {
  bool complete = true;         ///< all compilations were looked at; otherwise there may be more results
  std::uint64_t joins = 0;      ///< operations that were carried out
  bool extremes = false;        ///< there may be more results between the first and the last one
  std::vector<Result> results;  ///< in their order, each once; the expressions are written with `names`
  std::optional<NodeNumber> unknown;  ///< a node whose operation is not known: there are no results
};

/// The results of a node of the circuit. `inputs`: floats of the inputs' formats. `names`: those of the inputs.
Results results(const Circuit& circuit, NodeNumber output, const std::vector<double>& inputs,
                const std::vector<std::string>& names, const Rewrites& rewrites, const Limits& limits = {});

/// The result of the circuit as it is written; nothing for an operation that is not known.
std::optional<double> as_written(const Circuit& circuit, NodeNumber output, const std::vector<double>& inputs);

/// Whether a compiler may rewrite anything in the node or in what it depends on.
bool may_be_rewritten(const Circuit& circuit, NodeNumber output, const Rewrites& rewrites);

}  // namespace reckon::compilations
