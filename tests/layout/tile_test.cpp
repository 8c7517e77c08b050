// Tiles and partitions: together they have every element once, each where its bounds say.
#include "layout/tile.h"

#include <catch2/catch.hpp>
#include <set>

#include "layout/composed_parts.h"
#include "layout/tuples.h"
#include "tests/layout/draw.h"
#include "tests/layout/notation.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

struct Case {
  Layout layout;
  IntTuple shape, tile;
};

Case draw_case(Draw& draw) {
  const IntTuple shape({draw.pick({4, 6, 8, 10, 12}), draw.pick({3, 4, 8, 9})});
  const Layout layout = draw.below(2) == 0 ? draw.tractable(shape, true) : draw.over(shape);
  return {layout, shape, IntTuple({draw.pick({1, 2, 3, 4, 5}), draw.pick({1, 2, 3, 4})})};
}

using Seen = std::set<std::vector<std::int64_t>>;

/// The part's elements, none of them seen before.
void visit(const Layout& whole, const Part& part, Seen& seen) {
  REQUIRE(part.layout.size() == part.bounds.coordinates().size());
  for (std::int64_t i = 0; i < part.layout.size(); ++i) {
    if (!*part.bounds.inside(i)) continue;
    const IntTuple at = *part.bounds.position(i);
    REQUIRE(part.offset + by_digits(part.layout, i) == *whole(at));
    REQUIRE(seen.insert(at.leaves()).second);
  }
}

}  // namespace

TEST_CASE("tiles cover a layout") {
  Draw draw(771);
  for (int trial = reckon::test::trials(500); trial > 0; --trial) {
    const Case the = draw_case(draw);
    CAPTURE(the.layout.text(), the.tile.text());
    const Tiler by = *Tiler::of(the.tile);
    const IntTuple grid = *ceil_div(the.shape, by);
    Seen seen, all;
    for (std::int64_t i = 0; i < *product(grid); ++i) {
      const IntTuple at = *idx2crd(i, grid);
      const auto part = local_tile(the.layout, by, Holed(at));
      REQUIRE(part);
      REQUIRE(part->layout.shape() == the.tile);
      visit(the.layout, *part, seen);
      // A row of tiles at once.
      if (i >= grid.elements()[0].value()) continue;
      const auto row = local_tile(the.layout, by, Holed(std::vector<Holed>{at.elements()[0].value(), Holed::hole()}));
      REQUIRE(row);
      visit(the.layout, *row, all);
    }
    REQUIRE(static_cast<std::int64_t>(seen.size()) == the.layout.size());
    REQUIRE(all == seen);
    REQUIRE_FALSE(local_tile(the.layout, by, Holed(IntTuple({grid.elements()[0].value(), 0}))));
  }
}

TEST_CASE("threads' parts cover a layout") {
  Draw draw(772);
  for (int trial = reckon::test::trials(500); trial > 0; --trial) {
    const Case the = draw_case(draw);
    const Layout threads = draw.tractable(the.tile, false);
    CAPTURE(the.layout.text(), threads.text());
    Seen seen;
    for (std::int64_t thread = 0; thread < threads.size(); ++thread) {
      const auto part = local_partition(the.layout, threads, thread);
      REQUIRE(part);
      visit(the.layout, *part, seen);
      // The first element is at the thread's own coordinate.
      IntTuple own = 0;
      for (std::int64_t i = 0; i < threads.size(); ++i) {
        if (by_digits(threads, i) == thread) own = *idx2crd(i, the.tile);
      }
      REQUIRE(*part->bounds.position(0) == own);
      // Without mode 1, threads that differ there share a part.
      const auto shared = local_partition(the.layout, threads, thread, {true, false});
      REQUIRE(shared);
      REQUIRE(shared->bounds.position(0)->elements()[0] == own.elements()[0]);
      REQUIRE(shared->bounds.position(0)->elements()[1] == IntTuple(0));
    }
    REQUIRE(static_cast<std::int64_t>(seen.size()) == the.layout.size());
  }
}

TEST_CASE("projected tiles") {
  // The tiles of A in a matrix product: the M and K of (M,N,K).
  const Layout a = layout_from("(128,64):(64,1)");
  const Tiler by = *Tiler::of(IntTuple({32, 16, 8}));
  const Holed at(std::vector<Holed>{1, 2, Holed::hole()});
  const auto part = local_tile(a, by, at, {true, false, true});
  REQUIRE(part);
  CHECK(part->layout.text() == "(32,8,8):(64,1,8)");
  CHECK(part->offset == 2048);
  CHECK_FALSE(local_tile(a, by, at, {true, true}));
  CHECK_FALSE(local_tile(a, by, at, {false, false, false}));
}

TEST_CASE("tiles of swizzled layouts keep their place inside of the swizzle") {
  const AnyLayout a = *read_any("Sw<3,3,3> o 0 o (16,64):(64,1)");
  const Tiler by = *Tiler::of(IntTuple({8, 16}));
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) {
      const auto part = local_tile(a, by, Holed(IntTuple({i, j})));
      REQUIRE(part);
      for (std::int64_t k = 0; k < size(part->layout); ++k) {
        const IntTuple at({8 * i + k % 8, 16 * j + k / 8});
        REQUIRE(part->offset + *evaluate(part->layout, k) == *evaluate(a, at));
      }
    }
  }
  const auto whole = divide(DivideForm::zipped, a, *Tiler::of(IntTuple({8, 24})));  // 64 is no multiple of 24
  REQUIRE(whole);
  std::int64_t inside = 0;
  for (std::int64_t k = 0; k < size(whole->layout); ++k) {
    if (!*whole->bounds.inside(k)) continue;
    ++inside;
    REQUIRE(*evaluate(whole->layout, k) == *evaluate(a, *whole->bounds.position(k)));
  }
  CHECK(inside == size(a));
  const auto row = slice(a, Holed(std::vector<Holed>{5, Holed::hole()}));
  REQUIRE(row);
  for (std::int64_t j = 0; j < 64; ++j) {
    CHECK(row->offset + *evaluate(row->layout, j) == *evaluate(a, IntTuple({5, j})));
  }
}

TEST_CASE("parts that cannot be") {
  using Catch::Matchers::Contains;
  const Layout a = layout_from("(8,8):(8,1)");
  const auto message = [](const auto& result) {
    REQUIRE_FALSE(result);
    return result.problem().message;
  };
  CHECK_THAT(message(local_partition(a, layout_from("(4,2):(1,8)"), 0)), Contains("are no bijection onto"));
  CHECK_THAT(message(local_partition(a, layout_from("(4,2):(1,4)"), 8)), Contains("thread `8` is none of the `8`"));
  CHECK_THAT(message(local_partition(a, layout_from("(4,2,2):(1,4,8)"), 0)), Contains("`3` tilers for the `2` modes"));
  CHECK_THAT(message(local_tile(a, *Tiler::of(IntTuple({4, 4})), Holed(IntTuple({2, 0})))), Contains("index `2`"));
}
