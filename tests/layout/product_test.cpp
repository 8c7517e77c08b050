// Products by enumeration: copies of A that do not meet, where B says. RECKON_TRIALS=100000 for a long run.
#include "layout/product.h"

#include <catch2/catch.hpp>
#include <set>

#include "layout/structure.h"
#include "layout/tuples.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

bool injective(const Layout& layout) {
  const auto values = table_by_digits(layout);
  return std::set<std::int64_t>(values.begin(), values.end()).size() == values.size();
}

Layout first_factor(Draw& draw) {
  const IntTuple shape = draw.shape();
  return draw.below(3) == 0 ? draw.over(shape, draw.below(4) == 0) : draw.tractable(shape, true);
}

Layout second_factor(Draw& draw) {
  if (draw.below(2) == 0) return *Layout::make(draw.pick({1, 2, 3, 4, 6, 8}), draw.pick({0, 1, 1, 2, 3}));
  const IntTuple shape = draw.shape();
  return draw.tractable(shape, draw.below(2) == 0);
}

}  // namespace

TEST_CASE("a product is copies of the first factor, apart") {
  Draw draw(741);
  int made = 0, refused = 0, apart = 0, extended = 0;
  for (int trial = reckon::test::trials(6000); trial > 0; --trial) {
    const Layout a = first_factor(draw), b = second_factor(draw);
    CAPTURE(a.text(), b.text());
    if (a.size() > 100 || b.size() > 100) continue;
    const auto out = logical_product(a, b);
    if (!out) {
      ++refused;
      REQUIRE(out.problem().message.rfind("logical_product of `" + a.text(), 0) == 0);
      continue;
    }
    ++made;
    CAPTURE(out->text());
    REQUIRE(out->rank() == 2);
    REQUIRE(same_spelling(out->mode(0), a));
    REQUIRE(compatible(b.shape(), out->mode(1).shape()));
    REQUIRE(out->size() == a.size() * b.size());
    std::set<std::int64_t> starts, values;
    for (std::int64_t j = 0; j < b.size(); ++j) {
      // Equal places of B are equal copies, different ones are different.
      const std::int64_t start = by_digits(out->mode(1), j);
      starts.insert(start);
      for (std::int64_t i = 0; i < a.size(); ++i) {
        REQUIRE(*(*out)(IntTuple({i, j})) == by_digits(a, i) + start);
        values.insert(by_digits(a, i) + start);
      }
    }
    const auto of_a = table_by_digits(a), of_b = table_by_digits(b);
    const std::set<std::int64_t> distinct_a(of_a.begin(), of_a.end()), distinct_b(of_b.begin(), of_b.end());
    REQUIRE(starts.size() == distinct_b.size());
    REQUIRE(values.size() == distinct_a.size() * distinct_b.size());
    apart += injective(a) && injective(b);
    // Where CuTe's complement is shorter than B reaches, its copies overlap.
    extended += out->mode(1).max() > a.size() * (b.max() + 1);
  }
  CHECK(made > reckon::test::trials(6000) / 3);
  CHECK(apart > reckon::test::trials(6000) / 6);
  CHECK(extended > 0);
  CHECK(refused > 0);
}

TEST_CASE("factors whose complement ends early") {
  CHECK(logical_product(layout_from("(2,2):(3,8)"), layout_from("2:3"))->text() == "((2,2),2):((3,8),16)");
  // The places 0, 1, 12 are no layout. CuTe takes 2 for the third, where the first copy has an element.
  const auto refused = logical_product(layout_from("(2,2):(2,6)"), layout_from("3:1"));
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.problem().message, Catch::Matchers::Contains("the places `(2,2):(1,12)` of the copies"));
}

