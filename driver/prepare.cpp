#include "driver/prepare.h"

#include <algorithm>

#include "driver/closed_numbers.h"

namespace reckon::driver {

namespace {

/// The circuit, whose calls are settled, with its closed numbers as literals and its sets of orders resolved.
Expected<ir::Function> resolved(ir::Module& module, const ir::Function& function, const Traits& traits) {
  auto closed = with_closed_numbers(module, function, traits);
  if (!closed) return closed;
  return ir::resolve_orders(module, *closed, traits.laws, traits.bounds_all_orders);
}

/// `prepared` of a circuit whose calls are settled.
Expected<ir::Function> checked(ir::Module& module, const ir::Function& function, const Traits& traits) {
  auto out = resolved(module, function, traits);
  if (!out || !out->dimensions.empty()) return out;
  if (auto problems = ir::check_bounds(module, *out, traits.knows_sets_of_orders()); !problems.empty()) {
    return std::move(problems.front());
  }
  return out;
}

/// `sized`, which is `prepared` of the circuit at these sizes, with the uses of one value related as the circuit is
/// written.
Expected<ir::Function> related_at(ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes,
                                  const ir::Function& sized, const Traits& traits) {
  if (!traits.laws.has(ir::Law::uses_agree)) return sized;
  const auto before = resolved(module, settled_calls(module, function, traits), traits);
  if (!before) return before;
  const ir::Function related = ir::relate_uses(module, *before, traits.laws);
  if (related.body == before->body) return sized;
  return resolved(module, ir::instantiate(module, related, sizes), traits);
}

}  // namespace

ir::Function settled_calls(ir::Module& module, const ir::Function& function, const Traits& traits) {
  if (traits.calls_have_rules) return function;
  return ir::inline_calls(module, function,
                          traits.keeps_bodies() ? ir::Approximations::bodies : ir::Approximations::operations);
}

Expected<ir::Function> at_shapes(ir::Module& module, const ir::Function& function, const Shapes& shapes,
                                 const ir::Dimensions& given) {
  const auto dimensions = ir::bind_dimensions(module, function, shapes, given);
  if (!dimensions) return dimensions.error();
  return ir::instantiate(module, function, *dimensions);
}

Expected<ir::Function> prepared(ir::Module& module, const ir::Function& function, const ir::Dimensions& given,
                                const Traits& traits) {
  // Sizes that come from arguments have been checked with them (at_shapes), and constants where they are written.
  const auto is_given = [&](ir::SymbolId symbol) { return given.contains(symbol); };
  if (!given.empty() && std::ranges::all_of(function.dimensions, is_given)) {
    if (auto problem = ir::size_problem(module, function, given)) return *problem;
  }
  const ir::Function sized = given.empty() ? function : ir::instantiate(module, function, given);
  return checked(module, settled_calls(module, sized, traits), traits);
}

Expected<ir::Function> for_evaluator(ir::Module& module, const ir::Function& function, const Shapes& shapes,
                                     const ir::Dimensions& given, const Traits& traits) {
  const ir::PlacesGuard placing(module, function.places);
  const ir::Function settled = settled_calls(module, function, traits);
  const auto sizes = ir::bind_dimensions(module, settled, shapes, given);
  if (!sizes) return sizes.error();
  const auto sized = checked(module, ir::instantiate(module, settled, *sizes), traits);
  if (!sized) return sized;
  return related_at(module, settled, *sizes, *sized, traits);
}

Expected<ir::Function> for_code(ir::Module& module, const ir::Function& function, const ir::Dimensions& given,
                                const Traits& traits, const ir::PassOptions& options) {
  const ir::PlacesGuard placing(module, function.places);
  const auto sized = prepared(module, function, given, traits);
  if (!sized) return sized;
  auto out = related_at(module, function, given, *sized, traits);
  if (!out) return out;
  return ir::run_passes(module, std::move(*out), traits.compiled_laws, options);
}

}  // namespace reckon::driver
