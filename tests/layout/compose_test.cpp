// Composition: never a wrong layout, never a refusal where there is one, and otherwise a composed value that evaluates
// right; decided by brute force. RECKON_TRIALS=1000000 for a long run, which prints its counts.
#include <catch2/catch.hpp>
#include <iostream>
#include <limits>

#include "layout/coalesce.h"
#include "layout/compose.h"
#include "layout/coordinates.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;
using Kind = Problem::Kind;

namespace {

/// Whether every leaf of b is the size of what stands there in r.
bool refines(const IntTuple& b, const IntTuple& r) {
  if (b.is_int()) return *product(r) == b.value();
  if (r.is_int() || r.rank() != b.rank()) return false;
  return std::equal(b.elements().begin(), b.elements().end(), r.elements().begin(), refines);
}

/// a(b(c)) for all c, taking `a` past its end; nothing if b goes below 0 where `a` has several modes.
std::optional<std::vector<std::int64_t>> composed_table(const Layout& a, const Layout& b) {
  // A single run goes on in both directions: f(x) = x * stride.
  std::vector<std::int64_t> extents, strides;
  const auto leaf_extents = a.shape().leaves(), leaf_strides = a.stride().leaves();
  bool single = true;
  std::int64_t below = 1;
  for (std::size_t k = 0; k < leaf_extents.size(); ++k) {
    if (k + 1 < leaf_extents.size() && leaf_extents[k] == 1) continue;
    if (below > 1) single = single && leaf_strides[k] == below * extents[0];
    else extents = {leaf_strides[k]};
    below *= leaf_extents[k];
  }
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < b.size(); ++i) {
    const std::int64_t index = by_digits(b, i);
    if (index < 0 && !single) return std::nullopt;
    out.push_back(index < 0 ? index * extents[0] : by_digits(a, index));
  }
  return out;
}

/// Whether some layout whose shape refines b's has this table: each leaf alone is one, and they add up.
bool exists(const std::vector<std::int64_t>& table, const Layout& b) {
  const auto extents = b.shape().leaves();
  std::int64_t weight = 1;
  for (const std::int64_t extent : extents) {
    std::vector<std::int64_t> leaf;
    for (std::int64_t k = 0; k < extent; ++k) leaf.push_back(table[static_cast<std::size_t>(k * weight)]);
    if (!begins_layout(leaf, leaf.size(), leaf.size() - 1)) return false;
    weight *= extent;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), below = 1, sum = 0;
    for (const std::int64_t extent : extents) {
      sum += table[static_cast<std::size_t>(rest % extent * below)];
      rest /= extent;
      below *= extent;
    }
    if (sum != table[i]) return false;
  }
  return true;
}

struct Counts {
  int right = 0, composed = 0, outside = 0, wrong = 0, refused = 0, misjudged = 0;
};

void judge(const Layout& a, const Layout& b, Counts& counts) {
  const auto table = composed_table(a, b);
  const auto out = compose(a, b);
  if (!table) {
    ++counts.outside;
    if (out) {
      ++counts.wrong;
      UNSCOPED_INFO("outside: " << a.text() << " after " << b.text() << ": " << out->text());
    } else if (out.problem().kind != Kind::out_of_range) {
      ++counts.misjudged;
      UNSCOPED_INFO(a.text() << " after " << b.text() << ": " << out.problem().message);
    }
    return;
  }
  const bool layout = exists(*table, b);
  if (out) {
    const bool right = refines(b.shape(), out->shape()) && table_by_digits(*out) == *table;
    ++(right ? counts.right : counts.wrong);
    if (!right) UNSCOPED_INFO("wrong: " << a.text() << " after " << b.text() << ": " << out->text());
    return;
  }
  if (layout) {
    ++counts.refused;
    UNSCOPED_INFO("refused: " << a.text() << " after " << b.text() << ": " << out.problem().message);
    return;
  }
  // The refusal's index shows it: the entries before it are those of a layout, with it they are not.
  if (out.problem().kind != Kind::carry || !out.problem().at) {
    ++counts.misjudged;
    UNSCOPED_INFO(a.text() << " after " << b.text() << ": " << out.problem().message);
  }
  const AnyLayout any = compose_any(a, b);
  bool right = std::holds_alternative<Composed>(any);
  for (std::int64_t i = 0; i < b.size() && right; ++i) {
    const auto value = evaluate(any, i);
    right = value && *value == (*table)[static_cast<std::size_t>(i)];
  }
  ++(right ? counts.composed : counts.wrong);
  if (!right) UNSCOPED_INFO("wrong value: " << text(any));
}

