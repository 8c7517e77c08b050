// Deals a circuit to several machines, called ranks. Step by step, a part of the circuit is replaced by a parameter:
//
//   a reduction  each rank folds some subtrees of its schedule's tree; one rank joins their results in the order of
//                the tree (ir/schedule/cut.h), so that the bits are those of the whole reduction
//   a tensor     each rank computes a run of the elements along one dimension
//
// What is left when there is no further step is computed by one rank. Parts, joins and what is left are circuits like
// any other, so that every evaluator takes them. All ranks take the same steps, because they depend on the circuit and
// the number of ranks alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/traits.h"
#include "ir/module.h"
#include "ir/schedule/cut.h"

namespace reckon::driver {

/// A circuit without dimensions, and what its arguments are: the numbers of values (Dealing::Value).
struct DealtCircuit {
  ir::Function function;
  std::vector<std::uint32_t> arguments;
};

class Dealing {
 public:
  /// `function` is prepared (driver/prepare.h) and has no dimensions. Its parameters are the first values.
  Dealing(ir::Module& module, ir::Function function, const Traits& traits, int ranks);

  /// A scalar or tensor that a step gives, or a part of its tuple.
  struct Value {
    ir::Scalar scalar{};
    std::vector<std::int64_t> shape;
  };

  struct Step {
    enum class Kind : std::uint8_t { reduction, tensor } kind{};
    std::vector<Value> values;  ///< appended to the values
    /// For each rank, its part; nothing: it has none. The results of the part of a reduction are, for each group of
    /// equal nodes, a tensor for each component of a node; those of a tensor's part are the elements of its run.
    std::vector<std::optional<DealtCircuit>> parts;
    std::vector<std::int64_t> shares;  ///< nodes, or elements along the dimension, of each rank
    // A reduction
    std::vector<ir::Scalar> components;  ///< of a node
    std::optional<DealtCircuit> join;    ///< its arguments: a tensor of all nodes for each component
    bool of_leaves = false;              ///< the nodes are the leaves
    std::int64_t leaves = 0;
    // A tensor
    std::size_t dimension = 0;
    SourceSpan place;
    std::string text;  ///< what is dealt and how, for people
  };
  /// The next step; its values are parameters of what is left. Nothing: there is none.
  std::optional<Step> next();

  /// What is left.
  DealtCircuit rest();

 private:
  /// The first reduction or tensor to deal whose operands have none.
  std::optional<ir::NodeId> find() const;
  std::optional<Step> deal_reduction(ir::NodeId id);
  Step deal_tensor(ir::NodeId id);
  std::optional<DealtCircuit> reduction_part(ir::NodeId id, const ir::Cut& cut, bool products, std::int64_t first,
                                             std::int64_t last);
  DealtCircuit join_of(ir::NodeId id, const ir::Cut& cut, bool products);
  DealtCircuit circuit(const std::vector<ir::NodeId>& results);
  /// The step's values become parameters, which stand for the node.
  void replace(ir::NodeId id, Step& step);
  void put(ir::NodeId id, ir::NodeId replacement);
  /// `neumaier(S)` and `kahan` as a reduction by S with a function of (sum, compensation), if the order is one of them.
  std::optional<ir::NodeId> with_compensations(ir::NodeId id);

  ir::Module& module_;
  ir::Function function_;
  Traits traits_;
  int ranks_;
  std::vector<ir::Parameter> values_;  ///< all values so far, as parameters
};

}  // namespace reckon::driver
