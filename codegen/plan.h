// From a function to the kernels that compute it (compile.h, "plan"), with what each kernel's lowering must know.
//
// What becomes a buffer: parameters and results; every closed tensor that is read element by element; every closed
// reduction; and a reduction or scan that would be computed again and again where it stands, because it does not
// depend on a variable of the kernel (the row maximum of a two-dimensional softmax), or on an outer loop around it; and
// the state of a loop, twice. Everything else is computed where it is used.
//
// In the kernels of a loop, a part of its state is a `parameter` whose position is the number of its buffer, and the
// number of the round is a dimension. So whatever depends on the state is closed, and is planned like all else; what
// does not depend on it is computed before the loop.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/choices.h"
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

struct JoinedNodes;
struct ByKey;        ///< how the host reduces by key (place/by_key.h)
struct ProductTiles;  ///< how the host multiplies (place/products.h)
class PlacedKernel;  ///< a strategy's decision about a kernel (placed_kernel.h)

struct KernelBody {
  enum class Kind : std::uint8_t {
    elements,  ///< the scalar `node` for every point of `space`
    fold,      ///< the reduce `node` for every point
    scan,      ///< the scan `node` for every point; a work item is a whole scan if `running`, else one element
    array,     ///< the written-out tensor `node`; a work item is an element
    rows,      ///< GPU: the folds and elements `steps`, one after the other, of every point of `space`
  } kind{};
  ir::NodeId node;
  std::vector<Binder> space;
  bool running = false;

  /// GPU: how the threads share the work; null: a work item is a thread's.
  std::shared_ptr<const PlacedKernel> placed;
  /// Host: one pass over the leaves serves all items; null: each item is computed by itself.
  std::shared_ptr<const ByKey> by_key;
  /// Host: items are tiles of a product; null: they are not.
  std::shared_ptr<const ProductTiles> product;
  ir::ScheduleId schedule;  ///< fold: the reduction's, or another that gives the same bits
  bool fused = false;       ///< whether it stands within `fused`
  std::int64_t vector = 1;  ///< fold: neighbouring leaves that a thread reads at a time
  /// fold: it joins what the kernel before has made of the same reduction, or folds the leaves that are left over.
  bool follows = false;
  /// fold whose items are each one thread's: it folds the nodes in this buffer, from the kernel before, not leaves.
  std::optional<std::uint32_t> nodes;

  /// fold: its leaves are those of this reduction from one on.
  struct Whole {
    ir::NodeId node;
    ir::IndexId first;
  };
  std::optional<Whole> part_of;

  /// fold: its values are asked for only where this condition on the space's variables holds; nothing: everywhere.
  std::optional<ir::IndexId> needed;

  /// elements: what is folded before each of them; null: nothing.
  std::shared_ptr<const JoinedNodes> joined;

  std::uint32_t blocks = 0;  ///< that a multiprocessor runs at a time; 0: the usual number

  /// rows: folds over `space`, elements over `space` and one more extent, or over `space` alone. Their variables are
  /// their own.
  std::vector<KernelBody> steps;
  std::uint32_t output = 0, outputs = 1;  ///< of a step: its buffers
  bool written = true;                    ///< of a step: whether others need its values

  Decision decision;                  ///< GPU, fold: why it was placed so
  std::vector<InnerReduction> inner;  ///< GPU, elements: reductions that stay within them
};

/// A fold of nodes that the thread of an element carries out first: the element is made of its value.
struct JoinedNodes {
  KernelBody fold;
  std::uint32_t output = 0;  ///< the buffer that its values would have
};

struct Planned {
  Plan plan;
  std::vector<KernelBody> bodies;  ///< of plan.kernels, in the same order
  std::map<Occurrence, Place> places;
  Choices choices = {};               ///< of placement
  ir::KernelClauses clauses;          ///< that a GPU has to obey (codegen/place/kernel_clauses.h),
  std::optional<Diagnostic> refused;  ///< and why it cannot
  const kernel::Gpu* gpu = &kernel::h100;  ///< for which it is placed
};

Expected<Planned> make_plan(ir::Module& module, const ir::Function& function);

/// Whether one thread carries out a scan in this order leaf after leaf, with what the prefixes have in common kept:
/// `seq`, `tree`, `blelloch`, and `tile(k, S) then T` of these (lower/running_scan.h).
bool is_running_order(const ir::Module& module, ir::ScheduleId schedule);

/// The extents of a space.
std::vector<ir::IndexId> extents_of(const std::vector<Binder>& space);

/// The scalars of a type, tuples flattened.
std::vector<ir::Scalar> scalars_of(const ir::Module& module, ir::TypeId type);

/// The part of a flattened tuple value that `get(tuple, part)` is: first scalar and how many.
struct PartRange {
  std::size_t first = 0, count = 0;
};
PartRange part_range(const ir::Module& module, ir::TypeId tuple, std::uint32_t part);

}  // namespace reckon::codegen
