#include "interp/circuit_cache.h"

#include "ir/passes/passes.h"

namespace reckon::interp {

namespace {
/// A check of many sizes prepares many circuits, and comes back to few of them.
constexpr std::size_t most_circuits = 1024;
}  // namespace

Expected<std::shared_ptr<PreparedCircuit>> CircuitCache::prepare(const ir::Function& function,
                                                                 const std::vector<std::vector<std::int64_t>>& shapes,
                                                                 const ir::Dimensions& given,
                                                                 const Semantics& semantics) {
  Key key{function.body,
          function.places,
          {},
          {},
          shapes,
          given,
          semantics.laws(),
          semantics.folds_all_orders(),
          semantics.bounds_all_orders()};
  for (const ir::Parameter& parameter : function.parameters) {
    key.parameters.push_back(parameter.name);
    key.types.push_back(parameter.type);
  }
  if (const auto found = circuits_.find(key); found != circuits_.end()) return found->second;

  const ir::Placing placing(module_, function.places);
  auto dimensions = ir::bind_dimensions(module_, function, shapes, given);
  if (!dimensions) return dimensions.error();
  ir::Function concrete = ir::settle_orders(module_, ir::instantiate(module_, function, *dimensions), semantics.laws(),
                                            semantics.bounds_all_orders());
  const bool sets_of_orders = semantics.folds_all_orders() || semantics.bounds_all_orders();
  if (auto problems = ir::check_bounds(module_, concrete, sets_of_orders); !problems.empty()) {
    return std::move(problems.front());
  }
  concrete = ir::relate_uses(module_, concrete, semantics.laws());
  if (circuits_.size() >= most_circuits) circuits_.clear();
  auto prepared = std::make_shared<PreparedCircuit>(PreparedCircuit{std::move(concrete), Planner(module_)});
  circuits_.emplace(std::move(key), prepared);
  return prepared;
}

}  // namespace reckon::interp
