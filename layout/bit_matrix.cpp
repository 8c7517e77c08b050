#include "layout/bit_matrix.h"

#include <algorithm>
#include <bit>

#include "layout/coalesce.h"

namespace reckon::layout {
namespace {

constexpr int max_bits = 62;

Problem refused(std::string message) { return {Problem::Kind::not_linear, std::move(message)}; }

int width_of(std::int64_t value) { return std::bit_width(static_cast<std::uint64_t>(value)); }

/// M x, without adding the constant.
std::int64_t times(const std::vector<std::int64_t>& columns, std::int64_t index) {
  std::int64_t out = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (index >> k & 1) out ^= columns[k];
  }
  return out;
}

/// Columns reduced to echelon form; each row also has the combination of original columns that it is the sum of.
struct Echelon {
  struct Row {
    std::int64_t image, combination;
  };
  std::vector<Row> rows;      ///< leading bits distinct, each absent from the other rows
  std::int64_t relation = 0;  ///< the first combination of columns that is 0; 0 if they are independent

  explicit Echelon(const std::vector<std::int64_t>& columns) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      Row next{columns[k], std::int64_t{1} << k};
      for (const Row& row : rows) {
        if (next.image & leading(row)) add(next, row);
      }
      if (next.image == 0) {
        if (relation == 0) relation = next.combination;
        continue;
      }
      for (Row& row : rows) {
        if (row.image & leading(next)) add(row, next);
      }
      rows.push_back(next);
    }
  }

  static std::int64_t leading(const Row& row) { return std::int64_t{1} << (width_of(row.image) - 1); }
  static void add(Row& to, const Row& other) {
    to.image ^= other.image;
    to.combination ^= other.combination;
  }
};

/// A g with g(f(x)) = x on f's image, if f is injective: bits other than the echelon's leading ones go to 0.
BitMatrix undo(const BitMatrix& matrix, const Echelon& echelon, int bits_in) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(bits_in));
  for (const Echelon::Row& row : echelon.rows) {
    columns[static_cast<std::size_t>(width_of(row.image) - 1)] = row.combination;
  }
  const std::int64_t constant = times(columns, matrix.constant());
  return *BitMatrix::make(std::move(columns), constant);
}

/// The first two columns with a bit in common.
std::optional<std::pair<int, int>> carrying(const std::vector<std::int64_t>& columns) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      if (columns[j] & columns[k]) return std::pair(static_cast<int>(k), static_cast<int>(j));
    }
  }
  return std::nullopt;
}

std::string two_bits(const std::vector<std::int64_t>& columns, std::pair<int, int> bits) {
  const std::int64_t first = columns[static_cast<std::size_t>(bits.first)];
  const std::int64_t second = columns[static_cast<std::size_t>(bits.second)];
  return "bits " + std::to_string(bits.first) + " and " + std::to_string(bits.second) + " of the index go to " +
         in_backticks(first) + " and " + in_backticks(second) + ", which have bit " +
         std::to_string(std::countr_zero(static_cast<std::uint64_t>(first & second))) + " in common";
}

Layout from_columns(const std::vector<std::int64_t>& columns) {
  if (columns.empty()) return *Layout::make(1, 0);
  std::vector<IntTuple> shape(columns.size(), IntTuple(2)), stride;
  for (std::int64_t column : columns) stride.emplace_back(column);
  return coalesce(*Layout::make(std::move(shape), std::move(stride)));
}

/// offset + f(x), if no sum carries.
Result<BitMatrix> shifted(const BitMatrix& matrix, std::int64_t offset) {
  if (offset < 0) return refused("the offset " + in_backticks(offset) + " is negative");
  std::vector<std::int64_t> images = matrix.columns();
  images.push_back(matrix.constant());
  for (std::int64_t image : images) {
    const std::int64_t common = image & offset;
    if (common == 0) continue;
    return refused("the offset " + in_backticks(offset) + " and the image " + in_backticks(image) + " have bit " +
                   std::to_string(std::countr_zero(static_cast<std::uint64_t>(common))) +
                   " in common: their sum carries");
  }
  return BitMatrix::make(matrix.columns(), matrix.constant() ^ offset);
}

}  // namespace

