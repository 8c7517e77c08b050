// Complements and inverses: their laws, and each refusal against brute force. RECKON_TRIALS=100000 for a long run.
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <set>

#include "layout/coalesce.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/fit.h"
#include "layout/inverse.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;
using Kind = Problem::Kind;

namespace {

/// The starts of the translates of `image`, which has 0 as its least, that tile 0 .. n - 1 for the least such n that is
/// at least `target`; nothing if none up to `limit` is tiled. The least offset that is not covered yet has to be the
/// start of one, so there is no choice.
std::optional<std::vector<std::int64_t>> tiling(const std::set<std::int64_t>& image, std::int64_t target,
                                                std::int64_t limit) {
  std::vector<bool> covered(static_cast<std::size_t>(limit + *image.rbegin() + 1));
  std::vector<std::int64_t> starts;
  std::int64_t holes = 0, end = 0;  // offsets below `end` that are not covered; one past the last that is
  for (std::int64_t next = 0; next < limit; ++next) {
    if (covered[static_cast<std::size_t>(next)]) continue;
    if (next == end && holes == 0 && next >= target) return starts;
    for (const std::int64_t offset : image) {
      auto cell = covered[static_cast<std::size_t>(next + offset)];
      if (cell) return std::nullopt;
      cell = true;
    }
    starts.push_back(next);
    end = std::max(end, next + *image.rbegin() + 1);
    holes = 0;
    for (std::int64_t k = next; k < end; ++k) holes += !covered[static_cast<std::size_t>(k)];
  }
  return std::nullopt;
}

std::set<std::int64_t> image_of_layout(const Layout& a) {
  const auto table = table_by_digits(a);
  return {table.begin(), table.end()};
}

bool bijective(const Layout& a) {
  const auto image = image_of_layout(a);
  return static_cast<std::int64_t>(image.size()) == a.size() && *image.begin() == 0 && *image.rbegin() == a.size() - 1;
}

Layout drawn(Draw& draw, int trial) {
  switch (trial % 3) {
    case 0: return draw.tractable(draw.shape(), true);
    case 1: return draw.layout(false);
    default: return draw.layout();
  }
}

}  // namespace

TEST_CASE("laws: a complement tiles an interval exactly, and is refused only where none does") {
  Draw draw(31);
  std::map<Kind, int> refused;
  int complete = 0;
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    const Layout a = drawn(draw, trial);
    if (a.size() > 256 || a.cosize() > 3000) continue;
    const std::int64_t target = 1 + draw.below(2 * a.cosize() + 4);
    CAPTURE(a.text(), target);
    const Layout f = filter(a);
    const auto out = complement(a, target);
    if (!out) {
      ++refused[out.problem().kind];
      if (out.problem().kind == Kind::negative_stride) {
        REQUIRE(f.min() < 0);
        continue;
      }
      // No set at all tiles with it: neither the least interval, nor one further on.
      const auto image = image_of_layout(f);
      if (static_cast<std::int64_t>(image.size()) == f.size()) REQUIRE_FALSE(tiling(image, 1, 4 * f.cosize() + 50));
      continue;
    }
    ++complete;
    const auto p = table_by_digits(f), q = table_by_digits(*out);
    const std::int64_t count = f.size() * out->size();
    REQUIRE(std::is_sorted(q.begin(), q.end()));
    REQUIRE(count >= target);
    std::vector<bool> seen(static_cast<std::size_t>(count));
    for (const std::int64_t x : p) {
      for (const std::int64_t y : q) {
        if (x + y >= count || seen[static_cast<std::size_t>(x + y)]) FAIL("at " << x + y);
        seen[static_cast<std::size_t>(x + y)] = true;
      }
    }
    // As the tiling goes: the least one that reaches the target.
    const auto greedy = tiling(image_of_layout(f), target, count + 1);
    REQUIRE(greedy);
    REQUIRE(q == *greedy);
    // What is complete needs nothing more.
    REQUIRE(same_spelling(*complement_loose(a, target), *out));
  }
  CHECK(complete > 1000);
  for (const Kind kind : {Kind::negative_stride, Kind::overlap, Kind::gap}) CHECK(refused[kind] > 50);
}

