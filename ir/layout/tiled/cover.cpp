#include "ir/layout/tiled/cover.h"

#include <vector>

namespace reckon::layout {
namespace {

std::string quoted(std::int64_t value) { return "`" + std::to_string(value) + "`"; }

std::string place(const Layout& of, std::int64_t index) {
  const std::int64_t threads = of.mode(0).size();
  return "value " + quoted(index / threads) + " of thread " + quoted(index % threads);
}

/// The index with the digits of stride 0 cleared: of all copies, the first.
std::int64_t original(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
                      std::int64_t index) {
  std::int64_t out = 0, scale = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (strides[k] != 0) out += index % extents[k] * scale;
    index /= extents[k];
    scale *= extents[k];
  }
  return out;
}

}  // namespace

std::optional<Problem> partition_problem(const Layout& thread_value, std::int64_t size) {
  using Kind = Problem::Kind;
  const std::string name = "`" + thread_value.text() + "`";
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (thread_value.size() > most || size > most) {
    return Problem{Kind::too_large, name + " is not checked to cover its tile: more than 2^24 offsets"};
  }
  const auto extents = thread_value.shape().leaves(), strides = thread_value.stride().leaves();
  std::vector<std::int64_t> owner(static_cast<std::size_t>(size), -1);
  for (std::int64_t index = 0; index < thread_value.size(); ++index) {
    const std::int64_t element = *thread_value(index);
    if (element < 0 || element >= size) {
      return Problem{Kind::out_of_range, place(thread_value, index) + " in " + name + " is element " + quoted(element) +
                                             ", outside of the tile's " + quoted(size)};
    }
    const std::int64_t first = original(extents, strides, index);
    std::int64_t& known = owner[static_cast<std::size_t>(element)];
    if (known >= 0 && known != first) {
      return Problem{Kind::overlap, "element " + quoted(element) + " has two owners in " + name + ": " +
                                        place(thread_value, known) + " and " + place(thread_value, first)};
    }
    known = first;
  }
  for (std::int64_t element = 0; element < size; ++element) {
    if (owner[static_cast<std::size_t>(element)] >= 0) continue;
    return Problem{Kind::not_a_cover, "no thread owns element " + quoted(element) + " of the tile's " + quoted(size) +
                                          " in " + name};
  }
  return std::nullopt;
}

}  // namespace reckon::layout
