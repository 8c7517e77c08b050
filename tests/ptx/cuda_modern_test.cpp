// What newer C++ and CUDA's library bring into kernels (tests/data/ptx/modern.cu), against C++.
#include <cmath>

#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

std::vector<int> integers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> out(count);
  for (int& each : out) each = static_cast<int>(random() % 1000) - 500;
  return out;
}

float of_bf16(std::uint16_t bits) { return numerics::bf16_to_f32(bits); }
float of_half(std::uint16_t bits) { return numerics::f16_to_f32(bits); }

}  // namespace

TEST_CASE("CUDA's groups of threads add, scan and copy") {
  Launcher gpu(cuda_text("modern", arch()));
  {
    const auto x = integers(256, 1);
    std::vector<int> sums(256), scans(256), labels(256);
    for (std::size_t i = 0; i < 256; ++i) {
      for (std::size_t k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) {
        sums[i] += x[k];
        if (k <= i) scans[i] += x[k];
      }
      labels[i] = x[i];
      for (std::size_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
        if ((x[k] & 3) == (x[i] & 3)) labels[i] = std::max(labels[i], x[k]);
    }
    const std::uint64_t in = gpu.put(x), a = gpu.room(1024), b = gpu.room(1024), c = gpu.room(1024);
    gpu.clean("sums_of_parts", shape(2, 128), in, a, b, c);
    CHECK(same(gpu.get<int>(a, 256), sums));
    CHECK(same(gpu.get<int>(b, 256), scans));
    CHECK(same(gpu.get<int>(c, 256), labels));
  }
  {
    const auto x = numbers(3 * 128, 2);
    const std::uint64_t in = gpu.put(x), out = gpu.room(6 * 4);
    gpu.clean("sums_of_many", shape(3, 128), in, out);
    const auto made = gpu.get<float>(out, 6);
    for (std::size_t k = 0; k < 6; ++k) {
      double sum = 0;
      for (std::size_t i = 64 * k; i < 64 * k + 64; ++i) sum += x[i];
      CHECK(made[k] == Approx(sum).margin(1e-5));
    }
  }
  const auto x = numbers(512, 3);
  const std::uint64_t in = gpu.put(x), out = gpu.room(2048);
  gpu.clean("mirrored", shape(2, 256), in, out);
  std::vector<float> expected;
  for (std::size_t k = 0; k < 512; ++k) expected.push_back(x[k / 256 * 256 + 255 - k % 256]);
  CHECK(same(gpu.get<float>(out, 512), expected));
}

TEST_CASE("CUDA's barriers and atomic operations of C++") {
  Launcher gpu(cuda_text("modern", arch()));
  for (const std::uint64_t seed : {0, 3}) {
    const auto x = integers(5 * 32, 4);
    std::vector<int> expected;
    for (std::size_t k = 0; k < x.size(); ++k) expected.push_back(2 * x[k / 32 * 32 + 31 - k % 32] + 1);
    const std::uint64_t in = gpu.put(x), out = gpu.room(x.size() * 4);
    LaunchOptions options = shape(1, 64);
    options.seed = seed;
    gpu.clean("makers_and_takers", options, in, out, 5);
    CHECK(same(gpu.get<int>(out, x.size()), expected));
    const auto values = numbers(100, 5);
    const std::uint64_t of = gpu.put(values), most = gpu.put(std::vector<float>{-1e30f}),
                        sum = gpu.put(std::vector<std::uint64_t>{0}), tickets = gpu.put(std::vector<int>(101, 0));
    options = shape(4, 32);
    options.seed = seed;
    gpu.clean("atomics", options, of, most, sum, tickets, 100);
    CHECK(gpu.get<float>(most, 1)[0] == *std::max_element(values.begin(), values.end()));
    CHECK(gpu.get<std::uint64_t>(sum, 1)[0] == 99 * 100 / 2);
    std::vector<int> taken(101, 1);
    taken[0] = 100;
    CHECK(same(gpu.get<int>(tickets, 101), taken));
  }
}

TEST_CASE("CUDA's virtual functions, lambdas and lists") {
  Launcher gpu(cuda_text("modern", arch()));
  const auto x = numbers(96, 6);
  {
    std::vector<int> kinds;
    std::vector<float> expected;
    for (std::size_t k = 0; k < 96; ++k) {
      kinds.push_back(k % 3 == 0);
      expected.push_back(k % 3 == 0 ? 3.0f * x[k] * x[k] : x[k] * x[k]);
    }
    const std::uint64_t of = gpu.put(kinds), in = gpu.put(x), out = gpu.room(96 * 4);
    gpu.clean("areas_of_shapes", shape(3, 32), of, in, out, 96);
    CHECK(same(gpu.get<float>(out, 96), expected));
  }
  {
    const std::size_t n = 3;
    std::vector<float> expected;
    for (std::size_t t = 0; t < 32; ++t)
      for (std::size_t k = 0; k < n; ++k) {
        const float held = std::fma(0.7f, std::fma(0.7f, x[t * n + n - 1 - k], 1.0f), 1.0f);
        expected.push_back(t % 2 != 0 ? -held : held + held);
      }
    const std::uint64_t in = gpu.put(x), out = gpu.room(96 * 4);
    gpu.clean("lambdas", shape(1, 32), in, out, static_cast<int>(n), 0.7f);
    CHECK(same(gpu.get<float>(out, 96), expected));
  }
  const auto values = integers(150, 7);
  std::vector<int> sums(64, 0);
  for (int t = 0; t < 64; ++t) {
    int place = 1, last = t;
    while (last + 64 < 150) last += 64;
    for (int k = last; k >= 0; k -= 64)
      sums[static_cast<std::size_t>(t)] += place++ * values[static_cast<std::size_t>(k)];
  }
  const std::uint64_t in = gpu.put(values), out = gpu.room(256);
  gpu.clean("lists", shape(1, 64), in, out, 150);
  CHECK(same(gpu.get<int>(out, 64), sums));
}

TEST_CASE("CUDA's functions of halves, and their sums by atomics") {
  Launcher gpu(cuda_text("modern", arch()));
  gpu.approximates_nearest = true;
  const std::size_t n = 90;
  const auto values = numbers(n, 8);
  std::vector<std::uint16_t> x, y;
  for (const float v : values) {
    x.push_back(numerics::f32_to_f16(2 * v));
    y.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(3 * v) >> 16));
  }
  const std::uint64_t in = gpu.put(x), other = gpu.put(y), out = gpu.room(n * 16), of_other = gpu.room(n * 8);
  gpu.clean("functions_of_halves", shape(3, 32), in, other, out, of_other, static_cast<int>(n));
  const auto made = gpu.get<std::uint16_t>(out, 8 * n), bf16 = gpu.get<std::uint16_t>(of_other, 4 * n);
  for (std::size_t k = 0; k < n; ++k) {
    const double h = of_half(x[k]), b = of_bf16(y[k]);
    const auto* to = &made[8 * k];
    INFO(h << " " << b);
    CHECK(of_half(to[0]) == Approx(std::sqrt(std::fabs(h))).epsilon(1e-3));
    CHECK(of_half(to[1]) == std::nearbyint(h));
    CHECK(of_half(to[2]) == std::floor(h));
    CHECK(to[3] == numerics::round_f64(std::min(std::max(h * h + h, 0.0), 1.0), numerics::Format::f16));
    CHECK(of_half(to[4]) == std::max(h, 0.5));
    CHECK(of_half(to[5]) == Approx(std::exp(h)).epsilon(1e-3));
    CHECK(of_half(to[6]) == Approx(std::log2(std::fabs(h))).epsilon(1e-3).margin(1e-3));
    CHECK(of_half(to[7]) == Approx(h / 3).epsilon(1e-3));
    CHECK(of_bf16(bf16[4 * k]) == std::ceil(b));
    CHECK(bf16[4 * k + 1] == numerics::round_f64(b - 0.25, numerics::Format::bf16));
    CHECK(of_bf16(bf16[4 * k + 2]) == std::min(b, 0.5));
    CHECK(bf16[4 * k + 3] == std::bit_cast<std::uint32_t>(static_cast<float>(b) * 1.7f) >> 16);
  }
  std::vector<std::uint16_t> pairs, zeros(8, 0);
  std::vector<float> sums(8, 0), others(4, 0);
  for (std::size_t k = 0; k < 64; ++k) {  // whose sums are exact
    const auto v = static_cast<float>(static_cast<int>(k * 7 % 11) - 5);
    pairs.push_back(numerics::f32_to_f16(v));
    sums[k / 2 % 4 * 2 + k % 2] += v;
    others[k / 2 % 2 * 2 + k % 2] += v;
  }
  const std::uint64_t of = gpu.put(pairs), halves = gpu.put(zeros), rest = gpu.put(zeros);
  gpu.clean("sums_of_pairs", shape(1, 32), of, halves, rest);
  const auto found = gpu.get<std::uint16_t>(halves, 8), found_rest = gpu.get<std::uint16_t>(rest, 4);
  for (std::size_t k = 0; k < 8; ++k) CHECK(of_half(found[k]) == sums[k]);
  for (std::size_t k = 0; k < 4; ++k) CHECK(of_bf16(found_rest[k]) == others[k]);
}

