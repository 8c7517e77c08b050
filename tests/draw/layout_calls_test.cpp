// Pictures of calls: the same elements before and after have the same letter.
#include <map>

#include "draw/layouts.h"
#include "layout/divide.h"
#include "layout/product.h"
#include "tests/layout/layouts.h"

using namespace reckon;
using layout_tests::layout_from;

namespace {

using Options = draw::LayoutOptions;

draw::GridPicture picture(const layout::Expression& expression, const Options& options = {}) {
  const auto out = draw::picture_of(expression, options, "a picture");
  if (!out) FAIL(out.problem().message);
  return *out;
}

layout::Argument argument(const layout::Layout& of) {
  return {of.text(), layout::AnyValue(of), true, layout::Tiler(of)};
}

}  // namespace

TEST_CASE("before and after a division, the same elements have the same tile") {
  using layout::DivideForm;
  const std::pair<const char*, DivideForm> forms[] = {{"logical_divide", DivideForm::logical},
                                                      {"zipped_divide", DivideForm::zipped},
                                                      {"tiled_divide", DivideForm::tiled},
                                                      {"flat_divide", DivideForm::flat}};
  // One that tiles divide, one that they do not, and one whose offsets repeat.
  for (const auto& [text, m, n] : std::vector<std::tuple<const char*, std::int64_t, std::int64_t>>{
           {"(8,8):(8,1)", 8, 8}, {"(5,6):(6,1)", 5, 6}, {"(4,8):(0,1)", 4, 8}}) {
    for (const auto& [name, form] : forms) {
      INFO(name << " of " << text);
      const layout::Layout whole = layout_from(text);
      const layout::Tiler tiler = *layout::Tiler::of(layout::IntTuple(std::vector<layout::IntTuple>{2, 4}));
      const auto divided = layout::divide(form, whole, tiler);
      REQUIRE(divided);
      const layout::Expression expression{
          divided->layout, 0,
          layout::Call{name, {argument(whole), {"(2,4)", layout::AnyValue(layout_from("(2,4):(1,2)")), false, tiler}}}};
      const auto drawn = picture(expression);
      REQUIRE(drawn.grids.size() == 2);
      const std::int64_t tiles_down = (m + 1) / 2;
      std::map<std::string, int> before, after;
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const draw::Cell& cell = drawn.grids[0].at(i, j);
          const std::int64_t tile = i / 2 + tiles_down * (j / 4);
          REQUIRE(cell.mark == std::string(1, static_cast<char>('a' + tile)));
          REQUIRE(cell.colour == tile);
          ++before[cell.label + cell.mark];
        }
      }
      for (const draw::Cell& cell : drawn.grids[1].cells) {
        if (!cell.label.empty()) ++after[cell.label + cell.mark];
      }
      CHECK(before == after);
      Options alone;
      alone.alone = true;
      CHECK(picture(expression, alone).grids.size() == 1);
    }
  }
}

TEST_CASE("copies of a product, and what a composition takes") {
  const layout::Layout a = layout_from("(2,2):(2,1)"), b = layout_from("(2,3):(3,1)");
  for (const bool raked : {false, true}) {
    const auto product = raked ? layout::raked_product(a, b) : layout::blocked_product(a, b);
    REQUIRE(product);
    const auto drawn =
        picture({*product, 0, layout::Call{raked ? "raked_product" : "blocked_product", {argument(a), argument(b)}}});
    REQUIRE(drawn.grids.size() == 3);
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 6; ++j) {
        // Copies are blocks; raked, they take turns.
        const std::int64_t row = raked ? i % 2 : i / 2, column = raked ? j % 3 : j / 2;
        CHECK(drawn.grids[2].at(i, j).mark == draw::group_mark(row + 2 * column));
        CHECK(drawn.grids[1].at(row, column).mark == draw::group_mark(row + 2 * column));
      }
    }
  }
  const layout::Layout whole = layout_from("(8,8):(8,1)"), part = layout_from("(4,2):(2,8)");
  const auto drawn =
      picture({layout_from("(4,2):(16,1)"), 0, layout::Call{"compose", {argument(whole), argument(part)}}});
  REQUIRE(drawn.grids.size() == 3);
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      const bool taken = i % 2 == 0 && j < 2;
      CHECK(drawn.grids[0].at(i, j).mark == (taken ? j == 0 ? "a" : "b" : ""));
    }
  }
}