TEST_CASE("a complement in a tuple reaches the tuple's size") {
  CHECK(complement(layout_from("3:1"), *whole_tuple("(4,6)"))->text() == "12:3");
  // Rounded up mode by mode, 36 in (16,32) would be 11, and 36 * 11 is below 512.
  CHECK(complement(layout_from("36:1"), *whole_tuple("(16,32)"))->text() == "15:36");
}

TEST_CASE("laws: a loose complement keeps sums apart") {
  Draw draw(32);
  int gaps = 0;
  for (int trial = 0; trial < reckon::test::trials(3000); ++trial) {
    const Layout a = draw.layout(false);
    if (a.size() > 128) continue;
    const std::int64_t target = 1 + draw.below(a.cosize() + 40);
    const auto out = complement_loose(a, target);
    if (!out || out->size() > 512) continue;
    CAPTURE(a.text(), target, out->text());
    gaps += !complement(a, target);
    const auto p = table_by_digits(filter(a)), q = table_by_digits(*out);
    REQUIRE(std::is_sorted(q.begin(), q.end()));
    std::set<std::int64_t> sums;
    for (const std::int64_t x : p) {
      for (const std::int64_t y : q) sums.insert(x + y);
    }
    REQUIRE(sums.size() == p.size() * q.size());
  }
  CHECK(gaps > 20);
}

TEST_CASE("a tuple as target is divided mode by mode") {
  const IntTuple pair({4, 6});
  CHECK(complement(layout_from("3:1"), pair)->text() == "12:3");
  CHECK(complement(layout_from("3:1"), 24)->text() == "8:3");
  CHECK(
      complement(layout_from("(2,2):(1,3)"), 24).problem().message ==
      "complement of `(2,2):(1,3)`: the stride 3 of the mode `2:3` is not a multiple of 2, where `2:1` below it ends, "
      "so that no layout fills the gap between them (in order of strides: `2:1, 2:3`)");
  CHECK(complement_loose(layout_from("(2,2):(1,3)"), 24)->text() == "4:6");
  // An injective layout is not called otherwise.
  CHECK(complement(layout_from("(2,2):(2,3)")).problem().message ==
        "complement of `(2,2):(2,3)`: the mode `2:3` starts at 3, before the end 4 of `2:2` below it, so that the two "
        "interleave");
  CHECK(complement(layout_from("(2,2):(1,1)")).problem().message ==
        "complement of `(2,2):(1,1)`: the mode `2:1` starts at 1, before the end 2 of `2:1` below it, and both reach "
        "the offset 1");
  CHECK(complement(layout_from("4:-1"), 8).problem().kind == Kind::negative_stride);
  CHECK(complement(layout_from("4:1"), 0).problem().kind == Kind::not_positive);
  CHECK(complement(layout_from("4:1"), IntTuple({4, -1})).problem().kind == Kind::not_positive);
  const std::int64_t large = std::int64_t{1} << 62;
  CHECK(complement(*Layout::make(2, large), 8).problem().kind == Kind::too_large);
  CHECK(complement(layout_from("3:1"), std::numeric_limits<std::int64_t>::max()).problem().kind == Kind::too_large);
}

TEST_CASE("laws: right inverses") {
  Draw draw(33);
  int longer = 0, whole = 0, longest = 0;
  for (int trial = 0; trial < reckon::test::trials(8000); ++trial) {
    const Layout a = drawn(draw, trial);
    CAPTURE(a.text());
    const auto out = right_inverse(a);
    REQUIRE(out);
    CAPTURE(out->text());
    REQUIRE((out->size() == 1 || same_spelling(coalesce(*out), *out)));
    for (const std::int64_t i : draw.indices(out->size())) {
      const std::int64_t index = by_digits(*out, i);
      if (index < 0 || index >= a.size() || by_digits(a, index) != i) FAIL("at " << i);
    }
    longer += out->size() > 1;
    const auto all = right_inverse_whole(a);
    if (all) {
      ++whole;
      REQUIRE(all->size() == a.cosize());
    } else if (all.problem().kind == Kind::negative_stride) {
      REQUIRE(a.min() < 0);
    }
    // Of an injective layout with strides >= 0 it is the longest: no longer run of its preimages is a layout.
    if (a.size() > 256 || a.min() < 0) continue;
    std::map<std::int64_t, std::int64_t> preimage;
    for (std::int64_t i = 0; i < a.size(); ++i) preimage.emplace(by_digits(a, i), i);
    if (static_cast<std::int64_t>(preimage.size()) != a.size()) continue;
    std::vector<std::int64_t> run;
    while (preimage.count(static_cast<std::int64_t>(run.size())))
      run.push_back(preimage[static_cast<std::int64_t>(run.size())]);
    std::size_t best = run.size();
    while (!begins_layout(run, best, best - 1)) run.resize(--best);
    ++longest;
    REQUIRE(out->size() == static_cast<std::int64_t>(best));
  }
  CHECK(longer > 500);
  CHECK(whole > 200);
  CHECK(longest > 200);
  CHECK(right_inverse(layout_from("(2,2,2):(1,1,2)"))->text() == "4:2");  // CuTe's stops at 2
}