TEST_CASE("the forms of a product hold the same copies") {
  Draw draw(742);
  int compared = 0, refused = 0;
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    Layout a = first_factor(draw);
    if (a.size() > 100) continue;
    std::vector<Tiler> modes;
    for (std::int64_t k = 1 + draw.below(static_cast<std::int64_t>(a.rank())); k > 0; --k) {
      modes.push_back(*Layout::make(draw.pick({1, 2, 3, 4}), draw.pick({1, 1, 2})));
    }
    const Tiler by(modes);
    CAPTURE(a.text(), by.text());
    const auto logical = logical_product(a, by), zipped = zipped_product(a, by), tiled = tiled_product(a, by),
               flat = flat_product(a, by);
    REQUIRE(static_cast<bool>(logical) == static_cast<bool>(flat));
    if (!logical) {
      refused += logical.problem().kind == Problem::Kind::overlap;
      continue;
    }
    ++compared;
    // Nothing in one mode is met again from another.
    if (injective(a) && logical->size() < 2000) REQUIRE(injective(*logical));
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<IntTuple> firsts, seconds, pairs;
      for (std::size_t k = 0; k < a.rank(); ++k) {
        const IntTuple i = draw.below(a.mode(k).size());
        if (k >= modes.size()) {
          seconds.push_back(i);
          pairs.push_back(i);
          continue;
        }
        const IntTuple j = draw.below(modes[k].layout().size());
        // By mode, a product of the mode alone.
        firsts.push_back(i);
        seconds.push_back(j);
        pairs.emplace_back(std::vector<IntTuple>{i, j});
      }
      const std::int64_t value = *(*logical)(pairs);
      REQUIRE(*(*zipped)(IntTuple({firsts, seconds})) == value);
      std::vector<IntTuple> in_tiled{firsts}, in_flat{firsts};
      if (firsts.size() > 1) in_flat = firsts;
      if (seconds.size() > 1) in_tiled.insert(in_tiled.end(), seconds.begin(), seconds.end());
      else in_tiled.emplace_back(seconds);
      if (seconds.size() > 1) in_flat.insert(in_flat.end(), seconds.begin(), seconds.end());
      else in_flat.emplace_back(seconds);
      REQUIRE(*(*tiled)(in_tiled) == value);
      REQUIRE(*(*flat)(in_flat) == value);
    }
    for (std::size_t k = 0; k < modes.size(); ++k) {
      REQUIRE(same_spelling(logical->mode(k), *logical_product(a.mode(k), modes[k])));
    }
  }
  CHECK(compared > 300);
  CHECK(refused > 300);
}

TEST_CASE("blocked and raked products interleave the modes of one product") {
  Draw draw(743);
  int compared = 0;
  const Layout one = layout_from("1:0");
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    const Layout a = first_factor(draw), b = second_factor(draw);
    CAPTURE(a.text(), b.text());
    if (a.size() > 100 || b.size() > 100) continue;
    const auto blocked = blocked_product(a, b), raked = raked_product(a, b);
    REQUIRE(static_cast<bool>(blocked) == static_cast<bool>(raked));
    if (!blocked) continue;
    ++compared;
    const std::size_t rank = std::max(a.rank(), b.rank());
    REQUIRE(blocked->rank() == rank);
    const Layout wide_a = *append_to_rank(a, static_cast<std::int64_t>(rank), one),
                 wide_b = *append_to_rank(b, static_cast<std::int64_t>(rank), one);
    const auto product = logical_product(wide_a, wide_b);
    REQUIRE(product);
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<IntTuple> of_a, of_b, in_blocked, in_raked;
      for (std::size_t k = 0; k < rank; ++k) {
        of_a.emplace_back(draw.below(wide_a.mode(k).size()));
        of_b.emplace_back(draw.below(wide_b.mode(k).size()));
        in_blocked.emplace_back(std::vector<IntTuple>{of_a[k], of_b[k]});
        in_raked.emplace_back(std::vector<IntTuple>{of_b[k], of_a[k]});
      }
      const IntTuple first = wide_a.shape().is_int() ? of_a[0] : IntTuple(of_a);
      const IntTuple second = wide_b.shape().is_int() ? of_b[0] : IntTuple(of_b);
      const std::int64_t value = *(*product)(IntTuple({first, second}));
      REQUIRE(*(*blocked)(in_blocked) == value);
      REQUIRE(*(*raked)(in_raked) == value);
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("blocks fill a shape") {
  Draw draw(744);
  int filled = 0;
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    const Layout block = first_factor(draw);
    if (block.size() > 100) continue;
    std::vector<IntTuple> extents, order;
    std::vector<std::int64_t> counts;
    const std::size_t rank = block.rank() + static_cast<std::size_t>(draw.below(2));
    for (std::size_t k = 0; k < rank; ++k) {
      counts.push_back(draw.pick({1, 2, 3, 4}));
      extents.emplace_back(counts.back() * (k < block.rank() ? block.mode(k).size() : 1));
      order.emplace_back(static_cast<std::int64_t>(k));
    }
    std::shuffle(order.begin(), order.end(), draw.engine());
    const bool ordered = draw.below(2) == 0;
    CAPTURE(block.text(), IntTuple(extents).text(), IntTuple(order).text(), ordered);
    const auto out = ordered ? tile_to_shape(block, extents, order) : tile_to_shape(block, extents);
    if (!out) continue;
    ++filled;
    REQUIRE(compatible(extents, out->shape()));
    if (out->size() > 4000) continue;
    const auto table = table_by_digits(*out), inner = table_by_digits(block);
    const std::set<std::int64_t> values(table.begin(), table.end()), of_block(inner.begin(), inner.end());
    REQUIRE(values.size() == of_block.size() * table.size() / inner.size());
    // The first block is the block.
    for (std::int64_t i = 0; i < block.size(); ++i) {
      std::vector<IntTuple> at;
      std::int64_t rest = i;
      for (std::size_t k = 0; k < rank; ++k) {
        const std::int64_t extent = k < block.rank() ? block.mode(k).size() : 1;
        at.emplace_back(rest % extent);
        rest /= extent;
      }
      REQUIRE(*(*out)(at) == by_digits(block, i));
    }
    // The next block in the mode of least order with more than one starts where no other block does before.
    std::int64_t next = -1, least = static_cast<std::int64_t>(rank);
    for (std::size_t k = 0; k < rank; ++k) {
      const std::int64_t place = ordered ? order[k].value() : static_cast<std::int64_t>(k);
      if (counts[k] == 1 || place >= least) continue;
      least = place;
      std::vector<IntTuple> at(rank, IntTuple(0));
      at[k] = k < block.rank() ? block.mode(k).size() : 1;
      next = *(*out)(at);
    }
    for (std::size_t k = 0; k < rank; ++k) {
      if (counts[k] == 1) continue;
      std::vector<IntTuple> at(rank, IntTuple(0));
      at[k] = k < block.rank() ? block.mode(k).size() : 1;
      REQUIRE(*(*out)(at) >= next);
    }
  }
  CHECK(filled > 500);
}

