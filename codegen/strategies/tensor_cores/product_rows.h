// Two products on tensor cores with what stands between them: the first factor of the second product is made of the
// rows of the first one, by way of reductions over these rows or without any (attention). One kernel computes it all.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/place/tails.h"
#include "codegen/strategies/tensor_cores/product.h"
#include "codegen/strategies/tensor_cores/row_masks.h"

namespace reckon::codegen {

/// Of an element, of a row, or a reduction over a row.
enum class RowStepKind : std::uint8_t { element, row, fold };

/// What is computed for each element of the first product's rows, or for each row: a kernel of the plan before.
struct RowStep {
  RowStepKind kind{};
  static constexpr std::uint32_t no_buffer = static_cast<std::uint32_t>(-1);
  KernelBody body;
  std::uint32_t output = no_buffer;
  bool is_written = false;  ///< others need it
  /// The pass over a row in which a fold is carried out, or before which the value of a row is known, or the first one
  /// in which an element can be computed.
  std::int64_t pass = 0;
  std::vector<std::size_t> reads;      ///< steps whose values it is made of,
  std::vector<std::uint32_t> buffers;  ///< and the buffers of these values, and of others
  std::optional<RowMask> mask;         ///< element
  /// A fold to the greatest element: the elements of this step are those of the first product times a positive number,
  /// or divided by one, and rounding keeps their order. So the greatest one of the product is found, and becomes the
  /// step's element then. `leaf` and `visible` (where no mask hides anything) are these elements of the product.
  struct Scaled {
    std::size_t step = 0;
    ir::NodeId leaf, visible;
  };
  std::optional<Scaled> scaled;
  std::int64_t lanes = 0;  ///< fold: `lanes(L, seq) then tree`, or 0 where every order gives the same bits
};

struct ProductRows {
  MmaProduct first, second;
  std::vector<RowStep> steps;  ///< in their order
  std::size_t made = 0;        ///< the step that makes the factor
  std::vector<Tail> tails;     ///< each may be made of the ones before; the last one is written, or else the results
  std::int64_t passes = 1;

  TileBox box;  ///< the variables in the masks
  /// The mask whose hidden elements make no difference: the factor that is made of them is 0, and so is what they add
  /// to sums, or else the row's results are NaNs. They make one if the second product's other factor is not finite
  /// there.
  std::optional<std::size_t> skips;  ///< its step
  /// A buffer over the dimensions of that factor, but for leaf and side: one more than the last leaf with a number that
  /// is not finite, or 0.
  std::uint32_t finite = 0;
};

/// The kernels of a plan that are the parts of one.
struct FoundRows {
  ProductRows rows;
  std::vector<std::size_t> parts;  ///< kernels, ascending
  std::size_t results = 0;         ///< the one that writes the results
};

/// The rows whose second product is kernel k, for a chip that has the instructions. If there are none although both
/// products are on tensor cores, the decision says why.
std::optional<FoundRows> product_rows(ir::Module& module, const Planned& planned, const Numbers& numbers, std::size_t k,
                                      int chip, Decision& decision);

}  // namespace reckon::codegen
