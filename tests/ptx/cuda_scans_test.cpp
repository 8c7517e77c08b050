// tests/data/ptx/scans.cu against the same in C++: scans in the order that the source states, the rest by the standard
// library.
#include <algorithm>
#include <numeric>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

Launcher scans() { return Launcher(cuda_text("scans", arch())); }

/// Inclusive, of 32 lanes: distances double.
template <class T, class F>
void by_shuffles_up(T* x, F&& f) {
  for (std::size_t d = 1; d < 32; d *= 2)
    for (std::size_t k = 32; k-- > d;) x[k] = f(x[k - d], x[k]);
}

}  // namespace

TEST_CASE("CUDA's scans have the bits of their order") {
  Launcher gpu = scans();
  const auto x = numbers(1024, 31);
  const std::uint64_t in = gpu.put(x), out = gpu.room(1024 * 4);
  {
    LaunchOptions options = shape(4, 128);
    options.dynamic_shared_bytes = 256 * 4;
    gpu.clean("scan_by_tree", options, in, out);
    std::vector<float> expected = x;
    for (std::size_t b = 0; b < 1024; b += 256) {
      float* part = expected.data() + b;
      for (std::size_t s = 1; s < 256; s *= 2)
        for (std::size_t k = 2 * s - 1; k < 256; k += 2 * s) part[k] += part[k - s];
      part[255] = 0;
      for (std::size_t s = 128; s > 0; s /= 2)
        for (std::size_t k = 2 * s - 1; k < 256; k += 2 * s) {
          const float left = part[k - s];
          part[k - s] = part[k];
          part[k] += left;
        }
    }
    CHECK(same(gpu.get<float>(out, 1024), expected));
  }
  {
    gpu.clean("scan_by_warps", shape(4, 256), in, out, 1000);
    std::vector<float> expected = x;
    std::fill(expected.begin() + 1000, expected.end(), 0.0f);
    for (std::size_t b = 0; b < 1024; b += 256) {
      float of_warps[32] = {};
      for (std::size_t w = 0; w < 8; ++w) {
        by_shuffles_up(expected.data() + b + w * 32, std::plus<float>());
        of_warps[w] = expected[b + w * 32 + 31];
      }
      by_shuffles_up(of_warps, std::plus<float>());
      for (std::size_t t = 32; t < 256; ++t) expected[b + t] = of_warps[t / 32 - 1] + expected[b + t];
    }
    CHECK(same(gpu.get<float>(out, 1000), slice(expected, 0, 1000)));
  }
  {
    std::vector<double> y(100);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] = 0.5 + x[k] * x[k];
    const std::uint64_t from = gpu.put(y), to = gpu.room(800);
    gpu.clean("cumulative_product", shape(1, 32), from, to, 100);
    std::vector<double> expected = y;
    expected.resize(128, 1.0);
    double before = 1;
    for (std::size_t base = 0; base < 128; base += 32) {
      by_shuffles_up(expected.data() + base, std::multiplies<double>());
      for (std::size_t k = 0; k < 32; ++k) expected[base + k] = before * expected[base + k];
      before = expected[base + 31];
    }
    expected.resize(100);
    CHECK(same(gpu.get<double>(to, 100), expected));
  }
}

TEST_CASE("CUDA's scan that looks back gives every prefix, in any order of its blocks") {
  Launcher gpu = scans();
  std::mt19937 random(32);
  std::vector<unsigned> x(5000), expected(5000);
  for (unsigned& v : x) v = static_cast<unsigned>(random() % 1000);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  const std::uint64_t in = gpu.put(x);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const std::uint64_t out = gpu.room(5000 * 4), state = gpu.put(std::vector<std::uint64_t>(20, 0)),
                        ticket = gpu.put(std::vector<unsigned>{0});
    LaunchOptions options = shape(20, 256);
    options.seed = seed;
    gpu.clean("scan_by_looking_back", options, in, out, state, ticket, 5000);
    CHECK(same(gpu.get<unsigned>(out, 5000), expected));
  }
}

