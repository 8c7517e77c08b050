#include "interp/circuit_cache.h"

namespace reckon::interp {

namespace {
/// A check of many sizes prepares many circuits, but uses few of them again.
constexpr std::size_t max_circuits = 1024;
}  // namespace

Expected<std::shared_ptr<PreparedCircuit>> CircuitCache::prepare(const ir::Function& function,
                                                                 const driver::Shapes& shapes,
                                                                 const ir::Dimensions& given,
                                                                 const driver::Traits& traits) {
  Key key{function.body, function.places, {}, {}, shapes, given, traits};
  for (const ir::Parameter& parameter : function.parameters) {
    key.parameters.push_back(parameter.name);
    key.types.push_back(parameter.type);
  }
  if (const auto found = circuits_.find(key); found != circuits_.end()) return found->second;

  const ir::PlacesGuard placing(module_, function.places);
  auto concrete = driver::for_evaluator(module_, function, shapes, given, key.traits);
  if (!concrete) return concrete.error();
  if (circuits_.size() >= max_circuits) circuits_.clear();
  auto prepared = std::make_shared<PreparedCircuit>(PreparedCircuit{std::move(*concrete), Planner(module_)});
  circuits_.emplace(std::move(key), prepared);
  return prepared;
}

}  // namespace reckon::interp
