// Coordinate-valued layouts, and composition on both sides of them, by evaluation.
#include "layout/coordinate_layout.h"

#include <catch2/catch.hpp>

#include "layout/bounds.h"
#include "layout/coordinates.h"
#include "layout/divide.h"
#include "layout/tuples.h"
#include "tests/layout/draw.h"
#include "tests/layout/notation.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// A layout of coordinates of the shape: for some leaves, steps in it that stay inside.
CoordinateLayout steps(const IntTuple& shape, Draw& draw) {
  const auto extents = shape.leaves();
  std::vector<IntTuple> made;
  std::vector<CoordinateLayout::Stride> strides;
  for (std::size_t leaf = 0; leaf < extents.size(); ++leaf) {
    std::int64_t room = extents[leaf], stride = 1;
    while (draw.below(3) != 0) {
      const std::int64_t extent = draw.pick({1, 2, 2, 3, 4});
      if (extent > room) break;
      made.emplace_back(extent);
      strides.emplace_back(extents.size(), 0);
      strides.back()[leaf] = stride;
      stride *= extent;
      room /= extent;
    }
  }
  if (made.empty()) {
    made.emplace_back(2);
    strides.emplace_back(extents.size(), 0);
  }
  std::vector<std::size_t> order(made.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::shuffle(order.begin(), order.end(), draw.engine());
  std::vector<IntTuple> shuffled;
  std::vector<CoordinateLayout::Stride> shuffled_strides;
  for (const std::size_t k : order) {
    shuffled.push_back(made[k]);
    shuffled_strides.push_back(strides[k]);
  }
  return *CoordinateLayout::make(shuffled, shape, shuffled_strides);
}

}  // namespace

TEST_CASE("the identity layout gives the coordinate back") {
  Draw draw(761);
  for (int trial = reckon::test::trials(1000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    CAPTURE(shape.text());
    const auto identity = CoordinateLayout::identity(shape);
    REQUIRE(identity);
    for (const std::int64_t i : draw.indices(identity->size())) {
      REQUIRE(*(*identity)(i) == *split(i, shape));
      REQUIRE(*(*identity)(*split(i, shape)) == *split(i, shape));
    }
    REQUIRE_FALSE((*identity)(identity->size()));
    REQUIRE(*identity == coalesce(*identity));
  }
  CHECK(CoordinateLayout::identity(IntTuple({4, IntTuple({2, 3})}))->text() == "(4,(2,3)):(1@0,(1@0@1,1@1@1))");
  CHECK(CoordinateLayout::identity(24)->text() == "24:1");
  for (const char* text : {"(4,(2,3)):(2@0,(1@1,4@1))", "(4,4):(1@1,1@0)", "(2,4):(1@1@1,1@0)", "(2,3):(0,1@0)"}) {
    CHECK(read_coordinates(text)->text() == text);
  }
  CHECK((*read_coordinates("(4,(2,3)):(2@0,(1@1,4@1))"))(IntTuple({3, IntTuple({1, 2})}))->text() == "(6,9)");
}

TEST_CASE("a layout after coordinates") {
  Draw draw(762);
  int made = 0;
  for (int trial = reckon::test::trials(4000); trial > 0; --trial) {
    const Layout a = draw.layout();
    if (a.size() > 2000) continue;
    const CoordinateLayout b = steps(a.shape(), draw);
    CAPTURE(a.text(), b.text());
    const auto out = compose(a, b);
    if (!out) continue;
    ++made;
    REQUIRE(compatible(b.shape(), out->shape()));
    for (const std::int64_t i : draw.indices(b.size())) REQUIRE(by_digits(*out, i) == *a(*b(i)));
  }
  CHECK(made > reckon::test::trials(4000) / 2);
  // Both leaves step through mode 0, which is no one run: together they carry.
  const Layout a = layout_from("((4,2),3):((1,10),100)");
  const auto carries = compose(a, *CoordinateLayout::make(IntTuple({2, 2}), IntTuple({0, 0}), {{3, 0}, {1, 0}}));
  CHECK_FALSE(carries);
  CHECK_FALSE(compose(a, *CoordinateLayout::make(2, IntTuple({0, 0}), {{1, 1}})));
  CHECK_FALSE(compose(a, *read_coordinates("2:1@2")));
}

TEST_CASE("coordinates after a layout") {
  Draw draw(763);
  int made = 0, refused = 0;
  for (int trial = reckon::test::trials(4000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    const CoordinateLayout a = draw.below(2) == 0 ? *CoordinateLayout::identity(shape) : steps(shape, draw);
    if (a.size() > 2000) continue;
    const Layout b = draw.below(2) == 0 ? draw.tractable(draw.shape(), draw.below(2) == 0)
                                        : *Layout::make(draw.pick({1, 2, 3, 4, 6, 8}), draw.pick({1, 2, 3, 4, 6}));
    if (b.max() >= a.size()) continue;
    CAPTURE(a.text(), b.text());
    const auto out = compose(a, b);
    if (!out) {
      ++refused;
      continue;
    }
    ++made;
    CAPTURE(out->text());
    REQUIRE(compatible(b.shape(), out->shape()));
    for (const std::int64_t i : draw.indices(b.size())) REQUIRE(*(*out)(i) == *a(by_digits(b, i)));
  }
  CHECK(made > reckon::test::trials(4000) / 10);
  CHECK(refused > 0);
}

TEST_CASE("identities divide as layouts of their shape") {
  Draw draw(764);
  int divided = 0;
  for (int trial = reckon::test::trials(2000); trial > 0; --trial) {
    const IntTuple shape({draw.pick({4, 6, 8, 12}), draw.pick({1, 2, 3, 8, 10})});
    const Tiler by(std::vector<Tiler>{*Layout::make(draw.pick({1, 2, 3, 4}), draw.pick({1, 1, 2})),
                                      *Layout::make(draw.pick({1, 2, 4, 5}), 1)});
    const auto identity = CoordinateLayout::identity(shape);
    const auto layout = Layout::compact_right(shape);
    for (const auto form : {DivideForm::logical, DivideForm::zipped, DivideForm::tiled, DivideForm::flat}) {
      CAPTURE(shape.text(), by.text());
      const auto tiles = divide(form, *layout, by);
      const auto where = divide(form, *identity, by);
      REQUIRE(static_cast<bool>(tiles) == static_cast<bool>(where));
      if (!tiles) continue;
      ++divided;
      // CuTe's idiom is the predicate.
      REQUIRE(*where == tiles->bounds.coordinates());
      REQUIRE(tiles->bounds.shape() == shape);
    }
  }
  CHECK(divided > reckon::test::trials(2000));
}
