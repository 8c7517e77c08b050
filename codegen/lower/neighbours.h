// A thread that computes several neighbouring elements of a tensor, so that it reads and writes them with one access each.
#pragma once

#include <cstdint>

#include "codegen/plan.h"

namespace reckon::codegen {

struct Neighbours {
  std::int64_t count = 1;
  bool flat = false;  ///< of all elements, row by row, and not of a row
};

/// Gives a kernel of elements, an item a thread, to threads that compute so many of them.
void compute_neighbours(ir::IndexStore& indices, KernelBody& body, Kernel& kernel, Neighbours neighbours);

}  // namespace reckon::codegen
