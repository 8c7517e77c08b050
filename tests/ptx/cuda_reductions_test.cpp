// tests/data/ptx/reductions.cu against the same sums in C++, in the order that the source states.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

Launcher reductions() { return Launcher(cuda_text("reductions", arch())); }

std::vector<int> integers(std::size_t count, int most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> out(count);
  for (int& v : out) v = static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
  return out;
}

/// Neighbours first, in a block of a power of two.
float by_neighbours(std::vector<float> x) {
  for (std::size_t s = 1; s < x.size(); s *= 2)
    for (std::size_t k = 0; k < x.size(); k += 2 * s) x[k] += x[k + s];
  return x[0];
}

}  // namespace

TEST_CASE("CUDA's first reductions have the bits of their order, and their faults are counted") {
  Launcher gpu = reductions();
  const auto x = numbers(4 * 128, 21);
  const std::uint64_t in = gpu.put(x), out = gpu.room(16), other = gpu.room(16);
  LaunchOptions options = shape(4, 128);
  options.dynamic_shared_bytes = 128 * 4;
  const LaunchReport parting = gpu.clean("sum_of_neighbours", options, in, out);
  const LaunchReport conflicting = gpu.clean("sum_with_conflicts", options, in, other);
  std::vector<float> expected;
  for (std::size_t b = 0; b < 4; ++b) expected.push_back(by_neighbours(slice(x, b * 128, 128)));
  CHECK(same(gpu.get<float>(out, 4), expected));
  CHECK(same(gpu.get<float>(other, 4), expected));
  // Threads that are not multiples of 2 s part; adjacent threads do not, but their addresses are 2 s words apart.
  CHECK(parting.divergent_branches > conflicting.divergent_branches);
  CHECK(conflicting.shared_wavefronts > 2 * conflicting.shared_requests);
}

TEST_CASE("CUDA's unrolled, vectorised and atomic reductions have the bits of their order") {
  Launcher gpu = reductions();
  const auto x = numbers(4000, 22);
  const std::uint64_t in = gpu.put(x);
  {
    const std::uint64_t out = gpu.room(8 * 4);
    LaunchOptions options = shape(8, 256);
    options.dynamic_shared_bytes = 256 * 4;
    gpu.clean("sum_with_unrolled_warp", options, in, out, 4000);
    std::vector<float> expected;
    for (std::size_t b = 0; b < 8; ++b) {
      std::vector<float> part(256, 0);
      for (std::size_t t = 0; t < 256; ++t) {
        const std::size_t i = b * 512 + t;
        part[t] = i < x.size() ? x[i] : 0.0f;
        if (i + 256 < x.size()) part[t] += x[i + 256];
      }
      for (std::size_t s = 128; s > 32; s /= 2)
        for (std::size_t t = 0; t < s; ++t) part[t] += part[t + s];
      for (std::size_t t = 0; t < 32; ++t) part[t] += part[t + 32];
      expected.push_back(by_shuffles_down(slice(part, 0, 32)));
    }
    CHECK(same(gpu.get<float>(out, 8), expected));
  }
  {
    const std::uint64_t out = gpu.room(3 * 4);
    gpu.clean("sum_of_fours", shape(3, 128), in, out, 4000);
    std::vector<float> of_threads(3 * 128, 0), expected;
    for (std::size_t k = 0; k < 1000; ++k)
      of_threads[k % 384] += (x[4 * k] + x[4 * k + 1]) + (x[4 * k + 2] + x[4 * k + 3]);
    for (std::size_t b = 0; b < 3; ++b) {
      float total = 0;
      for (std::size_t w = 0; w < 4; ++w) total += by_butterfly(slice(of_threads, b * 128 + w * 32, 32))[0];
      expected.push_back(total);
    }
    CHECK(same(gpu.get<float>(out, 3), expected));
  }
  {
    // In the order of the warps, which the seed 0 keeps.
    const std::uint64_t total = gpu.put(std::vector<float>{0});
    gpu.clean("sum_by_atomics", shape(16, 256), in, total, 4000);
    float expected = 0;
    for (std::size_t w = 0; w < 128; ++w) {
      std::vector<float> lanes(32, 0);
      for (std::size_t k = 0; k < 32; ++k) lanes[k] = w * 32 + k < x.size() ? x[w * 32 + k] : 0.0f;
      expected += by_shuffles_down(lanes);
    }
    CHECK(same(gpu.get<float>(total, 1), {expected}));
  }
  for (const std::uint64_t seed : {0, 5}) {
    const std::uint64_t partial = gpu.room(8 * 8 * 4), total = gpu.room(4);
    LaunchOptions options = shape(8, 256);
    options.seed = seed;
    gpu.clean("sum_of_grid", options, in, partial, total, 4000);
    const auto of_threads = strided(x, 8 * 256);
    float expected = 0;
    for (std::size_t w = 0; w < 64; ++w) expected += by_shuffles_down(slice(of_threads, w * 32, 32));
    CHECK(same(gpu.get<float>(total, 1), {expected}));
  }
}