TEST_CASE("products that cannot be name the mode and the rule") {
  const auto message = [](const auto& result) {
    REQUIRE_FALSE(result);
    return result.problem().message;
  };
  using Catch::Matchers::Contains;
  const Layout a = layout_from("(2,2):(1,2)");
  CHECK_THAT(message(tiled_product(a, Tiler(std::vector<Tiler>{layout_from("2:1"), layout_from("3:1")}))),
             Contains("tiled_product of `(2,2):(1,2)` by `<2:1,3:1>`: mode `1`: the places"));
  CHECK_THAT(message(logical_product(a, *Tiler::of(IntTuple({2, 1})))),
             Contains("`((2,2),(2,1)):((1,2),(2,0))` repeats offsets"));
  CHECK_THAT(message(logical_product(a, layout_from("2:-1"))), Contains("has the stride `-1`"));
  CHECK_THAT(message(logical_product(layout_from("(2,2):(1,1)"), layout_from("2:1"))), Contains("have no places"));
  CHECK(logical_product(layout_from("(2,2):(1,1)"), layout_from("2:1")).problem().kind == Problem::Kind::overlap);
  CHECK(logical_product(layout_from("4:-1"), layout_from("2:1")).problem().kind == Problem::Kind::negative_stride);
  CHECK_THAT(message(zipped_product(a, Tiler::keep())), Contains("makes no copies"));
  CHECK(logical_product(a, Tiler::keep())->text() == "(2,2):(1,2)");
  CHECK_THAT(message(logical_product(a, *Tiler::of(IntTuple({1, 1, 1})))), Contains("`3` tilers for the `2` modes"));
  CHECK_THAT(message(tile_to_shape(layout_from("(8,8):(8,1)"), IntTuple({32, 60}))),
             Contains("mode `1`: the block's `8` does not divide `60`"));
  CHECK_THAT(message(tile_to_shape(layout_from("(8,8):(8,1)"), 64)), Contains("`2` modes, the shape only `1`"));
  CHECK_THAT(message(tile_to_shape(layout_from("(8,8):(8,1)"), IntTuple({32, 64}), IntTuple({1, 1}))),
             Contains("have the order `1`"));
  const std::int64_t large = std::int64_t{1} << 40;
  CHECK(logical_product(*Layout::make(large, 1), *Layout::make(large, 1)).problem().kind == Problem::Kind::too_large);
}
