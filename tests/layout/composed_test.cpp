// Swizzles, composed layouts and their exact ranges, inverses of swizzled layouts, common layouts.
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "layout/common.h"
#include "layout/compose.h"
#include "layout/inverse.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;
using Kind = Problem::Kind;

namespace {

Swizzle drawn_swizzle(Draw& draw, int base = 4) {
  const int bits = static_cast<int>(draw.below(4));
  const int shift = bits + static_cast<int>(draw.below(3));
  return *Swizzle::make(bits, static_cast<int>(draw.below(base)), draw.below(2) == 0 ? shift : -shift);
}

/// From the definition: the fields read and changed, by bits one at a time.
std::int64_t swizzled(const Swizzle& s, std::int64_t x) {
  std::int64_t out = x;
  for (int k = 0; k < s.bits; ++k) {
    const int read = s.base + k + std::max(s.shift, 0), changed = s.base + k + std::max(-s.shift, 0);
    if ((x >> read & 1) != 0) out ^= std::int64_t{1} << changed;
  }
  return out;
}

Range range_by_points(const AnyLayout& of) {
  Range out{*evaluate(of, 0), *evaluate(of, 0)};
  for (std::int64_t i = 0; i < size(of); ++i) {
    out.min = std::min(out.min, *evaluate(of, i));
    out.max = std::max(out.max, *evaluate(of, i));
  }
  return out;
}

}  // namespace

TEST_CASE("laws: swizzles") {
  Draw draw(41);
  for (int trial = 0; trial < reckon::test::trials(2000); ++trial) {
    const Swizzle s = drawn_swizzle(draw), t = drawn_swizzle(draw);
    CAPTURE(s.text(), t.text());
    REQUIRE((s.read_mask() & s.changed_mask()) == 0);
    std::set<std::int64_t> image;
    for (std::int64_t x = 0; x < std::min<std::int64_t>(s.block(), 4096); ++x) {
      const std::int64_t y = s(x), z = draw.below(1 << 20);
      if (y != swizzled(s, x) || s(y) != x || s(x ^ z) != (y ^ s(z))) FAIL("at " << x);
      if (((x ^ y) & ((std::int64_t{1} << s.base) - 1)) != 0) FAIL("at " << x);
      if (s(x + 5 * s.block()) != y + 5 * s.block() || s(x - 3 * s.block()) != y - 3 * s.block()) FAIL("at " << x);
      image.insert(y);
    }
    if (s.block() <= 4096)
      REQUIRE((static_cast<std::int64_t>(image.size()) == s.block() && *image.rbegin() == s.block() - 1));
    REQUIRE((s.is_identity() || *Swizzle::from_masks(s.read_mask(), s.changed_mask()) == s));
    const auto both = compose(s, t);
    for (int k = 0; k < 64; ++k) {
      const std::int64_t x = draw.below(1 << 16);
      if (both && (*both)(x) != s(t(x))) FAIL(both->text());
    }
  }
  CHECK(compose(*Swizzle::make(1, 0, 3), *Swizzle::make(1, 1, 3))->text() == "Sw<2,0,3>");
  const auto bad = [](const auto& result) {
    REQUIRE_FALSE(result);
    CHECK(result.problem().kind == Kind::bad_swizzle);
    return result.problem().message;
  };
  CHECK(bad(Swizzle::make(3, 4, 2)) ==
        "the swizzle `Sw<3,4,2>` shifts by 2, less than its 3 bits, so that it would change bits that it reads");
  CHECK(bad(Swizzle::make(-1, 0, 0)) == "the swizzle `Sw<-1,0,0>` has a negative number of bits");
  CHECK(bad(Swizzle::make(3, 60, 3)) == "the swizzle `Sw<3,60,3>` reaches beyond bit 61");
  CHECK(bad(Swizzle::make(1, 0, std::numeric_limits<int>::min())).find("beyond bit 61") != std::string::npos);
  CHECK(bad(Swizzle::from_masks(0b101, 0b11000)) ==
        "a swizzle from the masks `0b101` and `0b11000`: bits of a mask are not next to each other");
  CHECK(bad(Swizzle::from_masks(0b11, 0b100)).find("2 bits are read, and 1 changed") != std::string::npos);
  CHECK(bad(compose(*Swizzle::make(1, 0, 3), *Swizzle::make(1, 0, 2))).find("shift by 3 and by 2") !=
        std::string::npos);
}

