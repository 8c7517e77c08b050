// How far one result lies from those of sampled orders, in units of how they scatter.
#pragma once

#include "numerics/orders/sample.h"

namespace reckon::numerics {

struct Scatter {
  double low = 0, high = 0;  ///< the least and greatest finite result; low is above high where there is none
  double distance = 0;       ///< of the target from the nearest; infinite where no result is like it (NaN, infinities)
  /// The largest standard deviation that a family shows; not less than half of the results' last place, unless all
  /// orders agree: then 0.
  double unit = 0;
  double times = 0;  ///< distance / unit; infinite where only the distance is not 0
  std::int64_t orders = 0;
};

/// `agree`: whether it is known that all orders give one result, those that were not tried included.
Scatter scatter(const std::vector<OrderFamily>& families, Format format, std::uint64_t target, bool agree);

/// Whether every result of the families is the same number.
bool is_one_result(const std::vector<OrderFamily>& families, Format format);

/// A narrower format of which the target is a number, as what was accumulated in it would be, while fewer than one in 100
/// results are: f16 or bf16 of f32's numbers, f32 of f64's. By chance, one result in 2^13 is a number of f16.
std::optional<Format> narrower_format(const std::vector<OrderFamily>& families, Format format, std::uint64_t target);

/// Whether every order of the question's set is known to give one result, tried or not: as sums do that are exact.
bool all_orders_agree(const OrderQuestion& question, const std::atomic<bool>* interrupted = nullptr);

}  // namespace reckon::numerics
