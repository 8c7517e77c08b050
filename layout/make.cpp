#include "layout/make.h"

#include <algorithm>
#include <numeric>

#include "layout/coalesce.h"
#include "layout/tuples.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

/// A run of leaves, first .. last - 1, that is laid out as one piece.
struct Block {
  std::size_t first, last;
  std::int64_t order;
};

std::optional<Problem> collect(const IntTuple& shape, const IntTuple& order, std::size_t& leaf,
                               std::vector<Block>& out) {
  if (order.is_int()) {
    const std::size_t first = leaf;
    leaf += shape.leaves().size();
    out.push_back({first, leaf, order.value()});
    return std::nullopt;
  }
  if (shape.is_int() || shape.rank() != order.rank()) {
    return Problem{Kind::not_congruent, "make_ordered_layout: the order `" + order.text() +
                                            "` does not fit the shape `" + shape.text() + "`"};
  }
  for (std::size_t k = 0; k < shape.rank(); ++k) {
    if (auto problem = collect(shape.elements()[k], order.elements()[k], leaf, out)) return problem;
  }
  return std::nullopt;
}

/// Compact strides for the leaves in the order given; 0 for extents of 1, and for those left out.
Result<Layout> compact(const IntTuple& shape, const std::vector<std::size_t>& order) {
  const auto extents = shape.leaves();
  std::vector<std::int64_t> strides(extents.size(), 0);
  std::int64_t next = 1;
  for (const std::size_t leaf : order) {
    if (extents[leaf] == 1) continue;
    strides[leaf] = next;
    if (__builtin_mul_overflow(next, extents[leaf], &next)) {
      return Problem{Kind::too_large, "the size of `" + shape.text() + "` does not fit in 64 bits"};
    }
  }
  return Layout::make(shape, with_leaves(shape, strides));
}

/// The leaves first .. that have a stride, in its order.
std::vector<std::size_t> by_stride(const std::vector<std::int64_t>& strides, std::size_t first) {
  std::vector<std::size_t> out;
  for (std::size_t k = first; k < strides.size(); ++k) {
    if (strides[k] != 0) out.push_back(k);
  }
  // Computed as unsigned: the least stride has no absolute value that fits.
  const auto magnitude = [&](std::size_t k) {
    const auto bits = static_cast<std::uint64_t>(strides[k]);
    return strides[k] < 0 ? 0 - bits : bits;
  };
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return magnitude(a) < magnitude(b); });
  return out;
}

}  // namespace

Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  std::vector<Block> blocks;
  std::size_t leaf = 0;
  if (auto problem = collect(shape, order, leaf, blocks)) return *problem;
  const auto extents = shape.leaves();
  const auto trivial = [&](const Block& block) {
    return std::all_of(extents.begin() + static_cast<std::ptrdiff_t>(block.first),
                       extents.begin() + static_cast<std::ptrdiff_t>(block.last),
                       [](std::int64_t extent) { return extent == 1; });
  };
  std::erase_if(blocks, trivial);
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.order < b.order; });
  std::vector<std::size_t> leaves;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (k > 0 && blocks[k].order == blocks[k - 1].order) {
      return Problem{Kind::ambiguous,
                     "make_ordered_layout: two modes of `" + shape.text() + "` have the order `" +
                         std::to_string(blocks[k].order) + "` in `" + order.text() + "`, and would overlap",
                     "every mode needs an order of its own"};
    }
    for (std::size_t at = blocks[k].first; at < blocks[k].last; ++at) leaves.push_back(at);
  }
  return compact(shape, leaves);
}

Result<Layout> make_layout_like(const Layout& layout) {
  return compact(layout.shape(), by_stride(layout.stride().leaves(), 0));
}

Result<Layout> make_fragment_like(const Layout& layout) {
  const auto strides = layout.stride().leaves();
  std::vector<std::size_t> order;
  const std::size_t first = layout.mode(0).shape().leaves().size();
  for (std::size_t k = 0; k < first; ++k) {
    if (strides[k] != 0) order.push_back(k);
  }
  for (const std::size_t k : by_stride(strides, first)) order.push_back(k);
  return compact(layout.shape(), order);
}

Result<Layout> domain_distribute(const IntTuple& shape, std::int64_t n) {
  const auto whole = Layout::compact_left(shape);
  if (!whole) return whole.problem();
  std::vector<IntTuple> extents, strides;
  std::int64_t rest = n, stride = 1;
  for (const std::int64_t leaf : shape.leaves()) {
    const std::int64_t part = n < 1 ? 1 : std::gcd(leaf, rest);
    extents.emplace_back(part);
    strides.emplace_back(stride);
    rest /= part;
    stride *= leaf;
  }
  if (n < 1) {
    return Problem{Kind::not_positive, "domain_distribute: `" + std::to_string(n) + "` parts: at least 1 is possible"};
  }
  if (rest != 1) {
    return Problem{Kind::not_divisible, "domain_distribute: `" + std::to_string(n) +
                                            "` is no product of divisors of the extents of `" + shape.text() + "`; `" +
                                            std::to_string(rest) + "` is left over"};
  }
  const auto out = Layout::make(std::move(extents), std::move(strides));
  if (!out) return out.problem();
  return coalesce(*out);
}

}  // namespace reckon::layout
