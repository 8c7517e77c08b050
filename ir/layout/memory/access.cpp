#include "ir/layout/memory/access.h"

namespace reckon::layout {
namespace {

constexpr std::int64_t most_offsets = std::int64_t{1} << 24;

}  // namespace

Result<Offsets> offsets(const Layout& thread_value) {
  if (thread_value.size() > most_offsets) {
    return Problem{Problem::Kind::too_large, "`" + thread_value.text() + "` has " + std::to_string(thread_value.size()) +
                                                 " offsets, and a report looks at no more than 2^24"};
  }
  if (thread_value.min() < 0) {
    return Problem{Problem::Kind::out_of_range, "`" + thread_value.text() + "` reaches the offset `" +
                                                    std::to_string(thread_value.min()) +
                                                    "`, before the start of the buffer"};
  }
  Offsets out;
  out.threads = thread_value.mode(0).size();
  out.values = thread_value.size() / out.threads;
  out.table.reserve(static_cast<std::size_t>(thread_value.size()));
  for (std::int64_t i = 0; i < thread_value.size(); ++i) out.table.push_back(*thread_value(i));
  return out;
}

Result<Offsets> matrix_rows(const Layout& tile, std::int64_t column) {
  if (tile.rank() != 2) {
    return Problem{Problem::Kind::rank, "`" + tile.text() + "` has not the two modes of a matrix, rows and columns"};
  }
  const Layout rows = tile.mode(0), columns = tile.mode(1);
  if (column < 0 || column >= columns.size()) {
    return Problem{Problem::Kind::out_of_range, "`" + tile.text() + "` has no column `" + std::to_string(column) + "`"};
  }
  Offsets out{rows.size(), 1, {}};
  for (std::int64_t row = 0; row < rows.size(); ++row) out.table.push_back(*rows(row) + *columns(column));
  return out;
}

}  // namespace reckon::layout
