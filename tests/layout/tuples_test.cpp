// Relations and divisions of shapes, and coordinates, against enumeration. RECKON_TRIALS=100000 for a long run.
#include "layout/tuples.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "layout/coordinates.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// Some sub-tuples forgotten: a shape that is compatible with this one.
IntTuple coarser(const IntTuple& shape, Draw& draw) {
  if (shape.is_int() || draw.below(3) == 0) return *product(shape);
  std::vector<IntTuple> out;
  for (const IntTuple& mode : shape.elements()) out.push_back(coarser(mode, draw));
  return out;
}

/// By coordinates: each of `a` is one of `b`, of the same index, and there are as many.
bool takes_all(const IntTuple& a, const IntTuple& b) {
  if (product(a) != product(b)) return false;
  for (std::int64_t i = 0; i < *product(a); ++i) {
    const auto there = join(*split(i, a), b);
    if (!there || *there != i) return false;
  }
  return true;
}

bool coarsens(const IntTuple& a, const IntTuple& b) {
  if (a.is_int()) return true;
  if (b.is_int() || a.rank() != b.rank()) return false;
  for (std::size_t k = 0; k < a.rank(); ++k) {
    if (!coarsens(a.elements()[k], b.elements()[k])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("compatible shapes take each other's coordinates") {
  Draw draw(701);
  int compatible_pairs = 0, apart = 0;
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    IntTuple b = draw.shape();
    if (*product(b) > 200) continue;
    const IntTuple a = draw.below(2) == 0 ? coarser(b, draw) : draw.below(2) == 0 ? draw.shape() : flatten(b);
    const IntTuple c = coarser(a, draw);
    CAPTURE(a.text(), b.text(), c.text());
    const bool yes = compatible(a, b);
    REQUIRE(yes == takes_all(a, b));
    REQUIRE(weakly_congruent(a, b) == coarsens(a, b));
    REQUIRE(compatible(b, b));
    REQUIRE(compatible(c, a));
    if (yes) REQUIRE(compatible(c, b));                         // transitive
    if (yes && compatible(b, a)) REQUIRE(a.text() == b.text());  // antisymmetric
    ++(yes ? compatible_pairs : apart);
  }
  CHECK(compatible_pairs > 200);
  CHECK(apart > 200);
}

TEST_CASE("quotients of shapes") {
  Draw draw(702);
  int exact = 0, refused = 0, uncovered = 0;
  for (int trial = reckon::test::trials(5000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    const std::int64_t n = draw.pick({1, 2, 3, 4, 6, 8, 12, 24, 36, 64}), size = *product(shape);
    CAPTURE(shape.text(), n);
    const auto up = ceil_div(shape, n);
    if (!up) {  // CuTe's answer would leave elements out
      REQUIRE(up.problem().message.find("does not cover") != std::string::npos);
      REQUIRE_FALSE(shape_div(shape, n));
      REQUIRE_FALSE(evenly_divides(shape, n));
      ++uncovered;
      continue;
    }
    REQUIRE(congruent(*up, shape));
    const bool covered = *product(*up) * n == size;
    REQUIRE(evenly_divides(shape, n) == covered);
    REQUIRE(*product(*up) * n >= size);
    const auto down = shape_div(shape, n);
    if (!down) {
      ++refused;
      REQUIRE(down.problem().message.find("neither of") != std::string::npos);
      continue;
    }
    ++exact;
    REQUIRE(down->text() == up->text());
    if (size % n == 0) REQUIRE(covered);
    // By an integer for each mode: as many as there are tiles that start in it.
    const IntTuple extents = flatten(shape);
    if (extents.is_int()) continue;
    std::vector<IntTuple> tile;
    for (std::size_t k = 0; k < extents.rank(); ++k) tile.emplace_back(draw.pick({1, 2, 3, 5}));
    const auto by_mode = ceil_div(extents, tile);
    REQUIRE(by_mode);
    for (std::size_t k = 0; k < extents.rank(); ++k) {
      std::int64_t tiles = 0;
      for (std::int64_t i = 0; i < extents.elements()[k].value(); ++i) tiles += i % tile[k].value() == 0;
      REQUIRE(by_mode->elements()[k].value() == tiles);
    }
  }
  CHECK(exact > 500);
  CHECK(refused > 500);
  CHECK(uncovered > 20);
  CHECK(uncovered < reckon::test::trials(5000) / 10);
  CHECK(ceil_div(IntTuple({16, 32}), IntTuple(36)).problem().message ==
        "ceil_div of `(16,32)` by `36`: used up from the left it comes out as `(1,11)`, which does not cover the "
        "shape");
  CHECK(ceil_div(IntTuple({4, 6}), IntTuple(3))->text() == "(2,6)");
  CHECK(ceil_div(IntTuple(24), IntTuple({2, 4}))->text() == "3");
  CHECK_FALSE(ceil_div(IntTuple({4, 6}), IntTuple({2, 3, 1})));
  CHECK_FALSE(ceil_div(IntTuple(4), IntTuple(0)));
  CHECK_FALSE(shape_div(IntTuple({4, 6}), IntTuple(0)));
  CHECK_FALSE(evenly_divides(IntTuple({4, 6}), IntTuple({4, 6, 1})));
}

TEST_CASE("indices and coordinates") {
  Draw draw(703);
  int compact = 0, refused = 0;
  for (int trial = reckon::test::trials(2000); trial > 0; --trial) {
    const IntTuple shape = draw.shape(), other = draw.below(2) == 0 ? flatten(shape) : IntTuple(*product(shape));
    const Layout layout = draw.below(2) == 0 ? draw.tractable(shape, false) : draw.over(shape);
    CAPTURE(layout.text());
    const auto somewhere = idx2crd(0, shape, layout.stride());
    for (const std::int64_t i : draw.indices(layout.size())) {
      const auto coordinate = idx2crd(i, shape);
      REQUIRE(coordinate);
      REQUIRE(*idx2crd(*coordinate, shape) == *coordinate);
      REQUIRE(*crd2idx(*coordinate, shape) == i);
      REQUIRE(*crd2idx(*coordinate, shape, layout.stride()) == by_digits(layout, i));
      REQUIRE(*idx2crd_extended(i, shape) == *coordinate);
      REQUIRE(*crd2idx(*crd2crd(*coordinate, shape, other), other) == i);
      if (somewhere) REQUIRE(*idx2crd(by_digits(layout, i), shape, layout.stride()) == *coordinate);
    }
    REQUIRE_FALSE(idx2crd(layout.size(), shape));
    ++(somewhere ? compact : refused);
    if (layout.size() > 1000) continue;
    auto values = table_by_digits(layout);
    std::sort(values.begin(), values.end());
    std::vector<std::int64_t> all(values.size());
    std::iota(all.begin(), all.end(), 0);
    REQUIRE(static_cast<bool>(somewhere) == (values == all));
  }
  CHECK(compact > 100);
  CHECK(refused > 100);
  CHECK(idx2crd_extended(7, IntTuple({2, 3}))->text() == "(1,3)");
  CHECK_FALSE(idx2crd_extended(-1, IntTuple({2, 3})));
  CHECK_FALSE(idx2crd(IntTuple({1, 2}), IntTuple(6)));
  CHECK_FALSE(crd2crd(0, IntTuple(6), IntTuple(8)));
}
