// Layouts taken apart and put together: the same values under the coordinates that belong together.
#include "layout/structure.h"

#include <catch2/catch.hpp>

#include "layout/slice.h"
#include "layout/tuples.h"
#include "tests/layout/draw.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

std::int64_t rank(const Layout& layout) { return static_cast<std::int64_t>(layout.rank()); }

/// An index for each mode.
std::vector<IntTuple> indices(const Layout& layout, Draw& draw) {
  std::vector<IntTuple> out;
  for (std::size_t k = 0; k < layout.rank(); ++k) out.emplace_back(draw.below(layout.mode(k).size()));
  return out;
}

/// By the modes, each by its digits.
std::int64_t value(const Layout& layout, const std::vector<IntTuple>& indices) {
  std::int64_t out = 0;
  for (std::size_t k = 0; k < layout.rank(); ++k) out += by_digits(layout.mode(k), indices[k].value());
  return out;
}

bool same(const Layout& a, const Layout& b, Draw& draw) {
  if (a.size() != b.size()) return false;
  for (const std::int64_t i : draw.indices(a.size())) {
    if (by_digits(a, i) != by_digits(b, i)) return false;
  }
  return true;
}

/// Holes, indices, and tuples where the shape has them.
Holed holes(const IntTuple& shape, Draw& draw) {
  if (draw.below(3) == 0) return Holed::hole();
  if (shape.is_int() || draw.below(3) == 0) return draw.below(*product(shape));
  std::vector<Holed> out;
  for (const IntTuple& mode : shape.elements()) out.push_back(holes(mode, draw));
  return out;
}

/// The coordinate with values in its holes, from left to right.
IntTuple filled(const Holed& coordinate, const std::vector<IntTuple>& values, std::size_t& next) {
  if (coordinate.is_hole()) return IntTuple(values[next++]);
  if (coordinate.is_index()) return coordinate.index();
  std::vector<IntTuple> out;
  for (const Holed& element : coordinate.elements()) out.push_back(filled(element, values, next));
  return out;
}

void fixed(const Holed& coordinate, std::vector<IntTuple>& out) {
  if (coordinate.is_index()) out.emplace_back(coordinate.index());
  for (const Holed& element : coordinate.elements()) fixed(element, out);
}

}  // namespace

TEST_CASE("nesting changes no function") {
  Draw draw(711);
  for (int trial = reckon::test::trials(2000); trial > 0; --trial) {
    const Layout a = draw.layout();
    CAPTURE(a.text());
    const Layout flat = flatten(a);
    REQUIRE(flat.depth() <= 1);
    REQUIRE(same(a, flat, draw));
    REQUIRE(same_spelling(*unflatten(flat, a.shape()), a));
    const std::int64_t first = draw.below(rank(a)), last = first + 1 + draw.below(rank(a) - first);
    const Layout grouped = *group(a, first, last);
    REQUIRE(rank(grouped) == rank(a) - (last - first) + 1);
    REQUIRE(same(a, grouped, draw));
    REQUIRE(same(a, *with_shape(a, a.size()), draw));
    REQUIRE(same(a, *with_shape(a, flat.shape()), draw));
    REQUIRE(with_shape(flat, a.shape()));
    const Layout wrapped = *concat(std::vector<Layout>{a});
    REQUIRE(wrapped.text() == "(" + a.shape().text() + "):(" + a.stride().text() + ")");
  }
}

TEST_CASE("modes keep their values") {
  Draw draw(712);
  for (int trial = reckon::test::trials(3000); trial > 0; --trial) {
    const Layout a = draw.layout(), b = draw.layout();
    CAPTURE(a.text(), b.text());
    const auto at = indices(a, draw);
    const auto joined = [](std::vector<IntTuple> x, const IntTuple& y, bool front) {
      x.insert(front ? x.begin() : x.end(), y);
      return x;
    };
    const std::int64_t there = draw.below(b.size());
    REQUIRE(value(*append(a, b), joined(at, there, false)) == value(a, at) + by_digits(b, there));
    REQUIRE(value(*prepend(a, b), joined(at, there, true)) == value(a, at) + by_digits(b, there));
    const Layout both = *concat(std::vector<Layout>{a, b});
    const std::int64_t here = draw.below(a.size());
    REQUIRE(*both(IntTuple({here, there})) == by_digits(a, here) + by_digits(b, there));
    REQUIRE(same_spelling(both.mode(1), b));
    const std::int64_t mode = draw.below(rank(a));
    const std::vector<std::int64_t> path{mode};
    REQUIRE(same_spelling(*get(a, path), a.mode(static_cast<std::size_t>(mode))));
    auto elsewhere = at;
    elsewhere[static_cast<std::size_t>(mode)] = there;
    const auto place = static_cast<std::size_t>(mode);
    if (!a.shape().is_int()) {
      REQUIRE(value(*replace(a, mode, b), elsewhere) ==
              value(a, at) - by_digits(a.mode(place), at[place].value()) + by_digits(b, there));
    }
    // Chosen modes: the others' indices are 0.
    std::vector<std::int64_t> chosen;
    std::vector<IntTuple> chosen_at, alone(a.rank(), IntTuple(0));
    for (std::int64_t k = 0; k < rank(a); ++k) {
      if (k != mode && draw.below(2) == 0) continue;
      chosen.push_back(k);
      chosen_at.push_back(at[static_cast<std::size_t>(k)]);
      alone[static_cast<std::size_t>(k)] = at[static_cast<std::size_t>(k)];
    }
    REQUIRE(value(*select(a, chosen), chosen_at) == value(a, alone));
    const std::int64_t last = mode + 1 + draw.below(rank(a) - mode);
    const Layout part = *take(a, mode, last);
    for (std::int64_t k = mode; k < last; ++k) {
      REQUIRE(same_spelling(part.mode(static_cast<std::size_t>(k - mode)), a.mode(static_cast<std::size_t>(k))));
    }
    const Layout wider = *append_to_rank(a, rank(a) + 2, b);
    REQUIRE(same_spelling(wider.mode(a.rank() + 1), b));
    REQUIRE(rank(*prepend_to_rank(a, rank(a) + 1, b)) == rank(a) + 1);
  }
  CHECK(zip(layout_from("((2,3),(4,5)):((1,2),(6,24))"))->text() == "((2,4),(3,5)):((1,6),(2,24))");
}

