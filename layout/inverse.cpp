#include "layout/inverse.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "layout/modes.h"
#include "layout/walk.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

/// A canonical mode with the index of its second element: the product of the extents before it.
struct Digit {
  Mode mode;
  std::int64_t weight;
};

/// Digits by stride; of equal strides, the largest mode first.
Small<Digit> by_stride(const Layout& a) {
  Small<Digit> out;
  std::int64_t weight = 1;
  for (const Mode& mode : coalesced_modes(a)) {
    out.push_back({mode, weight});
    weight *= mode.extent;
  }
  std::stable_sort(out.begin(), out.end(), [](const Digit& x, const Digit& y) {
    return x.mode.stride != y.mode.stride ? x.mode.stride < y.mode.stride : x.mode.extent > y.mode.extent;
  });
  return out;
}

Problem negative(const char* operation, const Layout& a, const Mode& mode) {
  return {Kind::negative_stride,
          operation + (" of " + in_backticks(a.text())) + ": the mode " + in_backticks(text(mode)) +
              " has a negative stride, and " + "an inverse takes offsets from 0 on",
          "turn the mode around, and keep what its offsets then lack as an offset of the data"};
}

/// Constructs both left inverses: the digits d_1, d_2/d_1, ... of an offset, each with the weight of its mode.
Result<Layout> left(const char* operation, const Layout& a, bool exact) {
  const Small<Digit> digits = by_stride(a);
  Modes out;
  std::int64_t below = 1, weight = 0, end = 0;  // the last stride, its mode's weight, and the end of that mode
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const Mode& mode = digits[k].mode;
    if (mode.stride < 0) return negative(operation, a, mode);
    if (mode.stride == 0) {
      if (!exact) continue;
      return Problem{Kind::overlap,
                     std::string(operation) + " of " + in_backticks(a.text()) + ": the mode " +
                         in_backticks(text(mode)) + " broadcasts, so that " + std::to_string(mode.extent) +
                         " indices share each offset",
                     "`filter` takes broadcasts out; `left_inverse_loose` gives one of the indices back"};
    }
    if (mode.stride < end) {
      return Problem{Kind::overlap,
                     std::string(operation) + " of " + in_backticks(a.text()) + ": the mode " +
                         in_backticks(text(mode)) + " starts at " + std::to_string(mode.stride) + ", before " +
                         in_backticks(text(digits[k - 1].mode)) + " ends at " + std::to_string(end),
                     "each stride has to be at least extent * stride of the mode below it"};
    }
    if (mode.stride % below != 0) {
      return Problem{Kind::gap,
                     std::string(operation) + " of " + in_backticks(a.text()) + ": the stride " +
                         std::to_string(mode.stride) + " of " + in_backticks(text(mode)) + " is not a multiple of " +
                         std::to_string(below) + ", the stride of " + in_backticks(text(digits[k - 1].mode)) +
                         " below it",
                     "pad the stride to " + std::to_string((mode.stride / below + 1) * below)};
    }
    out.push_back({mode.stride / below, weight});
    below = mode.stride;
    weight = digits[k].weight;
    if (__builtin_mul_overflow(mode.extent, mode.stride, &end)) {
      return Problem{Kind::too_large, std::string(operation) + " of " + in_backticks(a.text()) +
                                          ": the end of the mode " + in_backticks(text(mode)) +
                                          " does not fit in 64 bits"};
    }
  }
  if (weight == 0) return Layout::make(a.size(), 0);  // all offsets are 0
  out.push_back({end / below, weight});
  return flat_layout(coalesced(out));
}

}  // namespace

Result<Layout> right_inverse(const Layout& a) {
  Modes out;
  std::int64_t end = 1;
  for (const Digit& digit : by_stride(a)) {
    if (digit.mode.stride != end) continue;
    out.push_back({digit.mode.extent, digit.weight});
    if (__builtin_mul_overflow(end, digit.mode.extent, &end)) break;
  }
  return flat_layout(coalesced(out));
}

Result<Layout> right_inverse_whole(const Layout& a) {
  for (const Mode& mode : coalesced_modes(a)) {
    if (mode.stride < 0) return negative("right_inverse_whole", a, mode);
  }
  auto out = right_inverse(a);
  if (out && out->size() != a.cosize()) {
    return Problem{Kind::gap,
                   "right_inverse_whole of " + in_backticks(a.text()) + ": its offsets go up to " +
                       std::to_string(a.max()) + ", and without a gap only from 0 to " +
                       std::to_string(out->size() - 1) + ": no mode goes on there, with the stride " +
                       std::to_string(out->size()),
                   "`right_inverse` inverts it as far as that"};
  }
  return out;
}

Result<Layout> left_inverse(const Layout& a) { return left("left_inverse", a, true); }
Result<Layout> left_inverse_loose(const Layout& a) { return left("left_inverse_loose", a, false); }

Result<Layout> inverse(const Layout& a) {
  const Small<Digit> digits = by_stride(a);
  std::int64_t end = 1;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const Mode& mode = digits[k].mode;
    if (mode.stride < 0) return negative("inverse", a, mode);
    if (mode.stride == end) {
      end *= mode.extent;  // the size, in the end
      continue;
    }
    const std::string which = "inverse of " + in_backticks(a.text()) + ": the mode " + in_backticks(text(mode));
    if (mode.stride > end) {
      return Problem{Kind::gap,
                     which + " starts at " + std::to_string(mode.stride) + ", and the modes below it end at " +
                         std::to_string(end) + ", so that the offset " + std::to_string(end) + " is never reached",
                     "`left_inverse` gives indices back from a layout with gaps"};
    }
    if (mode.stride == 0) {
      return Problem{Kind::overlap, which + " broadcasts, so that two indices share an offset",
                     "`filter` takes broadcasts out"};
    }
    return Problem{Kind::overlap,
                   which + " starts at " + std::to_string(mode.stride) + ", before the modes below it end at " +
                       std::to_string(end),
                   "only a layout that reaches each of 0 .. size - 1 once has an inverse"};
  }
  return right_inverse(a);
}

Result<bool> injective(const Layout& a) {
  Modes modes;
  for (Mode mode : coalesced_modes(a)) {
    if (mode.stride == 0) return false;
    mode.stride = mode.stride < 0 ? -mode.stride : mode.stride;  // turned around: the same offsets up to a constant
    modes.push_back(mode);
  }
  sort_by_stride(modes);
  bool apart = true;
  std::int64_t reach = 0, points = 1;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    apart = apart && modes[k].stride > reach;
    reach += (modes[k].extent - 1) * modes[k].stride;
    points *= modes[k].extent;
    // Whether two modes alone meet: i * stride = j * below.stride for the least i and j.
    for (std::size_t below = 0; below < k; ++below) {
      const std::int64_t common = std::gcd(modes[k].stride, modes[below].stride);
      if (modes[below].stride / common < modes[k].extent && modes[k].stride / common < modes[below].extent)
        return false;
    }
  }
  if (apart) return true;
  if (reach + 1 < points) return false;  // fewer offsets than indices
  if (points > (std::int64_t{1} << 20)) {
    return Problem{Kind::undecided,
                   "injective: the modes of " + in_backticks(a.text()) +
                       " interleave, and it has more than 1048576 elements to compare",
                   "it surely is if each stride exceeds what all smaller ones reach together"};
  }
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(points));
  for_each_offset(*flat_layout(modes), [&](std::int64_t, std::int64_t offset) { offsets.push_back(offset); });
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}

}  // namespace reckon::layout
