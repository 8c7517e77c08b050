// Elements that are read across memory, as by a transpose: a block reads what a square tile of them is made of along
// memory, keeps it in shared memory, and computes them along memory.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/lower/kernel_parts.h"
#include "codegen/lower/parts.h"

namespace reckon::codegen {

struct TurnedShape {
  static constexpr std::int64_t threads = 256, lanes = 32, warps = threads / lanes;

  std::size_t across = 0;            ///< the dimension of the space along which `elements` are neighbours in memory
  std::int64_t vector = 1;           ///< neighbours of a lane, in reading and in writing
  std::vector<ir::NodeId> elements;  ///< that go through shared memory

  /// Elements of a side of a tile; a warp has a row of them at a time.
  std::int64_t side() const { return lanes * vector; }
  /// Row a of a tile begins at a * side + a / vector in shared memory: so lanes that read a column, which are `vector`
  /// rows apart, are in different banks.
  std::int64_t room() const { return side() * side() + lanes; }
  std::int64_t rows_of_warp() const { return side() / warps; }
};

class TurnedElements : LoweringParts {
 public:
  TurnedElements(KernelParts& parts, const KernelBody& body, const TurnedShape& shape, Kernel& kernel,
                 BlockReducer& reducer);
  TurnedElements(const TurnedElements&) = delete;

  void write();

 private:
  void write_tile(Value tile);
  /// What the thread reads of every element, for its places in the rows of its warp.
  std::vector<Values> read(bool is_whole);
  void keep(const std::vector<Values>& elements);
  void compute(bool is_whole);
  /// Gives the coordinates of the space their values: those of the tile, and these two in it.
  Scope place(Value across, Value last) const;
  Value evaluated(Scope& scope, ir::NodeId node);
  std::size_t last() const { return body_.space.size() - 1; }
  Value row(std::int64_t number);                             ///< in the tile, of the thread's warp
  Value column(std::int64_t k);                               ///< in the row, of neighbour k
  Value kept_at(Value row, Value lane_of_row, Value column);  ///< in shared memory; the lane is row / vector
  Value extent(std::size_t dimension) { return w_.index(body_.space[dimension].extent); }
  bool is_divided(std::size_t dimension) const;  ///< whole tiles are all that there are

  KernelParts& parts_;
  const KernelBody& body_;
  const TurnedShape& shape_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  Values arrays_;       ///< in shared memory, one for each element
  Values coordinates_;  ///< of the tile's first element
};

}  // namespace reckon::codegen
