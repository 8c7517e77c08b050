// Every value that some order gives, for every state of a space of splits; `attains` needs these. The sets are sorted.
// They stay small because results of one part lie close together. If they do not, the limits end the attempt.
#pragma once

#include <algorithm>
#include <bit>

#include "numerics/orders/extremes.h"

namespace reckon::numerics {

template <class Arithmetic, class Space>
class ValueSets {
 public:
  using Float = typename Arithmetic::Float;
  using Word = typename Arithmetic::Word;

  /// `extremes` must be filled.
  ValueSets(const Space& space, const Extremes<Arithmetic, Space>& extremes)
      : space_(space), extremes_(extremes), sets_(space.states()) {}

  /// Computes the sets of every state but the whole. False if a limit was reached or it was interrupted.
  bool fill(const OrderLimits& limits) {
    std::vector<std::uint32_t> storage;
    std::uint64_t joins = 0, kept = 0;
    return space_.visit([&](std::uint32_t state) {
      if (state == space_.full()) return true;
      if (limits.interrupted != nullptr && *limits.interrupted) return false;
      if (space_.is_leaf(state)) {
        sets_[state] = {Arithmetic::from_bits(space_.leaf_bits(state))};
        return true;
      }
      const Splits splits = space_.splits(state, storage);
      std::uint64_t pairs = 0;
      for (std::uint32_t left : *splits.left) pairs += sets_[left].size() * sets_[splits.right(left)].size();
      joins += pairs + splits.size();
      if (joins > limits.pairs_of_values) return false;
      sets_[state] = joined(state, splits, pairs);
      kept += sets_[state].size();
      return kept <= max_kept;
    });
  }

  /// An order of the whole set that gives the number.
  std::optional<OrderTree> tree(Float target) const {
    std::vector<std::uint32_t> storage;
    if (!parts(space_.full(), target, storage)) return std::nullopt;
    return tree_of(space_, target, [&](std::uint32_t state, Float of) { return *parts(state, of, storage); });
  }

 private:
  using Part = std::pair<std::uint32_t, Float>;
  static constexpr std::uint64_t max_kept = 1u << 25;
  /// Patterns of f16 and bf16 in f32 lanes end in so many zeros.
  static constexpr int unused = Arithmetic::format == Format::f16 ? 13 : Arithmetic::format == Format::bf16 ? 16 : 0;

  /// Neighbouring numbers of the format have neighbouring ordinals; both zeros have the ordinal 0.
  static std::int64_t ordinal(Float value) {
    const Word bits = std::bit_cast<Word>(std::fabs(value)) >> unused;
    return value < 0 ? -static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(bits);
  }
  static Float number(std::int64_t ordinal) {
    const auto bits = static_cast<Word>(static_cast<Word>(ordinal < 0 ? -ordinal : ordinal) << unused);
    const Float magnitude = std::bit_cast<Float>(bits);
    return ordinal < 0 ? -magnitude : magnitude;
  }

  std::vector<Float> joined(std::uint32_t state, const Splits& splits, std::uint64_t pairs) {
    std::vector<Float> out;
    if (!extremes_.has_number(state)) return out;
    const std::int64_t first = ordinal(extremes_.low(state));
    // The two may be 2^64 - 1 apart, so the distance is unsigned.
    const std::uint64_t range =
        static_cast<std::uint64_t>(ordinal(extremes_.high(state))) - static_cast<std::uint64_t>(first);
    auto each = [&](auto&& take) {
      for (std::uint32_t left : *splits.left) {
        const auto& of_left = sets_[left];
        const auto& of_right = sets_[splits.right(left)];
        for (Float a : of_left) {
          for (Float b : of_right) {
            const Float value = Arithmetic::join(a, b);
            if (value == value) take(value);
          }
        }
      }
    };
    if (range <= 16 * pairs + 4096) {
      // One bit for every number between the extremes.
      met_.assign(range / 64 + 1, 0);
      each([&](Float value) {
        const std::uint64_t at = static_cast<std::uint64_t>(ordinal(value)) - static_cast<std::uint64_t>(first);
        met_[at / 64] |= std::uint64_t{1} << (at % 64);
      });
      for (std::size_t word = 0; word < met_.size(); ++word) {
        for (std::uint64_t rest = met_[word]; rest != 0; rest &= rest - 1) {
          const auto at = static_cast<std::int64_t>(word * 64) + std::countr_zero(rest);
          out.push_back(number(first + at));
        }
      }
      return out;
    }
    auto tidy = [&] {
      std::sort(out.begin(), out.end());
      out.erase(std::unique(out.begin(), out.end()), out.end());
    };
    std::size_t next_tidy = 1 << 16;
    each([&](Float value) {
      out.push_back(value);
      if (out.size() < next_tidy) return;
      tidy();
      next_tidy = std::max<std::size_t>(1 << 16, 4 * out.size());
    });
    tidy();
    return out;
  }

  /// Two parts whose values join to the target. Joins are monotone, so one pass up the left values and down the right
  /// values finds them. If ends of the scale meet, a NaN may result, and every pair is tried.
  std::optional<std::pair<Part, Part>> parts(std::uint32_t state, Float target,
                                             std::vector<std::uint32_t>& storage) const {
    const Splits splits = space_.splits(state, storage);
    for (std::uint32_t left : *splits.left) {
      const std::uint32_t right = splits.right(left);
      const auto& of_left = sets_[left];
      const auto& of_right = sets_[right];
      if (extremes_.nan(state)) {
        for (Float a : of_left) {
          for (Float b : of_right) {
            if (Arithmetic::join(a, b) == target) return {{{left, a}, {right, b}}};
          }
        }
        continue;
      }
      std::size_t i = 0, j = of_right.size();
      while (i < of_left.size() && j > 0) {
        const Float value = Arithmetic::join(of_left[i], of_right[j - 1]);
        if (value == target) return {{{left, of_left[i]}, {right, of_right[j - 1]}}};
        if (value < target) ++i;
        else --j;
      }
    }
    return std::nullopt;
  }

  const Space& space_;
  const Extremes<Arithmetic, Space>& extremes_;
  std::vector<std::vector<Float>> sets_;
  std::vector<std::uint64_t> met_;
};

}  // namespace reckon::numerics
