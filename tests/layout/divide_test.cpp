// Divisions by enumeration: every element in exactly one place of one tile, the places outside told by the bounds.
// RECKON_TRIALS=100000 for a long run.
#include "layout/divide.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "layout/tuples.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// A tile for a mode of so many elements: an interval or steps that divide it or not, now and then several modes.
Layout tile(std::int64_t size, Draw& draw) {
  const std::int64_t extent = draw.below(2) == 0 ? draw.pick({1, 2, 3, 4, 5, 6, 8}) : 1 + draw.below(size);
  const std::int64_t stride = draw.below(3) == 0 ? draw.pick({2, 3, 4}) : 1;
  if (draw.below(5) != 0) return *Layout::make(extent, stride);
  const std::int64_t above = extent * stride * draw.pick({1, 2});
  return *Layout::make(IntTuple({extent, draw.pick({1, 2, 3})}), IntTuple({stride, above}));
}

Tiler tiler(const Layout& layout, Draw& draw, int depth = 2) {
  if (depth == 0 || draw.below(3) == 0) return tile(layout.size(), draw);
  std::vector<Tiler> modes;
  const std::int64_t rank = static_cast<std::int64_t>(layout.rank());
  for (std::int64_t k = 0, last = 1 + draw.below(rank); k < last; ++k) {
    const Layout mode = layout.mode(static_cast<std::size_t>(k));
    modes.push_back(draw.below(6) == 0 ? Tiler::keep() : tiler(mode, draw, draw.below(4) == 0 ? depth - 1 : 0));
  }
  return Tiler(std::move(modes));
}

bool keeps(const Tiler& tiler) {
  if (!tiler.is_tuple()) return tiler.is_keep();
  return std::any_of(tiler.modes().begin(), tiler.modes().end(), keeps);
}

/// layout at one index for each mode that the tiler treats as a whole.
std::int64_t element(const Layout& layout, const IntTuple& position) {
  if (position.is_int()) return by_digits(layout, position.value());
  std::int64_t out = 0;
  for (std::size_t k = 0; k < layout.rank(); ++k) out += element(layout.mode(k), position.elements()[k]);
  return out;
}

bool below(const IntTuple& position, const IntTuple& shape) {
  const auto at = position.leaves(), end = shape.leaves();
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] >= end[k]) return false;
  }
  return true;
}

/// A coordinate of the logical division as (tiles, rests), for the tiler's leaves in order.
void parts(const IntTuple& coordinate, const Tiler& tiler, std::vector<IntTuple>& tiles, std::vector<IntTuple>& rests) {
  if (tiler.is_layout()) {
    tiles.push_back(coordinate.elements()[0]);
    rests.push_back(coordinate.elements()[1]);
    return;
  }
  for (std::size_t k = 0; k < coordinate.rank(); ++k) {
    if (k >= tiler.rank()) rests.push_back(coordinate.elements()[k]);
    else parts(coordinate.elements()[k], tiler.modes()[k], tiles, rests);
  }
}

}  // namespace

