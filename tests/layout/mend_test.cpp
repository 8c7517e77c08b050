// Swizzles and paddings that remove bank conflicts: against an exhaustive search of small swizzles, and known remedies.
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "layout/memory/mend.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// Rows of ldmatrix: eight lanes a matrix, at column 8 j of the tile for the j-th.
Use matrix_use(const Layout& tile, Instruction instruction = Instruction::ldmatrix) {
  Use out{{8, 1, {}}, {.element_bytes = 2, .instruction = instruction}};
  out.offsets = *matrix_rows(tile, 0);
  return out;
}

Use plain(const char* layout, Access access) { return {*offsets(layout_from(layout)), access}; }

std::string swizzle_of(const Mend& mend) {
  if (!mend.swizzled) return "none";
  const Swizzle& by = mend.swizzled->swizzle;
  return "Sw<" + std::to_string(by.bits) + "," + std::to_string(by.base) + "," + std::to_string(by.shift) + ">";
}

std::int64_t wavefronts(const std::vector<Use>& uses, const Swizzle& swizzle) {
  std::int64_t out = 0;
  for (const Use& use : uses) out += report(swizzled(use.offsets, swizzle), use.access)->wavefronts;
  return out;
}

}  // namespace

TEST_CASE("the swizzles that everyone uses are found") {
  // By hand: f16 rows of 128, 64 and 32 bytes read by ldmatrix; pitch P wants shift log2(P / 16).
  CHECK(swizzle_of(*mend({matrix_use(layout_from("(8,64):(64,1)"))})) == "Sw<3,3,3>");
  CHECK(swizzle_of(*mend({matrix_use(layout_from("(8,32):(32,1)"))})) == "Sw<2,3,3>");
  CHECK(swizzle_of(*mend({matrix_use(layout_from("(8,16):(16,1)"))})) == "Sw<1,3,3>");
  const auto found = mend({matrix_use(layout_from("(8,64):(64,1)"))}, 8 * 64);
  CHECK(found->before == 8);
  CHECK(found->least == 1);
  // A buffer that ends inside of the swizzle's last block of 512 grows: 448 + 8 elements reach 504 + 8.
  CHECK(mend({matrix_use(layout_from("(8,64):(64,1)"))})->swizzled->extra_elements == 56);
  CHECK(found->text() ==
        "swizzle Sw<3,3,3>: 1 wavefront instead of 8, the least; no more elements\n"
        "padding by 8 after every 64: 1 wavefront instead of 8, the least; 56 more elements\n");
  // A column of a 32x32 tile of f32, written by rows: five bits, or a row of 33.
  const std::vector<Use> transposition{plain("32:1", {}), plain("32:32", {})};
  const auto transposed = mend(transposition);
  CHECK(swizzle_of(*transposed) == "Sw<5,0,5>");
  CHECK(transposed->swizzled->wavefronts == 2);
  CHECK(transposed->padded->padding.pitch == 32);
  CHECK(transposed->padded->padding.pad == 1);
  CHECK(transposed->padded->wavefronts == 2);
  CHECK(mend({plain("32:1", {})})->text() == "no bank conflicts: 1 wavefront\n");
}

TEST_CASE("no smaller swizzle does as well") {
  std::mt19937_64 random(31);
  int mended = 0, none = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const int element_bytes = 1 << (1 + random() % 3);
    const std::int64_t vector = std::int64_t{1} << random() % 3;
    if (vector * element_bytes > 16) continue;
    std::vector<Use> uses;
    for (std::uint64_t k = 1 + random() % 2; k > 0; --k) {
      const std::int64_t row = vector << random() % 6, wide = row * static_cast<std::int64_t>(1 + random() % 9);
      const Layout layout = *Layout::make(std::vector<IntTuple>{std::vector<IntTuple>{4, 8}, vector},
                                          std::vector<IntTuple>{std::vector<IntTuple>{row, wide}, 1});
      uses.push_back({*offsets(layout), {.element_bytes = element_bytes, .vector = static_cast<int>(vector)}});
    }
    const auto found = mend(uses);
    REQUIRE(found);
    std::int64_t best = found->before;
    int fewest = 0;
    for (int bits = 1; bits <= 5; ++bits) {
      // Below the vector's bits it would be torn.
      for (int base = std::countr_zero(static_cast<std::uint64_t>(vector)); base < 10; ++base) {
        for (int shift = -12; shift <= 12; ++shift) {
          if (std::abs(shift) < bits) continue;
          const std::int64_t now = wavefronts(uses, {bits, base, shift});
          if (now < best) {
            best = now;
            fewest = bits;
          }
        }
      }
    }
    CAPTURE(trial, element_bytes, vector, found->before, found->least, best, fewest, swizzle_of(*found));
    REQUIRE(bool(found->swizzled) == (best < found->before));
    if (!found->swizzled) {
      ++none;
      continue;
    }
    ++mended;
    REQUIRE(found->swizzled->wavefronts == best);
    REQUIRE(found->swizzled->swizzle.bits == fewest);
    REQUIRE(wavefronts(uses, found->swizzled->swizzle) == best);
  }
  CHECK(mended > 20);
  CHECK(none > 5);
}

TEST_CASE("paddings: the offsets, and the layouts where there are some") {
  const Padding padding{64, 8};
  const Layout rows = layout_from("(8,64):(64,1)");
  CHECK(padded(rows, padding)->text() == "(8,64):(72,1)");
  CHECK(padded(*offsets(rows), padding).table == offsets(*padded(rows, padding))->table);
  const Layout tiles = layout_from("((2,4),(8,8)):((512,64),(1,8))");
  CHECK(padded(*offsets(tiles), padding).table == offsets(*padded(tiles, padding))->table);
  CHECK(padded(layout_from("32:3"), padding).problem().message ==
        "with `8` elements left out after every `64`, `32:3` is no layout: its mode `32:3` crosses the gaps");
  CHECK(padded(layout_from("(2,2):(63,1)"), padding).problem().kind == Problem::Kind::not_linear);
  // What mend says of its padding is what a report of the padded layout says.
  const auto found = mend({matrix_use(rows)});
  const auto again = report(*matrix_rows(*padded(rows, found->padded->padding), 0), matrix_use(rows).access);
  CHECK(again->wavefronts == found->padded->wavefronts);
}

TEST_CASE("what cannot be mended says so") {
  CHECK(mend({plain("32:1", {.space = Space::global})}).problem().message == "global memory has no banks");
  CHECK(mend({plain("32:1", {}), plain("32:1", {.element_bytes = 2})}).problem().message ==
        "the uses of one buffer have elements of different sizes");
  CHECK(mend({plain("32:1", {.vector = 2})}).problem().kind == Problem::Kind::bad_access);
}
