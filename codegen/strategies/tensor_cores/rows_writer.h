// Writes a kernel whose blocks go through the rows of a product, and make the rows of another one of them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"
#include "codegen/lower/tile_place.h"
#include "codegen/strategies/tensor_cores/product_rows.h"
#include "codegen/strategies/tensor_cores/writer.h"
#include "kernel/mma_rows.h"

namespace reckon::codegen {

struct RowsPlacement {
  ProductRows rows;
  kernel::MmaRows shape;
  ir::IndexId leaves;  ///< of both products, for each column of the first one
  TileGrid grid() const { return {rows.second.row_binder, shape.rows, shape.width}; }
};

class RowsWriter : LoweringParts {
 public:
  RowsWriter(KernelParts& parts, const RowsPlacement& placement, Kernel& kernel);
  RowsWriter(const RowsWriter&) = delete;

  void write();

 private:
  /// A thread has elements of two rows.
  static constexpr std::size_t halves = 2;
  using OfHalves = std::array<Value, halves>;
  /// The sums of lanes that a fold has so far, in a thread: for each half.
  using Lanes = std::array<Values, halves>;
  /// What is carried from tile to tile, apart.
  struct State {
    Value begin, limit;                      ///< columns that there are
    std::map<std::size_t, OfHalves> values;  ///< of rows, by the number of their step
    std::map<std::size_t, Lanes> folds;      ///< that are under way
  };
  struct Tile {
    std::int64_t pass = 0;
    Value first;  ///< column
    Values sums;
    Value begin, limit;     ///< of the columns that there are
    bool is_whole = false;  ///< all of its columns are there, and no mask hides an element
  };

  Values where(Value item);
  Value evened_out(Value item);
  TilePlace enter(Value item);
  Values begin_pass(std::int64_t pass, Value item, const Values& carried);
  Values tile_of_pass(std::int64_t pass, Value item, Value first, const Values& sums, const Values& carried);
  void end(Value item, const Values& sums, const Values& carried);

  State unpack(std::int64_t pass, const Values& carried) const;
  Values pack(const State& state) const;
  void scale_greatest(std::int64_t pass, State& state, std::size_t half);
  /// What is known of each row after the folds of a pass.
  State after_pass(std::int64_t pass, const TilePlace& place, State state);
  Values elements(const Tile& tile, const TilePlace& place, State& state);
  Values elements_in_rounds(const Tile& tile, const TilePlace& place, State& state);
  /// What is known of the elements of a tile, by the buffers that would have them.
  using Elements = std::map<std::uint32_t, Values>;
  using Compute = std::function<Values(const Tile& part, const Elements& inputs, std::size_t count)>;
  void each_element(const Tile& tile, const TilePlace& place, const Elements& known, const State& state,
                    std::size_t count, FunctionRef<void(std::size_t k, Value column)> body);
  Values step_values(const RowStep& step, const Tile& tile, const TilePlace& place, const Elements& known,
                     const State& state);
  Values again(const RowStep& step, const Tile& tile, const Elements& known, const Compute& compute);
  void join_leaves(const RowStep& step, const Tile& tile, const TilePlace& place, const Elements& known, State& state,
                   std::size_t number);
  Value column_of(Value first, std::size_t k);
  Value is_there(const Tile& tile, std::size_t k);
  Value joined_lanes(const RowStep& step, Values lanes, Value present);
  /// The steps of elements that the folds of the pass, or the factor in the last one, are made of.
  std::vector<bool> needed(std::int64_t pass) const;

  Value row_of(const TilePlace& place, std::size_t half, bool clamped);
  void bind_row(Scope& scope, Value row) const;
  void bind_column(Scope& scope, Value column) const;
  void keep_rows(const State& state, std::size_t half);
  void write_results(const TilePlace& place, const State& state, const Values& sums);
  void write_values_of_row(const State& state, std::size_t half);
  Values results(const TilePlace& place, const State& state, const Values& sums);
  void bind_result(Scope& scope, Value column) const;
  void write_pair(Value column, Value width, const Values& values);
  Value columns() { return w_.index(module_[rows_.second.reduce].indices[0]); }
  void bind_box(Scope& scope, const TilePlace& place, Value first_column);
  void find_columns(const TilePlace& place, Value& begin, Value& limit);
  Value is_whole(const TilePlace& place, Value first, Value limit);
  const Binder& row_binder() const { return rows_.second.space[rows_.second.row_binder]; }
  Value lane_column() { return b_.mul(b_.bit_and(thread_, w_.i64(3)), w_.i64(2), Fits::always); }
  /// Lanes of a fold that a thread has.
  static std::size_t lanes_of_thread(const RowStep& step) {
    return step.lanes == 0 ? 1 : static_cast<std::size_t>(step.lanes / 4);
  }

  KernelParts& parts_;
  KeptValues& kept_;
  const RowsPlacement& placement_;
  const ProductRows& rows_;
  const kernel::MmaRows& shape_;
  Kernel& kernel_;
  Value thread_;
};

}  // namespace reckon::codegen
