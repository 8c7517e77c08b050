// tests/data/ptx/hopper.cu, for Hopper alone, against the same in C++.
#include "numerics/mma.h"
#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

Launcher hopper() { return Launcher(cuda_text("hopper", "sm_90a")); }

}  // namespace

TEST_CASE("CUDA's product of a warp group has the bits of Hopper's unit") {
  Launcher gpu = hopper();
  const std::size_t k = 48;
  std::vector<std::uint16_t> a, b;
  for (const float v : numbers(64 * k, 61)) a.push_back(numerics::f32_to_f16(v));
  for (const float v : numbers(8 * k, 62)) b.push_back(numerics::f32_to_f16(v));
  const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), out = gpu.room(64 * 8 * 4);
  gpu.clean("product_of_warp_group", shape(1, 128), in_a, in_b, out, static_cast<int>(k));
  // Sixteen products and the sum so far make one node of the model.
  const numerics::MmaUnit& unit =
      *numerics::mma_unit(numerics::MmaModel::hopper, numerics::Format::f16, numerics::Format::f32);
  REQUIRE(unit.length == 16);
  std::vector<float> expected;
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (std::size_t base = 0; base < k; base += 16) {
        std::vector<double> x, y;
        for (std::size_t l = base; l < base + 16; ++l) {
          x.push_back(numerics::f16_to_f32(a[i * k + l]));
          y.push_back(numerics::f16_to_f32(b[j * k + l]));
        }
        sum = numerics::mma_node(unit, sum, x, y);
      }
      expected.push_back(static_cast<float>(sum));
    }
  CHECK(same(gpu.get<float>(out, 512), expected));
}

TEST_CASE("the blocks of a cluster reach each other's shared memory") {
  Launcher gpu = hopper();
  const auto x = numbers(8 * 32, 63);
  const std::uint64_t in = gpu.put(x);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const std::uint64_t out = gpu.room(8);
    LaunchOptions options = shape(8, 32);
    options.seed = seed;
    gpu.clean("sum_of_cluster", options, in, out);
    std::vector<float> of_blocks, expected;
    for (std::size_t b = 0; b < 8; ++b) of_blocks.push_back(by_butterfly(slice(x, b * 32, 32))[0]);
    for (std::size_t c = 0; c < 8; c += 4)
      expected.push_back((of_blocks[c] + of_blocks[c + 1]) + (of_blocks[c + 2] + of_blocks[c + 3]));
    CHECK(same(gpu.get<float>(out, 2), expected));
  }
  std::mt19937 random(64);
  std::vector<std::uint8_t> bytes(2000);
  std::vector<unsigned> expected(256, 0);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random()), ++expected[byte];
  const std::uint64_t of_bytes = gpu.put(bytes), bins = gpu.put(std::vector<unsigned>(256, 0));
  gpu.clean("histogram_of_cluster", shape(4, 128), of_bytes, bins, 2000);
  CHECK(same(gpu.get<unsigned>(bins, 256), expected));
  CHECK_THAT(gpu.launch_refusal("sum_of_cluster", shape(6, 32)), Catch::Contains("clusters of 4 x 1 x 1 blocks"));
}

TEST_CASE("CUDA's copies in bulk bring rows and take them back") {
  Launcher gpu = hopper();
  const auto x = numbers(3 * 256, 65);
  const std::uint64_t in = gpu.put(x), out = gpu.room(3 * 1024);
  gpu.clean("doubled_in_bulk", shape(3, 256), in, out);
  std::vector<float> expected;
  for (const float v : x) expected.push_back(2 * v);
  CHECK(same(gpu.get<float>(out, 768), expected));
}

TEST_CASE("numbers and rows go to other blocks of a cluster, and their barriers know it") {
  Launcher gpu = hopper();
  for (const std::uint64_t seed : {0, 7}) {
    LaunchOptions options = shape(4, 32);
    options.seed = seed;
    std::vector<int> x(128), expected(128);
    for (std::size_t k = 0; k < 128; ++k) x[k] = static_cast<int>(k * k);
    for (std::size_t k = 0; k < 128; ++k) expected[k] = x[(k / 32 ^ 1) * 32 + 31 - k % 32];
    const std::uint64_t in = gpu.put(x), out = gpu.room(512);
    gpu.clean("exchanged", options, in, out);
    CHECK(same(gpu.get<int>(out, 128), expected));
    std::vector<unsigned> counted(256), counts(16, 0);
    std::mt19937 random(67);
    for (std::size_t k = 0; k < 256; ++k) counted[k] = random(), counts[k / 128 * 8 + counted[k] % 8] += counted[k];
    const std::uint64_t of_counted = gpu.put(counted), of_counts = gpu.room(64);
    LaunchOptions two = shape(8, 32);
    two.seed = seed;
    gpu.clean("counted_by_first", two, of_counted, of_counts);
    CHECK(same(gpu.get<unsigned>(of_counts, 16), counts));
    const auto rows = numbers(2 * 64, 66);
    std::vector<float> scaled;
    for (std::size_t k = 0; k < 8 * 64; ++k)
      scaled.push_back(rows[k / 256 * 64 + k % 64] * static_cast<float>(k / 64 % 4 + 1));
    const std::uint64_t of_rows = gpu.put(rows), all = gpu.room(8 * 256);
    LaunchOptions wide = shape(8, 64);
    wide.seed = seed;
    gpu.clean("row_for_all", wide, of_rows, all);
    CHECK(same(gpu.get<float>(all, 512), scaled));
  }
}

TEST_CASE("rows and fours are added in global memory") {
  Launcher gpu = hopper();
  const auto x = numbers(5 * 64, 67);
  std::vector<float> sums(64, 1.0f), fours(4, 0.0f);
  for (std::size_t k = 0; k < x.size(); ++k) sums[k % 64] += x[k], fours[k % 4] += x[k];
  const std::uint64_t in = gpu.put(x), out = gpu.put(std::vector<float>(64, 1.0f)),
                      few = gpu.put(std::vector<float>(4, 0.0f));
  gpu.clean("added_in_bulk", shape(5, 64), in, out);
  CHECK(same(gpu.get<float>(out, 64), sums));  // in the order of the blocks
  gpu.clean("sums_of_fours", shape(3, 32), in, few, 80);
  CHECK(same(gpu.get<float>(few, 4), fours));
}

TEST_CASE("sums of a warp group that are not waited for are found at their line") {
  const std::string text = cuda_text("hopper", "sm_90a"),
                    source = test::read_file(test::data_folder() / "ptx" / "hopper.cu");
  Launcher gpu(text);
  const std::uint64_t a = gpu.put(std::vector<std::uint16_t>(1024, 0x3c00)),
                      b = gpu.put(std::vector<std::uint16_t>(128, 0x3c00)), c = gpu.room(512);
  const LaunchReport report = gpu.run("product_not_waited_for", shape(1, 128), a, b, c);
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find("// here"));
  const std::string place = "hopper.cu:" + std::to_string(1 + std::count(source.begin(), end, '\n'));
  const Module module = read(text).module;
  REQUIRE(report.findings.size() == 3);  // three additions
  for (const Finding& finding : report.findings) {
    CHECK_THAT(finding.message, Catch::StartsWith("a sum of `wgmma` is used before `wgmma.wait_group`"));
    CHECK(module.place_text(finding.place) == place);
  }
}