TEST_CASE("laws: the range of a composed layout is exact") {
  Draw draw(42);
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    const Layout inner = trial % 3 == 0 ? draw.tractable(draw.shape(), true) : draw.layout();
    if (inner.size() > 2048) continue;
    const std::int64_t offset = draw.pick({0, 0, 1, 8, 100, 4096}) - std::min<std::int64_t>(0, inner.min());
    Composed of(drawn_swizzle(draw, 8), offset, inner);
    if (trial % 4 == 0) of = Composed({Stage{drawn_swizzle(draw), 3}, Stage{drawn_swizzle(draw), offset}}, inner);
    if (trial % 5 == 0)
      of = Composed({Stage{drawn_swizzle(draw), 0}, Stage{draw.tractable(draw.shape(), false), offset}}, inner);
    CAPTURE(of.text());
    const Range points = range_by_points(of);
    const auto range = of.range();
    REQUIRE(range);
    REQUIRE(range->min == points.min);
    REQUIRE(range->max == points.max);
    REQUIRE(*of.extent() == points.max - points.min + 1);
    REQUIRE(*of.cosize() == points.max - std::min<std::int64_t>(0, points.min) + 1);
  }
  CHECK(*Composed(*Swizzle::make(1, 0, 2), 0, layout_from("5:1")).cosize() == 6);  // CuTe: 5
}

TEST_CASE("ranges of large composed layouts come from their structure") {
  const std::int64_t large = std::int64_t{1} << 40;
  // The greatest x below 10^12 is 10^12 - 1; only its block of 2^10 matters.
  const Composed blocks(*Swizzle::make(3, 4, 3), 0, *Layout::make(1'000'000'000'000, 1));
  std::int64_t greatest = 0;
  for (std::int64_t x = 1'000'000'000'000 - 2048; x < 1'000'000'000'000; ++x)
    greatest = std::max(greatest, blocks.stages().size() == 1 ? std::get<Swizzle>(blocks.stages()[0].map)(x) : 0);
  CHECK(blocks.range()->min == 0);
  CHECK(blocks.range()->max == greatest);
  // A block that is larger than the layout: by aligned pieces. Bit 31 sets bit 21 here.
  const Composed wide(*Swizzle::make(1, 21, 10), 0, *Layout::make((std::int64_t{1} << 31) + 1, 1));
  CHECK(wide.range()->max == (std::int64_t{1} << 31) + (std::int64_t{1} << 21));
  const Composed bits(*Swizzle::make(3, 20, 10), 0,
                      *Layout::make(std::vector<IntTuple>{large, 4}, std::vector<IntTuple>{4, 1}));
  CHECK(bits.range()->max == 4 * large - 1);
  // Of no structure, and too large: not guessed.
  const Composed open({Stage{*Swizzle::make(2, 0, 2), 1}, Stage{layout_from("(3,5):(7,2)"), 0}},
                      *Layout::make(large, 3));
  REQUIRE_FALSE(open.range());
  CHECK(open.range().problem().kind == Kind::undecided);
}

TEST_CASE("laws: compositions with swizzles evaluate right, and move them to the left where they can") {
  Draw draw(43);
  int moved = 0, stay = 0;
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    const Layout a = trial % 2 == 0 ? draw.tractable(draw.shape(), true) : draw.layout(false);
    const Layout b = draw.tractable(draw.shape(), false);
    if (a.size() > 1024 || b.size() > 1024) continue;
    const Swizzle s = drawn_swizzle(draw), t = drawn_swizzle(draw);
    CAPTURE(a.text(), b.text(), s.text(), t.text());
    const AnyLayout right = compose_any(AnyLayout(a), s);
    REQUIRE(size(right) == a.size());
    for (std::int64_t i = 0; i < a.size(); ++i) {
      if (*evaluate(right, i) != by_digits(a, swizzled(s, i))) FAIL(text(right) << " at " << i);
    }
    if (const auto* composed = std::get_if<Composed>(&right)) ++(composed->stages().size() == 1 ? moved : stay);
    // t o a o (s o b)
    const AnyLayout all = compose_any(t, compose_any(AnyLayout(a), compose_any(s, AnyLayout(b))));
    REQUIRE(size(all) == b.size());
    for (std::int64_t i = 0; i < b.size(); ++i) {
      if (*evaluate(all, i) != swizzled(t, by_digits(a, swizzled(s, by_digits(b, i))))) FAIL(text(all) << " at " << i);
    }
  }
  CHECK(moved > 50);
  CHECK(stay > 50);
  const AnyLayout row = layout_from("(8,8):(8,1)");
  CHECK(text(compose_any(row, *Swizzle::make(3, 0, 3))) == "Sw<3,0,-3> o 0 o (8,8):(8,1)");
  CHECK(text(compose_any(*Swizzle::make(3, 0, 3), compose_any(*Swizzle::make(3, 0, 3), row))) == "(8,8):(8,1)");
  CHECK(text(compose_any(layout_from("(4,2):(1,10)"), layout_from("4:3"))) == "(4,2):(1,10) o 4:3");
}

