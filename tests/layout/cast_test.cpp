// Casts by what becomes of the places in memory. RECKON_TRIALS=100000 for a long run.
#include "layout/cast.h"

#include <catch2/catch.hpp>
#include <map>

#include "layout/composed_parts.h"
#include "tests/layout/draw.h"
#include "tests/layout/notation.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

using Bag = std::map<std::int64_t, std::int64_t>;

/// How often each of the n-th parts of the layout's elements occurs; downwards where elements count down.
Bag parts(const Layout& layout, std::int64_t n, bool down) {
  Bag out;
  for (const std::int64_t value : table_by_digits(layout)) {
    for (std::int64_t k = 0; k < n; ++k) ++out[value * n + (down ? -k : k)];
  }
  return out;
}

/// Whether the larger elements are made of the layout's, or sit where single ones of them do.
bool is_upcast(const Layout& small, const Layout& large, std::int64_t n) {
  const Bag elements = parts(small, 1, false);
  Bag starts;
  for (const auto& [value, times] : parts(large, 1, false)) starts[value * n] += times;
  return elements == parts(large, n, false) || elements == parts(large, n, true) || elements == starts;
}

}  // namespace

TEST_CASE("larger elements are made of whole smaller ones") {
  Draw draw(751);
  int made = 0, refused = 0, back = 0;
  for (int trial = reckon::test::trials(6000); trial > 0; --trial) {
    const Layout a = draw.below(3) == 0 ? draw.layout() : draw.tractable(draw.shape(), draw.below(2) == 0);
    const std::int64_t n = draw.pick({1, 2, 2, 3, 4, 4, 6, 8, 16});
    CAPTURE(a.text(), n);
    if (a.size() > 500) continue;
    const auto out = upcast(a, n), loose = upcast_loose(a, n);
    if (out) {
      ++made;
      REQUIRE(congruent(out->shape(), a.shape()));
      REQUIRE(is_upcast(a, *out, n));
      REQUIRE(loose->text() == out->text());
      const auto again = downcast(*out, n);
      back += again && *again == a;
      // In two steps as in one.
      const auto half = n % 2 == 0 ? upcast(a, n / 2) : out;
      if (n % 2 == 0 && half) {
        const auto whole = upcast(*half, 2);
        if (whole) REQUIRE(*whole == *out);
      }
    } else {
      ++refused;
      REQUIRE(out.problem().kind == Problem::Kind::not_divisible);
      // Nothing is lost: the rounded one is no cast, or of both signs.
      bool up = false, down = false;
      for (std::size_t k = 0; k < a.shape().leaves().size(); ++k) {
        if (a.shape().leaves()[k] > 1) (a.stride().leaves()[k] > 0 ? up : down) = true;
      }
      if (loose && !(up && down)) REQUIRE_FALSE(is_upcast(a, *loose, n));
    }
    const auto smaller = downcast(a, n);
    if (!smaller) continue;
    REQUIRE(parts(*smaller, 1, false) == parts(a, n, false));
    REQUIRE(*upcast(*smaller, n) == a);
    REQUIRE(*recast(a, 8 * n, 8) == *smaller);
    REQUIRE(*recast(*smaller, 8, 8 * n) == a);
  }
  CHECK(made > reckon::test::trials(6000) / 5);
  CHECK(refused > reckon::test::trials(6000) / 20);
  CHECK(back > reckon::test::trials(6000) / 20);
}