Result<BitMatrix> BitMatrix::make(std::vector<std::int64_t> columns, std::int64_t constant) {
  if (columns.size() > max_bits) {
    return Problem{Problem::Kind::too_large, "a bit matrix with " + std::to_string(columns.size()) +
                                                 " columns: an index of 64 bits has no more than 62"};
  }
  if (constant < 0 || std::any_of(columns.begin(), columns.end(), [](std::int64_t column) { return column < 0; })) {
    return refused("a negative image has no finite number of bits");
  }
  return BitMatrix(std::move(columns), constant);
}

BitMatrix BitMatrix::identity(int bits) {
  std::vector<std::int64_t> columns;
  for (int k = 0; k < bits; ++k) columns.push_back(std::int64_t{1} << k);
  return BitMatrix(std::move(columns), 0);
}

int BitMatrix::bits_out() const {
  std::int64_t all = constant_;
  for (std::int64_t column : columns_) all |= column;
  return width_of(all);
}

int BitMatrix::rank() const { return static_cast<int>(Echelon(columns_).rows.size()); }

std::int64_t BitMatrix::operator()(std::int64_t index) const { return constant_ ^ times(columns_, index); }

std::string BitMatrix::text() const {
  std::string out;
  for (int bit = bits_out() - 1; bit >= 0; --bit) {
    for (std::int64_t column : columns_) out += column >> bit & 1 ? "1 " : ". ";
    if (constant_ != 0) out += constant_ >> bit & 1 ? "| 1 " : "| . ";
    if (!out.empty() && out.back() == ' ') out.back() = '\n';
  }
  return out;
}

Result<BitMatrix> bit_matrix(const Layout& layout) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(layout.size()))) {
    return refused("`" + layout.text() + "` has size " + in_backticks(layout.size()) + ", no power of two");
  }
  std::vector<std::int64_t> columns;
  for (std::int64_t index = 1; index < layout.size(); index *= 2) {
    columns.push_back(*layout(index));
    if (columns.back() >= 0) continue;
    return refused("`" + layout.text() + "` takes index " + in_backticks(index) + " to " +
                   in_backticks(columns.back()) + ", and a negative offset has no finite number of bits");
  }
  // An offset is the sum of the offsets of the index's bits. It is also their XOR iff no sum carries.
  if (const auto pair = carrying(columns)) {
    return refused("`" + layout.text() + "` is no function of bits: " + two_bits(columns, *pair) + " (they carry)");
  }
  return BitMatrix::make(std::move(columns));
}

Result<BitMatrix> bit_matrix(const Swizzle& swizzle, int bits) {
  if (bits < 0 || bits > max_bits) {
    return refused("`" + swizzle.text() + "` over " + in_backticks(bits) + " bits: 0 to " + std::to_string(max_bits) +
                   " are possible");
  }
  std::vector<std::int64_t> columns;
  for (int k = 0; k < bits; ++k) columns.push_back(swizzle(std::int64_t{1} << k));
  return BitMatrix::make(std::move(columns));
}

Result<BitMatrix> bit_matrix(const Composed& composed) {
  auto out = bit_matrix(composed.inner());
  for (std::size_t k = composed.stages().size(); out && k-- > 0;) {
    const Stage& stage = composed.stages()[k];
    out = shifted(*out, stage.offset);
    if (!out) return out;
    const auto* swizzle = std::get_if<Swizzle>(&stage.map);
    const auto map = swizzle ? bit_matrix(*swizzle, out->bits_out()) : bit_matrix(std::get<Layout>(stage.map));
    if (!map) return map;
    out = compose(*map, *out);
  }
  return out;
}

Result<BitMatrix> bit_matrix(const AnyLayout& layout) {
  return std::visit([](const auto& of) { return bit_matrix(of); }, layout);
}

