// What a kernel of rows keeps between its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "codegen/plan.h"

namespace reckon::codegen {

/// Rows in shared memory (rows_in_shared_memory): a thread finds there what it put there itself.
struct RowArrays {
  bool known = false;              ///< what follows is
  std::uint32_t count = 0;         ///< 0: in registers
  std::int64_t element_bytes = 0;  ///< at most
  /// Parameters that several steps read, each at the element that it computes.
  struct Input {
    std::vector<std::pair<std::size_t, ir::NodeId>> reads;  ///< the step, and the element as it stands there
    std::uint32_t array = 0;
  };
  std::vector<Input> inputs;
  std::map<std::uint32_t, std::uint32_t> of_step;  ///< by a step's buffer: where its elements are, for later steps
  std::map<std::uint32_t, std::vector<std::size_t>> readers;  ///< by a step's buffer: these steps, one at least
};

/// What of a row is whose.
struct RowShares {
  std::int64_t slots = 0;   ///< elements that are a thread's, the same in every step; 0: not so
  std::int64_t vector = 1;  ///< neighbours among them
  RowArrays arrays;
};

/// The arrays for a row of so many elements: those that later steps read, and the parameters that several steps read.
/// None if they are too large or no plain numbers; then they stay in registers. A loop over a thread's elements is a
/// fraction of the code that registers need, where every element has its own; that is soon compiled, and leaves room
/// for more threads.
RowArrays rows_in_shared_memory(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector,
                                std::int64_t length);

/// How many rows a thread has to keep at the same time, one at least.
std::uint32_t rows_kept(ir::Module& module, const Planned& planned, const KernelBody& rows);

/// All of a row in registers, where a thread has `vector` neighbours of it.
RowArrays rows_in_registers(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector);

}  // namespace reckon::codegen