Layout small(Draw& draw, bool b) {
  const auto leaf = [&]() -> std::pair<std::int64_t, std::int64_t> {
    const std::int64_t extent = draw.pick({2, 3, 4, 6, 8, 2, 4, 5, 7});
    std::int64_t stride =
        b ? draw.pick({1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 0, 24}) : draw.pick({1, 2, 3, 4, 8, 10, 0, -1, 100, 7});
    if (b && draw.below(24) == 0) stride = -stride;
    return {extent, stride};
  };
  std::vector<IntTuple> shape, stride;
  for (std::int64_t k = 1 + draw.below(3); k > 0; --k) {
    auto [extent, step] = leaf();
    if (!b && !shape.empty() && draw.below(4) == 0) step = shape.back().value() * stride.back().value();
    shape.emplace_back(extent);
    stride.emplace_back(step);
  }
  if (shape.size() == 1 && draw.below(2) == 0) return *Layout::make(shape[0], stride[0]);
  return *Layout::make(std::move(shape), std::move(stride));
}

}  // namespace

TEST_CASE("compose is never wrong, and refuses only where there is no layout") {
  Draw draw(21);
  Counts counts;
  const int trials = reckon::test::trials(20000);
  for (int trial = 0; trial < trials; ++trial) judge(small(draw, false), small(draw, true), counts);
  if (reckon::test::long_run()) {
    std::cout << "compose, " << trials << " pairs: " << counts.right << " layouts, " << counts.composed
              << " composed, " << counts.outside << " with negative indices refused, " << counts.wrong << " wrong, "
              << counts.refused << " refused though a layout exists, " << counts.misjudged << " of the wrong kind\n";
  }
  CHECK(counts.wrong == 0);
  CHECK(counts.refused == 0);
  CHECK(counts.misjudged == 0);
  CHECK(counts.right > trials / 4);
  CHECK(counts.composed > trials / 10);
  CHECK(counts.outside > 0);
}

TEST_CASE("compose of nested layouts, and of large ones") {
  Draw draw(22);
  Counts counts;
  int large = 0;
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout a = draw.layout(), b = draw.layout();
    if (b.size() <= 512) {
      judge(a, b, counts);
      continue;
    }
    const auto out = compose(a, b);
    if (!out) {
      CHECK(out.problem().kind != Kind::undecided);
      continue;
    }
    ++large;
    CAPTURE(a.text(), b.text(), out->text());
    REQUIRE(refines(b.shape(), out->shape()));
    for (const std::int64_t i : draw.indices(b.size())) {
      const std::int64_t index = by_digits(b, i);
      if (index < 0) continue;
      if (by_digits(*out, i) != by_digits(a, index)) FAIL("at " << i);
    }
  }
  CHECK(counts.wrong == 0);
  CHECK(counts.refused == 0);
  CHECK(counts.misjudged == 0);
  CHECK(large > 5);
}

TEST_CASE("laws: composition has identities and is associative") {
  Draw draw(23);
  int triples = 0;
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout a = draw.layout();
    CAPTURE(a.text());
    const auto after = compose(a, *Layout::make(a.size(), 1));
    REQUIRE(after);
    REQUIRE(*after == a);
    const auto shaped = compose(a, *Layout::compact_left(a.shape()));
    REQUIRE(shaped);
    REQUIRE(*shaped == a);
    if (a.min() >= 0) {
      const auto before = compose(*Layout::make(a.cosize(), 1), a);
      REQUIRE(before);
      REQUIRE(same_spelling(*before, *Layout::make(before->shape(), before->stride())));
      REQUIRE(*before == a);
    }
    const Layout b = draw.tractable(draw.shape(), false), c = draw.tractable(draw.shape(), false);
    if (c.cosize() > b.size() || b.cosize() > a.size()) continue;
    const auto ab = compose(a, b), bc = compose(b, c);
    if (!ab || !bc) continue;
    const auto left = compose(*ab, c), right = compose(a, *bc);
    if (!left || !right) continue;
    CAPTURE(b.text(), c.text());
    ++triples;
    REQUIRE(*left == *right);
  }
  CHECK(triples > 20);
}

