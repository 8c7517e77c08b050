// Random layouts of all sizes up to 2^20, and functions that are evaluated without the library: by digits.
#pragma once

#include <algorithm>
#include <random>

#include "tests/layout/layouts.h"
#include "tests/support/long_run.h"

namespace reckon::layout_tests {

/// layout(index) from its leaves, digit by digit; the last one takes what is left, as in CuTe.
inline std::int64_t by_digits(const Layout& of, std::int64_t index) {
  const auto extents = of.shape().leaves(), strides = of.stride().leaves();
  std::int64_t out = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const bool last = k + 1 == extents.size();
    out += (last ? index : index % extents[k]) * strides[k];
    index /= extents[k];
  }
  return out;
}

inline std::vector<std::int64_t> table_by_digits(const Layout& of) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < of.size(); ++i) out.push_back(by_digits(of, i));
  return out;
}

/// Whether the entries up to `last` are those of a layout of `size` elements: all ordered factorizations are tried, and
/// the strides read off. Independent of `fit`.
inline bool begins_layout(const std::vector<std::int64_t>& table, std::size_t size, std::size_t last,
                          std::vector<std::pair<std::size_t, std::int64_t>> modes = {}, std::size_t below = 1) {
  const auto agrees = [&] {
    for (std::size_t i = 0; i <= last; ++i) {
      std::size_t rest = i;
      std::int64_t sum = table[0];
      for (const auto& [extent, stride] : modes) {
        sum += static_cast<std::int64_t>(rest % extent) * stride;
        rest /= extent;
      }
      if (rest == 0 && sum != table[i]) return false;
    }
    return true;
  };
  if (!agrees()) return false;
  if (below > last || below == size) return true;  // the strides of further modes are free
  for (std::size_t extent = 2; extent <= size / below; ++extent) {
    if (size / below % extent != 0) continue;
    auto more = modes;
    more.emplace_back(extent, table[below] - table[0]);
    if (begins_layout(table, size, last, more, below * extent)) return true;
  }
  return false;
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(test::stream(seed)) {}

  std::int64_t pick(std::initializer_list<std::int64_t> choices) {
    return *(choices.begin() + random_() % choices.size());
  }
  std::int64_t below(std::int64_t bound) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound)); }

  /// Mostly some dozens of elements; one in 64 has up to 2^20. Ranks to 5, depths to 4.
  IntTuple shape() {
    room_ = std::int64_t{1} << (below(64) == 0 ? 20 : below(4) == 0 ? 10 : 6);
    return shape(4, room_ > 64);
  }
  /// Strides that continue each other now and then; of any sign and 0 if `any`, at least 1 otherwise.
  Layout layout(bool any = true) { return over(shape(), any); }
  Layout over(const IntTuple& shape, bool any = true) {
    std::vector<std::int64_t> strides;
    std::int64_t next = 1;
    const bool chained = below(2) == 0;
    for (const std::int64_t extent : shape.leaves()) {
      std::int64_t stride = any ? pick({0, 1, 1, 2, 3, 4, 6, 8, 12, 100, -1, -2, -5}) : pick({1, 1, 2, 3, 4, 6, 8, 12, 100});
      if (chained && below(3) != 0) stride = next;
      if (any && below(12) == 0) stride = 0;
      strides.push_back(stride);
      next = stride * extent == 0 ? 1 : stride * extent;
    }
    if (below(3) == 0) std::shuffle(strides.begin(), strides.end(), random_);
    return *Layout::make(shape, with_leaves(shape, strides));
  }
  /// Strides that are the prefix products of the extents in some order, with some factors as gaps.
  Layout tractable(const IntTuple& shape, bool gaps) {
    const auto extents = shape.leaves();
    std::vector<std::size_t> order(extents.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::int64_t> strides(extents.size());
    std::int64_t next = 1;
    for (const std::size_t k : order) {
      if (gaps && below(3) == 0) next *= pick({2, 3, 4});
      strides[k] = next;
      next *= extents[k];
    }
    return *Layout::make(shape, with_leaves(shape, strides));
  }
  /// All indices, or some of a large layout: the first, the last, and random ones.
  std::vector<std::int64_t> indices(std::int64_t size) {
    std::vector<std::int64_t> out;
    if (size <= 1 << 10) {
      for (std::int64_t i = 0; i < size; ++i) out.push_back(i);
      return out;
    }
    for (int k = 0; k < 200; ++k) out.push_back(below(size));
    out.insert(out.end(), {0, 1, size - 2, size - 1});
    return out;
  }
  std::mt19937_64& engine() { return random_; }

 private:
  IntTuple shape(int depth, bool large) {
    if (depth == 0 || below(5 - depth + 1) != 0) {
      std::int64_t extent = large ? pick({1, 2, 3, 4, 8, 10, 16, 32, 64}) : pick({1, 2, 2, 3, 4, 5, 6, 8});
      if (extent > room_) extent = 1;
      room_ /= extent;
      return extent;
    }
    std::vector<IntTuple> elements;
    for (std::int64_t k = 1 + below(5); k > 0; --k) elements.push_back(shape(depth - 1, large));
    return elements;
  }

  std::mt19937_64 random_;
  std::int64_t room_ = 0;
};

}  // namespace reckon::layout_tests
