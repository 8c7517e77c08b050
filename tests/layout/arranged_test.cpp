// `arrange` by composed layouts: the tree is that of the layout's values, and what is no permutation is refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "api/reckon/reckon.h"
#include "layout/collision.h"

using namespace reckon;
using layout::AnyLayout;
using layout::Composed;
using layout::Layout;

namespace {

/// `(a b c)` as a left fold.
std::string folded(const std::vector<std::string>& nodes) {
  std::string out = nodes[0];
  for (std::size_t k = 1; k < nodes.size(); ++k) out = "(" + out + " " + nodes[k] + ")";
  return out;
}

}  // namespace

TEST_CASE("an arrangement by a composed layout has the runs of the layout's last mode") {
  Session session;
  for (const char* text : {"compose(swizzle(1, 0, 2), (4, 2):(1, 4))", "compose(swizzle(3, 0, 3), (8, 8):(8, 1))",
                           "compose(swizzle(2, 0, 3), ((2, 4), (4, 2)):((1, 8), (2, 32)))",
                           "compose(swizzle(2, 0, 4), compose(swizzle(2, 2, -2), (4, 4, 4):(16, 1, 4)))",
                           "compose(swizzle(1, 1, 2), 16:1)"}) {
    INFO(text);
    const auto numbers = [&](const std::string& expression) {
      const auto shown = session.evaluate(expression);
      REQUIRE(shown);
      return std::stoll(shown->at(0).text);
    };
    const long long size = numbers(fmt::format("size({})", text));
    const long long runs = numbers(fmt::format("rank({})", text)) == 1
                               ? size
                               : numbers(fmt::format("size(get({0}, rank({0}) - 1))", text));
    std::vector<std::string> all;
    for (long long o = 0; o < runs; ++o) {
      std::vector<std::string> run;
      for (long long c = 0; c < size / runs; ++c) {
        run.push_back(std::to_string(numbers(fmt::format("({})({})", text, c + o * (size / runs)))));
      }
      all.push_back(folded(run));
    }
    const auto shown = session.evaluate(fmt::format("parens(arrange({}, seq) then seq, {})", text, size));
    REQUIRE(shown);
    CHECK(shown->at(0).text == folded(all));
    // The schedule's text is the language's.
    const auto schedule = session.evaluate(fmt::format("arrange({}, seq) then seq", text));
    REQUIRE(schedule);
    const auto again = session.evaluate(fmt::format("parens({}, {})", schedule->at(0).text, size));
    REQUIRE(again);
    CHECK(again->at(0).text == folded(all));
  }
}

TEST_CASE("collisions are found wherever two offsets are one, and nowhere else") {
  // All layouts of up to three small modes, plain, swizzled, and after one that folds them.
  const std::int64_t extents[] = {1, 2, 3, 4}, strides[] = {-3, -1, 0, 1, 2, 3, 4, 6};
  std::size_t met = 0, apart = 0;
  const auto check = [&](const AnyLayout& any) {
    std::map<std::int64_t, std::int64_t> first;
    bool meets = false;
    for (std::int64_t i = 0; i < layout::size(any); ++i)
      meets |= !first.try_emplace(*layout::evaluate(any, i), i).second;
    const auto found = layout::collision(any);
    REQUIRE(found);
    REQUIRE(found->has_value() == meets);
    (meets ? met : apart) += 1;
    bool permutation = !meets;
    for (const auto& [offset, index] : first) permutation &= offset >= 0 && offset < layout::size(any);
    REQUIRE(!layout::no_permutation(any) == permutation);
    if (!meets) return;
    REQUIRE((*found)->first < (*found)->second);
    REQUIRE(*layout::evaluate(any, (*found)->first) == (*found)->offset);
    REQUIRE(*layout::evaluate(any, (*found)->second) == (*found)->offset);
  };
  for (std::int64_t a : extents) {
    for (std::int64_t b : extents) {
      for (std::int64_t d : strides) {
        for (std::int64_t e : strides) {
          for (std::int64_t f : {0, 1, 5}) {
            const Layout plain =
                *Layout::make(std::vector<layout::IntTuple>{a, b, 2}, std::vector<layout::IntTuple>{d, e, f});
            INFO(plain.text());
            check(plain);
            if (plain.min() < 0) continue;
            check(Composed(*layout::Swizzle::make(1, 0, 2), 0, plain));
            const Layout folds =
                *Layout::make(std::vector<layout::IntTuple>{3, 4}, std::vector<layout::IntTuple>{1, 2});
            check(Composed({layout::Stage{folds, 1}}, plain));
          }
        }
      }
    }
  }
  CHECK(met > 1000);
  CHECK(apart > 500);
}
