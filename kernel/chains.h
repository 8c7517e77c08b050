// What the operation `chains` holds besides its operands: many sums of which each is one chain, in a few registers for
// each row, where a leaf is made of elements of its row and of elements of its column.
#pragma once

#include <cstdint>
#include <vector>

namespace reckon::kernel {

struct Chains {
  std::int64_t rows = 0, columns = 0;
  std::int64_t lanes = 1;  ///< columns of a vector register, as many as divide `columns`
  std::size_t sums = 1;    ///< parts of a sum, each in an array of its own
  std::int64_t pitch = 0;  ///< elements from a row of sums to the next one; columns are neighbours
  /// How far the elements of an array lie apart: those of neighbouring leaves, and those of neighbouring rows.
  struct Factor {
    std::int64_t leaf = 0, row = 0;
    friend bool operator==(const Factor&, const Factor&) = default;
  };
  std::vector<Factor> of_rows;
  std::vector<std::int64_t> of_columns;  ///< elements from a leaf to the next one; columns are neighbours
  std::size_t arrays() const { return sums + of_rows.size() + of_columns.size(); }
  std::size_t operands() const { return 2 + 2 * arrays(); }
  friend bool operator==(const Chains&, const Chains&) = default;
};

}  // namespace reckon::kernel