TEST_CASE("published wrong compositions (docs/layouts.md) are refused with the index, or right") {
  const auto refusal = [](const char* a, const char* b) {
    const auto out = compose(layout_from(a), layout_from(b));
    REQUIRE_FALSE(out);
    CHECK(out.problem().kind == Kind::carry);
    return out.problem().message;
  };
  CHECK(
      refusal("(6,2):(1,100)", "(2,3):(3,2)") ==
      "compose: `(6,2):(1,100)` after `(2,3):(3,2)` is no layout: the modes `2:3` (3) and `3:2` (4) of the second add "
      "up to 7 in digit 0, `6:1`, of the first, and carry from 6 on. At index 5, coordinate `(1,2)`, it is 101, but "
      "the modes of the second, each alone, add up to 7");
  CHECK(refusal("(4,2):(1,10)", "4:3") ==
        "compose: `(4,2):(1,10)` after `4:3` is no layout: `4:3` carries out of digit 0, `4:1`, of the first: there it "
        "has 4 elements 3 apart, up to 9, and 3 does not divide 4. At index 3 it is 21, but no layout of 4 elements "
        "begins with `0, 3, 12, 21`");
  CHECK(refusal("(4,6,8):(2,3,5)", "6:3").find("At index 3 it is 8") != std::string::npos);
  CHECK(refusal("(4,2):(1,10)", "(2,2):(3,1)").find("At index 3, coordinate `(1,1)`, it is 10") != std::string::npos);
  CHECK(refusal("(2,2):(8,1)", "(2,2):(1,1)").find("At index 3, coordinate `(1,1)`, it is 1,") != std::string::npos);
  CHECK(refusal("(4,3):(1,10)", "6:1").find("the 4 that fill 4 do not divide 6. At index 4 it is 10") !=
        std::string::npos);
  // What CuTe or pycute reject, and what is right:
  CHECK(compose(layout_from("(2,2):(1,10)"), layout_from("2:3"))->text() == "2:11");
  CHECK(compose(layout_from("(3,2):(1,100)"), layout_from("1:5"))->text() == "1:0");
  CHECK(compose(layout_from("(8,8):(8,1)"), layout_from("3:3"))->text() == "3:24");
  CHECK(compose(layout_from("(4,3,1):(3,1,0)"), layout_from("24:1"))->text() == "(4,3,2):(3,1,0)");
  CHECK(compose(layout_from("4:1"), layout_from("4:-1"))->text() == "4:-1");
}

TEST_CASE("a composition that is a layout only as a function of the index says so") {
  const auto out = compose(layout_from("(3,2):(1,10)"), layout_from("(2,3):(1,2)"));
  REQUIRE_FALSE(out);
  CHECK(out.problem().hint == "as a function of the index alone it is `(3,2):(1,10)`");
}

TEST_CASE("compositions of 0 sizes, negative indices, and offsets past 64 bits") {
  const Layout a = layout_from("(4,2):(1,10)");
  const auto negative = compose(a, layout_from("(2,4):(4,-1)"));
  REQUIRE_FALSE(negative);
  CHECK(negative.problem().kind == Kind::out_of_range);
  CHECK(negative.problem().at == 2);
  CHECK(negative.problem().message ==
        "compose: `(4,2):(1,10)` after `(2,4):(4,-1)`: its mode 1, `4:-1`, takes negative indices, down to -3, and in "
        "the several modes of the first these mean nothing");
  CHECK(negative.problem().hint == "add an offset that keeps the indices from 0 on: at least 3");
  const std::int64_t large = std::int64_t{1} << 40;
  const auto over = compose(*Layout::make(4, large), *Layout::make(4, large));
  REQUIRE_FALSE(over);
  CHECK(over.problem().kind == Kind::too_large);
  const auto past = compose(*Layout::make(std::vector<IntTuple>{3, 2}, std::vector<IntTuple>{1, large}),
                            *Layout::make(5, large - 1));
  REQUIRE_FALSE(past);
  CHECK(past.problem().kind == Kind::too_large);
  CHECK(std::holds_alternative<Composed>(compose_any(*Layout::make(4, large), *Layout::make(4, large))));
  // 2^21 points on which the digits carry: said to be open, not guessed.
  const auto open = compose(layout_from("(3,4194304):(1,3)"), layout_from("(4,524288):(2,6)"));
  CHECK(open);
  const auto undecided = compose(layout_from("(3,4,4194304):(1,5,3)"), layout_from("(1048576,2):(36,1)"));
  CHECK(undecided);
  CHECK_FALSE(leaves_domain(a, layout_from("(2,2):(1,4)")));
  CHECK(leaves_domain(a, layout_from("(2,3):(1,4)"))->message ==
        "compose: `(2,3):(1,4)` reaches the index 9, and `(4,2):(1,10)` has the indices 0 to 7");
}
