#include "ir/layout/tiled/cover.h"

#include <vector>

namespace reckon::layout {
namespace {

std::string quoted(std::int64_t value) { return "`" + std::to_string(value) + "`"; }

std::string place(const Layout& of, std::int64_t index) {
  const std::int64_t threads = of.mode(0).size();
  return "value " + quoted(index / threads) + " of thread " + quoted(index % threads);
}

/// Counts through the indices whose digits of stride 0 are 0: of all copies, the first.
class Owners {
 public:
  explicit Owners(const Layout& of) : extents_(of.shape().leaves()), strides_(of.stride().leaves()) {
    for (std::size_t k = 0; k < extents_.size(); ++k) {
      scales_.push_back(k == 0 ? 1 : scales_[k - 1] * extents_[k - 1]);
      digits_.push_back(0);
    }
  }
  std::int64_t index() const { return index_; }
  std::int64_t element() const { return element_; }
  bool next() {
    for (std::size_t k = 0; k < extents_.size(); ++k) {
      if (strides_[k] == 0) continue;
      index_ += scales_[k];
      element_ += strides_[k];
      if (++digits_[k] < extents_[k]) return true;
      index_ -= scales_[k] * extents_[k];
      element_ -= strides_[k] * extents_[k];
      digits_[k] = 0;
    }
    return false;
  }

 private:
  std::vector<std::int64_t> extents_, strides_, scales_, digits_;
  std::int64_t index_ = 0, element_ = 0;
};

}  // namespace

std::optional<Problem> partition_problem(const Layout& thread_value, std::int64_t size) {
  using Kind = Problem::Kind;
  const std::string name = "`" + thread_value.text() + "`";
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (thread_value.size() > most || size > most) {
    return Problem{Kind::too_large, name + " is not checked to cover its tile: more than 2^24 offsets"};
  }
  std::vector<std::int64_t> owner(static_cast<std::size_t>(size), -1);
  Owners next(thread_value);
  do {
    const std::int64_t element = next.element();
    if (element < 0 || element >= size) {
      return Problem{Kind::out_of_range, place(thread_value, next.index()) + " in " + name + " is element " +
                                             quoted(element) + ", outside of the tile's " + quoted(size)};
    }
    std::int64_t& known = owner[static_cast<std::size_t>(element)];
    if (known >= 0) {
      return Problem{Kind::overlap, "element " + quoted(element) + " has two owners in " + name + ": " +
                                        place(thread_value, known) + " and " + place(thread_value, next.index())};
    }
    known = next.index();
  } while (next.next());
  for (std::int64_t element = 0; element < size; ++element) {
    if (owner[static_cast<std::size_t>(element)] >= 0) continue;
    return Problem{Kind::not_a_cover,
                   "no thread owns element " + quoted(element) + " of the tile's " + quoted(size) + " in " + name};
  }
  return std::nullopt;
}

}  // namespace reckon::layout
