// What a kernel of elements reads, where every element is computed by itself from elements of tensors in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/place/place.h"

namespace reckon::codegen {

struct ElementReads {
  /// The elements that depend on the last coordinate, each once, in the order in which they are met.
  std::vector<ir::NodeId> along;
  /// The same expression for every element, but for its own place: no coordinate is computed with, and what does not
  /// depend on the last coordinate depends on none.
  bool is_uniform = true;
  std::int64_t least_bytes = 0;  ///< of what is read along the last coordinate, and of what is written
  std::int64_t operations = 0;   ///< a function counts as some dozens of them
};

/// Nothing if the kernel has a placement already, or computes more: reductions, scans, tuples, elements of values that
/// are not in memory as words, or at an index that is data and depends on the last coordinate.
std::optional<ElementReads> element_reads(const Placing& placing, const KernelBody& body, const Kernel& kernel);

}  // namespace reckon::codegen