TEST_CASE("CUDA's reductions of integers, places and ranges") {
  Launcher gpu = reductions();
  {
    const auto x = integers(1000, 1000, 23);
    const std::uint64_t in = gpu.put(x), out = gpu.put(std::vector<int>(128, 0));
    gpu.clean("sums_of_eights", shape(4, 256), in, out, 1000);
    std::vector<int> expected(128, 0);
    for (std::size_t k = 0; k < x.size(); ++k) expected[k / 8] += x[k];
    CHECK(same(gpu.get<int>(out, 128), expected));
    const std::uint64_t range = gpu.room(8);
    gpu.clean("range", shape(1, 256), in, range, 1000);
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    CHECK(same(gpu.get<int>(range, 2), {*least, *most}));
    std::vector<int> keys = integers(1000, 6, 24), sums(13, 0);
    for (std::size_t k = 0; k < keys.size(); ++k) sums[static_cast<std::size_t>(keys[k] += 6)] += x[k];
    const std::uint64_t of_keys = gpu.put(keys), by_key = gpu.put(std::vector<int>(13, 0));
    gpu.clean("sums_of_keys", shape(4, 256), of_keys, in, by_key, 1000);
    CHECK(same(gpu.get<int>(by_key, 13), sums));
  }
  {
    auto x = numbers(1500, 25);
    x[700] = x[701] = x[1200] = 9;
    const std::uint64_t in = gpu.put(x), where = gpu.room(4);
    gpu.clean("argmax", shape(1, 256), in, where, 1500);
    CHECK(gpu.get<int>(where, 1) == std::vector<int>{700});
  }
}

TEST_CASE("CUDA's careful sums, means and columns have the bits of their order") {
  Launcher gpu = reductions();
  const auto x = numbers(1000, 26);
  const std::uint64_t in = gpu.put(x);
  {
    const std::uint64_t out = gpu.room(64 * 4);
    gpu.clean("compensated_sum", shape(1, 64), in, out, 1000);
    std::vector<float> expected(64, 0), lost(64, 0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const volatile float y = x[k] - lost[k % 64], t = expected[k % 64] + y, gained = t - expected[k % 64];
      lost[k % 64] = gained - y;
      expected[k % 64] = t;
    }
    CHECK(same(gpu.get<float>(out, 64), expected));
  }
  {
    const std::uint64_t mean = gpu.room(4), variance = gpu.room(4);
    gpu.clean("welford", shape(1, 32), in, mean, variance, 1000);
    double sum = 0, squares = 0;
    for (const float v : x) sum += v;
    for (const float v : x) squares += (v - sum / 1000) * (v - sum / 1000);
    CHECK(gpu.get<float>(mean, 1)[0] == Approx(sum / 1000).margin(1e-6));
    CHECK(gpu.get<float>(variance, 1)[0] == Approx(squares / 1000).epsilon(1e-5));
  }
  {
    const std::uint64_t out = gpu.room(40 * 4);
    gpu.clean("sums_of_columns", shape(2, 32), in, out, 25, 40);
    std::vector<float> expected(40, 0);
    for (std::size_t k = 0; k < x.size(); ++k) expected[k % 40] += x[k];
    CHECK(same(gpu.get<float>(out, 40), expected));
  }
  {
    std::vector<double> y(100);
    for (std::size_t k = 0; k < 100; ++k) y[k] = 1.0 / static_cast<double>(k + 3);
    const std::uint64_t of_y = gpu.put(y), total = gpu.put(std::vector<double>{0.5});
    // The first read is a plain one, as in the guide of CUDA: a race with the swaps of other warps, strictly.
    const LaunchReport report = gpu.run("sum_by_swaps", shape(2, 64), of_y, total, 100);
    REQUIRE(report.findings.size() == 1);
    CHECK_THAT(report.findings[0].message, Catch::StartsWith("race: warp 1 reads byte 0 of memory"));
    // A compare-and-swap that another lane was faster at is tried again.
    double expected = 0.5;
    for (const double v : y) expected += v;
    CHECK(gpu.get<double>(total, 1)[0] == Approx(expected).epsilon(1e-14));
  }
}
