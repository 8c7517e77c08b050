// A reduction that is a matrix product by `mma`, as tensor cores can carry it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/place/candidate.h"
#include "kernel/mma_tiles.h"

namespace reckon::codegen {

/// The strategy's name in reports.
inline constexpr std::string_view tensor_cores_name = "tensor cores";

/// A factor of the products: an element of a buffer, whose last dimension is that of the leaves or that of the side.
struct MmaOperand {
  std::uint32_t buffer = 0;
  std::vector<ir::IndexId> extents;      ///< of the buffer's dimensions; the leaves' one ends with the leaves
  std::vector<ir::IndexId> whole;        ///< the same, all of them, as memory has them
  std::vector<ir::IndexId> subscripts;   ///< where the tile of the first row or column, and the first leaf, begins
  std::size_t of_leaf = 0, of_side = 0;  ///< dimensions, in the buffer's order

  /// Rows of memory have to be multiples of 16 bytes. A copy with such rows serves instead where this expression, 0 or
  /// 1, is 1 for the sizes.
  std::optional<std::uint32_t> copy;
  ir::IndexId copied;

  /// What a kernel before has to make.
  enum class Needs : std::uint8_t {
    nothing,
    padding,  ///< the copy
    packing,  ///< all of the operand, which is no tensor in memory as it would have to be: `value`, over these
              ///< variables
  } needs{};
  ir::NodeId tensor;  ///< padding
  ir::NodeId value;   ///< packing
  ir::NodeId of_leaf_variable;  ///< packing: the same, over the reduction's own variable of the leaves
  std::vector<Binder> space;

  /// Elements from one index of the dimension to the next.
  ir::IndexId stride(ir::IndexStore& indices, std::size_t dimension) const;
};

struct MmaProduct {
  ir::NodeId reduce;
  std::vector<Binder> space;  ///< of the results
  std::uint32_t output = 0;   ///< the buffer that they would have
  /// If leaves are added in runs: the variable of the run is the first one of the space, and a run has so many leaves.
  std::optional<std::int64_t> run;
  ir::ScheduleId rest;  ///< the order in which the runs' sums are added then
  ir::TensorCores unit;
  bool by_warps = false;  ///< the chip has instructions of warps for it (mma.sync), and none of warp groups (wgmma)
  std::size_t row_binder = 0;  ///< in the space; the last one is the columns'
  MmaOperand x, y;             ///< of the rows, and of the columns
};

/// Whether a warp's instruction adds as the unit does on the chip that the unit's model is of.
bool has_warp_instruction(const ir::TensorCores& unit);

/// The product that the fold is, for the chip of this number. If it is none although the order asks for tensor cores,
/// the decision says why.
std::optional<MmaProduct> mma_product(ir::Module& module, const Planned& planned, const KernelBody& fold, int chip,
                                      Decision& decision);

}  // namespace reckon::codegen
