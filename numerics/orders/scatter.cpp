#include "numerics/orders/scatter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon::numerics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double last_place(double value, Format format) { return ulp(round_f64(value, format), format).get_d(); }

/// The standard deviation of the finite results. It is computed from differences to the first result, which are exact
/// if the floats are near each other.
double deviation(const OrderFamily& family, Format format) {
  double mean = 0, squares = 0, count = 0, origin = 0;
  for (std::uint64_t bits : family.results) {
    const double value = widen(bits, format);
    if (!std::isfinite(value)) continue;
    if (count == 0) origin = value;
    const double step = (value - origin) - mean;
    mean += step / ++count;
    squares += step * ((value - origin) - mean);
  }
  return count > 1 ? std::sqrt(squares / (count - 1)) : 0;
}

}  // namespace

Scatter scatter(const std::vector<OrderFamily>& families, Format format, std::uint64_t target, bool agree) {
  Scatter out{infinity, -infinity, infinity};
  const double wanted = widen(target, format);
  for (const OrderFamily& family : families) {
    out.orders += static_cast<std::int64_t>(family.results.size());
    out.unit = std::max(out.unit, deviation(family, format));
    for (std::uint64_t bits : family.results) {
      const double value = widen(bits, format);
      if (value == wanted || (std::isnan(value) && std::isnan(wanted))) out.distance = 0;
      if (!std::isfinite(value)) continue;
      out.low = std::min(out.low, value);
      out.high = std::max(out.high, value);
      if (std::isfinite(wanted)) out.distance = std::min(out.distance, std::fabs(value - wanted));
    }
  }
  if (agree) out.unit = 0;
  else if (out.low <= out.high) {
    // Orders that were not tried may differ by one or two last places.
    out.unit = std::max(out.unit, std::max(last_place(out.low, format), last_place(out.high, format)) / 2);
  }
  out.times = out.distance == 0 ? 0 : out.unit > 0 ? out.distance / out.unit : infinity;
  return out;
}

bool is_one_result(const std::vector<OrderFamily>& families, Format format) {
  std::optional<double> one;
  for (const OrderFamily& family : families) {
    for (std::uint64_t bits : family.results) {
      const double value = widen(bits, format);
      if (!one) one = value;
      if (value != *one && !(std::isnan(value) && std::isnan(*one))) return false;
    }
  }
  return true;
}

std::optional<Format> narrower_format(const std::vector<OrderFamily>& families, Format format, std::uint64_t target) {
  const double wanted = widen(target, format);
  if (!std::isfinite(wanted) || wanted == 0) return {};
  const auto candidates = format == Format::f64   ? std::vector{Format::f32}
                          : format == Format::f32 ? std::vector{Format::f16, Format::bf16}
                                                  : std::vector<Format>{};
  for (Format narrow : candidates) {
    const auto is_number = [&](double value) { return widen(round_f64(value, narrow), narrow) == value; };
    if (!is_number(wanted)) continue;
    std::size_t results = 0, numbers = 0;
    for (const OrderFamily& family : families) {
      results += family.results.size();
      numbers += static_cast<std::size_t>(
          std::ranges::count_if(family.results, [&](std::uint64_t bits) { return is_number(widen(bits, format)); }));
    }
    if (numbers * 100 < results) return narrow;
  }
  return {};
}

bool all_orders_agree(const OrderQuestion& question, const std::atomic<bool>* interrupted) {
  if (question.leaves.size() <= 2) return true;
  OrderLimits limits;
  limits.splits = 2'000'000;
  limits.states = 1u << 16;
  limits.positions = 64;
  limits.search = 10'000;
  limits.interrupted = interrupted;
  const auto all = spread(question, limits);
  if (!all || !all->exact()) return false;
  return all->only_nan || (all->nan == Possibility::no && all->low == all->high);
}

}  // namespace reckon::numerics