TEST_CASE("CUDA's alignment of words, long functions and clocks") {
  Launcher gpu(cuda_text("modern", arch()));
  gpu.approximates_nearest = true;
  {
    const std::string a = "acgtacgttagcatcgatcgacgtagctagct", b = "ttagcacgatcgacgcagctaggtacgtacgttagcatcgacgat";
    REQUIRE(a.size() == 32);
    const std::size_t n = b.size();
    int best = 0;
    std::vector<std::vector<int>> score(33, std::vector<int>(n + 1, 0)), down(33, std::vector<int>(n + 1, 0)),
        right(33, std::vector<int>(n + 1, 0));
    for (std::size_t i = 1; i <= 32; ++i)
      for (std::size_t j = 1; j <= n; ++j) {
        down[i][j] = std::max(score[i - 1][j] - 4, down[i - 1][j] - 1);
        right[i][j] = std::max(score[i][j - 1] - 4, right[i][j - 1] - 1);
        const int straight = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
        score[i][j] = std::max({straight, down[i][j], right[i][j], 0});
        best = std::max(best, score[i][j]);
      }
    const std::uint64_t x = gpu.put(std::vector<char>(a.begin(), a.end())),
                        y = gpu.put(std::vector<char>(b.begin(), b.end())), out = gpu.room(4);
    gpu.clean("alignment", shape(1, 32), x, y, static_cast<int>(n), out);
    CHECK(gpu.get<int>(out, 1)[0] == best);
  }
  {
    const auto values = numbers(64, 9);
    const std::vector<double> x(values.begin(), values.end());
    const std::uint64_t in = gpu.put(x), out = gpu.room(64 * 56);
    gpu.clean("long_functions", shape(2, 32), in, out, 64);
    const auto made = gpu.get<double>(out, 64 * 7);
    constexpr double pi = 3.14159265358979323846;
    for (std::size_t k = 0; k < 64; ++k) {
      const double v = x[k], expected[] = {std::sin(pi * v), std::cos(pi * v),   std::erfc(v),     std::cbrt(v),
                                           std::expm1(v),    std::atan2(v, 0.5), std::fmod(v, 0.3)};
      for (std::size_t f = 0; f < 7; ++f) CHECK(made[7 * k + f] == Approx(expected[f]).epsilon(1e-13).margin(1e-13));
    }
  }
  const std::uint64_t out = gpu.room(256);
  gpu.clean("clocks", shape(1, 64), out);
  CHECK(same(gpu.get<int>(out, 64), std::vector<int>(64, 8)));
}
