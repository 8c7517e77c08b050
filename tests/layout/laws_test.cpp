// The laws of docs/layouts.md for coalesce, evaluation, fit, diff and filter, on random layouts of up to 2^20
// elements, ranks to 5, depths to 4. RECKON_TRIALS=100000 for a long run.
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "layout/coalesce.h"
#include "layout/filter.h"
#include "layout/fit.h"
#include "layout/walk.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

TEST_CASE("laws: coalescing keeps the function, rule by rule, and ends in at most rank - 1 rewrites") {
  Draw draw(11);
  int rewrites[3] = {};
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout a = draw.layout();
    CAPTURE(a.text());
    const auto indices = draw.indices(a.size());
    const Layout c = coalesce(a);
    if (c.size() != a.size() || c.depth() > 1 || c.min() != a.min() || c.max() != a.max()) FAIL(c.text());
    for (const std::int64_t i : indices) {
      if (by_digits(c, i) != by_digits(a, i)) FAIL(c.text() << " at " << i);
    }
    if (!same_spelling(coalesce(c), c)) FAIL(c.text());
    const auto extents = c.shape().leaves(), strides = c.stride().leaves();
    for (std::size_t k = 0; k < extents.size(); ++k) {
      if (extents[k] == 1 && c.text() != "1:0") FAIL(c.text());
      if (k > 0 && extents[k - 1] * strides[k - 1] == strides[k]) FAIL(c.text());
    }
    const auto steps = coalesce_steps(a);
    const std::size_t leaves = a.shape().leaves().size();
    if (steps.size() > leaves - 1) FAIL(steps.size() << " rewrites");
    for (std::size_t k = 0; k < steps.size(); ++k) {
      ++rewrites[static_cast<int>(steps[k].rule)];
      if (steps[k].result.shape().leaves().size() != leaves - k - 1) FAIL(steps[k].result.text());
      for (const std::int64_t i : indices) {
        if (by_digits(steps[k].result, i) != by_digits(a, i)) FAIL(steps[k].result.text() << " at " << i);
      }
    }
    if (!steps.empty() && c.size() > 1 && !same_spelling(*Layout::make(c.shape(), c.stride()), steps.back().result)) {
      FAIL(steps.back().result.text());
    }
  }
  for (const int count : rewrites) CHECK(count > 100);
}

TEST_CASE("laws: evaluation is the enumeration by digits") {
  Draw draw(12);
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout a = draw.layout();
    CAPTURE(a.text());
    for (const std::int64_t i : draw.indices(a.size())) {
      if (a.at(i) != by_digits(a, i) || *a(i) != by_digits(a, i)) FAIL("at " << i);
    }
    if (a.size() > 4096) continue;
    const auto table = table_by_digits(a);
    REQUIRE(*std::min_element(table.begin(), table.end()) == a.min());
    REQUIRE(*std::max_element(table.begin(), table.end()) == a.max());
    std::vector<std::int64_t> walked;
    for_each_offset(a, [&](std::int64_t index, std::int64_t offset) {
      if (index != static_cast<std::int64_t>(walked.size())) FAIL("out of order at " << index);
      walked.push_back(offset);
    });
    REQUIRE(walked == table);
  }
}

TEST_CASE("laws: fit recovers every layout from its table") {
  Draw draw(13);
  for (int trial = 0; trial < reckon::test::trials(4000); ++trial) {
    const Layout a = draw.layout();
    if (a.size() > (trial % 64 == 0 ? 1 << 20 : 1 << 12)) continue;
    CAPTURE(a.text());
    auto table = table_by_digits(a);
    const std::int64_t offset = draw.pick({0, 0, 7, -3});
    for (std::int64_t& entry : table) entry += offset;
    const auto fitted = fit(table);
    if (!fitted || fitted->offset != offset || !same_spelling(fitted->layout, coalesce(a))) FAIL("offset " << offset);
  }
}

TEST_CASE("laws: fit refuses by the first index that no layout has") {
  Draw draw(14);
  int refused = 0, fitted = 0;
  for (int trial = 0; trial < reckon::test::trials(6000); ++trial) {
    std::vector<std::int64_t> table;
    if (trial % 2 == 0) {
      const std::int64_t size = 1 + draw.below(24);
      for (std::int64_t i = 0; i < size; ++i) table.push_back(i == 0 ? 0 : draw.pick({0, 1, 2, table.back() + 1}));
    } else {
      const Layout a = draw.layout();
      if (a.size() > 48) continue;
      table = table_by_digits(a);
      table[static_cast<std::size_t>(draw.below(a.size()))] += draw.pick({-1, 1, 1, 3, 0});
    }
    std::size_t first = 0;
    while (first < table.size() && begins_layout(table, table.size(), first)) ++first;
    const auto out = fit(table);
    CAPTURE(table, first);
    if (first == table.size()) {
      REQUIRE(out);
      ++fitted;
      for (std::size_t i = 0; i < table.size(); ++i) {
        REQUIRE(by_digits(out->layout, static_cast<std::int64_t>(i)) + out->offset == table[i]);
      }
    } else {
      ++refused;
      REQUIRE_FALSE(out);
      REQUIRE(out.problem().kind == Problem::Kind::no_layout);
      REQUIRE(out.problem().at == static_cast<std::int64_t>(first));
    }
  }
  CHECK(refused > 300);
  CHECK(fitted > 100);
}

