// A tile of a matrix product, or of a reduction that reads like one, carried out by the threads of a block.
//
// The leaves of an output are joined one after the other, by one thread, or by a warp on tensor cores of f64
// (multiply_f64.cpp). A thread has several outputs: `thread_rows` by `thread_columns`, if nothing else is stated in
// groups of neighbours (`group`, what is read of shared memory at a time) that lie a round of the block's threads
// apart. What a leaf is made of is read once for the block: `depth` leaves of all its rows and columns are a stage, of
// which there are two in shared memory, so that one is filled while the other is used, and one barrier for each is
// enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/lower/items.h"
#include "codegen/lower/parts.h"
#include "codegen/strategies/tiles/tile.h"

namespace reckon::codegen {

class TileWriter : LoweringParts {
 public:
  TileWriter(Folds& folds, const KernelBody& body, const Tile& tile, const FoldSite& site, BlockReducer& reducer);
  TileWriter(const TileWriter&) = delete;

  /// Writes the whole kernel.
  static void lower(Folds& folds, Items& items, const KernelBody& body, const Tile& tile, Kernel& kernel);

 private:
  /// Sets up the tile that is this item of the kernel.
  void enter(const Kernel& kernel, Value item);
  /// Writes the folds of the tile's outputs, over at least one leaf, to the kernel's buffers.
  void write_outputs(const Kernel& kernel);
  /// Writes the values of empty folds instead.
  void write_otherwise(const Kernel& kernel);
  /// Writes values for which nothing asks.
  void write_zeros(const Kernel& kernel);
  /// Writes the folds' values, however many leaves they have.
  void write_results(const Kernel& kernel);
  Value is_needed();
  void each_output(FunctionRef<void(Value row, Value column)> write);

  /// A part of the leaf in shared memory: for each leaf of the stage `pitch` elements.
  struct Staged {
    ir::NodeId node;
    bool of_rows = false;
    bool along_leaves = false;  ///< a thread reads neighbouring leaves of one row, not neighbouring rows of one leaf
    std::int64_t vector = 1;    ///< how many at a time
    Type type;
    Value memory;
    std::int64_t pitch = 0, offset = 0;  ///< elements; bytes from the start of the stage
  };
  /// Where a thread's elements of a part lie: at `side` and `leaf`, and `more_side` and `more_leaf` further.
  struct LoadPosition {
    Value side, leaf;
    std::int64_t more_side = 0, more_leaf = 0;
  };

  /// A side of the tile as the threads share it.
  struct Side {
    std::vector<std::int64_t> offsets;     ///< of a thread's rows or columns from its first
    std::int64_t group = 1;                ///< neighbours among them that are read and written together
    std::optional<layout::Layout> starts;  ///< the first ones of the threads, by their number along the side
    Value number, first;                   ///< this thread's number along the side, and its first one
  };

  // tile_writer.cpp
  void start_at(Value first_row, Value first_column);
  Value offset_of(Value row, Value column);
  Value is_there(bool of_rows, Value position);
  void write_output(const Kernel& kernel, Value row, Value column, const Values& values);

  // stage.cpp
  void plan_stage();
  Staged staged(ir::NodeId node, bool of_rows);
  bool reads_along(ir::NodeId node, ir::VariableId variable) const;
  std::vector<LoadPosition> load_positions(const Staged& part) const;
  Value bounded(bool of_rows, Value position, std::int64_t neighbours) const;
  /// This thread's elements of the stage that begins with leaf `first`. With an `end`, what lies beyond repeats the
  /// last.
  std::vector<Values> read(Value first, Value end);
  /// Writes the elements to shared memory; the threads wait until all elements are there.
  void write(const std::vector<Values>& elements, Value stage);
  struct SharedPlace {
    Value memory, element;
    std::int64_t more = 0;  ///< elements further
  };
  SharedPlace shared_address(const Staged& part, const LoadPosition& spot, std::int64_t number, Value stage);
  bool vectorised(Type type) const;

  // shares.cpp
  void assign_to_threads();
  Side side(bool of_rows, const layout::Layout& arrangement) const;
  Value digits_of_thread(const layout::Layout& mode) const;
  Value start_of(const Side& side) const;
  const Side& side(bool of_rows) const { return of_rows ? row_side_ : column_side_; }

  // multiply.cpp
  /// The folds of this thread's outputs, row by row, over the leaves begin .. end - 1, of which there is at least one.
  /// Outputs beyond the last row or column repeat the last one.
  std::vector<Values> fold(Value begin, Value end);
  Values coordinates(bool of_rows) const;
  Values fragments(Value stage, Value leaf);
  Values join_all(const Values& sums, const Values& parts, Value leaf);
  Values next_fragments(Value stage, std::int64_t leaf);
  Values join_next(const Values& sums, const Values& parts, Value leaf);
  Values begin_all(const Values& parts, Value leaf);
  Values leaf_of(std::int64_t row, std::int64_t column, const Values& parts, Value leaf);
  Values node_of(const Values& sums, std::size_t output) const;
  Values leaf_by_leaf(const Values& sums, Value stage, Value first, Value limit, Value leaf);
  Values incomplete_stage(const Values& sums, Value begin, Value end, Value count);
  Values whole_stages(const Values& sums, Value begin, Value count);

  // multiply_f64.cpp
  Values mma_fragments(Value stage, std::int64_t leaf);
  Values mma_join(const Values& sums, const Values& parts, Value leaf);

  const Numbers& numbers_;
  BlockReducer& reducer_;
  const KernelBody& body_;
  const FoldSite& site_;
  const Tile& tile_;
  const Binder &row_, &column_;
  std::vector<Staged> parts_;
  std::int64_t group_ = 1;  ///< neighbours that could be read together
  std::int64_t stage_bytes_ = 0;
  Side row_side_, column_side_;
  Value first_row_, first_column_, run_;
  Values rows_, columns_;                    ///< coordinates of this thread's outputs, perhaps beyond the last one,
  Values rows_in_range_, columns_in_range_;  ///< and the same moved into range
  Values neutral_;                           ///< neutral sums to begin with; empty if there are none
  bool unrolled_ = false;
};

}  // namespace reckon::codegen
