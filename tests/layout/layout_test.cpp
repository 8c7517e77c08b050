// Layouts: the rows of layout_cases.json that these functions answer, and the laws of docs/layouts.md.
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "layout/coalesce.h"
#include "layout/coordinates.h"
#include "tests/layout/layouts.h"
#include "tests/support/files.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

TEST_CASE("the case file's rows") {
  const auto file = nlohmann::json::parse(reckon::test::read_file(reckon::test::data_folder() / "layout_cases.json"));
  std::map<std::string, int> done;
  for (const auto& row : file.at("cases")) {
    const std::string op = row.at("op");
    std::vector<std::string> arguments;
    for (const auto& argument : row.at("args"))
      arguments.push_back(argument.is_string() ? argument.get<std::string>() : argument.dump());
    const std::string expected =
        row.at("expected").is_string() ? row.at("expected").get<std::string>() : row.at("expected").dump();
    CAPTURE(op, arguments, expected);
    std::optional<Layout> result;
    if (op == "make_layout") {
      const auto shape = whole_tuple(arguments[0]);
      REQUIRE(shape);
      result = *(arguments[1] == "left" ? Layout::compact_left(*shape) : Layout::compact_right(*shape));
    } else {
      const auto subject = arguments.empty() ? std::nullopt : read_layout(arguments[0]);
      if (!subject) continue;  // another kind of value
      if (op == "coalesce" && arguments.size() == 1) {
        result = coalesce(*subject);
      } else if (op == "coalesce") {
        const auto by_mode = coalesce(*subject, *whole_tuple(arguments[1]));
        REQUIRE(by_mode);
        result = *by_mode;
      } else if (op == "eval") {
        const auto value = (*subject)(*whole_tuple(arguments[1]));
        REQUIRE(value);
        CHECK(std::to_string(*value) == expected);
      } else if (op == "size") {
        CHECK(std::to_string(subject->size()) == expected);
      } else if (op == "cosize") {
        CHECK(std::to_string(subject->cosize()) == expected);
      } else if (op == "rank") {
        CHECK(std::to_string(subject->rank()) == expected);
      } else if (op == "depth") {
        CHECK(std::to_string(subject->depth()) == expected);
      } else {
        continue;
      }
    }
    ++done[op];
    if (!result) continue;
    CHECK(result->text() == expected);
    if (row.contains("values")) CHECK(table(*result) == row.at("values").get<std::vector<std::int64_t>>());
  }
  CHECK(done ==
        std::map<std::string, int>{
            {"coalesce", 21}, {"eval", 7}, {"size", 5}, {"cosize", 5}, {"rank", 7}, {"depth", 6}, {"make_layout", 6}});
}

TEST_CASE("split and join are inverse, and colexicographic") {
  Random random(1);
  for (int trial = 0; trial < 80; ++trial) {
    const IntTuple shape = random.shape(3);
    const std::int64_t size = *product(shape);
    std::vector<std::int64_t> before;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto coordinate = split(i, shape);
      REQUIRE(coordinate);
      REQUIRE(congruent(*coordinate, shape));
      REQUIRE(*join(*coordinate, shape) == i);
      std::vector<std::int64_t> digits = coordinate->leaves();
      std::reverse(digits.begin(), digits.end());  // the rightmost counts most
      if (i > 0) REQUIRE(before < digits);
      before = digits;
    }
    CHECK_FALSE(split(size, shape));
    CHECK_FALSE(split(-1, shape));
  }
}

TEST_CASE("a layout is the sum of its modes") {
  Random random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Layout a = random.draw();
    CAPTURE(a.text());
    CHECK(*a(0) == 0);
    const auto values = table(a);
    CHECK(*std::min_element(values.begin(), values.end()) == a.min());
    CHECK(*std::max_element(values.begin(), values.end()) == a.max());
    CHECK(a.extent() == a.max() - a.min() + 1);
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const auto coordinate = split(i, a.shape());
      REQUIRE(*a(*coordinate) == *a(i));
      if (a.shape().is_int()) continue;
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < a.rank(); ++k) sum += *a.mode(k)(coordinate->elements()[k]);
      REQUIRE(sum == *a(i));
    }
  }
}

TEST_CASE("coalesce gives the canonical form") {
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Layout a = random.draw();
    CAPTURE(a.text());
    const Layout c = coalesce(a);
    CHECK(c.size() == a.size());
    CHECK(table(c) == table(a));
    CHECK(c.depth() <= 1);
    CHECK(same_spelling(coalesce(c), c));
    const auto extents = c.shape().leaves(), strides = c.stride().leaves();
    for (std::size_t k = 0; k < extents.size(); ++k) {
      CHECK((extents[k] > 1 || c.text() == "1:0"));
      if (k > 0) CHECK(extents[k - 1] * strides[k - 1] != strides[k]);
    }
  }
}

