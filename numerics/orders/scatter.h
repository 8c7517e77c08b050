// How far one result lies from those of sampled orders, in units of their scatter.
#pragma once

#include "numerics/orders/sample.h"

namespace reckon::numerics {

struct Scatter {
  double low = 0, high = 0;  ///< the least and greatest finite result; low is above high where there is none
  double distance = 0;       ///< of the target from the nearest; infinite if no result is like it (NaN, infinities)
  /// The largest standard deviation of a family, but at least half of the results' last place; 0 if all orders
  /// agree.
  double unit = 0;
  double times = 0;  ///< distance / unit; infinite if only the unit is 0
  std::int64_t orders = 0;
};

/// `agree`: all orders are known to give one result, including those that were not tried.
Scatter scatter(const std::vector<OrderFamily>& families, Format format, std::uint64_t target, bool agree);

/// Whether every result of the families is the same number.
bool is_one_result(const std::vector<OrderFamily>& families, Format format);

/// A narrower format to which the target belongs (as a sum accumulated in it would), while fewer than 1 in 100 results
/// do: f16 or bf16 for numbers of f32, f32 for those of f64. By chance, one result in 2^13 is a number of f16.
std::optional<Format> narrower_format(const std::vector<OrderFamily>& families, Format format, std::uint64_t target);

/// Whether every order of the question's set, tried or not, is known to give one result: exact sums do, for instance.
bool all_orders_agree(const OrderQuestion& question, const std::atomic<bool>* interrupted = nullptr);

}  // namespace reckon::numerics
