// Tiled copies, carried out instruction by instruction, and what makes a thread-value layout a partition.
#include <catch2/catch.hpp>
#include <map>

#include "layout/tiled/copy.h"
#include "layout/tiled/cover.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

TEST_CASE("tiled copies move what they say") {
  const TiledMma mma =
      must(TiledMma::make(must(mma_atom("SM80_16x8x16_F32F16F16F32_TN")), layout_from("(2,2,1):(1,2,0)"),
                          {layout_from("32:1"), layout_from("32:1"), layout_from("16:1")}));
  const auto of = [](const char* name) { return must(in_elements(must(copy_atom(name)), 16)); };
  std::vector<TiledCopy> copies{
      must(TiledCopy::make(of("u128"), layout_from("(16,8):(8,1)"), layout_from("(1,8):(0,1)"))),
      must(TiledCopy::make(of("u64"), layout_from("(32,4):(4,1)"), layout_from("(2,4):(4,1)"))),
      must(TiledCopy::make(of("u16"), layout_from("(4,8):(1,4)"), layout_from("(3,2):(2,1)"))),
      must(TiledCopy::make(of("SM75_U32x4_LDSM_N"), mma, Operand::a)),
      must(TiledCopy::make(of("SM75_U32x4_LDSM_N"), mma, Operand::b)),
      must(TiledCopy::make(of("SM75_U32x2_LDSM_N"), mma, Operand::a)),
      must(TiledCopy::make(of("SM75_U32x1_LDSM_N"), mma, Operand::b)),
      must(TiledCopy::make(of("SM90_U32x4_STSM_N"), mma, Operand::c)),
      must(TiledCopy::make(of("SM90_U16x8_STSM_T"), mma, Operand::c))};
  for (const TiledCopy& copy : copies) {
    CAPTURE(copy.atom().name, copy.thread_value().text());
    const Layout source = must(copy.source()), target = must(copy.target());
    const CopyAtom& atom = copy.atom();
    const std::int64_t size = *product(copy.tile()), threads = copy.threads();
    REQUIRE(source.mode(0).size() == threads);
    REQUIRE(target.mode(0).size() == threads);
    // One instruction takes the element at place p of the common order from who has p to who gets p; `from` is where in
    // the tile that is, by (p, which instruction).
    const std::int64_t lanes = atom.reference.mode(0).size(), groups = threads / lanes;
    std::map<std::array<std::int64_t, 3>, std::int64_t> from;
    const auto each = [&](const Layout& side, const Layout& of_atom, const auto& action) {
      const std::int64_t own = of_atom.mode(1).size(), rest = side.mode(1).size() / own;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        for (std::int64_t group = 0; group < groups; ++group) {
          for (std::int64_t value = 0; value < own; ++value) {
            for (std::int64_t r = 0; r < rest; ++r) {
              action(std::array{*of_atom(lane + lanes * value), group, r},
                     *side(lane + lanes * group + threads * (value + own * r)));
            }
          }
        }
      }
    };
    each(source, atom.source, [&](const auto& place, std::int64_t element) {
      REQUIRE(element < size);
      const auto [known, fresh] = from.emplace(place, element);
      REQUIRE((fresh || known->second == element));
    });
    each(target, atom.target, [&](const auto& place, std::int64_t element) {
      REQUIRE(from.count(place) == 1);
      REQUIRE(from.at(place) == element);
    });
    // The side of the reference is what was asked for.
    const bool store = atom.name.find("STSM") != std::string::npos;
    CHECK((store ? source : target) == copy.thread_value());
    // Partitions of a tensor of 2 x 3 tiles: the tile's part, moved.
    const std::int64_t rows = *product(copy.tile().elements()[0]), columns = *product(copy.tile().elements()[1]);
    const Layout tensor = row_major(2 * rows, 3 * columns);
    for (std::int64_t thread : {std::int64_t{0}, threads / 2, threads - 1}) {
      const Sliced part = must(copy.partition(Side::source, tensor, thread));
      const std::int64_t own = source.mode(1).size();
      REQUIRE(part.layout.size() == own * 6);
      for (std::int64_t value = 0; value < own; ++value) {
        const std::int64_t element = *source(thread + threads * value);
        for (std::int64_t tile = 0; tile < 6; ++tile) {
          const std::int64_t row = element % rows + rows * (tile % 2), column = element / rows + columns * (tile / 2);
          REQUIRE(part.offset + *part.layout(value + own * tile) == row * 3 * columns + column);
        }
      }
    }
  }
}