TEST_CASE("layouts are equal as functions iff their tables are") {
  Random random(4);
  int equal = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    const Layout a = random.draw(), b = random.draw();
    if (a.size() != b.size()) {
      REQUIRE_FALSE(a == b);
      continue;
    }
    const bool same = table(a) == table(b);
    equal += same && !same_spelling(a, b);
    if ((a == b) != same) FAIL(a.text() << " against " << b.text());
  }
  CHECK(equal > 100);
  CHECK(layout_from("(2,4):(1,2)") == layout_from("8:1"));
  CHECK_FALSE(same_spelling(layout_from("(2,4):(1,2)"), layout_from("8:1")));
  CHECK_FALSE(layout_from("(2,4):(4,1)") == layout_from("8:1"));
  CHECK(layout_from("1:7") == layout_from("(1,1):(3,5)"));
}

TEST_CASE("coalesce by mode") {
  CHECK(coalesce(layout_from("(2,(1,6)):(1,(6,2))"), IntTuple({1, 1}))->text() == "(2,6):(1,2)");
  CHECK(coalesce(layout_from("((2,2),(2,2)):((1,2),(4,8))"), IntTuple(std::vector<IntTuple>{1}))->text() ==
        "(4,(2,2)):(1,(4,8))");
  CHECK_FALSE(coalesce(layout_from("8:1"), IntTuple(std::vector<IntTuple>{1})));
  CHECK_FALSE(coalesce(layout_from("(2,4):(1,2)"), IntTuple({1, 1, 1})));
}

TEST_CASE("what is no layout, and what is no coordinate, is a problem with a reason") {
  using Kind = Problem::Kind;
  const IntTuple pair(std::vector<IntTuple>{2, 4});
  auto kind = [](const auto& result) {
    REQUIRE_FALSE(result);
    CHECK_FALSE(result.problem().message.empty());
    return result.problem().kind;
  };
  CHECK(kind(Layout::make(pair, 1)) == Kind::not_congruent);
  CHECK(kind(Layout::make(pair, std::vector<IntTuple>{1, pair})) == Kind::not_congruent);
  CHECK(kind(Layout::make(0, 1)) == Kind::not_positive);
  CHECK(kind(Layout::make(-3, 1)) == Kind::not_positive);
  CHECK(kind(Layout::compact_left(std::vector<IntTuple>{4, 0})) == Kind::not_positive);
  CHECK(kind(Layout::make(std::vector<IntTuple>{}, std::vector<IntTuple>{})) == Kind::empty);
  const std::int64_t large = std::int64_t{1} << 62;
  CHECK(kind(Layout::make(std::vector<IntTuple>{large, 2}, std::vector<IntTuple>{0, 0})) == Kind::too_large);
  CHECK(kind(Layout::make(3, large)) == Kind::too_large);
  CHECK(kind(Layout::make(2, std::numeric_limits<std::int64_t>::min())) == Kind::too_large);
  CHECK(kind(Layout::make(std::vector<IntTuple>{2, 2}, std::vector<IntTuple>{large, -large})) == Kind::too_large);
  CHECK(kind(Layout::compact_right(std::vector<IntTuple>{large, 2})) == Kind::too_large);
  CHECK(Layout::make(2, large));

  const Layout a = layout_from("(3,(2,3)):(3,(12,1))");
  CHECK(kind(a(18)) == Kind::out_of_range);
  CHECK(kind(a(-1)) == Kind::out_of_range);
  CHECK(kind(a(IntTuple({3, 0}))) == Kind::out_of_range);
  CHECK(kind(a(IntTuple({1, IntTuple({0, 3})}))) == Kind::out_of_range);
  CHECK(kind(a(IntTuple({1, 2, 3}))) == Kind::bad_coordinate);
  CHECK(kind(a(IntTuple({IntTuple({1, 1}), 2}))) == Kind::bad_coordinate);
  CHECK(a(18).problem().message == "index `18` is outside of the shape `(3,(2,3))`");
}

TEST_CASE("texts are CuTe's") {
  for (const char* text : {"((2,4),3):((1,2),8)", "24:1", "(24):(1)", "((4,2)):((2,1))", "4:-1"}) {
    CHECK(layout_from(text).text() == text);
  }
  CHECK(layout_from("(24):(1)").rank() == 1);
  CHECK(layout_from("(24):(1)").depth() == 1);
  CHECK(layout_from("24:1").depth() == 0);
}
