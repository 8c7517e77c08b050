#include "numerics/orders/dispatch.h"
#include "numerics/orders/outer.h"
#include "numerics/orders/search.h"
#include "numerics/orders/value_sets.h"

namespace reckon::numerics {
namespace {

/// Keys in the order of the numbers, with -0 below +0.
std::int64_t order_key(std::uint64_t bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(bits & ~sign_bit(format));
  return (bits & sign_bit(format)) != 0 ? -magnitude - 1 : magnitude;
}

/// Decides by sets of values; nothing if these exceed the limits (or it was interrupted, which the caller checks).
template <class Arithmetic, class Space>
std::optional<Attains> by_values(const Space& space, std::uint64_t target, const OrderLimits& limits) {
  OrderLimits smaller = limits;
  smaller.splits = std::min(limits.splits, limits.pairs_of_values);
  if (!space.within(smaller)) return std::nullopt;
  Extremes<Arithmetic, Space> extremes(space);
  if (!extremes.fill(limits.interrupted)) return std::nullopt;
  ValueSets<Arithmetic, Space> sets(space, extremes);
  if (!sets.fill(limits)) return std::nullopt;
  Attains out;
  out.tree = sets.tree(Arithmetic::from_bits(target));
  out.answer = out.tree ? Possibility::yes : Possibility::no;
  return out;
}

}  // namespace

std::optional<Attains> attains(const OrderQuestion& question, std::uint64_t target, const OrderLimits& limits) {
  const Format format = question.format;
  const auto range = spread(question, limits);
  if (!range) return std::nullopt;
  const Attains no{Possibility::no, std::nullopt};
  if (is_nan(target, format)) {
    if (range->nan == Possibility::yes) return Attains{Possibility::yes, range->nan_tree};
    if (range->nan == Possibility::no) return no;
  } else {
    if (range->only_nan) return no;
    for (const auto& witness : {range->lowest, range->highest}) {
      if (witness && witness->bits == target) return Attains{Possibility::yes, witness->tree};
    }
    const std::int64_t key = order_key(target, format);
    if (key < order_key(range->low, format) || key > order_key(range->high, format)) return no;
    if (range->low == range->high && range->exact()) return no;
    if (question.operation == FoldOperation::add && is_finite(target, format) && !sum_may_be(question, target))
      return no;
    auto known = with_arithmetic(question, [&](auto arithmetic) {
      using Arithmetic = decltype(arithmetic);
      return question.orders == OrderSet::any_tree
                 ? by_values<Arithmetic>(IntervalSpace(question), target, limits)
                 : by_values<Arithmetic>(MultisetSpace(question, question.orders == OrderSet::any_seq), target, limits);
    });
    if (known) return known;
  }
  Attains out;
  out.tree = search_target(question, target, limits);
  if (limits.interrupted != nullptr && *limits.interrupted) return std::nullopt;
  if (out.tree) out.answer = Possibility::yes;
  return out;
}

}  // namespace reckon::numerics