TEST_CASE("thread-value layouts that are no partition name the threads and the element") {
  const auto why = [](const char* layout, std::int64_t size) {
    return partition_problem(layout_from(layout), size)->message;
  };
  CHECK_FALSE(partition_problem(layout_from("(4,2):(2,1)"), 8));
  CHECK_FALSE(partition_problem(layout_from("((4,8),2):((0,2),1)"), 16));
  CHECK(why("(4,2):(1,3)", 8) ==
        "element `3` has two owners in `(4,2):(1,3)`: value `0` of thread `3` and value `1` of thread `0`");
  CHECK(why("(4,2):(1,4)", 6) == "value `1` of thread `2` in `(4,2):(1,4)` is element `6`, outside of the tile's `6`");
  CHECK(why("(4,2):(1,4)", 9) == "no thread owns element `8` of the tile's `9` in `(4,2):(1,4)`");
  CHECK(why("4:-1", 4) == "value `0` of thread `1` in `4:-1` is element `-1`, outside of the tile's `4`");
  std::mt19937_64 random(42);
  Random layouts(42);
  int partitions = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Layout layout = layouts.draw();
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 16);
    CAPTURE(layout.text(), size);
    // Copies aside, every element of 0..size-1 is there exactly once.
    std::map<std::int64_t, int> times;
    std::int64_t copies = 1;
    const auto extents = layout.shape().leaves(), strides = layout.stride().leaves();
    for (std::size_t k = 0; k < extents.size(); ++k) copies *= strides[k] == 0 ? extents[k] : 1;
    for (std::int64_t value : table(layout)) ++times[value];
    bool whole = static_cast<std::int64_t>(times.size()) == size;
    for (const auto& [element, count] : times) whole = whole && element >= 0 && element < size && count == copies;
    REQUIRE(!partition_problem(layout, size) == whole);
    partitions += whole;
  }
  CHECK(partitions > 50);
}

TEST_CASE("copies that cannot be tiled are refused, with the sizes") {
  const CopyAtom wide = must(in_elements(must(copy_atom("u128")), 16));
  CHECK(TiledCopy::make(wide, layout_from("(16,8):(8,1)"), layout_from("(1,4):(0,1)")).problem().message ==
        "`u128` takes `8` values at a time, and there are `4`");
  const CopyAtom matrices = must(in_elements(must(copy_atom("SM75_U32x4_LDSM_N")), 16));
  CHECK(TiledCopy::make(matrices, layout_from("(4,12):(12,1)"), layout_from("(1,8):(0,1)")).problem().message ==
        "`SM75_U32x4_LDSM_N` takes `32` threads at a time, and there are `48`");
  CHECK(TiledCopy::make(wide, layout_from("(4,8):(1,3)"), IntTuple({25, 1})).problem().kind == Problem::Kind::overlap);
  CHECK_FALSE(TiledCopy::make(wide, layout_from("(16,8):(8,2)"), layout_from("(1,8):(0,1)")));
  const TiledCopy copy = must(TiledCopy::make(wide, layout_from("(16,8):(8,1)"), layout_from("(1,8):(0,1)")));
  CHECK(copy.partition(Side::source, row_major(16, 60), 0).problem().message ==
        "mode 1 of `(16,60):(60,1)` has `60` elements, no multiple of the tile's `64`");
}
