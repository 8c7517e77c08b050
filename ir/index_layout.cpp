#include "ir/index_layout.h"

#include "layout/layout.h"

namespace reckon::ir {

IndexTuple::IndexTuple(IndexId leaf_, std::vector<IndexTuple> elements_) : leaf(leaf_), elements(std::move(elements_)) {}
IndexTuple::IndexTuple() = default;
IndexTuple::IndexTuple(const IndexTuple&) = default;
IndexTuple::IndexTuple(IndexTuple&&) noexcept = default;
IndexTuple& IndexTuple::operator=(const IndexTuple&) = default;
IndexTuple& IndexTuple::operator=(IndexTuple&&) noexcept = default;
IndexTuple::~IndexTuple() = default;

void IndexTuple::leaves(std::vector<IndexId>& out) const {
  if (is_leaf()) out.push_back(leaf);
  for (const IndexTuple& element : elements) element.leaves(out);
}

IndexLayout IndexLayout::mode(std::size_t k) const {
  if (shape.is_leaf()) return *this;
  return {shape.elements[k], stride.elements[k]};
}

IndexTuple index_tuple(IndexStore& indices, const layout::IntTuple& tuple) {
  if (tuple.is_int()) return {indices.constant(tuple.value()), {}};
  IndexTuple out;
  for (const layout::IntTuple& element : tuple.elements()) out.elements.push_back(index_tuple(indices, element));
  return out;
}

IndexLayout index_layout(IndexStore& indices, const layout::Layout& layout) {
  return {index_tuple(indices, layout.shape()), index_tuple(indices, layout.stride())};
}

bool nested_alike(const IndexTuple& a, const IndexTuple& b) {
  if (a.elements.size() != b.elements.size()) return false;
  for (std::size_t k = 0; k < a.elements.size(); ++k) {
    if (!nested_alike(a.elements[k], b.elements[k])) return false;
  }
  return true;
}

IndexId size_of(IndexStore& indices, const IndexTuple& shape) {
  if (shape.is_leaf()) return shape.leaf;
  IndexId size = indices.constant(1);
  for (const IndexTuple& element : shape.elements) size = indices.multiply(size, size_of(indices, element));
  return size;
}

IndexTuple compact_strides(IndexStore& indices, const IndexTuple& shape, IndexId first) {
  if (shape.is_leaf()) return {first, {}};
  IndexTuple out;
  for (const IndexTuple& element : shape.elements) {
    out.elements.push_back(compact_strides(indices, element, first));
    first = indices.multiply(first, size_of(indices, element));
  }
  return out;
}

void split_index(IndexStore& indices, IndexId index, const IndexTuple& shape, std::vector<IndexId>& coordinate) {
  std::vector<IndexId> extents;
  shape.leaves(extents);
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const bool last = k + 1 == extents.size();
    coordinate.push_back(last ? index : indices.floor_mod(index, extents[k]));
    if (!last) index = indices.floor_div(index, extents[k]);
  }
}

IndexId offset_at(IndexStore& indices, const IndexTuple& stride, const std::vector<IndexId>& coordinate) {
  std::vector<IndexId> strides;
  stride.leaves(strides);
  IndexId offset = indices.constant(0);
  for (std::size_t k = 0; k < strides.size(); ++k) {
    offset = indices.add(offset, indices.multiply(coordinate[k], strides[k]));
  }
  return offset;
}

}  // namespace reckon::ir
