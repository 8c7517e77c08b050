// Functions of bits as grids of dots.
#include <fmt/format.h>

#include "draw/layouts.h"

namespace reckon::draw {

using layout::BitMatrix;
using layout::Problem;
using layout::Result;
using layout::Swizzle;

namespace {

Result<BitMatrix> matrix_of(const layout::AnyValue& value) {
  if (auto* matrix = std::get_if<BitMatrix>(&value)) return *matrix;
  if (const auto any = layout_in(value)) return layout::bit_matrix(*any);
  if (auto* swizzle = std::get_if<Swizzle>(&value)) {
    // Only bits within a swizzle's block are drawn: it changes no others.
    int bits = 0;
    while ((std::int64_t{1} << bits) < swizzle->block()) ++bits;
    return layout::bit_matrix(*swizzle, bits);
  }
  return Problem{Problem::Kind::not_linear, fmt::format("`{}` is no function of bits", text_of(value)),
                 "bits are drawn of layouts whose sizes are powers of two, of swizzled ones, and of bit matrices"};
}

}  // namespace

Result<Grid> bits_of(const layout::AnyValue& value) {
  const auto matrix = matrix_of(value);
  if (!matrix) return matrix.problem();
  const int rows = matrix->bits_out(), columns = matrix->bits_in();
  std::vector<std::string> down, across;
  for (int bit = rows - 1; bit >= 0; --bit) down.push_back(std::to_string(bit));
  for (int bit = 0; bit < columns; ++bit) across.push_back(std::to_string(bit));
  // A constant that is added to every image gets a column of its own.
  if (matrix->constant() != 0) across.emplace_back("+");
  if (down.empty()) down.emplace_back("0");
  if (across.empty()) across.emplace_back("+");
  Grid out(Edge::labelled(down), Edge::labelled(across));
  for (std::int64_t i = 0; i < out.down.size(); ++i) {
    for (std::int64_t j = 0; j < out.across.size(); ++j) {
      const std::int64_t image = j < columns ? matrix->columns()[static_cast<std::size_t>(j)] : matrix->constant();
      const bool set = image >> (out.down.size() - 1 - i) & 1;
      Cell& cell = out.at(i, j);
      cell.label = set ? "1" : ".";
      cell.look = set ? Cell::Look::dot : Cell::Look::no_dot;
    }
  }
  // A matrix has no text that is shorter than its rows.
  out.title = std::holds_alternative<BitMatrix>(value) ? "bit matrix" : text_of(value);
  out.caption =
      fmt::format("{} bits of the index across, {} of the offset down, rank {}", columns, rows, matrix->rank());
  return out;
}

}  // namespace reckon::draw
