// Reductions by key: `for k: sum i where key[i] == k: x[i]`, of which an evaluator can compute all elements in one pass
// over the leaves instead of one pass for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace reckon::ir {

/// A reduction whose leaf i takes part where two integers are equal: a key, which depends on i alone, and a target,
/// which depends on the variables around the reduction and not on i.
struct KeyedReduction {
  enum class Kind : std::uint8_t {
    plain,  ///< a sum or product; a leaf that takes no part is `absent`, the operation's neutral number
    any,    ///< whether any leaf takes part
    state,  ///< a tuple that ends with whether a leaf takes part; one that does not is left out of the tree
  } kind{};
  NodeId key, target;
  std::vector<NodeId> leaf;  ///< plain: the number; state: the parts before the last one; any: nothing
  NodeId absent;             ///< plain
};

/// What a reduction by key is made of; nothing if the node is none.
std::optional<KeyedReduction> keyed_reduction(const Module& module, NodeId reduce);

/// Whether the scalar has a value wherever it is asked for: no index is read from data, no integer is divided, and
/// nothing is reduced.
bool never_fails(const Module& module, NodeId scalar);

}  // namespace reckon::ir