TEST_CASE("CUDA's sorts, merges and searches give what the standard library gives") {
  Launcher gpu = scans();
  std::mt19937 random(33);
  {
    auto x = numbers(2 * 512, 34);
    const std::uint64_t at = gpu.put(x);
    LaunchOptions options = shape(2, 128);
    options.dynamic_shared_bytes = 512 * 4;
    gpu.clean("bitonic_sort", options, at, 512);
    std::sort(x.begin(), x.begin() + 512);
    std::sort(x.begin() + 512, x.end());
    CHECK(same(gpu.get<float>(at, 1024), x));
  }
  {
    std::vector<unsigned> x(512);
    for (unsigned& v : x) v = static_cast<unsigned>(random()) & 0xffff;
    const std::uint64_t at = gpu.put(x);
    gpu.clean("radix_sort", shape(2, 256), at, 16);
    std::sort(x.begin(), x.begin() + 256);
    std::sort(x.begin() + 256, x.end());
    CHECK(same(gpu.get<unsigned>(at, 512), x));
  }
  {
    auto sorted = numbers(300, 35), x = numbers(200, 36);
    std::sort(sorted.begin(), sorted.end());
    x[5] = sorted[17];
    const std::uint64_t from = gpu.put(sorted), of = gpu.put(x), out = gpu.room(800);
    gpu.clean("lower_bounds", shape(2, 128), from, 300, of, out, 200);
    std::vector<int> expected;
    for (const float v : x)
      expected.push_back(static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), v) - sorted.begin()));
    CHECK(same(gpu.get<int>(out, 200), expected));
  }
  {
    std::vector<int> a(333), b(250), expected(583);
    for (int& v : a) v = static_cast<int>(random() % 500);
    for (int& v : b) v = static_cast<int>(random() % 500);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
    const std::uint64_t of_a = gpu.put(a), of_b = gpu.put(b), out = gpu.room(583 * 4);
    gpu.clean("merge_by_path", shape(2, 64), of_a, 333, of_b, 250, out, 7);
    CHECK(same(gpu.get<int>(out, 583), expected));
  }
}

TEST_CASE("CUDA's compaction, histograms and texts give what loops give") {
  Launcher gpu = scans();
  std::mt19937 random(37);
  for (const std::uint64_t seed : {0, 3}) {
    std::vector<int> x(4 * 256);
    for (int& v : x) v = random() % 3 == 0 ? static_cast<int>(random() % 100) : 0;
    const std::uint64_t in = gpu.put(x), out = gpu.put(std::vector<int>(x.size(), -1)), begins = gpu.room(16),
                        counts = gpu.room(16), end = gpu.put(std::vector<int>{0});
    LaunchOptions options = shape(4, 256);
    options.seed = seed;
    gpu.clean("compact_blocks", options, in, out, begins, counts, end);
    const auto all = gpu.get<int>(out, x.size()), first = gpu.get<int>(begins, 4), many = gpu.get<int>(counts, 4);
    for (std::size_t b = 0; b < 4; ++b) {
      std::vector<int> expected;
      std::copy_if(x.begin() + static_cast<std::ptrdiff_t>(b * 256),
                   x.begin() + static_cast<std::ptrdiff_t>(b * 256 + 256), std::back_inserter(expected),
                   [](int v) { return v != 0; });
      REQUIRE(many[b] == static_cast<int>(expected.size()));
      CHECK(std::equal(expected.begin(), expected.end(), all.begin() + first[b]));
    }
  }
  {
    std::vector<unsigned char> x(3000);
    std::vector<unsigned> expected(256, 0), coarse(32, 0);
    for (auto& byte : x) byte = static_cast<unsigned char>(random() % 5 * 40), ++expected[byte], ++coarse[byte >> 3];
    const std::uint64_t in = gpu.put(x), bins = gpu.put(std::vector<unsigned>(256, 0)),
                        few = gpu.put(std::vector<unsigned>(32, 0));
    gpu.clean("histogram_by_warps", shape(3, 128), in, bins, 3000);
    CHECK(same(gpu.get<unsigned>(bins, 256), expected));
    gpu.clean("histogram_global", shape(12, 256), in, few, 3000);
    CHECK(same(gpu.get<unsigned>(few, 32), coarse));
  }
  {
    const std::string text = "the quick  brown fox jumps over THE lazy dog ";
    const std::vector<char> bytes(text.begin(), text.end());
    const std::uint64_t in = gpu.put(bytes), out = gpu.room(text.size()), words = gpu.put(std::vector<int>{0});
    const int n = static_cast<int>(text.size());
    gpu.clean("capitals", shape(2, 32), in, out, n);
    const auto made = gpu.get<char>(out, text.size());
    CHECK(std::string(made.begin(), made.end()) == "THE QUICK  BROWN FOX JUMPS OVER THE LAZY DOG ");
    gpu.clean("count_words", shape(2, 32), in, n, words);
    CHECK(gpu.get<int>(words, 1) == std::vector<int>{9});
  }
  {
    std::vector<std::uint8_t> records(16 * 50);
    for (auto& byte : records) byte = static_cast<std::uint8_t>(random());
    const std::uint64_t in = gpu.put(records), out = gpu.room(200);
    gpu.clean("hashes", shape(1, 64), in, out, 50);
    std::vector<std::uint32_t> expected;
    for (std::size_t r = 0; r < 50; ++r) {
      std::uint32_t hash = 2166136261u;
      for (std::size_t k = 0; k < 16; ++k) hash = (hash ^ records[16 * r + k]) * 16777619u;
      expected.push_back(hash);
    }
    CHECK(same(gpu.get<std::uint32_t>(out, 50), expected));
  }
}
