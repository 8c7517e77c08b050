#include "layout/cast.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::string named(const char* operation, const Layout& layout, std::int64_t n) {
  return std::string(operation) + " of `" + layout.text() + "` by `" + std::to_string(n) + "`: ";
}

Problem not_divisible(const char* operation, const Layout& layout, std::int64_t n, const std::string& why,
                      std::string hint = "") {
  return {Kind::not_divisible, named(operation, layout, n) + why, std::move(hint)};
}

std::string leaf_text(std::int64_t extent, std::int64_t stride) {
  return "the leaf `" + std::to_string(extent) + ":" + std::to_string(stride) + "`";
}

/// The old elements of one new element: the leaves' parts must number them all, each once.
struct Inside {
  std::int64_t extent, stride;  ///< the stride's absolute value
};

Result<Layout> upcast(const char* operation, const Layout& layout, std::int64_t n, bool exact) {
  if (n < 1) return Problem{Kind::not_positive, named(operation, layout, n) + "a factor is at least 1"};
  auto extents = layout.shape().leaves(), strides = layout.stride().leaves();
  std::vector<Inside> inside;
  bool positive = false, negative = false;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::int64_t& extent = extents[k];
    std::int64_t& stride = strides[k];
    if (stride % n == 0) {
      stride /= n;
      continue;
    }
    // The least integer has no absolute value that fits; it is larger than every n.
    if (stride == INT64_MIN || std::abs(stride) > n || n % std::abs(stride) != 0) {
      if (extent == 1) {  // the stride is never used
        stride = 0;
        continue;
      }
      return not_divisible(operation, layout, n,
                           leaf_text(extent, stride) + " has a stride that neither divides `" + std::to_string(n) +
                               "` nor is a multiple of it");
    }
    const std::int64_t magnitude = std::abs(stride), steps = n / magnitude;
    if (extent > 1) {
      (stride > 0 ? positive : negative) = true;
      if (exact && extent > steps && extent % steps != 0) {
        return not_divisible(operation, layout, n,
                             leaf_text(extent, stride) + " ends inside of a new element: `" + std::to_string(steps) +
                                 "` steps make one, and `" + std::to_string(extent) + "` is no multiple of it",
                             "pad the mode first");
      }
      inside.push_back({std::min(extent, steps), magnitude});
    }
    extent = extent / steps + (extent % steps != 0);
    stride = stride > 0 ? 1 : -1;
  }
  if (exact && positive && negative) {
    return not_divisible(operation, layout, n, "strides of both signs lie below the new element's size",
                         "a layout's elements go up or down inside of a new element");
  }
  if (exact && !inside.empty()) {
    std::sort(inside.begin(), inside.end(), [](const Inside& a, const Inside& b) { return a.stride < b.stride; });
    std::int64_t next = 1;
    for (const Inside& part : inside) next = part.stride == next ? next * part.extent : 0;
    if (next != n) {
      return not_divisible(operation, layout, n,
                           "the old elements neither fill new ones, each of their places once, nor sit alone at "
                           "their starts",
                           "upcast_loose rounds to the new elements that are touched");
    }
  }
  return Layout::make(with_leaves(layout.shape(), extents), with_leaves(layout.stride(), strides));
}

}  // namespace

Result<Layout> upcast(const Layout& layout, std::int64_t n) { return upcast("upcast", layout, n, true); }
Result<Layout> upcast_loose(const Layout& layout, std::int64_t n) { return upcast("upcast_loose", layout, n, false); }

Result<Layout> downcast(const Layout& layout, std::int64_t n) {
  if (n < 1) return Problem{Kind::not_positive, named("downcast", layout, n) + "a factor is at least 1"};
  if (n == 1) return layout;
  auto extents = layout.shape().leaves(), strides = layout.stride().leaves();
  // A leaf of extent 1 may be the one with an element's own places, as after an upcast, unless a longer leaf is.
  std::vector<std::size_t> adjacent, longer;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (strides[k] != 1 && strides[k] != -1) continue;
    adjacent.push_back(k);
    if (extents[k] > 1) longer.push_back(k);
  }
  const auto& candidates = longer.empty() ? adjacent : longer;
  if (candidates.empty() || strides[candidates[0]] == -1) {
    return not_divisible("downcast", layout, n, "no leaf has the stride 1, so that there are no adjacent elements",
                         "a mode 1:1 appended stands for one element");
  }
  if (candidates.size() > 1) {
    return Problem{Kind::ambiguous, named("downcast", layout, n) +
                                        "more than one leaf has the stride 1 or -1, and "
                                        "each would have to be cut"};
  }
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::int64_t& grows = k == candidates[0] ? extents[k] : strides[k];
    if (__builtin_mul_overflow(grows, n, &grows)) {
      return Problem{Kind::too_large, named("downcast", layout, n) + "a size or stride does not fit in 64 bits"};
    }
  }
  return Layout::make(with_leaves(layout.shape(), extents), with_leaves(layout.stride(), strides));
}

Result<Layout> recast(const Layout& layout, std::int64_t old_bits, std::int64_t new_bits) {
  if (old_bits < 1 || new_bits < 1) {
    return Problem{Kind::not_positive, "recast of `" + layout.text() + "`: elements have at least 1 bit, not `" +
                                           std::to_string(old_bits) + "` and `" + std::to_string(new_bits) + "`"};
  }
  const std::int64_t common = std::gcd(old_bits, new_bits);
  const auto larger = upcast(layout, new_bits / common);
  const auto out = larger ? downcast(*larger, old_bits / common) : larger;
  if (out) return out;
  return prefixed("recast of `" + layout.text() + "` from `" + std::to_string(old_bits) + "` to `" +
                      std::to_string(new_bits) + "` bits: ",
                  out.problem());
}

}  // namespace reckon::layout
