// Layouts over index expressions: layouts whose extents and strides need not be known numbers (`(m, k):(1, m)`), and
// what a layout does to coordinates that are not known. For known numbers, see layout/.
#pragma once

#include <string>
#include <vector>

#include "ir/index.h"

namespace reckon::layout {
class IntTuple;
class Layout;
}  // namespace reckon::layout

namespace reckon::ir {

/// Index expressions nested in tuples. Never an empty tuple.
struct IndexTuple {
  IndexId leaf;                      ///< if there are no elements
  std::vector<IndexTuple> elements;

  IndexTuple(IndexId leaf_, std::vector<IndexTuple> elements_ = {});
  IndexTuple();
  IndexTuple(const IndexTuple&);
  IndexTuple(IndexTuple&&) noexcept;
  IndexTuple& operator=(const IndexTuple&);
  IndexTuple& operator=(IndexTuple&&) noexcept;
  ~IndexTuple();
  bool is_leaf() const { return elements.empty(); }
  void leaves(std::vector<IndexId>& out) const;  ///< added, from left to right
  friend bool operator==(const IndexTuple&, const IndexTuple&) = default;
};

/// Shape and stride are nested alike.
struct IndexLayout {
  IndexTuple shape, stride;
  std::size_t rank() const { return shape.is_leaf() ? 1 : shape.elements.size(); }
  IndexLayout mode(std::size_t k) const;
  friend bool operator==(const IndexLayout&, const IndexLayout&) = default;
};

/// The same nesting with other leaves.
template <class Change>
IndexTuple with_leaves(const IndexTuple& tuple, Change&& change) {
  if (tuple.is_leaf()) return {change(tuple.leaf), {}};
  IndexTuple out;
  for (const IndexTuple& element : tuple.elements) out.elements.push_back(with_leaves(element, change));
  return out;
}
template <class Change>
IndexLayout with_leaves(const IndexLayout& layout, Change&& change) {
  return {with_leaves(layout.shape, change), with_leaves(layout.stride, change)};
}

IndexTuple index_tuple(IndexStore& indices, const layout::IntTuple& tuple);
IndexLayout index_layout(IndexStore& indices, const layout::Layout& layout);
bool nested_alike(const IndexTuple& a, const IndexTuple& b);
/// The product of the leaves.
IndexId size_of(IndexStore& indices, const IndexTuple& shape);
/// Strides for the shape, the leftmost leaf fastest, from `first` on.
IndexTuple compact_strides(IndexStore& indices, const IndexTuple& shape, IndexId first);

/// Splits an index into its natural coordinate, leaf by leaf, the leftmost fastest. The last digit is not reduced: an
/// index past the end gives a coordinate beyond the last leaf's range, where a check finds it.
void split_index(IndexStore& indices, IndexId index, const IndexTuple& shape, std::vector<IndexId>& coordinate);
/// The offset of a natural coordinate, given leaf by leaf.
IndexId offset_at(IndexStore& indices, const IndexTuple& stride, const std::vector<IndexId>& coordinate);

}  // namespace reckon::ir
