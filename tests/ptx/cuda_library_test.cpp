// tests/data/ptx/library.cu: CUDA's barriers, pipelines, atomics and groups, against loops.
#include <algorithm>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

Launcher library() { return Launcher(cuda_text("library", arch())); }

}  // namespace

TEST_CASE("CUDA's barriers and pipelines bring what they should") {
  Launcher gpu = library();
  std::vector<int> x(6 * 64), expected(6 * 64);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<int>(k * k % 1000);
  for (std::size_t k = 0; k < x.size(); ++k) expected[k] = x[k / 64 * 64 + 63 - k % 64];
  const std::uint64_t in = gpu.put(x);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const std::uint64_t by_barrier = gpu.room(x.size() * 4), by_pipeline = gpu.room(x.size() * 4);
    LaunchOptions options = shape(6, 64);
    options.seed = seed;
    gpu.clean("reversed_by_barrier", options, in, by_barrier);
    CHECK(same(gpu.get<int>(by_barrier, x.size()), expected));
    options.grid = {1, 1, 1};
    gpu.clean("reversed_by_pipeline", options, in, by_pipeline, 6);
    CHECK(same(gpu.get<int>(by_pipeline, x.size()), expected));
  }
}

TEST_CASE("CUDA's groups of threads, however they are chosen") {
  Launcher gpu = library();
  std::vector<int> x(32), expected(160, 0);
  for (std::size_t k = 0; k < 32; ++k) x[k] = static_cast<int>(k * 7 % 17);
  int sum = 0, of_odd = 0, rank = 0;
  for (const int v : x) of_odd += v % 2 == 1 ? v : 0;
  for (std::size_t k = 0; k < 32; ++k) {
    expected[32 + k] = sum;
    expected[k] = sum += x[k];
    if (x[k] % 2 == 1) expected[64 + k] = of_odd * 100 + rank++;
    int most = 0, size = 0, half = 0;
    for (const int v : x) {
      if (v % 3 == x[k] % 3) most = std::max(most, v), ++size;
      if ((v > 8) == (x[k] > 8)) ++half;
    }
    expected[96 + k] = most * 100 + size;
    expected[128 + k] = half;
  }
  const std::uint64_t in = gpu.put(x), out = gpu.room(640);
  gpu.clean("groups", shape(1, 32), in, out);
  CHECK(same(gpu.get<int>(out, 160), expected));
}

TEST_CASE("CUDA's locks and messages are in order, and without order a race") {
  Launcher gpu = library();
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    const std::uint64_t lock = gpu.put(std::vector<int>{0}), count = gpu.put(std::vector<int>{0}),
                        flag = gpu.put(std::vector<int>{0}), data = gpu.put(std::vector<int>{0}), out = gpu.room(4);
    LaunchOptions options = shape(5, 96);
    options.seed = seed;
    gpu.clean("counted_under_lock", options, lock, count);
    CHECK(gpu.get<int>(count, 1) == std::vector<int>{15});
    options.grid = {2, 1, 1};
    gpu.clean("message", options, flag, data, out);
    CHECK(gpu.get<int>(out, 1) == std::vector<int>{42});
    const std::uint64_t again = gpu.put(std::vector<int>{0});
    const std::string text = Launcher::text(gpu.run("message_without_order", options, again, data, out));
    CHECK_THAT(text, Catch::Contains("race: block 1 reads byte 0 of memory"));
  }
}
