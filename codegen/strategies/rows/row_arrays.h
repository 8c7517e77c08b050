// What a kernel of rows keeps between its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "codegen/plan.h"

namespace reckon::codegen {

/// Where the rows of a kernel are kept: in shared memory, where a thread reads only what it wrote, or in registers.
struct RowArrays {
  bool known = false;              ///< whether the other members are known
  std::uint32_t count = 0;         ///< arrays in shared memory; 0: registers are used
  std::int64_t element_bytes = 0;  ///< at most
  /// Parameters that several steps read, each at the element that it computes.
  struct Input {
    std::vector<std::pair<std::size_t, ir::NodeId>> reads;  ///< the step, and the element as it stands there
    std::uint32_t array = 0;
  };
  std::vector<Input> inputs;
  std::map<std::uint32_t, std::uint32_t> of_step;  ///< by a step's buffer: the array of its elements, for later steps
  std::map<std::uint32_t, std::vector<std::size_t>> readers;  ///< by a step's buffer: the steps that read it (not none)
};

/// How the threads of a block share a row.
struct RowShares {
  std::int64_t slots = 0;   ///< elements that are a thread's, the same in every step; 0: not so
  std::int64_t vector = 1;  ///< of these in a block row,
  std::int64_t step = 1;    ///< which are so far apart: neighbours, or, where these are not aligned, a warp's width
  /// The row ends before the threads' elements do, at this length; 0: all of them are there. Where an element is
  /// absent, the row's last one is read and computed once more, and neither folded nor written.
  std::int64_t ends_at = 0;
  RowArrays arrays;
  /// A row that is too long for slots: the parameters that several steps read are copied to shared memory, in the form
  /// that buffers have.
  bool copies = false;
};

/// The arrays for a row of `length` elements: elements that later steps read, and parameters that several steps read.
/// If they are too large, or no plain numbers, they stay in registers. With arrays, a loop over a thread's elements
/// takes a fraction of the code that registers need, where every element has code of its own: it compiles faster, and
/// leaves room for more threads.
RowArrays rows_in_shared_memory(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector,
                                std::int64_t length);

/// How many rows a thread has to keep at the same time; at least one.
std::uint32_t rows_kept(ir::Module& module, const Planned& planned, const KernelBody& rows);

/// The same, with everything that is kept of a row in registers.
RowArrays rows_in_registers(ir::Module& module, const Planned& planned, const KernelBody& rows, std::int64_t vector);

}  // namespace reckon::codegen
