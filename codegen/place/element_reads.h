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
  /// Whether the expression computes with no coordinate, and everything in it that does not depend on the last
  /// coordinate depends on no other one either.
  bool is_uniform = true;
  std::int64_t least_bytes = 0;  ///< of what is read along the last coordinate, and of what is written
  std::int64_t operations = 0;   ///< a function counts as some dozens of them
};

/// Nothing if the kernel has a placement already, if it computes a reduction, a scan or a tuple, if it reads values
/// that are not in memory as words, or if it reads at an index that is data and depends on the last coordinate.
std::optional<ElementReads> element_reads(const Placing& placing, const KernelBody& body, const Kernel& kernel);

}  // namespace reckon::codegen