TEST_CASE("fit says what it saw") {
  const std::vector<std::int64_t> broken = {0, 1, 2, 10, 11};
  CHECK(fit(broken).problem().message ==
        "fit: no layout of size 5 begins like this table: at index `3` it is `10`, and it ends a run of 3 in steps of "
        "1, which does not divide the 5 entries");
  CHECK(fit({}).problem().kind == Problem::Kind::empty);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     greatest = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> far = {least, greatest};
  CHECK(fit(far).problem().kind == Problem::Kind::no_layout);
  const std::vector<std::int64_t> edge = {0, greatest, 1, greatest};
  CHECK_FALSE(fit(edge));
}

TEST_CASE("laws: diff is the first index at which two tables differ") {
  Draw draw(15);
  int same = 0, different = 0;
  for (int trial = 0; trial < reckon::test::trials(20000); ++trial) {
    const Layout a = draw.layout();
    if (a.size() > 1 << 10) continue;
    // Of the same shape, mostly the same strides too.
    auto strides = a.stride().leaves();
    if (draw.below(3) != 0)
      strides[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(strides.size())))] += draw.pick({0, 1});
    const Layout b = draw.below(4) == 0 ? draw.layout() : *Layout::make(a.shape(), with_leaves(a.shape(), strides));
    if (b.size() > 1 << 10) continue;
    CAPTURE(a.text(), b.text());
    const auto p = table_by_digits(a), q = table_by_digits(b);
    std::size_t first = 0;
    while (first < p.size() && first < q.size() && p[first] == q[first]) ++first;
    const auto out = diff(a, b);
    if (p == q) {
      ++same;
      REQUIRE_FALSE(out);
      REQUIRE(a == b);
      continue;
    }
    ++different;
    REQUIRE(out);
    REQUIRE_FALSE(a == b);
    REQUIRE(out->index == static_cast<std::int64_t>(first));
    REQUIRE(out->a == (first < p.size() ? std::optional(p[first]) : std::nullopt));
    REQUIRE(out->b == (first < q.size() ? std::optional(q[first]) : std::nullopt));
  }
  CHECK(same > 100);
  CHECK(different > 100);
  const Layout a = layout_from("(2,3):(1,2)"), b = layout_from("(2,2):(1,2)");
  CHECK(text(*diff(a, b), a, b) ==
        "at index `4`, `(2,3):(1,2)` has `4` at its coordinate `(0,2)` and `(2,2):(1,2)` has ended");
}

TEST_CASE("laws: filter keeps the image, without broadcasts") {
  Draw draw(16);
  for (int trial = 0; trial < reckon::test::trials(3000); ++trial) {
    const Layout a = draw.layout();
    if (a.size() > 1 << 12) continue;
    CAPTURE(a.text());
    const Layout zeros = filter_zeros(a), f = filter(a), null = nullspace(a);
    REQUIRE(congruent(zeros.shape(), a.shape()));
    const auto table = table_by_digits(a), filtered = table_by_digits(f);
    REQUIRE(std::set(table.begin(), table.end()) == std::set(filtered.begin(), filtered.end()));
    REQUIRE(a.size() % f.size() == 0);
    for (const std::int64_t stride : f.stride().leaves()) REQUIRE((stride != 0 || f.text() == "1:0"));
    REQUIRE(null.size() == a.size() / f.size());
    std::set<std::int64_t> indices;
    for (std::int64_t i = 0; i < null.size(); ++i) {
      const std::int64_t index = by_digits(null, i);
      indices.insert(index);
      REQUIRE(by_digits(a, index) == 0);
    }
    REQUIRE(static_cast<std::int64_t>(indices.size()) == null.size());
  }
  CHECK(filter_zeros(layout_from("(2,(3,4)):(1,(2,6))"), IntTuple({1, IntTuple({0, 5})}))->text() ==
        "(2,(1,4)):(1,(2,6))");
  CHECK_FALSE(filter_zeros(layout_from("(2,3):(1,2)"), IntTuple({1, 0, 1})));
  CHECK(filter(layout_from("(2,(3,4)):(1,(0,2))"), IntTuple({1, 1}))->text() == "(2,4):(1,2)");
}