TEST_CASE("a slice starts at its offset, and its dice are what was fixed") {
  Draw draw(713);
  int sliced = 0;
  for (int trial = reckon::test::trials(4000); trial > 0; --trial) {
    const Layout a = draw.layout();
    const Holed coordinate = holes(a.shape(), draw);
    CAPTURE(a.text(), coordinate.text());
    const auto out = slice(a, coordinate);
    const auto diced = dice(a, coordinate);
    std::vector<IntTuple> indices_fixed;
    fixed(coordinate, indices_fixed);
    if (diced) {
      REQUIRE_FALSE(indices_fixed.empty());
      const IntTuple at = coordinate.is_index() ? indices_fixed[0] : IntTuple(indices_fixed);
      REQUIRE(*(*diced)(at) == *a(coordinate.filled()));
    } else {
      REQUIRE(indices_fixed.empty());
    }
    if (!out) {
      REQUIRE(out.problem().kind == Problem::Kind::empty);
      continue;
    }
    ++sliced;
    REQUIRE((diced ? diced->size() : 1) * out->layout.size() == a.size());
    const std::vector<IntTuple> at =
        coordinate.is_hole() ? std::vector<IntTuple>{draw.below(a.size())} : indices(out->layout, draw);
    std::size_t next = 0;
    const auto whole = a(filled(coordinate, at, next));
    REQUIRE(next == at.size());
    REQUIRE(*whole == out->offset + (coordinate.is_hole() ? by_digits(out->layout, at[0].value())
                                                          : value(out->layout, at)));
  }
  CHECK(sliced > reckon::test::trials(4000) / 4);
}

TEST_CASE("what selects no mode is refused, with the modes there are") {
  using Kind = Problem::Kind;
  const Layout a = layout_from("(2,(3,4)):(1,(2,6))");
  const auto refused = [](const auto& result, Kind kind, const std::string& part) {
    REQUIRE_FALSE(result);
    CHECK(result.problem().kind == kind);
    CHECK_THAT(result.problem().message, Catch::Matchers::Contains(part));
  };
  const std::vector<std::int64_t> two{2}, deep{1, 5}, none, negative{-1};
  refused(get(a, two), Kind::rank, "there is no mode `2` in `(2,(3,4))`, only `0` to `1`");
  refused(get(a, deep), Kind::rank, "there is no mode `5` in `(3,4)`");
  refused(get(a, negative), Kind::rank, "no mode `-1`");
  refused(select(a, two), Kind::rank, "select: there is no mode `2`");
  refused(select(a, none), Kind::empty, "at least one mode");
  refused(take(a, 1, 1), Kind::rank, "from mode `1` to before mode `1`");
  refused(take(a, 0, 3), Kind::rank, "no modes of `(2,(3,4))`, which has `0` to `1`");
  refused(group(a, -1, 1), Kind::rank, "group");
  refused(replace(a, 2, a), Kind::rank, "replace");
  refused(unflatten(a, IntTuple({1, 1})), Kind::not_congruent, "has `3` leaves, and the profile `(1,1)` has `2`");
  refused(append_to_rank(a, 1, a), Kind::rank, "has `2` modes already");
  refused(zip(a), Kind::rank, "zip");
  refused(with_shape(a, 23), Kind::not_congruent, "`24` elements");
  refused(concat(std::vector<Layout>()), Kind::empty, "empty");
  const Holed one(std::vector<Holed>{Holed(1), Holed(2)}), three(std::vector<Holed>(3, Holed::hole())),
      far(std::vector<Holed>{Holed(2), Holed::hole()});
  refused(slice(a, one), Kind::empty, "keeps no mode");
  refused(slice(a, three), Kind::bad_coordinate, "`(_,_,_)` does not fit");
  refused(slice(a, far), Kind::out_of_range, "index `2`");
  refused(dice(a, Holed::hole()), Kind::empty, "dice");
}
