#include "layout/collision.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "layout/inverse.h"
#include "layout/modes.h"

namespace reckon::layout {
namespace {

constexpr std::int64_t max_points = std::int64_t{1} << 20;

Collision ordered(std::int64_t first, std::int64_t second, std::int64_t offset) {
  return {std::min(first, second), std::max(first, second), offset};
}

/// A collision of one mode with stride 0, or of two modes that reach the same offset.
std::optional<Collision> by_strides(const Layout& layout) {
  struct Weighted {
    Mode mode;
    std::int64_t weight;  ///< the index of its second coordinate
  };
  Small<Weighted> modes;
  std::int64_t weight = 1;
  for (const Mode& mode : leaf_modes(layout)) {
    if (mode.extent > 1) modes.push_back({mode, weight});
    weight *= mode.extent;
  }
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const auto [mode, own] = modes[k];
    if (mode.stride == 0) return Collision{0, own, 0};
    for (std::size_t other = 0; other < k; ++other) {
      const auto [below, weight_below] = modes[other];
      // The least i, j > 0 with i * stride = j * below.stride, signs aside.
      const std::int64_t common = std::gcd(mode.stride, below.stride);
      const std::int64_t i = std::abs(below.stride / common), j = std::abs(mode.stride / common);
      if (i >= mode.extent || j >= below.extent) continue;
      if ((mode.stride < 0) == (below.stride < 0)) return ordered(i * own, j * weight_below, i * mode.stride);
      return Collision{0, i * own + j * weight_below, 0};
    }
  }
  return std::nullopt;
}

Result<std::optional<Collision>> by_enumeration(const AnyLayout& layout) {
  if (size(layout) > max_points) {
    return Problem{Problem::Kind::undecided,
                   "whether two of the " + std::to_string(size(layout)) + " elements of " + in_backticks(text(layout)) +
                       " share an offset is not decided by its strides, and more than 1048576 are not compared",
                   "it has none if each stride exceeds what all smaller ones reach together"};
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
  for (std::int64_t index = 0; index < size(layout); ++index) {
    const auto offset = evaluate(layout, index);
    if (!offset) return offset.problem();
    points.emplace_back(*offset, index);
  }
  std::sort(points.begin(), points.end());
  const auto found =
      std::adjacent_find(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (found == points.end()) return std::optional<Collision>();
  return std::optional(Collision{found->second, found[1].second, found->first});
}

bool only_swizzles(const Composed& composed) {
  return std::all_of(composed.stages().begin(), composed.stages().end(),
                     [](const Stage& stage) { return std::holds_alternative<Swizzle>(stage.map); });
}

}  // namespace

Result<std::optional<Collision>> collision(const AnyLayout& layout) {
  const auto* composed = std::get_if<Composed>(&layout);
  if (composed && !only_swizzles(*composed)) return by_enumeration(layout);
  const Layout& plain = composed ? composed->inner() : std::get<Layout>(layout);
  auto found = by_strides(plain);
  if (!found) {
    const auto apart = injective(plain);
    if (apart && *apart) return std::optional<Collision>();
    return by_enumeration(layout);
  }
  if (composed) {
    const auto offset = after(composed->stages(), found->offset);
    if (!offset) return offset.problem();
    found->offset = *offset;
  }
  return found;
}

std::optional<Problem> no_permutation(const AnyLayout& layout) {
  const auto met = collision(layout);
  if (!met) return met.problem();
  if (*met) {
    return Problem{Problem::Kind::overlap, in_backticks(text(layout)) + " gives " + in_backticks((*met)->offset) +
                                               " at both " + std::to_string((*met)->first) + " and " +
                                               std::to_string((*met)->second)};
  }
  const auto reach = range(layout);
  if (!reach) return reach.problem();
  if (reach->min < 0) {
    return Problem{Problem::Kind::negative_stride,
                   in_backticks(text(layout)) + " goes down to " + in_backticks(reach->min)};
  }
  if (reach->max >= size(layout)) {
    return Problem{Problem::Kind::gap, in_backticks(text(layout)) + " goes up to " + in_backticks(reach->max) +
                                           " and has " + std::to_string(size(layout)) + " elements"};
  }
  return std::nullopt;
}

}  // namespace reckon::layout
