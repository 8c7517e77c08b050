// One minimum and one maximum for every state of a space of splits (spaces.h), from the leaves up.
//
// When a join of extremes is NaN. The join a + b is NaN only for a = +inf, b = -inf or the reverse (a product of
// magnitudes: inf and 0); in all other cases the ends of the scale absorb, and the join is monotone. Let one part's
// maximum be +inf and the other's be -inf, so that the latter has no other number. Then every join that is not NaN is
// -inf, and such a join exists exactly if the former has a number below +inf. Likewise for minima. As long as only one
// end of the scale has occurred in any state, none of this can happen, and the fast loop is right.
#pragma once

#include <memory>
#include <vector>

#include "numerics/orders/arithmetic.h"
#include "numerics/orders/spaces.h"

namespace reckon::numerics {

template <class Arithmetic, class Space>
class Extremes {
 public:
  using Float = typename Arithmetic::Float;
  using Pair = typename Arithmetic::Pair;

  explicit Extremes(const Space& space) : space_(space), table_(space.states(), Arithmetic::empty()) {}

  /// Fills the table; returns false if it was interrupted.
  bool fill(const std::atomic<bool>* interrupted) {
    std::vector<std::uint32_t> storage;
    std::uint32_t visits = 0;
    return space_.visit([&](std::uint32_t state) {
      if ((++visits & 0xff) == 0 && interrupted != nullptr && *interrupted) return false;
      if (space_.is_leaf(state)) {
        const Float value = Arithmetic::from_bits(space_.leaf_bits(state));
        table_[state] = Arithmetic::pair(value, value);
      } else {
        const Splits splits = space_.splits(state, storage);
        table_[state] = both_ends_met_ ? careful(state, splits) : fast(splits);
      }
      bottom_met_ |= Arithmetic::low(table_[state]) == Arithmetic::bottom;
      top_met_ |= Arithmetic::high(table_[state]) == Arithmetic::top;
      if (bottom_met_ && top_met_ && !both_ends_met_) {
        both_ends_met_ = true;
        nan_.assign(table_.size(), 0);
      }
      return true;
    });
  }

  /// Whether some order of the state gives a number; then the least and the greatest of these numbers.
  bool has_number(std::uint32_t state) const { return !Arithmetic::is_empty(table_[state]); }
  Float low(std::uint32_t state) const { return Arithmetic::low(table_[state]); }
  Float high(std::uint32_t state) const { return Arithmetic::high(table_[state]); }
  /// Whether some order gives NaN.
  bool nan(std::uint32_t state) const { return both_ends_met_ && nan_[state] != 0; }

  enum class Want : std::uint8_t { low, high, nan };
  /// An order of the whole set that gives the wanted result, which must exist.
  OrderTree tree(Want want) const {
    std::vector<std::uint32_t> storage;
    return tree_of(space_, want, [&](std::uint32_t state, Want of) { return parts(state, of, storage); });
  }

 private:
  using Part = std::pair<std::uint32_t, Want>;

  Pair fast(const Splits& splits) const {
    const Pair* const table = table_.data();
    const std::uint32_t* const left = splits.left->data();
    const std::size_t count = splits.size();
    const auto right = [&](std::uint32_t of_left) {
      if constexpr (Space::reflects) return splits.offset - of_left;
      else return splits.right(of_left);
    };
    // Four independent minima, so that none has to wait for another.
    Pair best[4] = {Arithmetic::empty(), Arithmetic::empty(), Arithmetic::empty(), Arithmetic::empty()};
    std::size_t k = 0;
    for (; k + 4 <= count; k += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::uint32_t a = left[k + lane];
        best[lane] = Arithmetic::minimum(Arithmetic::join(table[a], table[right(a)]), best[lane]);
      }
    }
    for (; k < count; ++k) {
      best[0] = Arithmetic::minimum(Arithmetic::join(table[left[k]], table[right(left[k])]), best[0]);
    }
    return Arithmetic::minimum(Arithmetic::minimum(best[0], best[1]), Arithmetic::minimum(best[2], best[3]));
  }

  Pair careful(std::uint32_t state, const Splits& splits) {
    Pair best = Arithmetic::empty();
    bool nan = false;
    for (std::uint32_t left : *splits.left) {
      const std::uint32_t right = splits.right(left);
      nan = nan || nan_[left] != 0 || nan_[right] != 0 || ends_meet(left, right) || ends_meet(right, left);
      if (!has_number(left) || !has_number(right)) continue;
      Float least = Arithmetic::join(low(left), low(right));
      Float greatest = Arithmetic::join(high(left), high(right));
      // If one part has only the top and the other has the bottom, the other's remaining numbers join to the top. This
      // is the same +inf that stands for an empty set, and the maximum distinguishes the two cases.
      if (least != least) least = Arithmetic::infinity;
      if (greatest != greatest) {
        greatest = std::max(low(left), low(right)) < Arithmetic::top ? Arithmetic::bottom : -Arithmetic::infinity;
      }
      best = Arithmetic::minimum(Arithmetic::pair(least, greatest), best);
    }
    nan_[state] = nan;
    return best;
  }

  bool ends_meet(std::uint32_t a, std::uint32_t b) const {
    return has_number(a) && has_number(b) && high(a) == Arithmetic::top && low(b) == Arithmetic::bottom;
  }

  std::pair<Part, Part> parts(std::uint32_t state, Want want, std::vector<std::uint32_t>& storage) const {
    const Splits splits = space_.splits(state, storage);
    for (std::uint32_t left : *splits.left) {
      const std::uint32_t right = splits.right(left);
      if (want == Want::nan) {
        const auto number = [&](std::uint32_t part) { return has_number(part) ? Want::low : Want::nan; };
        if (nan(left)) return {{left, Want::nan}, {right, number(right)}};
        if (nan(right)) return {{left, number(left)}, {right, Want::nan}};
        if (ends_meet(left, right)) return {{left, Want::high}, {right, Want::low}};
        if (ends_meet(right, left)) return {{left, Want::low}, {right, Want::high}};
        continue;
      }
      if (!has_number(left) || !has_number(right)) continue;
      // Nearly always the two corresponding extremes; if ends of the scale meet, any two of them.
      const Float target = want == Want::low ? low(state) : high(state);
      const Want other = want == Want::low ? Want::high : Want::low;
      for (const auto& [of_left, of_right] :
           {std::pair(want, want), std::pair(want, other), std::pair(other, want), std::pair(other, other)}) {
        const Float a = of_left == Want::low ? low(left) : high(left);
        const Float b = of_right == Want::low ? low(right) : high(right);
        if (Arithmetic::join(a, b) == target) return {{left, of_left}, {right, of_right}};
      }
    }
    return {};
  }

  const Space& space_;
  std::vector<Pair> table_;
  std::vector<std::uint8_t> nan_;  ///< filled once both ends of the scale have occurred
  bool bottom_met_ = false, top_met_ = false, both_ends_met_ = false;
};

}  // namespace reckon::numerics
