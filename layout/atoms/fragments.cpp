#include "layout/atoms/fragments.h"

#include "layout/atoms/build.h"

namespace reckon::layout {
namespace {

std::vector<AtomLeaf> operand_values(std::int64_t rows, std::int64_t halves, std::int64_t columns,
                                     std::int64_t packed) {
  std::vector<AtomLeaf> out;
  if (packed > 1) out.push_back({packed, rows});
  if (halves > 1) out.push_back({halves, 8});
  if (columns > 4 * packed) out.push_back({columns / (4 * packed), 4 * packed * rows});
  if (out.empty()) out.push_back({1, 0});
  return out;
}

}  // namespace

Layout operand_fragment(std::int64_t rows, std::int64_t columns, std::int64_t packed) {
  return thread_value_layout({{4, packed * rows}, {8, 1}}, operand_values(rows, rows / 8, columns, packed));
}

Layout accumulator_fragment(std::int64_t rows) {
  std::vector<AtomLeaf> values{{2, rows}};
  if (rows > 8) values.push_back({rows / 8, 8});
  return thread_value_layout({{4, 2 * rows}, {8, 1}}, values);
}

Layout group_operand_fragment(std::int64_t columns, std::int64_t packed) {
  return thread_value_layout({{4, packed * 64}, {8, 1}, {4, 16}}, operand_values(64, 2, columns, packed));
}

Layout group_accumulator_fragment(std::int64_t columns) {
  return thread_value_layout({{4, 128}, {8, 1}, {4, 16}}, {{2, 64}, {2, 8}, {columns / 8, 512}});
}

Layout group_shared_operand(std::int64_t rows, std::int64_t columns) {
  return thread_value_layout({{128, 0}}, {{rows, 1}, {columns, rows}});
}

}  // namespace reckon::layout
