// All orders of a fold at once: the smallest and the largest result that any of them gives, and whether one of them
// gives certain bits.
//
// Every order of a set joins the same leaves; what it may choose is the set's: every binary tree on every permutation
// of the leaves, every binary tree on the leaves as they stand, or the left fold of every permutation. Each join is one
// operation of the format, rounded once to nearest even, as under the semantics `float`.
//
// The mathematics. Rounded addition is monotone in both operands, so the results of a set S of leaves lie between
// min and max over all ways to split S in two of the sum of the parts' own extremes, and these are attained: one
// minimum and one maximum for each subset are enough (3^n / 2 splits). Products are monotone in their magnitudes, and
// their sign is that of every order. Where a join of the two ends of the scale gives NaN (inf - inf, 0 * inf), the
// operands' other values still count: a maximum +inf that meets a -inf gives NaN, and -inf if the first can be anything
// less than +inf; extremes.h has the rule. NaN itself is no extreme: whether an order gives it is said beside them. The
// sign of a zero sum is no matter of order: it is -0 if all leaves are -0, else +0.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/format.h"
#include "numerics/orders/tree.h"

namespace reckon::numerics {

enum class OrderSet : std::uint8_t {
  any,       ///< every binary tree on every permutation
  any_tree,  ///< every binary tree on the leaves in their order
  any_seq,   ///< the left fold of every permutation
};

enum class FoldOperation : std::uint8_t { add, mul, min, max };

/// Formats that questions about orders are answered for; who asks refuses the others.
constexpr bool has_orders(Format format) { return traits(format).width >= 16 && traits(format).unused == 0; }

/// At least one leaf, as bit patterns of a format that has_orders.
struct OrderQuestion {
  OrderSet orders{};
  FoldOperation operation{};
  Format format{};
  std::vector<std::uint64_t> leaves;
};

/// A result that some order gives, and that order.
struct OrderWitness {
  std::uint64_t bits = 0;
  OrderTree tree;
};

enum class Possibility : std::uint8_t { no, yes, unknown };

struct Spread {
  /// Every order gives NaN, and nothing else; then low and high have no meaning.
  bool only_nan = false;
  /// No order gives less than `low` or more than `high` (proven; -0 is less than +0).
  std::uint64_t low = 0, high = 0;
  /// The least and the greatest results found. Nothing only where the search met no number.
  std::optional<OrderWitness> lowest, highest;
  /// Whether some order gives NaN, with that order if so.
  Possibility nan = Possibility::no;
  std::optional<OrderTree> nan_tree;

  /// The bounds are attained and NaN is decided: nothing is left open.
  bool exact() const;
};

struct Attains {
  Possibility answer = Possibility::unknown;
  std::optional<OrderTree> tree;  ///< of a yes
};

/// Limits on the work. Sums that all orders compute exactly need none of it, however many leaves they have.
struct OrderLimits {
  std::uint64_t splits = 2'500'000'000;           ///< of subsets: 20 distinct leaves, more where leaves are equal
  std::uint64_t states = 1u << 22;                ///< subsets kept: 22 distinct leaves for any_seq
  std::uint32_t positions = 1024;                 ///< leaves of any_tree
  std::uint64_t pairs_of_values = 2'000'000'000;  ///< joins while sets of values are made (attains)
  std::uint64_t search = 20'000'000;              ///< joins while witnesses are looked for
  /// Looked at now and then; where it is true, the answer is nothing.
  const std::atomic<bool>* interrupted = nullptr;
};

/// The spread of all orders of the set: exact within the limits, else proven bounds with the best witnesses of a search
/// (deterministic). Nothing if it was interrupted.
std::optional<Spread> spread(const OrderQuestion& question, const OrderLimits& limits = {});

/// Whether some order gives exactly `target` (every NaN counts as the same). Sets of values decide within the limits;
/// beyond them the bounds may still say no and a search yes.
std::optional<Attains> attains(const OrderQuestion& question, std::uint64_t target, const OrderLimits& limits = {});

/// One join, rounded once to nearest even; a NaN is the canonical one. min and max propagate NaN, and -0 < +0.
std::uint64_t rounded_join(FoldOperation operation, Format format, std::uint64_t a, std::uint64_t b);

/// The result of a tree.
std::uint64_t evaluate(const OrderTree& tree, const OrderQuestion& question);

}  // namespace reckon::numerics
