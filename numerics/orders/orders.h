// All orders of a fold at once: the smallest and the largest result that any of them gives, and whether one of them
// gives certain bits.
//
// Every order of a set joins the same leaves. The set says what the order may choose: every binary tree on every
// permutation of the leaves, every binary tree on the leaves in their order, or the left fold of every permutation. A
// join is one operation of the format, rounded once to nearest even, as under the semantics `float`.
//
// The mathematics. Rounded addition is monotone in both operands, so the results of a set S of leaves lie between
// min and max, over all ways to split S in two, of the sum of the parts' own extremes. These bounds are attained: one
// minimum and one maximum for each subset are enough (3^n / 2 splits). Products are monotone in their magnitudes, and
// their sign is the same in every order. If a join of the two ends of the scale gives NaN (inf - inf, 0 * inf), the
// operands' other values still count: a maximum +inf that meets a -inf gives NaN, and -inf if the first can be anything
// less than +inf; extremes.h has the rule. NaN is not an extreme; whether some order gives it is stated separately. The
// sign of a zero sum does not depend on the order: it is -0 if all leaves are -0, otherwise +0.
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

/// Formats for which questions about orders are answered; callers refuse the others.
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
  /// The least and the greatest results found; nothing only if the search found no number.
  std::optional<OrderWitness> lowest, highest;
  /// Whether some order gives NaN, with that order if so.
  Possibility nan = Possibility::no;
  std::optional<OrderTree> nan_tree;

  /// Whether nothing is left open: the bounds are attained and NaN is decided.
  bool exact() const;
};

struct Attains {
  Possibility answer = Possibility::unknown;
  std::optional<OrderTree> tree;  ///< an order that gives the target, if the answer is yes
};

/// Limits on the work. Sums that all orders compute exactly need no work, however many leaves they have.
struct OrderLimits {
  std::uint64_t splits = 2'500'000'000;           ///< splits of subsets: 20 distinct leaves, more if leaves are equal
  std::uint64_t states = 1u << 22;                ///< subsets kept: 22 distinct leaves for any_seq
  std::uint32_t positions = 1024;                 ///< leaves of any_tree
  std::uint64_t pairs_of_values = 2'000'000'000;  ///< joins while sets of values are made (attains)
  std::uint64_t search = 20'000'000;              ///< joins while witnesses are looked for
  /// Read from time to time; once it is true, the answer is nothing.
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
