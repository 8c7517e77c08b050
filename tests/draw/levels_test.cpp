// Levels of the machine in pictures.
#include <catch2/catch.hpp>

#include "draw/picture.h"
#include "ir/parser.h"

using namespace reckon;

namespace {

ir::ScheduleId schedule(ir::Module& module, const std::string& text) {
  const auto result = ir::parse_ir(module, "schedule s = " + text + "\n");
  if (!result) FAIL(result.error().message);
  return *module.schedules().definition(module.symbol("s"));
}

}  // namespace

TEST_CASE("pinned stages show their level in a whole tree") {
  ir::Module module;
  const auto id = schedule(module, "tile(2, seq) @thread then lanes(2, seq) @warp then seq");
  const auto drawing = draw::picture_of(module, id, 8, "pinned");
  REQUIRE_FALSE(drawing.problem);
  // Written out by hand: runs (0 1) (2 3) (4 5) (6 7); lanes of runs 0, 2 and 1, 3; both joined.
  CHECK(draw::text(drawing.picture) ==
        "pinned\n"
        "8 leaves, depth 3, 7 pairs\n"
        "\n"
        "0 -t-w-+\n"
        "1 -' | |\n"
        "4 -t-' |\n"
        "5 -'   |\n"
        "2 -t-w-'\n"
        "3 -' |\n"
        "6 -t-'\n"
        "7 -'\n"
        "\n"
        "t thread, w warp, b block, g grid, + not pinned\n");
  const std::string svg = draw::svg(draw::sheet_of(drawing.picture));
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  // Those of the tree, and one in the legend.
  CHECK(count("<circle class=\"thread\"") == 5);
  CHECK(count("<circle class=\"warp\"") == 3);
  CHECK(count("<circle class=\"block\"") == 1);
  CHECK(count("<circle class=\"pair\"") == 2);
}

TEST_CASE("a large tree names the levels of its stages, and the title is escaped") {
  ir::Module module;
  const auto id = schedule(module, "tile(2, seq) @thread then lanes(2, seq) @warp then seq");
  const auto drawing = draw::picture_of(module, id, 100, "a < b & \"c\"");
  REQUIRE(drawing.picture.sections.size() == 3);
  CHECK(drawing.picture.sections[0].title == "tile(2, seq) @thread: 100 leaves become 50 nodes");
  CHECK(drawing.picture.sections[1].title == "lanes(2, seq) @warp: 50 nodes become 2");
  CHECK(drawing.picture.sections[2].title == "seq: 2 nodes become 1");
  const std::string svg = draw::svg(draw::sheet_of(drawing.picture));
  CHECK(svg.find("<title>a &lt; b &amp; &quot;c&quot;</title>") != std::string::npos);
}
