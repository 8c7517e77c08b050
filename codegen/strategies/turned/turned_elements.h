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
  /// What the thread reads: for each place that it has in the rows of its warp, all elements.
  Values read(bool is_whole);
  /// Writes these to shared memory.
  void keep(const Values& elements);
  /// Computes and writes the thread's elements of the tile. `is_whole`: all elements of the tile exist.
  void compute(bool is_whole);
  /// A scope in which the coordinates have values: these two, and the tile's own in all other dimensions.
  Scope place(Value across, Value last) const;
  Value evaluated(Scope& scope, ir::NodeId node);
  std::size_t last() const { return body_.space.size() - 1; }
  Value row(std::int64_t number);  ///< the row of the tile that the thread's warp has in this round
  Value column(std::int64_t k);    ///< the place in a row of the thread's neighbour k
  /// Where an element is in shared memory; `lane_of_row` is row / vector.
  Value kept_at(Value row, Value lane_of_row, Value column);
  Value extent(std::size_t dimension) { return w_.index(body_.space[dimension].extent); }
  bool is_divided(std::size_t dimension) const;  ///< whether its extent is known to be a multiple of a tile's side

  KernelParts& parts_;
  const KernelBody& body_;
  const TurnedShape& shape_;
  Kernel& kernel_;
  BlockReducer& reducer_;
  Values arrays_;       ///< in shared memory, one for each element
  Values coordinates_;  ///< of the tile's first element
};

}  // namespace reckon::codegen
