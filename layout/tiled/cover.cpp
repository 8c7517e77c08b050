#include "layout/tiled/cover.h"

#include <vector>

#include "layout/walk.h"

namespace reckon::layout {
namespace {

std::string place(const Layout& of, std::int64_t index) {
  const std::int64_t threads = of.mode(0).size();
  return "value " + in_backticks(index / threads) + " of thread " + in_backticks(index % threads);
}

}  // namespace

std::optional<Problem> partition_problem(const Layout& thread_value, std::int64_t size) {
  using Kind = Problem::Kind;
  const std::string name = "`" + thread_value.text() + "`";
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (thread_value.size() > most || size > most) {
    return Problem{Kind::too_large, name + " is not checked to cover its tile: more than 2^24 offsets"};
  }
  std::vector<std::int64_t> owner(static_cast<std::size_t>(size), -1);
  // Of all copies of an element only the first: for each of its digits, what it adds to the index and to the element.
  const Modes indices = first_indices(thread_value);
  Modes elements;
  for (const Mode& mode : leaf_modes(thread_value)) {
    if (mode.stride != 0) elements.push_back(mode);
  }
  Odometer index(indices.begin(), indices.end()), at(elements.begin(), elements.end());
  do {
    const std::int64_t element = at.offset();
    if (element < 0 || element >= size) {
      return Problem{Kind::out_of_range, place(thread_value, index.offset()) + " in " + name + " is element " +
                                             in_backticks(element) + ", outside of the tile's " + in_backticks(size)};
    }
    std::int64_t& known = owner[static_cast<std::size_t>(element)];
    if (known >= 0) {
      return Problem{Kind::overlap, "element " + in_backticks(element) + " has two owners in " + name + ": " +
                                        place(thread_value, known) + " and " + place(thread_value, index.offset())};
    }
    known = index.offset();
  } while (index.next() && at.next());
  for (std::int64_t element = 0; element < size; ++element) {
    if (owner[static_cast<std::size_t>(element)] >= 0) continue;
    return Problem{Kind::not_a_cover, "no thread owns element " + in_backticks(element) + " of the tile's " +
                                          in_backticks(size) + " in " + name};
  }
  return std::nullopt;
}

}  // namespace reckon::layout
