// Composition by mode.
#include "layout/tiler.h"

#include <catch2/catch.hpp>

#include "layout/compose.h"
#include "layout/divide.h"
#include "layout/tuples.h"
#include "tests/layout/draw.h"
#include "tests/layout/notation.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

TEST_CASE("a tiler composes with each mode alone") {
  Draw draw(781);
  int made = 0;
  for (int trial = reckon::test::trials(2000); trial > 0; --trial) {
    const Layout a = draw.layout();
    std::vector<Tiler> modes;
    for (std::int64_t k = draw.below(static_cast<std::int64_t>(a.rank())); k >= 0; --k) {
      if (draw.below(4) == 0) modes.push_back(Tiler::keep());
      else modes.push_back(*Layout::make(draw.pick({1, 2, 3, 4}), draw.pick({0, 1, 1, 2})));
    }
    const Tiler by(modes);
    CAPTURE(a.text(), by.text());
    REQUIRE(read_tiler(by.text())->text() == by.text());
    const auto out = compose(a, by);
    bool all = true;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      all = all && (modes[k].is_keep() || compose(a.mode(k), modes[k].layout()));
    }
    REQUIRE(static_cast<bool>(out) == all);
    if (!out) continue;
    ++made;
    REQUIRE(out->rank() == a.rank());
    for (std::size_t k = 0; k < a.rank(); ++k) {
      const bool kept = k >= modes.size() || modes[k].is_keep();
      REQUIRE(same_spelling(out->mode(k), kept ? a.mode(k) : *compose(a.mode(k), modes[k].layout())));
    }
    // At a coordinate of the tiles, A at what the tiles say.
    std::vector<IntTuple> at, there;
    for (std::size_t k = 0; k < a.rank(); ++k) {
      const std::int64_t i = draw.below(out->mode(k).size());
      at.emplace_back(i);
      const bool kept = k >= modes.size() || modes[k].is_keep();
      there.emplace_back(kept ? i : by_digits(modes[k].layout(), i));
    }
    bool within = true;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < a.rank(); ++k) {
      within = within && there[k].value() < a.mode(k).size();
      sum += by_digits(a.mode(k), there[k].value());
    }
    if (within) REQUIRE(*(*out)(at) == sum);
  }
  CHECK(made > 500);
}

TEST_CASE("the grid of a tiling is what its division has as rest") {
  Draw draw(782);
  for (int trial = reckon::test::trials(1000); trial > 0; --trial) {
    const IntTuple shape({draw.pick({4, 6, 8, 10}), draw.pick({1, 3, 9})});
    const Tiler by = *Tiler::of(IntTuple({draw.pick({1, 2, 3, 4, 7}), draw.pick({1, 2, 5})}));
    CAPTURE(shape.text(), by.text());
    const auto zipped = zipped_divide(*Layout::compact_right(shape), by);
    REQUIRE(zipped);
    REQUIRE(zipped->mode(0).shape() == *tile_shape(by));
    REQUIRE(zipped->mode(1).shape() == *ceil_div(shape, by));
  }
}

TEST_CASE("tilers that do not fit") {
  const Layout a = layout_from("(4,6):(6,1)");
  const auto three = compose(a, *read_tiler("<2:1,3:1,1:0>"));
  REQUIRE_FALSE(three);
  CHECK(three.problem().kind == Problem::Kind::rank);
  CHECK(three.problem().message ==
        "composition of `(4,6):(6,1)` with the tiler `<2:1,3:1,1:0>`: `3` tilers for `2` modes");
  CHECK(compose(a, *read_tiler("<_,3:2>"))->text() == "(4,3):(6,2)");
  CHECK(compose(a, *read_tiler("<2:1>"))->text() == "(2,6):(6,1)");
  CHECK(compose(a, Tiler::keep())->text() == a.text());
  CHECK_FALSE(Tiler::of(0));
  CHECK_FALSE(Tiler::of(IntTuple({4, 0})));
  CHECK_FALSE(Tiler::of(std::vector<IntTuple>{}));
  CHECK_FALSE(tile_shape(*read_tiler("<_,3:2>")));
  CHECK(tile_shape(*read_tiler("<(2,2):(1,4),<3:2>>"))->text() == "(4,(3))");
  const auto inner = compose(layout_from("((4,3),2):((1,10),100)"), *read_tiler("<6:1>"));
  REQUIRE_FALSE(inner);
  CHECK(inner.problem().message.rfind("mode `0`: ", 0) == 0);
}