TEST_CASE("laws: inverses of swizzled layouts") {
  Draw draw(44);
  int both = 0;
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout inner = draw.tractable(draw.shape(), trial % 2 == 0);
    if (inner.size() > 1024 || inner.cosize() > 1 << 14) continue;
    const AnyLayout a = compose_any(drawn_swizzle(draw), AnyLayout(inner));
    CAPTURE(text(a));
    const auto right = right_inverse(a), left = left_inverse(a), whole = inverse(a);
    REQUIRE(right);
    for (std::int64_t i = 0; i < size(*right); ++i) {
      const auto index = evaluate(*right, i);
      if (!index || *index < 0 || *index >= size(a) || *evaluate(a, *index) != i) FAIL(text(*right) << " at " << i);
    }
    if (left) {
      for (std::int64_t i = 0; i < size(a); ++i) {
        const std::int64_t offset = *evaluate(a, i);
        if (offset >= size(*left) || *evaluate(*left, offset) != i) FAIL(text(*left) << " at " << i);
      }
    }
    if (!whole) continue;
    ++both;
    for (std::int64_t i = 0; i < size(a); ++i) {
      if (*evaluate(a, *evaluate(*whole, i)) != i || *evaluate(*whole, *evaluate(a, i)) != i)
        FAIL(text(*whole) << " at " << i);
    }
  }
  CHECK(both > 100);
  const AnyLayout offset = Composed(*Swizzle::make(1, 0, 1), 4, layout_from("4:1"));
  CHECK(right_inverse(offset).problem().message ==
        "right_inverse of `Sw<1,0,1> o 4 o 4:1`: the offset 4 inside keeps it from starting at 0");
}

TEST_CASE("laws: common layouts") {
  Draw draw(45);
  int common = 0;
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    const IntTuple shape = draw.shape();
    const Layout a = draw.tractable(shape, true), b = trial % 2 == 0 ? draw.tractable(shape, true) : draw.over(shape);
    AnyLayout p = a, q = b;
    if (trial % 3 == 0) p = compose_any(drawn_swizzle(draw), p);
    CAPTURE(text(p), text(q));
    const Layout r = max_common_layout(p, q);
    CAPTURE(r.text());
    REQUIRE(r.size() == max_common_vector(p, q));
    for (const std::int64_t i : draw.indices(r.size())) {
      const std::int64_t index = by_digits(r, i);
      if (index >= a.size() || *evaluate(p, index) != i || *evaluate(q, index) != i) FAIL("at " << i);
    }
    common += r.size() > 1;
    // It divides what it is a part of, and is the same from both sides.
    REQUIRE(a.size() % r.size() == 0);
    if (trial % 2 == 0) REQUIRE(max_common_vector(q, p) == r.size());
    // Aligned: every other run starts at a multiple.
    const std::int64_t width = max_alignment(a);
    REQUIRE(a.size() % width == 0);
    if (a.size() > 1024) continue;
    std::set<std::int64_t> offsets;
    for (std::int64_t i = 0; i < a.size(); ++i) offsets.insert(by_digits(a, i));
    for (const std::int64_t x : offsets) {
      for (std::int64_t k = x - x % width; k < x - x % width + width; ++k) {
        if (!offsets.count(k)) FAIL("at " << k);
      }
    }
  }
  CHECK(common > 300);
}
