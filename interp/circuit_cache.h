// A cache of prepared circuits. Evaluations of one circuit on arguments of the same shapes share the circuit with its
// sizes bound, its sets of orders resolved and everything checked, and the order in which its nodes are computed. Most
// circuits that a check evaluates thousands of times are small, and preparing one takes longer than running it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "driver/prepare.h"
#include "interp/plan.h"
#include "interp/semantics.h"

namespace reckon::interp {

struct PreparedCircuit {
  ir::Function function;  ///< without dimensions
  Planner planner;
};

/// A cache belongs to one module and to one thread.
class CircuitCache {
 public:
  explicit CircuitCache(ir::Module& module) : module_(module) {}

  /// The circuit for arguments of these shapes (`given` sizes first) for a semantics of these traits. It is checked as
  /// driver/prepare.h says.
  Expected<std::shared_ptr<PreparedCircuit>> prepare(const ir::Function& function, const driver::Shapes& shapes,
                                                     const ir::Dimensions& given, const driver::Traits& traits);

 private:
  struct Key {
    ir::NodeId body;
    ir::PlacesId places;
    std::vector<ir::SymbolId> parameters;
    std::vector<ir::TypeId> types;
    driver::Shapes shapes;
    ir::Dimensions given;
    driver::Traits traits;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  ir::Module& module_;
  std::map<Key, std::shared_ptr<PreparedCircuit>> circuits_;
};

}  // namespace reckon::interp
