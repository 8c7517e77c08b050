// Tiles on tensor cores of f64: warps join four leaves at a time, one after the other, each by fma (kernel/mma_f64.h).
#include "codegen/strategies/tiles/tile_writer.h"

namespace reckon::codegen {

using kernel::MmaF64;

/// The elements of the four leaves from `leaf` on that the thread brings to its warp's instructions: those of its rows,
/// and one for each 8 columns. These are not the columns of its results, of which the first one is twice the number of
/// its leaf further than the first one of the warp (set_f64_shape).
Values TileWriter::mma_fragments(Value stage, std::int64_t leaf) {
  const Value own_leaf = b_.urem(reducer_.lane(), w_.i64(MmaF64::leaves));
  const Value own_side = b_.udiv(reducer_.lane(), w_.i64(MmaF64::leaves));
  const auto first_column =
      b_.sub(w_.add(column_side_.first, own_side), b_.mul(own_leaf, w_.i64(MmaF64::together), Fits::always));
  Values out;
  for (const Staged& part : parts_) {
    const Value first = part.of_rows ? row_side_.first : first_column;
    const Value element = w_.add(first, b_.mul(own_leaf, w_.i64(part.pitch), Fits::always));
    const Value memory = b_.advance(part.memory, stage);
    const std::int64_t start = leaf * part.pitch + part.offset / w_.bytes_of(part.type);
    const std::int64_t count = part.of_rows ? tile_.thread_rows : tile_.thread_columns / MmaF64::together;
    const std::int64_t apart = part.of_rows ? MmaF64::rows_apart : MmaF64::columns;
    for (std::int64_t k = 0; k < count; ++k) out.push_back(b_.load(memory, element, Stream::none, start + k * apart));
  }
  return out;
}

/// Joins the four leaves from `leaf` on. An instruction has two of the thread's rows and two of its columns.
Values TileWriter::mma_join(const Values& sums, const Values& parts, Value leaf) {
  const kernel::OriginGuard of_reduction(b_, site_.id);
  const auto across = static_cast<std::size_t>(tile_.thread_columns),
             down = static_cast<std::size_t>(tile_.thread_rows);
  Values next = sums;
  for (std::size_t row = 0; row < down; row += 2) {
    for (std::size_t column = 0; column < across; column += 2) {
      const std::size_t places[] = {row * across + column, row * across + column + 1, (row + 1) * across + column,
                                    (row + 1) * across + column + 1};
      Values elements{parts[row], parts[row + 1], parts[down + column / 2]};
      for (const std::size_t place : places) elements.push_back(sums[place]);
      const Values joined = b_.mma_f64(site_.tree, leaf, elements);
      for (std::size_t k = 0; k < joined.size(); ++k) next[places[k]] = joined[k];
    }
  }
  return next;
}

}  // namespace reckon::codegen