TEST_CASE("a division has every element once") {
  Draw draw(731);
  int divided = 0, ragged = 0, refused = 0;
  for (int trial = reckon::test::trials(4000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    const Layout a = draw.below(2) == 0 ? draw.tractable(shape, true) : draw.over(shape);
    const Tiler by = tiler(a, draw);
    CAPTURE(a.text(), by.text());
    const auto out = divide(DivideForm::logical, a, by);
    if (!out) {
      ++refused;
      REQUIRE(out.problem().message.rfind("logical_divide of `" + a.text(), 0) == 0);
      continue;
    }
    ++divided;
    CAPTURE(out->layout.text(), out->bounds.text());
    REQUIRE(out->layout.size() == out->bounds.coordinates().size());
    if (out->layout.size() > 4000) continue;
    std::set<std::vector<std::int64_t>> seen;
    for (std::int64_t i = 0; i < out->layout.size(); ++i) {
      const IntTuple at = *out->bounds.position(i);
      const bool inside = *out->bounds.inside(i);
      REQUIRE(inside == below(at, out->bounds.shape()));
      if (!inside) continue;
      REQUIRE(by_digits(out->layout, i) == element(a, at));
      REQUIRE(seen.insert(at.leaves()).second);
    }
    REQUIRE(static_cast<std::int64_t>(seen.size()) == a.size());
    REQUIRE(out->bounds.everywhere() == (out->layout.size() == a.size()));
    ragged += !out->bounds.everywhere();
    if (!by.is_layout()) continue;
    // The first mode walks the tile.
    REQUIRE(compatible(by.layout().shape(), out->layout.mode(0).shape()));
    for (std::int64_t i = 0; i < by.layout().size(); ++i) {
      REQUIRE(out->bounds.position(IntTuple({i, 0}))->value() == by_digits(by.layout(), i));
    }
  }
  CHECK(divided > reckon::test::trials(4000) / 3);
  CHECK(ragged > reckon::test::trials(4000) / 20);
  CHECK(refused > 0);
}

TEST_CASE("an interval divides whatever is one run") {
  for (std::int64_t size = 1; size <= 24; ++size) {
    for (std::int64_t part = 1; part <= 30; ++part) {
      const auto out = divide(DivideForm::zipped, *Layout::make(size, 3), *Tiler::of(part));
      REQUIRE(out);
      REQUIRE(out->layout.size() == (size + part - 1) / part * part);
      REQUIRE(out->bounds.everywhere() == (size % part == 0));
    }
  }
}

TEST_CASE("the four forms hold the same tiles") {
  Draw draw(732);
  int compared = 0;
  for (int trial = reckon::test::trials(4000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    const Layout a = draw.tractable(shape, false);
    const Tiler by = tiler(a, draw, 1);  // one level, so that coordinates gather in one step
    CAPTURE(a.text(), by.text());
    const auto logical = divide(DivideForm::logical, a, by), zipped = divide(DivideForm::zipped, a, by),
               tiled = divide(DivideForm::tiled, a, by), flat = divide(DivideForm::flat, a, by);
    if (keeps(by)) {
      REQUIRE_FALSE((zipped || tiled || flat));
      continue;
    }
    REQUIRE(static_cast<bool>(logical) == static_cast<bool>(zipped));
    if (!logical || logical->layout.size() > 2000) continue;
    ++compared;
    CAPTURE(zipped->layout.text(), tiled->layout.text(), flat->layout.text());
    REQUIRE(same_spelling(*logical_divide(a, by), logical->layout));
    REQUIRE(same_spelling(*zipped_divide(a, by), zipped->layout));
    REQUIRE(same_spelling(*tiled_divide(a, by), tiled->layout));
    REQUIRE(same_spelling(*flat_divide(a, by), flat->layout));
    for (const std::int64_t i : draw.indices(logical->layout.size())) {
      const IntTuple at = *idx2crd(i, logical->layout.shape());
      std::vector<IntTuple> tiles, rests;
      parts(at, by, tiles, rests);
      const IntTuple pair = by.is_tuple() ? IntTuple({tiles, rests}) : IntTuple({tiles[0], rests[0]});
      REQUIRE(*zipped->layout(pair) == *logical->layout(i));
      REQUIRE(*zipped->bounds.inside(pair) == *logical->bounds.inside(i));
      REQUIRE(*zipped->bounds.position(pair) == *logical->bounds.position(i));
      const auto opened = [](const IntTuple& mode) {
        return mode.is_int() || mode.rank() == 1 ? std::vector<IntTuple>{mode} : mode.elements();
      };
      std::vector<IntTuple> in_tiled{pair.elements()[0]}, in_flat = opened(pair.elements()[0]);
      for (const IntTuple& rest : opened(pair.elements()[1])) {
        in_tiled.push_back(rest);
        in_flat.push_back(rest);
      }
      REQUIRE(*tiled->layout(in_tiled) == *logical->layout(i));
      REQUIRE(*flat->layout(in_flat) == *logical->layout(i));
      REQUIRE(*flat->bounds.inside(in_flat) == *logical->bounds.inside(i));
    }
  }
  CHECK(compared > reckon::test::trials(4000) / 6);
}

TEST_CASE("bounds are written as they are compared") {
  const auto ragged = divide(DivideForm::logical, layout_from("10:1"), *Tiler::of(4));
  REQUIRE(ragged);
  CHECK(ragged->layout.text() == "(4,3):(1,4)");
  CHECK(ragged->bounds.text() == "(4,3):(1,4) < 10");
  CHECK(*ragged->bounds.inside(IntTuple({1, 2})));
  CHECK_FALSE(*ragged->bounds.inside(IntTuple({2, 2})));
  CHECK_FALSE(ragged->bounds.inside(IntTuple({4, 2})));
  const auto both = divide(DivideForm::zipped, layout_from("(10,9):(9,1)"), *Tiler::of(IntTuple({4, 5})));
  REQUIRE(both);
  CHECK(both->bounds.text() == "((4,5),(3,2)):((1@0,1@1),(4@0,5@1)) < (10,9)");
  // Mode by mode, 36 in (16,32) would come out as 11 tiles, that is 396 of 512 elements.
  const auto strided = divide(DivideForm::logical, layout_from("(16,32):(1,100)"), Tiler(layout_from("1:36")));
  REQUIRE(strided);
  CHECK(strided->bounds.everywhere());
}

TEST_CASE("divisions that cannot be name the mode and the rule") {
  const auto message = [](const auto& result) {
    REQUIRE_FALSE(result);
    return result.problem().message;
  };
  using Catch::Matchers::Contains;
  const Layout a = layout_from("(8,(4,6)):(24,(6,1))");
  const Tiler keep_first(std::vector<Tiler>{Tiler::keep(), layout_from("4:1")});
  CHECK_THAT(message(zipped_divide(a, keep_first)),
             Contains("zipped_divide of `(8,(4,6)):(24,(6,1))` by `<_,4:1>`, mode `0`: `_` keeps the mode whole"));
  CHECK(logical_divide(a, keep_first)->text() == "(8,(4,6)):(24,(6,1))");
  CHECK_THAT(message(flat_divide(a, *Tiler::of(IntTuple({2, 2, 2})))), Contains("`3` tilers for the `2` modes"));
  CHECK_THAT(message(logical_divide(layout_from("24:1"), layout_from("(2,2):(1,3)"))),
             Contains("copies of the tile `(2,2):(1,3)` do not fill the mode"));
  CHECK(zipped_divide(layout_from("24:1"), layout_from("(2,2):(1,3)")).problem().kind == Problem::Kind::gap);
  CHECK(zipped_divide(layout_from("24:1"), layout_from("(2,2):(1,1)")).problem().kind == Problem::Kind::overlap);
  CHECK(zipped_divide(layout_from("24:1"), layout_from("4:-1")).problem().kind == Problem::Kind::negative_stride);
  const Tiler second(std::vector<Tiler>{Tiler::keep(), Tiler(std::vector<Tiler>{layout_from("3:1")})});
  CHECK_THAT(message(logical_divide(layout_from("(8,((4,6),2)):(96,((12,2),1))"), second)), Contains("mode `1,0`"));
}
