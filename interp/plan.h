// The order in which the nodes of one frame are computed. Programs may have chains of a hundred thousand operations, so
// the order is a list instead of a recursion. The plan also says when a column is used for the last time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interp/frame.h"
#include "ir/module.h"

namespace reckon::interp {

struct Plan {
  struct Step {
    ir::NodeId node;
    std::vector<std::uint32_t> needs;  ///< earlier steps
  };
  std::vector<Step> steps;           ///< operands first
  std::vector<std::uint32_t> roots;  ///< steps whose values are asked for
};

class Planner {
 public:
  explicit Planner(const ir::Module& module) : module_(module) {}

  /// The plan for `roots`, all owned by the frame, among the nodes that the frame owns.
  const Plan& plan(const Frame& frame, const std::vector<ir::NodeId>& roots);

  /// The largest parts of a node that depend on nothing that is bound inside it: its operands and, for a binder,
  /// everything that its body could compute outside of it.
  const std::vector<ir::NodeId>& free_parts(ir::NodeId node);

 private:
  struct Key {
    bool root = false;
    std::vector<ir::VariableId> bound;
    std::vector<ir::NodeId> roots;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  Plan make(const Frame& frame, const std::vector<ir::NodeId>& roots);

  const ir::Module& module_;
  std::unordered_map<Key, Plan, Hash> plans_;
  std::unordered_map<ir::NodeId, std::vector<ir::NodeId>> free_parts_;
};

}  // namespace reckon::interp
