// The tile of a matrix product, or of a reduction that reads like one.
#pragma once

#include "codegen/plan.h"
#include "codegen/strategies/tiles/tile.h"

namespace reckon::codegen {

/// Leaves below which a thread for each output does as well as a tile.
constexpr std::int64_t min_tile_length = 16;

/// What tiles are made for.
struct TileTarget {
  const kernel::Gpu& gpu;
  bool in_words = false;               ///< a number is several words in the buffer of the results
  bool fuses_on_tensor_cores = false;  ///< Numbers::fuses_on_tensor_cores
  bool has_clauses = false;            ///< a `kernel` item states something of the tiles or of their threads
};

/// The tile for the outputs of a fold from left to right, or in runs of `run` leaves (0: in one); nothing if every leaf
/// is read by one output only, or if no tile is `stated` and what is known of the sizes is too small: then the decision
/// says why, unless the fold reads like no product.
std::optional<Tile> choose_tile(ir::Module& module, const KernelBody& fold, const TileTarget& target, std::int64_t run,
                                bool stated, Decision& decision);

/// The tile that was chosen, changed as the clauses say, or why there is none on this GPU.
Expected<Tile> stated_tile(ir::Module& module, const KernelBody& fold, const TileTarget& target, const Tile& chosen,
                           const ir::KernelClauses& clauses);

/// The tile to take for a kernel of that name: the usual one, or one of another shape.
Tile tile_of_choices(ir::Module& module, const KernelBody& fold, const TileTarget& target, const Tile& usual,
                     std::string_view kernel, Choices& choices);

/// How many runs there are.
ir::IndexId runs_of(ir::Module& module, const KernelBody& fold, const Tile& tile);

}  // namespace reckon::codegen
