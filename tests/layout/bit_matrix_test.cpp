// Layouts as functions of bits: against enumeration.
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "layout/bit_matrix.h"
#include "layout/compose.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

std::vector<std::int64_t> table(const BitMatrix& of) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < of.size(); ++i) out.push_back(of(i));
  return out;
}

/// f(x) ^ f(y) ^ f(0) = f(x ^ y) for all x, y below a power of two, and nothing is negative: what "linear" means.
bool linear(const std::vector<std::int64_t>& values) {
  if (!std::has_single_bit(values.size())) return false;
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (values[x] < 0) return false;
    for (std::size_t y = 0; y < x; ++y) {
      if ((values[x] ^ values[y] ^ values[0]) != values[x ^ y]) return false;
    }
  }
  return true;
}

BitMatrix random_matrix(std::mt19937_64& random, int bits_in, int bits_out) {
  std::vector<std::int64_t> columns;
  const std::uint64_t mask = (std::uint64_t{1} << bits_out) - 1;
  for (int k = 0; k < bits_in; ++k) columns.push_back(static_cast<std::int64_t>(random() & mask));
  return *BitMatrix::make(columns, static_cast<std::int64_t>(random() % 3 == 0 ? random() & mask : 0));
}

}  // namespace

TEST_CASE("a layout is a bit matrix iff its function is linear over bits, and comes back") {
  Random random(21);
  std::map<bool, int> seen;
  for (int trial = 0; trial < 20000; ++trial) {
    const Layout a = random.draw();
    if (a.size() > 256) continue;
    CAPTURE(a.text());
    const auto values = table(a);
    const auto matrix = bit_matrix(a);
    ++seen[bool(matrix)];
    REQUIRE(bool(matrix) == linear(values));
    if (!matrix) {
      REQUIRE_FALSE(matrix.problem().message.empty());
      continue;
    }
    REQUIRE(table(*matrix) == values);
    const auto back = layout_of(*matrix);
    REQUIRE(back);
    REQUIRE(*back == a);
  }
  CHECK(seen[true] > 1000);
  CHECK(seen[false] > 1000);
}

TEST_CASE("swizzles and swizzled layouts are bit matrices, and come back") {
  Random random(22);
  std::mt19937_64 numbers(22);
  int swizzled = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const int bits = static_cast<int>(numbers() % 4), base = static_cast<int>(numbers() % 4);
    const int distance = bits + static_cast<int>(numbers() % 3);
    const Swizzle swizzle{bits, base, numbers() % 2 ? distance : -distance};
    const auto whole = bit_matrix(swizzle, 12);
    REQUIRE(whole);
    for (std::int64_t x = 0; x < 4096; x += 37) REQUIRE((*whole)(x) == swizzle(x));
    Layout inner = random.draw();
    if (numbers() % 2) {
      // A row-major tile of powers of two.
      const std::int64_t rows = std::int64_t{1} << numbers() % 5, columns = std::int64_t{1} << numbers() % 5;
      inner = *Layout::make(std::vector<IntTuple>{rows, columns}, std::vector<IntTuple>{columns, 1});
    }
    const std::int64_t offset = numbers() % 2 ? static_cast<std::int64_t>(numbers() % 64) : 0;
    CAPTURE(swizzle.text(), offset, inner.text());
    const auto matrix = bit_matrix(Composed(swizzle, offset, inner));
    const auto plain = bit_matrix(inner);
    if (!matrix) {
      bool carries = !plain;
      for (std::int64_t i = 0; i < inner.size() && !carries; ++i)
        carries = (*inner(i) + offset) != (*inner(i) ^ offset);
      REQUIRE(carries);
      continue;
    }
    const auto back = any_layout_of(*matrix);
    REQUIRE(back);
    const auto* composed = std::get_if<Composed>(&*back);
    const int used = composed ? std::get<Swizzle>(composed->stages()[0].map).bits : 0;
    REQUIRE(used <= swizzle.bits);
    REQUIRE(size(*back) == inner.size());
    REQUIRE(bool(composed) == !layout_of(*matrix));
    swizzled += used > 0;
    // As a sum: without a swizzle iff the columns and the constant have no bit in common.
    std::int64_t all = matrix->constant();
    bool disjoint = true;
    for (std::int64_t column : matrix->columns()) {
      disjoint = disjoint && (all & column) == 0;
      all |= column;
    }
    REQUIRE((used == 0) == disjoint);
    for (std::int64_t i = 0; i < inner.size(); ++i) {
      REQUIRE((*matrix)(i) == swizzle(offset + *inner(i)));
      REQUIRE((*matrix)(i) == *evaluate(*back, i));
    }
  }
  CHECK(swizzled > 100);
}