TEST_CASE("casts that cannot be") {
  const auto refused = [](const auto& result, const std::string& part) {
    REQUIRE_FALSE(result);
    CHECK_THAT(result.problem().message, Catch::Matchers::Contains(part));
  };
  refused(upcast(layout_from("(4,6):(3,1)"), 2), "upcast of `(4,6):(3,1)` by `2`: the leaf `4:3` has a stride");
  refused(upcast(layout_from("6:1"), 4), "the leaf `6:1` ends inside of a new element");
  refused(upcast(layout_from("2:1"), 4), "neither fill new ones");
  refused(upcast(layout_from("(2,2):(1,1)"), 2), "neither fill new ones");
  refused(upcast(layout_from("(2,2):(1,-2)"), 4), "strides of both signs");
  refused(upcast(layout_from("2:1"), 0), "at least 1");
  refused(upcast(*Layout::make(1, std::numeric_limits<std::int64_t>::min() + 1), -1), "at least 1");
  CHECK(upcast(*Layout::make(1, std::numeric_limits<std::int64_t>::min()), 3)->text() == "1:0");
  CHECK(upcast_loose(layout_from("6:1"), 4)->text() == "2:1");
  refused(downcast(layout_from("(4,6):(2,8)"), 2), "no leaf has the stride 1");
  refused(downcast(layout_from("(4,4):(1,1)"), 2), "more than one leaf");
  refused(downcast(layout_from("(4,4):(1,-1)"), 2), "more than one leaf");
  refused(downcast(layout_from("4:1"), 0), "at least 1");
  refused(recast(layout_from("4:1"), 0, 8), "at least 1 bit");
  refused(downcast(layout_from("4:1"), std::int64_t{1} << 62), "64 bits");
  CHECK(recast(layout_from("(8,4):(1,8)"), 4, 6).problem().kind == Problem::Kind::not_divisible);
  CHECK(recast(layout_from("(6,4):(1,6)"), 4, 6)->text() == "(4,4):(1,4)");
}

TEST_CASE("swizzles of larger and of smaller elements") {
  int lossless = 0, refused = 0;
  for (int bits = 0; bits <= 3; ++bits) {
    for (int base = 0; base <= 3; ++base) {
      for (int shift = -4; shift <= 4; ++shift) {
        const auto made = Swizzle::make(bits, base, shift);
        if (!made) continue;
        const Swizzle swizzle = *made;
        for (std::int64_t n = 1; n <= 32; n *= 2) {
          CAPTURE(swizzle.text(), n);
          const std::int64_t block = swizzle.block() * n;
          const auto up = upcast(swizzle, n), down = downcast(swizzle, n);
          REQUIRE(down);
          bool whole = true;  // floor(Sw(x) / n) is a function of floor(x / n)
          for (std::int64_t x = 0; x < block; ++x) {
            REQUIRE((*down)(x) == swizzle(x / n) * n + x % n);
            if (up) REQUIRE((*up)(x / n) == swizzle(x) / n);
            whole = whole && swizzle(x) / n == swizzle(x - x % n) / n;
          }
          REQUIRE(static_cast<bool>(up) == whole);
          ++(up ? lossless : refused);
        }
      }
    }
  }
  CHECK(lossless > 100);
  CHECK(refused > 10);
  CHECK_FALSE(upcast(Swizzle{3, 0, 3}, 3));
}

TEST_CASE("swizzled layouts of larger and of smaller elements") {
  for (const char* text : {"Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<2,3,3> o 64 o (8,32):(32,1)",
                           "Sw<1,4,3> o 0 o (16,4):(1,16)"}) {
    const AnyLayout a = *read_any(text);
    for (const std::int64_t n : {2, 4, 8}) {
      CAPTURE(text, n);
      const auto smaller = downcast(a, n);
      REQUIRE(smaller);
      Bag expected, found;
      for (std::int64_t i = 0; i < size(a); ++i) {
        for (std::int64_t k = 0; k < n; ++k) ++expected[*evaluate(a, i) * n + k];
      }
      for (std::int64_t i = 0; i < size(*smaller); ++i) ++found[*evaluate(*smaller, i)];
      CHECK(found == expected);
      const auto again = upcast(*smaller, n);
      REQUIRE(again);
      CHECK(reckon::layout::text(*again) == text);
    }
  }
  CHECK_FALSE(upcast(*read_any("Sw<3,3,3> o 3 o (8,64):(64,1)"), 2));
}
