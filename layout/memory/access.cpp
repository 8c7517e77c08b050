#include "layout/memory/access.h"

#include <algorithm>

#include "layout/walk.h"

namespace reckon::layout {
namespace {

constexpr std::int64_t max_offsets = std::int64_t{1} << 24;

/// All in the order of the indices.
Result<std::vector<std::int64_t>> table_of(const AnyLayout& layout) {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(size(layout)));
  if (const auto* plain = std::get_if<Layout>(&layout)) {
    for_each_offset(*plain, [&](std::int64_t, std::int64_t offset) { out.push_back(offset); });
    return out;
  }
  for (std::int64_t index = 0; index < size(layout); ++index) {
    const auto offset = evaluate(layout, index);
    if (!offset) return offset.problem();
    out.push_back(*offset);
  }
  return out;
}

}  // namespace

Result<Offsets> offsets(const AnyLayout& thread_value) {
  if (size(thread_value) > max_offsets) {
    return Problem{Problem::Kind::too_large, "`" + text(thread_value) + "` has " + std::to_string(size(thread_value)) +
                                                 " offsets, and a report looks at no more than 2^24"};
  }
  const auto table = table_of(thread_value);
  if (!table) return table.problem();
  const std::int64_t least = *std::min_element(table->begin(), table->end());
  if (least < 0) {
    return Problem{Problem::Kind::out_of_range, "`" + text(thread_value) + "` reaches the offset `" +
                                                    std::to_string(least) + "`, before the start of the buffer"};
  }
  const IntTuple& of = shape(thread_value);
  const std::int64_t threads = *product(of.is_int() ? of : of.elements()[0]);
  return Offsets{threads, size(thread_value) / threads, *table};
}

Result<Offsets> matrix_rows(const AnyLayout& tile, std::int64_t column) {
  const IntTuple& of = shape(tile);
  if (of.is_int() || of.rank() != 2) {
    return Problem{Problem::Kind::rank, "`" + text(tile) + "` has not the two modes of a matrix, rows and columns"};
  }
  const std::int64_t rows = *product(of.elements()[0]), columns = *product(of.elements()[1]);
  if (column < 0 || column >= columns) {
    return Problem{Problem::Kind::out_of_range, "`" + text(tile) + "` has no column `" + std::to_string(column) + "`"};
  }
  Offsets out{rows, 1, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto offset = evaluate(tile, std::vector<IntTuple>{row, column});
    if (!offset) return offset.problem();
    out.table.push_back(*offset);
  }
  return out;
}

}  // namespace reckon::layout
