#include <algorithm>
#include <cassert>
#include <numeric>

#include "numerics/orders/dispatch.h"
#include "numerics/orders/extremes.h"
#include "numerics/orders/outer.h"
#include "numerics/orders/search.h"

namespace reckon::numerics {
namespace {

OrderTree in_order(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return left_fold(order);
}

/// The spread if all orders give the result of this tree.
Spread single(const OrderQuestion& question, OrderTree tree) {
  Spread out;
  const std::uint64_t bits = evaluate(tree, question);
  out.only_nan = is_nan(bits, question.format);
  out.nan = out.only_nan ? Possibility::yes : Possibility::no;
  out.low = out.high = bits;
  if (out.only_nan) out.nan_tree = std::move(tree);
  else out.lowest = out.highest = OrderWitness{bits, std::move(tree)};
  return out;
}

template <class Arithmetic, class Space>
std::optional<Spread> by_parts(const OrderQuestion& question, const Space& space, const OrderLimits& limits) {
  using Of = Extremes<Arithmetic, Space>;
  Of extremes(space);
  if (!extremes.fill(limits.interrupted)) return std::nullopt;
  Spread out;
  if (extremes.nan(space.full())) {
    out.nan = Possibility::yes;
    out.nan_tree = extremes.tree(Of::Want::nan);
  }
  out.only_nan = !extremes.has_number(space.full());
  if (out.only_nan) return out;
  for (auto [want, to] : {std::pair(Of::Want::low, &out.lowest), std::pair(Of::Want::high, &out.highest)}) {
    OrderTree tree = extremes.tree(want);
    const std::uint64_t bits = evaluate(tree, question);
    assert(Arithmetic::from_bits(bits) ==
           (want == Of::Want::low ? extremes.low(space.full()) : extremes.high(space.full())));
    *to = OrderWitness{bits, std::move(tree)};
  }
  if (product_is_negative(question)) std::swap(out.lowest, out.highest);
  out.low = out.lowest->bits;
  out.high = out.highest->bits;
  return out;
}

}  // namespace

bool Spread::exact() const {
  if (only_nan) return true;
  return nan != Possibility::unknown && lowest && highest && lowest->bits == low && highest->bits == high;
}

std::uint64_t rounded_join(FoldOperation operation, Format format, std::uint64_t a, std::uint64_t b) {
  if (is_nan(a, format) || is_nan(b, format)) return canonical_nan(format);
  auto join = [&](auto x, auto y) {
    switch (operation) {
      case FoldOperation::add: return x + y;
      case FoldOperation::mul: return x * y;
      case FoldOperation::min: return minimum(x, y);
      case FoldOperation::max: break;
    }
    return maximum(x, y);
  };
  return with_format<has_orders>(format, [&]<Format f>() -> std::uint64_t {
    if constexpr (f == Format::f64 || f == Format::f32) {
      using Word = std::conditional_t<f == Format::f64, std::uint64_t, std::uint32_t>;
      using Float = std::conditional_t<f == Format::f64, double, float>;
      const Float out = join(std::bit_cast<Float>(static_cast<Word>(a)), std::bit_cast<Float>(static_cast<Word>(b)));
      return out != out ? canonical_nan(f) : std::bit_cast<Word>(out);
    } else {
      using P = Pattern<f>;
      using Word = typename P::Word;
      return P::from_f32(join(P::to_f32(static_cast<Word>(a)), P::to_f32(static_cast<Word>(b))));
    }
  });
}

std::uint64_t evaluate(const OrderTree& tree, const OrderQuestion& question) {
  std::vector<std::uint64_t> values = question.leaves;
  values.reserve(values.size() + tree.pairs.size());
  for (const auto& [left, right] : tree.pairs) {
    values.push_back(rounded_join(question.operation, question.format, values[left], values[right]));
  }
  return values.back();
}

std::optional<Spread> spread(const OrderQuestion& question, const OrderLimits& limits) {
  assert(!question.leaves.empty());
  const bool has_nan = std::any_of(question.leaves.begin(), question.leaves.end(),
                                   [&](std::uint64_t bits) { return is_nan(bits, question.format); });
  // min and max of a format are associative and commutative, and a NaN gives NaN in every order.
  const bool lattice = question.operation == FoldOperation::min || question.operation == FoldOperation::max;
  if (has_nan || lattice || question.leaves.size() == 1) return single(question, in_order(question.leaves.size()));

  Spread outer = outer_bounds(question);
  if (outer.only_nan || (outer.low == outer.high && outer.nan == Possibility::no)) {
    return single(question, in_order(question.leaves.size()));
  }
  std::optional<std::optional<Spread>> known = with_arithmetic(question, [&](auto arithmetic) {
    using Arithmetic = decltype(arithmetic);
    std::optional<std::optional<Spread>> out;
    if (question.orders == OrderSet::any_tree) {
      const IntervalSpace space(question);
      if (space.within(limits)) out = by_parts<Arithmetic>(question, space, limits);
    } else {
      const MultisetSpace space(question, question.orders == OrderSet::any_seq);
      if (space.within(limits)) out = by_parts<Arithmetic>(question, space, limits);
    }
    return out;
  });
  if (known) return *known;
  if (!search_extremes(question, limits, outer)) return std::nullopt;
  return outer;
}

}  // namespace reckon::numerics
