// Rows of one product from which the rows of another one's factor are made (kernel/mma_rows.h). The slots in shared
// memory are the emitter's business, as for tiles of one product; the sums of the second product are computed at the
// end, when all of their leaves are known.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/machine.h"

namespace reckon::kernel {

/// What one item works on.
struct Machine::MmaRow {
  const Operation& operation;
  const MmaRows& shape;
  MmaRowsOperands operands;
  std::uint32_t number;  ///< of the operation
  Lanes consumers;
  std::uint32_t reader;                 ///< the thread that reads the factors
  FactorTile x, made;                   ///< the first factor of the first product, and that of the second, row by row
  std::int64_t first = 0, columns = 0;  ///< which columns there are: up to the limit
  std::span<const Value> begin_of_y, begin_of_z;
};

bool Machine::mma_rows(const Operation& operation, const Lanes& lanes) {
  const MmaRows& shape = program_.mma_rows[static_cast<std::size_t>(operation.number)];
  if (!is_full(lanes)) return fail(Report::Kind::divergent, lanes[0], "not all threads of the block come");
  if (static_cast<std::int64_t>(lanes.size()) != shape.threads()) {
    return fail(Report::Kind::malformed, 0, fmt::format("the rows are for {} threads", shape.threads()));
  }
  MmaRow row{operation,  shape, {operation, shape},
             operation_, {},    static_cast<std::uint32_t>(shape.consumers()),
             {},         {},    0,
             0,          {},    {}};
  row.consumers.assign(lanes.begin(), lanes.begin() + shape.consumers());
  const auto signed_word = [&](Value value) { return static_cast<std::int64_t>(word(value, row.reader)); };
  const std::int64_t step = signed_word(row.operands.step);
  if (step <= 0) return fail(Report::Kind::empty_loop, 0, "the step is not positive");
  const Region& where = operation.regions[0];
  for (std::int64_t item = signed_word(row.operands.first); item < signed_word(row.operands.limit); item += step) {
    for (const std::uint32_t lane : lanes) word(where.parameters[0], lane) = static_cast<std::uint64_t>(item);
    if (!run_region(where, lanes)) return false;
    operation_ = row.number;
    if (!mma_row(row, item)) return false;
  }
  return true;
}

bool Machine::mma_row(MmaRow& row, std::int64_t item) {
  const MmaRows& shape = row.shape;
  const auto yields = std::span(row.operation.regions[0].yields);
  row.columns = static_cast<std::int64_t>(word(yields.back(), row.reader));
  row.first = static_cast<std::int64_t>(word(yields[yields.size() - 2], row.reader));
  row.begin_of_y = yields.subspan(shape.x.rank, shape.y.rank);
  row.begin_of_z = yields.subspan(std::size_t{shape.x.rank} + shape.y.rank, shape.z.rank);
  if (!read_factor(shape.x, row.operands.x, yields.first(shape.x.rank), shape.rows, shape.leaves, row.reader, row.x)) {
    return false;
  }
  row.made.numbers =
      NumberArray(numbers_, ir::scalar_of(*shape.unit.operand), static_cast<std::size_t>(shape.rows * row.columns));
  row.made.has_row = row.x.has_row;
  row.made.leaves = row.made.room = row.columns;
  Values carried;
  const auto give_item = [&](const Region& region) {
    for (const std::uint32_t lane : row.consumers) word(region.parameters[0], lane) = static_cast<std::uint64_t>(item);
  };
  for (std::int64_t pass = 0; pass < shape.passes; ++pass) {
    const Region& begin = row.operation.regions[MmaRows::begin_of(pass)];
    const Region& tile = row.operation.regions[MmaRows::tile_of(pass)];
    give_item(begin);
    assign(std::span(begin.parameters).subspan(1), carried, row.consumers);
    if (!run_region(begin, row.consumers)) return false;
    operation_ = row.number;
    const auto inside = std::span(tile.parameters).subspan(2 + static_cast<std::size_t>(shape.fragment()));
    carried.assign(inside.begin(), inside.end());
    assign(carried, begin.yields, row.consumers);
    for (std::int64_t first = row.first; first < row.columns; first += shape.columns) {
      give_item(tile);
      if (!mma_tile_of_row(row, pass, first)) return false;
    }
  }
  const Region& end = row.operation.regions.back();
  give_item(end);
  const auto results = std::span(end.parameters).subspan(1, static_cast<std::size_t>(shape.results()));
  assign(std::span(end.parameters).subspan(1 + results.size()), carried, row.consumers);
  FactorTile z;
  if (!read_factor(shape.z, row.operands.z, row.begin_of_z, shape.width, row.columns, row.reader, z)) return false;
  for (const std::uint32_t lane : row.consumers) {
    if (!mma_fragment(shape.unit, row.operation.site, row.first, row.made, z, results, lane, row.first)) return false;
  }
  outcome_.operations +=
      static_cast<std::uint64_t>(row.columns * shape.rows * (shape.leaves * shape.passes + shape.width));
  if (outcome_.operations > launch_.budget) return fail(Report::Kind::budget, 0, "too many operations");
  if (!run_region(end, row.consumers)) return false;
  operation_ = row.number;
  return true;
}

/// One tile in one pass; keeps what it makes for the second product.
bool Machine::mma_tile_of_row(MmaRow& row, std::int64_t pass, std::int64_t first_column) {
  const MmaRows& shape = row.shape;
  const Region& region = row.operation.regions[MmaRows::tile_of(pass)];
  const auto fragment = static_cast<std::size_t>(shape.fragment());
  FactorTile y;
  if (!read_factor(shape.y, row.operands.y, row.begin_of_y, shape.columns, shape.leaves, row.reader, y, first_column)) {
    return false;
  }
  for (const std::uint32_t lane : row.consumers) {
    word(region.parameters[1], lane) = static_cast<std::uint64_t>(first_column);
    const auto sums = std::span(region.parameters).subspan(2, fragment);
    if (!mma_fragment(shape.unit, shape.first, 0, row.x, y, sums, lane)) return false;
  }
  if (!run_region(region, row.consumers)) return false;
  operation_ = row.number;
  const bool is_last = pass + 1 == shape.passes;
  const ir::Scalar operand = ir::scalar_of(*shape.unit.operand);
  for (std::size_t k = 0; is_last && k < fragment; ++k) {
    const auto number = static_cast<std::int64_t>(k);
    for (const std::uint32_t lane : row.consumers) {
      const std::int64_t of_row = MmaTiles::row_of_thread(lane) + MmaTiles::row(number);
      const std::int64_t leaf = first_column + MmaTiles::column_of_thread(lane) + MmaTiles::column(number);
      if (leaf >= row.columns) continue;
      numbers_.copy(operand, column(region.yields[k]).numbers.at(lane),
                    row.made.numbers.at(static_cast<std::size_t>(of_row * row.columns + leaf)));
    }
  }
  const auto carried = std::span(region.parameters).subspan(2 + fragment);
  assign(carried, std::span(region.yields).subspan(is_last ? fragment : 0), row.consumers);
  return true;
}

}  // namespace reckon::kernel
