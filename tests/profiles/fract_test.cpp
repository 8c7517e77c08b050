// fract of subnormal numbers as WebGPU's conformance suite has it: fract(n) = n - floor(n), where the floor is an
// operation of its own. Each of the two sees a subnormal n as it is, or as 0.
//
// For n = -s, 0 < s < the least normal number: floor(-s) = -1, and floor(0) = 0, so the floor is anything in [-1, 0].
// Then
//   -s - (-1) = 1 - s, whose neighbours are the largest number below 1 and 1;  0 - (-1) = 1;
//   -s - 0 = -s, a subnormal result that may be 0, too;                         0 - 0 = 0.
// The hull is [-s, 1]. For n = s the floor is 0 either way: s - 0 = s or 0, so [0, s].
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/support/process.h"

using namespace reckon::test;

namespace {

struct Row {
  const char* format;
  const char* number;
  const char *low, *high;
};
constexpr Row rows[] = {
    {"f32", "-0x1p-149", "-0x1p-149", "0x1p+0"},
    {"f32", "-0x1.8p-140", "-0x1.8p-140", "0x1p+0"},
    {"f32", "-0x1.fffffcp-127", "-0x1.fffffcp-127", "0x1p+0"},
    {"f32", "0x1p-149", "0x0p+0", "0x1p-149"},
    {"f32", "0x1.fffffcp-127", "0x0p+0", "0x1.fffffcp-127"},
    {"f16", "-0x1p-24", "-0x1p-24", "0x1p+0"},
    {"f16", "-0x1.ff8p-15", "-0x1.ff8p-15", "0x1p+0"},
    {"f16", "0x1p-24", "0x0p+0", "0x1p-24"},
    {"f16", "0x1.ff8p-15", "0x0p+0", "0x1.ff8p-15"},
    // The least normal one is no subnormal: floor(-2^-126) = -1, and 1 - 2^-126 lies just below 1.
    {"f32", "-0x1p-126", "0x1.fffffep-1", "0x1p+0"},
    {"f16", "-0x1p-14", "0x1.ffcp-1", "0x1p+0"},
};

}  // namespace

TEST_CASE("fract of subnormal numbers, and just above them") {
  std::string program = "import \"profiles/wgsl\"\nimport \"wgsl\"\n", expected;
  for (const char* profile : {"wgsl_suite", "wgsl"}) {
    for (const Row& row : rows) {
      program += fmt::format("show fract({}({})) in accept({})\n", row.format, row.number, profile);
      expected += fmt::format("\"lo\":\"{}\",\"hi\":\"{}\"\n", row.low, row.high);
    }
  }
  const RunResult done =
      run_program({"run", "-", "--format=json"}, RunOptions{.input = program, .folder = {}, .environment = {}});
  REQUIRE(done.status == 0);
  std::string found;
  for (std::size_t at = 0; (at = done.out.find("\"lo\"", at)) != std::string::npos;) {
    const std::size_t end = done.out.find('}', at);
    found += done.out.substr(at, end - at) + "\n";
    at = end;
  }
  CHECK(found == expected);
}