Result<BitMatrix> compose(const BitMatrix& a, const BitMatrix& b) {
  if (b.bits_out() > a.bits_in()) {
    return refused("the inner function gives " + std::to_string(b.bits_out()) + " bits, and the outer one takes " +
                   std::to_string(a.bits_in()));
  }
  std::vector<std::int64_t> columns;
  for (std::int64_t column : b.columns()) columns.push_back(times(a.columns(), column));
  return BitMatrix::make(std::move(columns), a(b.constant()));
}

Result<BitMatrix> left_inverse(const BitMatrix& matrix) {
  const Echelon echelon(matrix.columns());
  if (echelon.relation != 0) {
    return Problem{Problem::Kind::not_a_cover, "indices `0` and " + in_backticks(echelon.relation) + " both go to " +
                                                   in_backticks(matrix.constant()) + ": the columns are dependent"};
  }
  return undo(matrix, echelon, matrix.bits_out());
}

Result<BitMatrix> right_inverse(const BitMatrix& matrix) {
  const Echelon echelon(matrix.columns());
  const int bits = matrix.bits_out();
  if (static_cast<int>(echelon.rows.size()) < bits) {
    for (int bit = 0; bit < bits; ++bit) {
      const bool reached = std::any_of(echelon.rows.begin(), echelon.rows.end(),
                                       [&](const Echelon::Row& row) { return width_of(row.image) - 1 == bit; });
      if (reached) continue;
      return Problem{Problem::Kind::not_a_cover,
                     "no index goes to " + in_backticks(matrix.constant() ^ (std::int64_t{1} << bit)) + ": rank " +
                         std::to_string(echelon.rows.size()) + " of " + std::to_string(bits) + " bits"};
    }
  }
  return undo(matrix, echelon, bits);
}

Result<BitMatrix> invert(const BitMatrix& matrix) {
  if (matrix.bits_out() > matrix.bits_in()) {
    return Problem{Problem::Kind::not_a_cover, "an index of " + std::to_string(matrix.bits_in()) +
                                                   " bits cannot reach all offsets of " +
                                                   std::to_string(matrix.bits_out())};
  }
  return left_inverse(matrix);
}

Result<Layout> layout_of(const BitMatrix& matrix) {
  if (matrix.constant() != 0) {
    return refused("index `0` goes to " + in_backticks(matrix.constant()) + ", and a layout takes it to `0`");
  }
  if (const auto pair = carrying(matrix.columns())) {
    return refused("no layout: " + two_bits(matrix.columns(), *pair) + ", so their sum is not their XOR");
  }
  return from_columns(matrix.columns());
}

Result<AnyLayout> any_layout_of(const BitMatrix& matrix) {
  if (const auto plain = layout_of(matrix)) return AnyLayout(*plain);
  const int top = matrix.bits_out();
  for (int bits = 0; 2 * bits <= top; ++bits) {
    for (int base = 0; base + 2 * bits <= top; ++base) {
      for (int distance = bits; base + bits + distance <= top; ++distance) {
        for (int shift : {distance, -distance}) {
          const Swizzle swizzle{bits, base, shift};
          std::vector<std::int64_t> columns;
          std::int64_t all = swizzle(matrix.constant());
          bool disjoint = true;
          for (std::int64_t column : matrix.columns()) {
            columns.push_back(swizzle(column));
            disjoint = disjoint && (all & columns.back()) == 0;
            all |= columns.back();
          }
          if (disjoint) return AnyLayout(Composed(swizzle, swizzle(matrix.constant()), from_columns(columns)));
          if (bits == 0) break;
        }
        if (bits == 0) break;
      }
      if (bits == 0) break;
    }
  }
  return refused("no swizzle of " + std::to_string(top) + " bits makes it a layout: " +
                 (carrying(matrix.columns()) ? two_bits(matrix.columns(), *carrying(matrix.columns()))
                                             : "index `0` goes to " + in_backticks(matrix.constant())));
}

}  // namespace reckon::layout
