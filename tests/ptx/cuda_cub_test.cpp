// CUB's reductions, scans and sorts, of blocks and of the device (tests/data/ptx/cub.cu). What they give does not
// depend on their order: integers, or floats whose sums are exact.
#include <algorithm>
#include <numeric>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

/// The kernel whose mangled name has this in it.
std::string entry_with(const std::string& text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(".visible .entry ", at)) != std::string::npos; ++at) {
    const std::string name = text.substr(at + 16, text.find('(', at) - at - 16);
    if (name.find(part) != std::string::npos) return name;
  }
  return "";
}

/// Floats whose sums are exact.
std::vector<float> whole(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(count);
  for (float& v : out) v = static_cast<float>(random() % 200) - 100;
  return out;
}

}  // namespace

TEST_CASE("CUB's reductions, scans and sorts of a block") {
  Launcher gpu(cuda_text("cub", arch()));
  std::mt19937 random(71);
  std::vector<int> x(3 * 128 * 2);
  for (int& v : x) v = static_cast<int>(random() % 2000) - 1000;
  const std::uint64_t in = gpu.put(x);
  {
    const std::uint64_t sums = gpu.room(12), most = gpu.room(12), of_warps = gpu.room(48);
    gpu.clean("cub_block_sums", shape(3, 128), in, sums, most, of_warps);
    std::vector<int> all, greatest, parts;
    for (std::size_t b = 0; b < 3; ++b) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(b * 128);
      all.push_back(std::accumulate(begin, begin + 128, 0));
      greatest.push_back(*std::max_element(begin, begin + 128));
      for (int w = 0; w < 4; ++w) parts.push_back(std::accumulate(begin + w * 32, begin + w * 32 + 32, 0));
    }
    CHECK(same(gpu.get<int>(sums, 3), all));
    CHECK(same(gpu.get<int>(most, 3), greatest));
    CHECK(same(gpu.get<int>(of_warps, 12), parts));
  }
  {
    const std::uint64_t out = gpu.room(3 * 256 * 4), totals = gpu.room(12);
    gpu.clean("cub_block_scan", shape(3, 64), in, out, totals);
    std::vector<int> expected, all;
    for (std::size_t b = 0; b < 3; ++b) {
      int sum = 0;
      for (std::size_t k = 0; k < 256; ++k) expected.push_back(sum), sum += x[b * 256 + k];
      all.push_back(sum);
    }
    CHECK(same(gpu.get<int>(out, 768), expected));
    CHECK(same(gpu.get<int>(totals, 3), all));
  }
  std::vector<unsigned> keys(512);
  for (unsigned& v : keys) v = static_cast<unsigned>(random());
  const std::uint64_t of_keys = gpu.put(keys), sorted = gpu.room(2048);
  gpu.clean("cub_block_sort", shape(2, 64), of_keys, sorted);
  std::sort(keys.begin(), keys.begin() + 256);
  std::sort(keys.begin() + 256, keys.end());
  CHECK(same(gpu.get<unsigned>(sorted, 512), keys));
}

TEST_CASE("CUB's reduction of the device") {
  const std::string text = cuda_text("cub", arch());
  Launcher gpu(text);
  const auto x = whole(30000, 72);
  const float sum = std::accumulate(x.begin(), x.end(), 0.0f);
  const std::uint64_t in = gpu.put(x);
  const std::uint8_t nothing = 0;
  {
    const std::uint64_t out = gpu.room(4);
    gpu.clean(entry_with(text, "DeviceReduceSingleTileKernel"), shape(1, 256), in, out, 3001, nothing, 5.0f, nothing);
    CHECK(gpu.get<float>(out, 1)[0] == 5.0f + std::accumulate(x.begin(), x.begin() + 3001, 0.0f));
  }
  // Blocks that take tiles in turn, and then one that adds what they have. cub::GridEvenShare, of which a kernel that
  // strides reads the number of blocks and of elements.
  struct EvenShare {
    int total_tiles = 0, big_shares = 0;
    unsigned big_share_items = 0, normal_share_items = 0, normal_base_offset = 0;
    unsigned num_items = 30000;
    int grid_size = 3;
    unsigned block_offset = 30000, block_end = 30000, block_stride = 0;
  };
  const std::uint64_t partial = gpu.room(12), out = gpu.room(4);
  gpu.clean(entry_with(text, "DeviceReduceKernel"), shape(3, 256), in, partial, 30000, EvenShare{}, nothing, nothing);
  gpu.clean(entry_with(text, "EEE10Policy1000EPfSC_i"), shape(1, 256), partial, out, 3, nothing, 0.0f, nothing);
  CHECK(gpu.get<float>(out, 1)[0] == sum);
}

TEST_CASE("CUB's scan of the device, whose blocks look back") {
  const std::string text = cuda_text("cub", arch());
  Launcher gpu(text);
  const std::uint8_t nothing = 0;
  const std::string scan = entry_with(text, "DeviceScanKernel");
  // The elements of a tile stand in the code as the factor of the block's number.
  const std::size_t body = text.find("mul.lo.s32", text.find(".visible .entry " + scan));
  const int tile = std::stoi(text.substr(text.rfind(' ', text.find(';', body)) + 1));
  REQUIRE(tile % 32 == 0);
  const int count = 4 * tile + 100, tiles = 5;
  const auto x = whole(static_cast<std::size_t>(count), 73);
  std::vector<float> expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  const std::uint64_t in = gpu.put(x);
  for (const std::uint64_t seed : {0, 4}) {
    const std::uint64_t out = gpu.room(x.size() * 4), state = gpu.room((static_cast<std::size_t>(tiles) + 32) * 8);
    gpu.clean(entry_with(text, "DeviceScanInitKernel"), shape(1, 128), state, tiles);
    const std::size_t at = text.find(".maxntid ", text.find(".visible .entry " + scan));
    LaunchOptions options =
        shape(static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(std::stoi(text.substr(at + 9))));
    options.seed = seed;
    gpu.clean(scan, options, in, out, state, 0, nothing, nothing, count);
    CHECK(same(gpu.get<float>(out, x.size()), expected));
  }
}
