// Compact layouts in given orders, against what they promise.
#include "layout/make.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "layout/coordinates.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// All of 0 .. count - 1, each as often.
bool covers(const Layout& layout, std::int64_t count) {
  auto values = table_by_digits(layout);
  std::sort(values.begin(), values.end());
  const std::int64_t times = layout.size() / count;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] != static_cast<std::int64_t>(k) / times) return false;
  }
  return times * count == layout.size();
}

IntTuple random_order(const IntTuple& shape, std::vector<std::int64_t>& orders, Draw& draw, bool top = true) {
  if (shape.is_int() || (!top && draw.below(2) == 0)) {
    const std::int64_t out = orders.back();
    orders.pop_back();
    return out;
  }
  std::vector<IntTuple> out;
  for (const IntTuple& mode : shape.elements()) out.push_back(random_order(mode, orders, draw, false));
  return out;
}

std::uint64_t magnitude(std::int64_t value) { return static_cast<std::uint64_t>(value < 0 ? -value : value); }

}  // namespace

TEST_CASE("ordered layouts are compact, the least order first") {
  Draw draw(721);
  for (int trial = reckon::test::trials(2000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    if (*product(shape) > 1000) continue;
    std::vector<std::int64_t> orders(shape.leaves().size());
    std::iota(orders.begin(), orders.end(), -3);
    std::shuffle(orders.begin(), orders.end(), draw.engine());
    const IntTuple order = random_order(shape, orders, draw);
    CAPTURE(shape.text(), order.text());
    const auto out = make_ordered_layout(shape, order);
    REQUIRE(out);
    REQUIRE(out->shape() == shape);
    REQUIRE(covers(*out, out->size()));
    // A mode of lesser order lies within each step of a mode of greater order.
    if (shape.is_int() || order.is_int()) continue;
    for (std::size_t a = 0; a < shape.rank(); ++a) {
      for (std::size_t b = 0; b < shape.rank(); ++b) {
        if (!order.elements()[a].is_int() || !order.elements()[b].is_int()) continue;
        if (order.elements()[a].value() >= order.elements()[b].value()) continue;
        const Layout first = out->mode(a), second = out->mode(b);
        if (first.size() == 1 || second.size() == 1) continue;
        REQUIRE(first.max() < by_digits(second, 1));
      }
    }
  }
  CHECK(make_ordered_layout(IntTuple({4, 1}), IntTuple({0, 0}))->text() == "(4,1):(1,0)");
  const auto twice = make_ordered_layout(IntTuple({4, 2}), IntTuple({1, 1}));
  REQUIRE_FALSE(twice);
  CHECK(twice.problem().kind == Problem::Kind::ambiguous);
  CHECK(twice.problem().message ==
        "make_ordered_layout: two modes of `(4,2)` have the order `1` in `(1,1)`, and would overlap");
  CHECK_FALSE(make_ordered_layout(IntTuple({4, 2}), IntTuple({1, 0, 2})));
  CHECK_FALSE(make_ordered_layout(IntTuple({4, 0}), IntTuple({1, 0})));
  const std::int64_t large = std::int64_t{1} << 40;
  CHECK_FALSE(make_ordered_layout(IntTuple({large, large}), IntTuple({1, 0})));
}

TEST_CASE("layouts and fragments like others are compact, in their order, with their broadcasts") {
  Draw draw(722);
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    const Layout a = draw.layout();
    if (a.size() > 1000) continue;
    CAPTURE(a.text());
    const auto extents = a.shape().leaves(), strides = a.stride().leaves();
    std::int64_t distinct = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) distinct *= strides[k] == 0 ? 1 : extents[k];
    for (const bool fragment : {false, true}) {
      const auto out = fragment ? make_fragment_like(a) : make_layout_like(a);
      REQUIRE(out);
      REQUIRE(out->shape() == a.shape());
      REQUIRE(covers(*out, distinct));
      const auto made = out->stride().leaves();
      const std::size_t first = a.mode(0).shape().leaves().size();
      for (std::size_t j = 0; j < extents.size(); ++j) {
        if (extents[j] > 1) REQUIRE((made[j] == 0) == (strides[j] == 0));
        for (std::size_t k = 0; k < extents.size(); ++k) {
          if (extents[j] == 1 || extents[k] == 1 || strides[j] == 0 || strides[k] == 0) continue;
          if (fragment && j < first) {
            if (k >= first || j < k) REQUIRE((j == k || made[j] < made[k]));
          } else if (!(fragment && k < first) && magnitude(strides[j]) < magnitude(strides[k])) {
            REQUIRE(made[j] < made[k]);
          }
        }
      }
    }
  }
}

TEST_CASE("a domain distributed is a box of its coordinates") {
  Draw draw(723);
  int made = 0;
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    const IntTuple shape = draw.shape();
    const std::int64_t n = draw.pick({1, 2, 3, 4, 6, 8, 12, 16, 32});
    CAPTURE(shape.text(), n);
    const auto out = domain_distribute(shape, n);
    if (!out) {
      REQUIRE(out.problem().kind == Problem::Kind::not_divisible);
      continue;
    }
    ++made;
    REQUIRE(out->size() == n);
    std::vector<std::set<std::int64_t>> sides(shape.leaves().size());
    std::set<std::int64_t> values;
    for (std::int64_t i = 0; i < n; ++i) {
      values.insert(by_digits(*out, i));
      const auto at = split(by_digits(*out, i), shape);
      REQUIRE(at);
      for (std::size_t k = 0; k < sides.size(); ++k) sides[k].insert(at->leaves()[k]);
    }
    REQUIRE(static_cast<std::int64_t>(values.size()) == n);
    std::int64_t box = 1;
    for (std::size_t k = 0; k < sides.size(); ++k) {
      box *= static_cast<std::int64_t>(sides[k].size());
      REQUIRE(*sides[k].rbegin() + 1 == static_cast<std::int64_t>(sides[k].size()));
      REQUIRE(shape.leaves()[k] % static_cast<std::int64_t>(sides[k].size()) == 0);
    }
    REQUIRE(box == n);
  }
  CHECK(made > 500);
  CHECK_FALSE(domain_distribute(IntTuple({15, 14}), 4));
  CHECK_FALSE(domain_distribute(IntTuple({15, 14}), 0));
}
