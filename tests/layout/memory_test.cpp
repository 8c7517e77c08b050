// The memory analysis: against a simulation of 32 banks byte by byte, and cases that can be counted by hand. All of it
// is docs/layouts.md, "What it says about memory": a model.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>

#include "layout/memory/report.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

namespace {

/// Cycle by cycle: a bank opens one row of its 4-byte cells at a time, and all lanes that wait for a byte there get it.
int simulated_cycles(const std::vector<std::int64_t>& addresses, int first, int lanes, int width) {
  std::vector<std::deque<std::int64_t>> waiting(32);  // bytes, by bank
  for (int lane = first; lane < first + lanes; ++lane) {
    for (int byte = 0; byte < width; ++byte) {
      const std::int64_t address = addresses[static_cast<std::size_t>(lane)] + byte;
      waiting[static_cast<std::size_t>(address % 128 / 4)].push_back(address);
    }
  }
  int cycles = 0;
  for (;; ++cycles) {
    bool idle = true;
    for (auto& bank : waiting) {
      if (bank.empty()) continue;
      idle = false;
      const std::int64_t row = bank.front() / 128;
      std::erase_if(bank, [row](std::int64_t address) { return address / 128 == row; });
    }
    if (idle) return cycles;
  }
}

void agrees_with_simulation(const std::vector<std::int64_t>& addresses, int width) {
  const int together = width == 16 ? 8 : width == 8 ? 16 : 32;
  const auto phases = shared_phases(addresses, width);
  REQUIRE(phases.size() ==
          (addresses.size() + static_cast<std::size_t>(together) - 1) / static_cast<std::size_t>(together));
  for (const Phase& phase : phases) {
    REQUIRE(phase.wavefronts == simulated_cycles(addresses, phase.first_lane, phase.lanes, width));
    REQUIRE(phase.worst.lanes.size() == (phase.wavefronts == 1 ? 0u : static_cast<std::size_t>(phase.wavefronts)));
    std::set<std::int64_t> rows;
    int differ = 0;
    for (int lane : phase.worst.lanes) {
      REQUIRE(lane >= phase.first_lane);
      REQUIRE(lane < phase.first_lane + phase.lanes);
      // The lane has a byte in that bank; which of its words it is follows.
      const std::int64_t start = addresses[static_cast<std::size_t>(lane)];
      std::int64_t word = start / 4;
      while (word % 32 != phase.worst.bank) ++word;
      REQUIRE(word * 4 < start + width);
      rows.insert(word / 32);
      for (int other : phase.worst.lanes) differ |= lane ^ other;
    }
    REQUIRE(rows.size() == phase.worst.lanes.size());
    int named = 0;
    for (int bit : phase.worst.lane_bits) named |= 1 << bit;
    REQUIRE(named == differ);
    for (int bit : phase.worst.address_bits) REQUIRE(bit >= 7);
  }
}

}  // namespace

TEST_CASE("shared memory: wavefronts are those of a simulation of the banks") {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  std::map<int, int> ways;
  for (int trial = 0; trial < 10000; ++trial) {
    const int width = 1 << below(5);
    const int lanes = trial % 8 == 0 ? 8 * static_cast<int>(1 + below(4)) : 32;
    const std::int64_t reach = std::int64_t{1} << (3 + below(7)), step = below(40), jump = below(300);
    const bool affine = trial % 3 != 0;
    std::vector<std::int64_t> addresses;
    for (int lane = 0; lane < lanes; ++lane) {
      addresses.push_back(width *
                          (affine ? lane % 8 * step + lane / 8 * jump : below(static_cast<std::uint64_t>(reach))));
    }
    CAPTURE(trial, width, addresses);
    agrees_with_simulation(addresses, width);
    for (const Phase& phase : shared_phases(addresses, width)) ++ways[phase.wavefronts];
  }
  // Not all of one kind.
  for (int way : {1, 2, 3, 4, 8}) CHECK(ways[way] > 100);
}

TEST_CASE("global memory: sectors and lines are those of the bytes") {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 3000; ++trial) {
    const int width = 1 << random() % 5;
    std::vector<std::int64_t> addresses;
    std::set<std::int64_t> bytes, sectors, lines;
    const std::uint64_t reach = std::uint64_t{1} << (3 + random() % 8);
    for (int lane = 0; lane < 32; ++lane) {
      addresses.push_back(static_cast<std::int64_t>(random() % reach) * width);
      for (int byte = 0; byte < width; ++byte) {
        bytes.insert(addresses.back() + byte);
        sectors.insert((addresses.back() + byte) / 32);
        lines.insert((addresses.back() + byte) / 128);
      }
    }
    const Traffic traffic = global_traffic(addresses, width);
    REQUIRE(traffic.bytes == static_cast<std::int64_t>(bytes.size()));
    REQUIRE(traffic.sectors == static_cast<std::int64_t>(sectors.size()));
    REQUIRE(traffic.lines == static_cast<std::int64_t>(lines.size()));
  }
}

