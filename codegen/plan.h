// From a function to the kernels that compute it (compile.h, "plan"), with what each kernel's lowering must know.
//
// What becomes a buffer: parameters and results; every closed tensor that is read element by element; every closed
// reduction; and a reduction or scan that would be computed again and again where it stands, because it does not
// depend on a variable of the kernel (the row maximum of a two-dimensional softmax), or on an outer loop around it.
// Everything else is computed where it is used.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "codegen/compile.h"
#include "codegen/place/decision.h"

namespace reckon::codegen {

struct Binder {
  ir::VariableId variable;
  ir::IndexId extent;
};

/// A node at one place: canonical variables of different binders coincide, so the extents of its free variables
/// (ascending) belong to its identity.
struct Occurrence {
  ir::NodeId node;
  std::vector<ir::IndexId> extents;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};

/// Where an occurrence's value is kept: `buffer` (several in a row for a tuple), indexed by these variables first.
struct Place {
  std::uint32_t buffer = 0;
  std::vector<ir::VariableId> variables;
};

/// How many runs a list is cut into that the blocks of a grid share.
enum class GridRuns : std::uint8_t {
  balanced,  ///< about as many as a run has block rows: one block does the rest
  many,      ///< each a small run: what they become is cut once more,
  few,       ///< and then one block does the rest
};

/// How a block carries out its tile of a matrix product, or of a reduction that reads like one (place/tile_choice.h).
struct Tile {
  std::size_t row_binder = 0;          ///< in the space; that of the columns is the last
  std::int64_t rows = 0, columns = 0;  ///< outputs of a block
  std::int64_t run = 0;    ///< leaves of a run, if each is an item of its own (the first extent); 0: all are one
  std::int64_t depth = 0;  ///< leaves whose parts are in shared memory together
  std::int64_t thread_rows = 0, thread_columns = 0;  ///< outputs of a thread
  std::uint32_t blocks = 1;  ///< that a multiprocessor has at a time: bounds the registers of a thread
  bool unrolled = false;     ///< the leaves of a stage follow each other in the code, if they are cheap
  std::vector<ir::NodeId> of_rows, of_columns;  ///< parts of the leaf that depend on one side of the tile alone

  // As stated; none: as is usual (lower/tile/).
  std::optional<layout::Layout> arrangement;  ///< from a thread's row and column in the block to its number
  std::optional<layout::Layout> row_values, column_values;  ///< where a thread's rows, columns lie, from the first on

  std::int64_t threads() const { return rows / thread_rows * (columns / thread_columns); }
};

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

struct KernelBody {
  enum class Kind : std::uint8_t {
    elements,  ///< the scalar `node` for every point of `space`
    fold,      ///< the reduce `node` for every point
    scan,      ///< the scan `node` for every point; a work item is a whole scan if `running`, else one element
    array,     ///< the written-out tensor `node`; a work item is an element
    rows,      ///< GPU: the folds and elements `steps`, one after the other, of every point of `space` (place/place.h)
  } kind{};
  ir::NodeId node;
  std::vector<Binder> space;
  bool running = false;

  // How the threads of a GPU share the work (place/place.h).
  enum class Spread : std::uint8_t {
    threads,  ///< a work item is a thread's
    blocks,   ///< fold: a work item is a block's
    grid,     ///< fold: the blocks of a grid have runs of the leaves, and the last ones join what these become
    columns,  ///< fold: neighbouring work items are the lanes of a block's warps, which share the leaves
    tiles,    ///< fold: a work item is a block's tile of the last and one more dimension
  } spread = Spread::threads;
  ir::ScheduleId schedule;  ///< fold: the reduction's, or another that gives the same bits
  bool fused = false;       ///< which stands within `fused`
  std::int64_t vector = 1;  ///< fold: neighbouring leaves that a thread reads at a time
  std::int64_t parts = 1;   ///< columns: blocks that share the leaves of their items
  /// fold: it joins what the kernel before it has made of the same reduction, or does the little that this has left.
  bool follows = false;
  /// fold, of an item that is a thread's: of the nodes in this buffer, which tiles or columns made, not of the leaves.
  std::optional<std::uint32_t> nodes;

  /// grid: the list is cut into runs, what they become is again, and so on.
  struct Pass {
    GridRuns runs{};
    std::uint32_t nodes = 0;  ///< the buffers of what the runs become
  };
  std::vector<Pass> passes;
  std::int64_t max_block_rows = 0;  ///< of a run of GridRuns::many
  std::uint32_t counters = 0;       ///< the buffer of role `counters`: of each item, for the whole, and for each group
  std::optional<Tile> tile;         ///< tiles
  std::uint32_t blocks = 0;         ///< of a multiprocessor at a time; 0: as is usual; tiles have it in `tile`

  /// rows: folds over `space`, elements over `space` and one more extent, or over `space` alone. Their variables are
  /// their own.
  std::vector<KernelBody> steps;
  std::int64_t row_slots = 0;             ///< rows: elements that are a thread's, the same in every step; 0: not so
  std::int64_t row_vector = 1;            ///< neighbours among them; columns: items of a thread
  std::uint32_t output = 0, outputs = 1;  ///< of a step: its buffers
  bool written = true;                    ///< of a step: others need it
  RowArrays row_arrays;                   ///< rows

  Decision decision;                  ///< GPU, fold: why it was placed so
  std::vector<InnerReduction> inner;  ///< GPU, elements: reductions that stay within them
};

struct Planned {
  Plan plan;
  std::vector<KernelBody> bodies;  ///< beside plan.kernels
  std::map<Occurrence, Place> places;
  ir::KernelClauses clauses;          ///< that a GPU has to obey (codegen/place/kernel_clauses.h),
  std::optional<Diagnostic> refused;  ///< and why it cannot
};

Expected<Planned> make_plan(ir::Module& module, const ir::Function& function);

/// The scalars of a type, tuples flattened.
std::vector<ir::Scalar> scalars_of(const ir::Module& module, ir::TypeId type);

/// The part of a flattened tuple value that `get(tuple, part)` is: first scalar and how many.
struct PartRange {
  std::size_t first = 0, count = 0;
};
PartRange part_range(const ir::Module& module, ir::TypeId tuple, std::uint32_t part);

}  // namespace reckon::codegen
