// Carries out some thousands of orders of one fold: how widely are results scattered that differ in their order alone?
//
// The orders come in families: those that machines use on the data in place (in order, in reverse, trees, lanes and
// tiles of many widths, parts, libraries' orders, random stages), left folds of random permutations, random trees, and
// blocks that arrive in random order. A sample proves nothing: other orders may give more.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/orders/machine_order.h"
#include "numerics/orders/orders.h"

namespace reckon::numerics {

struct OrderFamily {
  std::string name;                    ///< `lanes`, `left folds of random permutations`
  std::vector<std::uint64_t> results;  ///< of each order, as patterns of the format
};

struct SampleOptions {
  std::int64_t orders = 4000;  ///< roughly how many
  std::uint64_t seed = 0;
  /// The factors, if the leaves are rounded products. An additional family fuses products and additions.
  const std::vector<std::uint64_t>* factors = nullptr;
  const std::vector<std::uint64_t>* other_factors = nullptr;
  /// Read from time to time; once it is true, the answer is nothing.
  const std::atomic<bool>* interrupted = nullptr;
};

/// Orders of the question's set, for a sum or product in f64, f32, f16 or bf16; for `min` and `max`, whose orders all
/// agree, a single order. Deterministic. Nothing if it was interrupted.
std::optional<std::vector<OrderFamily>> sample_orders(const OrderQuestion& question, const SampleOptions& options = {});

/// The orders of stdlib/schedules.rk for n leaves, and the plain ones.
std::vector<MachineOrder> library_orders(std::int64_t n);

/// The result of one order; for an order of the library, it has the bits that the evaluator gives.
std::uint64_t carry_out(const MachineOrder& order, const OrderQuestion& question);

}  // namespace reckon::numerics
