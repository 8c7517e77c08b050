// The leaves of a layout as (extent, stride) pairs, on the stack, for the algorithms.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "layout/layout.h"

namespace reckon::layout {

struct Mode {
  std::int64_t extent, stride;
  friend bool operator==(const Mode&, const Mode&) = default;
};

/// A vector of plain values that allocates only past `held` of them.
template <class T, std::size_t held = 16>
class Small {
 public:
  void push_back(const T& value) {
    if (count_ == held) heap_.assign(here_.begin(), here_.end());
    if (count_ < held) here_[count_] = value;
    else heap_.push_back(value);
    ++count_;
  }
  void pop_back() {
    if (--count_ < held) return;
    heap_.pop_back();
    if (count_ > held) return;
    std::copy(heap_.begin(), heap_.end(), here_.begin());
  }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const T* begin() const { return count_ > held ? heap_.data() : here_.data(); }
  T* begin() { return count_ > held ? heap_.data() : here_.data(); }
  const T* end() const { return begin() + count_; }
  T* end() { return begin() + count_; }
  const T& operator[](std::size_t k) const { return begin()[k]; }
  T& operator[](std::size_t k) { return begin()[k]; }
  const T& back() const { return begin()[count_ - 1]; }
  T& back() { return begin()[count_ - 1]; }

 private:
  std::array<T, held> here_;
  std::size_t count_ = 0;
  std::vector<T> heap_;
};

using Modes = Small<Mode>;

/// Whether (first, second) is one run: second starts where first ends.
inline bool continues(const Mode& first, const Mode& second) {
  std::int64_t end;
  return !__builtin_mul_overflow(first.extent, first.stride, &end) && second.stride == end;
}

/// The largest divisor of x that is at most `bound`; for huge numbers, some divisor.
std::int64_t divisor(std::int64_t x, std::int64_t bound);

/// `4:2`.
std::string text(const Mode& mode);

/// The leaves, from left to right.
Modes leaf_modes(const Layout& layout);
/// By the rules of `coalesce`; none are left of size 1.
Modes coalesced(const Modes& modes);
Modes coalesced_modes(const Layout& layout);
/// Modes whose offsets are indices of the layout: of all indices that broadcasts repeat, the first.
Modes first_indices(const Layout& layout);
/// By stride, ascending; equal ones stay in their order.
void sort_by_stride(Modes& modes);
/// The flat layout of some modes, checked as `Layout::make` does: m:d for one, 1:0 for none.
Result<Layout> flat_layout(const Modes& modes);

}  // namespace reckon::layout