TEST_CASE("laws: left inverses") {
  Draw draw(34);
  int exact = 0, loose = 0;
  std::map<Kind, int> refused;
  for (int trial = 0; trial < reckon::test::trials(8000); ++trial) {
    const Layout a = drawn(draw, trial);
    CAPTURE(a.text());
    const auto out = left_inverse(a);
    if (out) {
      ++exact;
      CAPTURE(out->text());
      for (const std::int64_t i : draw.indices(a.size())) {
        if (by_digits(*out, by_digits(a, i)) != i) FAIL("at " << i);
      }
      REQUIRE(same_spelling(*left_inverse_loose(a), *out));
      continue;
    }
    ++refused[out.problem().kind];
    if (out.problem().kind == Kind::negative_stride) REQUIRE(a.min() < 0);
    // A bijection always has one.
    if (a.size() <= 256) REQUIRE_FALSE(bijective(a));
    const auto quasi = left_inverse_loose(a);
    if (!quasi) continue;
    ++loose;
    for (const std::int64_t i : draw.indices(a.size())) {
      const std::int64_t index = by_digits(*quasi, by_digits(a, i));
      if (index >= a.size() || by_digits(a, index) != by_digits(a, i)) FAIL(quasi->text() << " at " << i);
    }
  }
  CHECK(exact > 500);
  CHECK(loose > 100);
  for (const Kind kind : {Kind::negative_stride, Kind::overlap, Kind::gap}) CHECK(refused[kind] > 50);
  CHECK(left_inverse(layout_from("(4,2):(1,5)"))->text() == "(5,2):(1,4)");  // pycute's 4:1 is wrong on the image
  CHECK(left_inverse(layout_from("(2,2):(2,5)")).problem().message ==
        "left_inverse of `(2,2):(2,5)`: the stride 5 of `2:5` is not a multiple of 2, the stride of `2:2` below it");
  CHECK(left_inverse(layout_from("4:-1")).problem().kind == Kind::negative_stride);
  CHECK(left_inverse_loose(layout_from("((3,7)):((0,0))"))->text() == "21:0");
}

TEST_CASE("laws: an inverse exists exactly for bijections, and is one from both sides") {
  Draw draw(35);
  int inverted = 0;
  for (int trial = 0; trial < reckon::test::trials(8000); ++trial) {
    const Layout a = trial % 2 == 0 ? draw.tractable(draw.shape(), trial % 4 == 0) : draw.layout();
    if (a.size() > 4096) continue;
    CAPTURE(a.text());
    const auto out = inverse(a);
    REQUIRE(static_cast<bool>(out) == bijective(a));
    if (!out) continue;
    ++inverted;
    REQUIRE(out->size() == a.size());
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (by_digits(*out, by_digits(a, i)) != i || by_digits(a, by_digits(*out, i)) != i) FAIL("at " << i);
    }
    REQUIRE(*out == *right_inverse(a));
    REQUIRE(*out == *left_inverse(a));
  }
  CHECK(inverted > 300);
  CHECK(
      inverse(layout_from("(4,2):(1,5)")).problem().message ==
      "inverse of `(4,2):(1,5)`: the mode `2:5` starts at 5, and the modes below it end at 4, so that the offset 4 is "
      "never reached");
}

TEST_CASE("laws: injective is decided") {
  Draw draw(36);
  int counts[2] = {};
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    const Layout a = drawn(draw, trial);
    if (a.size() > 4096) continue;
    CAPTURE(a.text());
    const auto out = injective(a);
    REQUIRE(out);
    REQUIRE(*out == (static_cast<std::int64_t>(image_of_layout(a).size()) == a.size()));
    ++counts[*out];
  }
  CHECK(counts[0] > 200);
  CHECK(counts[1] > 200);
}
