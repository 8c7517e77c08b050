// Tiles of matrix products on tensor cores. The stages and the threads that fill them are the emitter's business: a
// tile's factors are read as if one thread read all of it at once, the first one that is no consumer if there is one.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/machine.h"

namespace reckon::kernel {

bool Machine::read_factor(const MmaFactor& shape, const MmaOperands::Factor& factor, std::span<const Value> begin,
                          std::int64_t rows, std::int64_t leaves, std::uint32_t lane, FactorTile& out,
                          std::int64_t first_row) {
  const auto signed_word = [&](Value value) { return static_cast<std::int64_t>(word(value, lane)); };
  const Value place_of = factor.copy && word(factor.copied, lane) != 0 ? factor.copy : factor.memory;
  const Type memory = program_.type(place_of);
  Column read = make_column(memory.element_type());
  out.numbers = NumberArray(numbers_, memory.scalar, static_cast<std::size_t>(rows * leaves));
  out.has_row.assign(static_cast<std::size_t>(rows), true);
  out.room = leaves;
  out.leaves = std::clamp<std::int64_t>(signed_word(factor.extents[shape.of_leaf]) - signed_word(begin[shape.of_leaf]),
                                        0, leaves);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t leaf = 0; leaf < out.leaves; ++leaf) {
      std::int64_t element = 0;
      bool has_row = true;
      for (std::size_t d = 0; d < shape.rank; ++d) {
        const std::int64_t further = d == shape.of_leaf ? leaf : d == shape.of_side ? first_row + row : 0;
        const std::int64_t coordinate = signed_word(begin[d]) + further;
        has_row = has_row && coordinate >= 0 && coordinate < signed_word(factor.extents[d]);
        element += coordinate * (d == 0 ? 1 : signed_word(factor.strides[d - 1]));
      }
      if (!has_row) {
        out.has_row[static_cast<std::size_t>(row)] = false;
        break;
      }
      const Place& place = column(place_of).places[lane];
      std::int64_t offset = 0;
      if (!find_place(memory, place, static_cast<std::uint64_t>(element), 1, lane, offset) ||
          !load_element(memory, *place.array, offset, lane, read)) {
        return false;
      }
      numbers_.copy(memory.scalar, read.numbers.at(lane),
                    out.numbers.at(static_cast<std::size_t>(row * leaves + leaf)));
    }
  }
  return true;
}

bool Machine::mma_fragment(const ir::TensorCores& unit, ir::NodeId site, std::int64_t first_leaf, const FactorTile& x,
                           const FactorTile& y, std::span<const Value> out, std::uint32_t lane, std::int64_t from) {
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto number = static_cast<std::int64_t>(k);
    const auto row = static_cast<std::size_t>(MmaTiles::row_of_thread(lane) + MmaTiles::row(number));
    const auto of_column = static_cast<std::size_t>(MmaTiles::column_of_thread(lane) + MmaTiles::column(number));
    if (!x.has_row[row] || !y.has_row[of_column]) continue;
    Numbers::Products products{*unit.unit(), {}, {}, first_leaf};
    for (std::int64_t leaf = from; leaf < std::min(x.leaves, y.leaves); ++leaf) {
      products.x.push_back(x.of(row, leaf));
      products.y.push_back(y.of(of_column, leaf));
    }
    Column& sums = column(out[k]);
    if (!check(numbers_.mma_sum(products, site, sums.numbers.at(lane)), lane)) return false;
  }
  return true;
}

bool Machine::mma_tiles(const Operation& operation, const Lanes& lanes) {
  const MmaTiles& tiles = program_.mma_tiles[static_cast<std::size_t>(operation.number)];
  const MmaOperands operands(operation, tiles);
  const std::uint32_t number = operation_;
  if (!is_full(lanes)) return fail(Report::Kind::divergent, lanes[0], "not all threads of the block come");
  if (static_cast<std::int64_t>(lanes.size()) != tiles.threads()) {
    return fail(Report::Kind::malformed, 0, fmt::format("the tiles are for {} threads", tiles.threads()));
  }
  const Region &where = operation.regions[0], &then = operation.regions[1];
  const auto reader = static_cast<std::uint32_t>(tiles.by_warps ? 0 : tiles.consumers());
  const auto signed_word = [&](Value value) { return static_cast<std::int64_t>(word(value, reader)); };
  const std::int64_t leaves = signed_word(operands.leaves), step = signed_word(operands.step);
  if (step <= 0) return fail(Report::Kind::empty_loop, 0, "the step is not positive");
  const Lanes consumers(lanes.begin(), lanes.begin() + tiles.consumers());
  for (std::int64_t tile = signed_word(operands.first); tile < signed_word(operands.limit); tile += step) {
    for (const std::uint32_t lane : lanes) word(where.parameters[0], lane) = static_cast<std::uint64_t>(tile);
    if (!run_region(where, lanes)) return false;
    operation_ = number;
    const auto begin = std::span(where.yields);
    const std::int64_t first_leaf = signed_word(begin.back());
    FactorTile x, y;
    if (!read_factor(tiles.x, operands.x, begin.first(tiles.x.rank), tiles.rows, leaves, reader, x) ||
        !read_factor(tiles.y, operands.y, begin.subspan(tiles.x.rank), tiles.columns, leaves, reader, y)) {
      return false;
    }
    for (const std::uint32_t lane : consumers) {
      word(then.parameters[0], lane) = static_cast<std::uint64_t>(tile);
      const auto sums = std::span(then.parameters).subspan(1);
      if (!mma_fragment(tiles.unit, operation.site, first_leaf, x, y, sums, lane)) return false;
    }
    outcome_.operations += static_cast<std::uint64_t>(leaves * tiles.rows * tiles.columns);
    if (outcome_.operations > launch_.budget) return fail(Report::Kind::budget, 0, "too many operations");
    if (!run_region(then, consumers)) return false;
    operation_ = number;
  }
  return true;
}

}  // namespace reckon::kernel
