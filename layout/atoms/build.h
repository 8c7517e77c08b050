// Builds layouts for the catalogues from leaves that are known to be valid.
#pragma once

#include <initializer_list>
#include <vector>

#include "layout/layout.h"

namespace reckon::layout {

struct AtomLeaf {
  std::int64_t extent, stride;
};

/// (e0,e1,..):(s0,s1,..), or e0:s0 of one.
inline Layout atom_mode(const std::vector<AtomLeaf>& leaves) {
  if (leaves.size() == 1) return *Layout::make(leaves[0].extent, leaves[0].stride);
  std::vector<IntTuple> shape, stride;
  for (const AtomLeaf& leaf : leaves) {
    shape.emplace_back(leaf.extent);
    stride.emplace_back(leaf.stride);
  }
  return *Layout::make(std::move(shape), std::move(stride));
}

/// (thread,value).
inline Layout thread_value_layout(const std::vector<AtomLeaf>& thread, const std::vector<AtomLeaf>& value) {
  const Layout threads = atom_mode(thread), values = atom_mode(value);
  return *Layout::make(std::vector<IntTuple>{threads.shape(), values.shape()},
                       std::vector<IntTuple>{threads.stride(), values.stride()});
}

}  // namespace reckon::layout