TEST_CASE("the width of a thread's access, and what limits it") {
  const auto width = [](const char* layout, Access access) {
    return vector_width(*offsets(layout_from(layout)), access);
  };
  const Access f32{.space = Space::global, .element_bytes = 4}, f16{.space = Space::global, .element_bytes = 2};
  CHECK(width("(32,4):(4,1)", f32).elements == 4);
  CHECK(width("(32,4):(4,1)", f32).limit == "an access has at most 16 bytes");
  CHECK(width("(32,8):(8,1)", f16).elements == 8);
  CHECK(width("(32,8):(8,1)", f32).elements == 4);
  CHECK(width("(32,6):(6,1)", f32).elements == 2);
  CHECK(width("(32,6):(6,1)", f32).limit == "`6` values a thread are not a multiple of 4 elements at a time");
  CHECK(width("(32,4):(5,1)", f32).limit == "value `0` of thread `1` is at offset `5`, no multiple of `2`");
  CHECK(width("(32,4):(1,32)", f32).elements == 1);
  CHECK(width("(32,4):(1,32)", f32).limit == "value `1` of thread `0` is at offset `32`, and the one before it at `0`");
  CHECK(width("(32,4):(4,1)", {.space = Space::global, .element_bytes = 4, .base_alignment = 8}).elements == 2);
  // A fragment of mma.m16n8k16 in a row-major tile: pairs; and values that lie together out of order.
  CHECK(width("((4,8),(2,2)):((2,64),(1,8))", f16).elements == 2);
  CHECK(width("(32,(2,2)):(4,(2,1))", f32).elements == 1);
  CHECK(width("(32,(2,2)):(4,(2,1))", f32).elements_reordered == 4);
}

TEST_CASE("a base of little alignment: the worst that it allows") {
  // 32 words from any word on: at most 5 sectors and 2 lines; from a line on: 4 and 1.
  const Layout words = layout_from("32:1");
  const auto traffic = [&](std::int64_t alignment) {
    return report(words, {.space = Space::global, .element_bytes = 4, .base_alignment = alignment})->traffic;
  };
  CHECK(traffic(128).sectors == 4);
  CHECK(traffic(128).lines == 1);
  CHECK(traffic(32).sectors == 4);
  CHECK(traffic(32).lines == 2);
  CHECK(traffic(4).sectors == 5);
  CHECK(traffic(4).lines == 2);
}

TEST_CASE("reports say which lanes and bits collide") {
  CHECK(report(layout_from("32:32"), {})->text() ==
        "width: 1 element, 4 bytes (no more: `1` values a thread are not a multiple of 2 elements at a time)\n"
        "requests: 1\nwavefronts: 32, against 1 without conflicts; the worst phase takes 32\n"
        "in the phase of lanes 0 to 31, lanes 0 to 31 want 32 words of bank 0: their addresses differ in bits 7 to 11 "
        "alone, the lanes in bits 0 to 4\n");
  const auto pairs = report(layout_from("((4,8),2):((2,64),1)"), {});
  CHECK(pairs->text() ==
        "width: 2 elements, 8 bytes (no more: `2` values a thread are not a multiple of 4 elements at a time)\n"
        "requests: 1\nwavefronts: 8, against 2 without conflicts; the worst phase takes 4\n"
        "in the phase of lanes 0 to 15, lanes 0, 4, 8, 12 want 4 words of bank 0: their addresses differ in bits 8, 9 "
        "alone, the lanes in bits 2, 3\n");
  CHECK(report(layout_from("(32,4):(4,1)"), {})->text() ==
        "width: 4 elements, 16 bytes (no more: an access has at most 16 bytes)\nrequests: 1\n"
        "wavefronts: 4: no bank conflicts\n");
  CHECK(report(layout_from("32:2"), {.space = Space::global})->text() ==
        "width: 1 element, 4 bytes (no more: `1` values a thread are not a multiple of 2 elements at a time)\n"
        "requests: 1\nsectors: 8 of 32 bytes, in 2 lines of 128\ncoalescing: 50.0 % (128 bytes used of 256)\n");
  // 128 threads are four warps; two values each that are apart are two requests.
  CHECK(report(layout_from("(128,2):(1,128)"), {})->requests == 8);
  CHECK(report(layout_from("(40,1):(1,0)"), {})->requests == 2);
}

TEST_CASE("accesses that no instruction makes are refused") {
  const auto refused = [](const char* layout, Access access) {
    const auto result = report(layout_from(layout), access);
    REQUIRE_FALSE(result);
    return result.problem().message;
  };
  CHECK(refused("32:1", {.element_bytes = 3}) == "an element of `3` bytes: 1, 2, 4, 8 or 16 are possible");
  CHECK(refused("32:1", {.element_bytes = 8, .vector = 4}) ==
        "an access of `4` elements of `8` bytes: a power of two, at most 16 bytes, is possible");
  CHECK(refused("32:1", {.vector = 2}) ==
        "an access of 2 elements at a time is not possible: value `0` of thread `1` is at offset `1`, no multiple of "
        "`2`");
  CHECK(refused("32:1", {.base_alignment = 2}) ==
        "a base alignment of `2` bytes: a power of two, at least that of an element, is possible");
  CHECK(refused("(8,64):(68,1)", {.element_bytes = 2, .instruction = Instruction::ldmatrix}) ==
        "a matrix has rows of 16 bytes, 8 elements: value `0` of thread `1` is at offset `68`, no multiple of `8`");
  CHECK(refused("12:8", {.element_bytes = 2, .instruction = Instruction::ldmatrix}) ==
        "a matrix takes the addresses of 8 lanes, and there are `12` threads");
  CHECK(refused("8:8", {.space = Space::global, .element_bytes = 2, .instruction = Instruction::stmatrix}) ==
        "ldmatrix and stmatrix access shared memory only");
  CHECK(refused("4:-1", {}) == "`4:-1` reaches the offset `-3`, before the start of the buffer");
  CHECK(refused("(8192,8192):(1,8192)", {}) ==
        "`(8192,8192):(1,8192)` has 67108864 offsets, and a report looks at no more than 2^24");
}
