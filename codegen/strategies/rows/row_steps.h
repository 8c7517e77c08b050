// Reductions over rows and what is computed from them, in one pass over memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codegen/lower/block/block_reducer.h"
#include "codegen/lower/items.h"
#include "codegen/lower/kept_values.h"
#include "codegen/lower/parts.h"
#include "codegen/strategies/rows/row_arrays.h"

namespace reckon::codegen {

class RowSteps : LoweringParts {
 public:
  RowSteps(Folds& folds, Items& items, KeptValues& kept, const KernelBody& body, const RowShares& shares,
           Kernel& kernel, BlockReducer& reducer);
  RowSteps(const RowSteps&) = delete;

  void lower();

 private:
  using Kept = KeptValues::Kept;
  using Element = FunctionRef<Values(Value position)>;
  using Write = FunctionRef<void(Value position, Value)>;

  void lower_row(Value item);
  void stage_row(std::span<const Value> coordinates);
  void copy_row(std::span<const Value> coordinates);
  Binder inner_of(const RowArrays::Input& input) const;  ///< the index along the row, in the first step that reads it
  std::int64_t bytes_of_copy(const RowArrays::Input& input) const;  ///< of an element
  Value element_of(const RowArrays::Input& input, std::span<const Value> coordinates, Value position);
  void lower_step(std::size_t number, Value item);
  void lower_elements(std::size_t number, Kept& kept, Element element, Write write);
  void compute_row(const KernelBody& step, Element element, Write write);
  void each_of_row(Value length, std::int64_t width, std::int64_t rounds,
                   FunctionRef<void(std::span<const Value> positions)> body);
  Values elements_of_step(std::span<const Value> positions, Element element);
  void write_elements(std::size_t number, Element element, Write write);
  std::vector<Value> slots_of_row();
  Value within_row(Value position);
  /// So many neighbouring slots are there or absent together.
  std::size_t together() const {
    return shares_.step == 1 && shares_.ends_at % shares_.vector == 0 ? static_cast<std::size_t>(shares_.vector) : 1;
  }
  /// Runs body(first) for such slots, where they are there.
  void each_present(std::size_t first, std::size_t count, FunctionRef<void(std::size_t first)> body);
  /// Room for a row in shared memory, for elements of this type.
  Value array_of(std::uint32_t number, ir::Scalar scalar);

  // row_rounds.cpp
  Values elements_in_rounds(std::size_t side, const Values& carried,
                            FunctionRef<Values(std::span<const Value>, const Values&)> round);
  void rows_go_round(std::size_t number, std::size_t side, FunctionRef<void(std::span<const Value> positions)> round);

  Items& items_;
  KeptValues& kept_;
  const KernelBody& body_;
  const RowShares& shares_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  struct SharedRow {
    std::int64_t offset = 0, bytes = 0;
  };
  std::vector<SharedRow> arrays_;  ///< rows in shared memory
  std::vector<Value> present_;     ///< whether each slot is there; empty: all are
};

}  // namespace reckon::codegen