TEST_CASE("composition and inversion of bit matrices are those of functions") {
  std::mt19937_64 random(23);
  std::map<std::string, int> seen;
  for (int trial = 0; trial < 4000; ++trial) {
    const int in = static_cast<int>(random() % 7), out = 1 + static_cast<int>(random() % 7);
    const BitMatrix b = random_matrix(random, in, out);
    const BitMatrix a = random_matrix(random, static_cast<int>(random() % 9), 8);
    CAPTURE(a.text(), b.text());
    const auto both = compose(a, b);
    REQUIRE(bool(both) == (b.bits_out() <= a.bits_in()));
    for (std::int64_t x = 0; both && x < b.size(); ++x) REQUIRE((*both)(x) == a(b(x)));
    REQUIRE(compose(b, BitMatrix::identity(b.bits_in()))->columns() == b.columns());

    const auto values = table(b);
    const std::set<std::int64_t> image(values.begin(), values.end());
    const bool injective = static_cast<std::int64_t>(image.size()) == b.size();
    const bool onto = static_cast<std::int64_t>(image.size()) == std::int64_t{1} << b.bits_out();
    REQUIRE(injective == b.injective());
    REQUIRE(image.size() == std::size_t{1} << b.rank());
    const auto left = left_inverse(b), right = right_inverse(b), inverse = invert(b);
    REQUIRE(bool(left) == injective);
    REQUIRE(bool(right) == onto);
    REQUIRE(bool(inverse) == (injective && onto && b.bits_out() == b.bits_in()));
    for (std::int64_t x = 0; left && x < b.size(); ++x) REQUIRE((*left)(b(x)) == x);
    for (std::int64_t y = 0; right && y < std::int64_t{1} << b.bits_out(); ++y) REQUIRE(b((*right)(y)) == y);
    for (std::int64_t y = 0; inverse && y < b.size(); ++y) REQUIRE(b((*inverse)(y)) == y);
    ++seen[inverse ? "bijective" : left ? "injective" : right ? "onto" : "neither"];
  }
  for (const auto& [kind, count] : seen) CHECK(count > 100);
  CHECK(seen.size() == 4);
}

TEST_CASE("compositions of layouts and swizzles are those of their matrices") {
  Random random(24);
  int linear_ones = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Layout a = random.draw(), b = random.draw();
    const AnyLayout both = compose_any(Swizzle{1, 1, 2}, compose_any(a, b));
    const auto whole = bit_matrix(both);
    if (!whole) continue;
    ++linear_ones;
    CAPTURE(a.text(), b.text());
    for (std::int64_t i = 0; i < b.size(); ++i) REQUIRE((*whole)(i) == *evaluate(both, i));
  }
  CHECK(linear_ones > 200);
  // Layouts as stages of a composed one.
  const Composed stages({Stage{Swizzle{2, 0, 2}, 0}, Stage{layout_from("(4,4):(4,1)"), 0}}, layout_from("(2,8):(8,1)"));
  const auto matrix = bit_matrix(stages);
  REQUIRE(matrix);
  for (std::int64_t i = 0; i < 16; ++i) REQUIRE((*matrix)(i) == *stages(i));
  CHECK(bit_matrix(Composed(Swizzle{2, 0, 2}, 1, layout_from("4:1"))).problem().message ==
        "the offset `1` and the image `1` have bit 0 in common: their sum carries");
}

TEST_CASE("bit matrices: equality is that of functions, and refusals name the bits") {
  CHECK(*bit_matrix(layout_from("(2,4):(1,2)")) == *bit_matrix(layout_from("8:1")));
  CHECK_FALSE(*bit_matrix(layout_from("(2,4):(4,1)")) == *bit_matrix(layout_from("8:1")));
  CHECK(bit_matrix(layout_from("6:1")).problem().message == "`6:1` has size `6`, no power of two");
  CHECK(bit_matrix(layout_from("4:3")).problem().message ==
        "`4:3` is no function of bits: bits 0 and 1 of the index go to `3` and `6`, which have bit 1 in common (they "
        "carry)");
  CHECK(bit_matrix(layout_from("4:-1")).problem().message ==
        "`4:-1` takes index `1` to `-1`, and a negative offset has no finite number of bits");
  CHECK(bit_matrix(layout_from("2:3")));
  const BitMatrix swizzled = *bit_matrix(Composed(Swizzle{3, 0, 3}, 0, layout_from("(8,8):(8,1)")));
  CHECK(layout_of(swizzled).problem().message ==
        "no layout: bits 0 and 3 of the index go to `9` and `1`, which have bit 0 in common, so their sum is not their "
        "XOR");
  CHECK(text(*any_layout_of(swizzled)) == "Sw<3,0,3> o 0 o (8,8):(8,1)");
  CHECK(swizzled.text() == ". . 1 . . .\n. 1 . . . .\n1 . . . . .\n. . 1 . . 1\n. 1 . . 1 .\n1 . . 1 . .\n");
  CHECK(left_inverse(*BitMatrix::make({1, 2, 3})).problem().message ==
        "indices `0` and `7` both go to `0`: the columns are dependent");
  CHECK(right_inverse(*BitMatrix::make({1, 4})).problem().message == "no index goes to `2`: rank 2 of 3 bits");
  CHECK(invert(*BitMatrix::make({1, 4})).problem().message == "an index of 2 bits cannot reach all offsets of 3");
}
