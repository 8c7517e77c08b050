#include "draw/grid.h"

#include <algorithm>

namespace reckon::draw {

Edge::Edge(const std::vector<layout::IntTuple>& modes, std::int64_t most) {
  extents_.clear();
  for (const layout::IntTuple& mode : modes) {
    layout::for_each_leaf(mode, [&](std::int64_t extent) {
      size_ *= extent;
      if (extent != 1) extents_.push_back(extent);
    });
  }
  if (extents_.empty()) extents_ = {1};
  shown_ = std::min(size_, most);
}

Edge Edge::plain(std::int64_t size, std::int64_t most) { return Edge({layout::IntTuple(size)}, most); }

Edge Edge::labelled(std::vector<std::string> labels) {
  Edge out = plain(static_cast<std::int64_t>(labels.size()), max_columns);
  out.labels_ = std::move(labels);
  out.shown_ = out.size_;
  return out;
}

std::string Edge::label(std::int64_t position, std::size_t level) const {
  if (!labels_.empty()) return labels_[static_cast<std::size_t>(position)];
  for (std::size_t k = 0; k < level; ++k) position /= extents_[k];
  return std::to_string(position % extents_[level]);
}

bool Edge::begins(std::int64_t position, std::size_t level) const {
  std::int64_t group = 1;
  for (std::size_t k = 0; k < level; ++k) group *= extents_[k];
  return position % group == 0;
}

int Edge::breaks(std::int64_t position) const {
  int out = 0;
  if (position == 0) return out;
  // The end of the outermost level is the end of the edge, so it is not counted.
  for (std::size_t k = 0; k + 1 < extents_.size() && position % extents_[k] == 0; ++k) {
    position /= extents_[k];
    ++out;
  }
  return out;
}

std::int64_t Edge::cut(std::int64_t most) const {
  if (most >= shown_) return shown_;
  most = std::max<std::int64_t>(most, 1);
  std::int64_t group = 1;
  for (std::size_t k = 0; k < extents_.size() && group * extents_[k] <= most; ++k) group *= extents_[k];
  // A power of two is easier to count in.
  const std::int64_t groups = most / group;
  std::int64_t even = 1;
  while (even * 2 <= groups) even *= 2;
  return group * even;
}

std::string group_mark(std::int64_t n) {
  std::string out;
  for (++n; n > 0; n = (n - 1) / 26) out.insert(out.begin(), static_cast<char>('a' + (n - 1) % 26));
  return out;
}

}  // namespace reckon::draw
