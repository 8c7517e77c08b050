// Kernels in CUDA, compiled by nvcc (tests/data/ptx/kernels.cu), against the same sums in C++, in the order that the
// source states.
#include <cmath>
#include <numeric>
#include <random>

#include "numerics/mma.h"
#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

}  // namespace

TEST_CASE("CUDA's classic reductions have the bits of their order in the emulator") {
  Launcher gpu(cuda_text("kernels", arch()));
  const auto x = numbers(10007, 1);
  const int n = static_cast<int>(x.size());
  const std::uint64_t in = gpu.put(x);
  {
    const std::uint64_t out = gpu.room(4 * 4);
    gpu.clean("sum_by_halves", shape(4, 256), in, out, n);
    const auto of_threads = strided(x, 4 * 256);
    std::vector<float> expected;
    for (std::size_t b = 0; b < 4; ++b) expected.push_back(by_halves(slice(of_threads, b * 256, 256)));
    CHECK(same(gpu.get<float>(out, 4), expected));
  }
  {
    const std::uint64_t out = gpu.room(3 * 4);
    gpu.clean("sum_by_shuffles", shape(3, 512), in, out, n);
    const auto of_threads = strided(x, 3 * 512);
    std::vector<float> expected;
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<float> of_warps(32, 0);
      for (std::size_t w = 0; w < 16; ++w) of_warps[w] = by_shuffles_down(slice(of_threads, b * 512 + w * 32, 32));
      expected.push_back(by_shuffles_down(of_warps));
    }
    CHECK(same(gpu.get<float>(out, 3), expected));
  }
  const auto of_threads = strided(x, 7 * 128);
  float expected = 0;
  for (std::size_t b = 0; b < 7; ++b) expected += by_halves(slice(of_threads, b * 128, 128));
  for (const std::uint64_t seed : {0, 1, 2, 3}) {  // whichever block comes last
    const std::uint64_t partial = gpu.room(7 * 4), done = gpu.put(std::vector<unsigned>{0}), out = gpu.room(4);
    LaunchOptions options = shape(7, 128);
    options.seed = seed;
    gpu.clean("sum_by_last_block", options, in, partial, done, out, n);
    CHECK(same(gpu.get<float>(out, 1), {expected}));
  }
}

TEST_CASE("CUDA kernels that move and count give what they should in the emulator") {
  Launcher gpu(cuda_text("kernels", arch()));
  std::mt19937 random(2);
  {
    std::vector<unsigned char> x(5000);
    std::vector<unsigned> expected(256, 0);
    for (auto& byte : x) byte = static_cast<unsigned char>(random() % 7 == 0 ? 3 : random()), ++expected[byte];
    const std::uint64_t in = gpu.put(x), bins = gpu.put(std::vector<unsigned>(256, 0));
    gpu.clean("histogram", shape(3, 192), in, bins, 5000);
    CHECK(same(gpu.get<unsigned>(bins, 256), expected));
  }
  {
    const auto x = numbers(70 * 45, 3);
    const std::uint64_t in = gpu.put(x), out = gpu.room(70 * 45 * 4);
    LaunchOptions options;
    options.grid = {2, 3, 1};
    options.block = {32, 8, 1};
    const LaunchReport report = gpu.clean("transpose", options, in, out, 70, 45);
    std::vector<float> expected(x.size());
    for (std::size_t i = 0; i < 70; ++i)
      for (std::size_t j = 0; j < 45; ++j) expected[j * 70 + i] = x[i * 45 + j];
    CHECK(same(gpu.get<float>(out, x.size()), expected));
    CHECK(report.shared_wavefronts == report.shared_requests);  // the 33rd column is there to avoid conflicts of banks
  }
  {
    std::vector<int> x(4 * 32);
    for (int& v : x) v = static_cast<int>(random() % 9) - 4;
    std::vector<int> expected(x.size(), -1), counts(4, 0);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] > 0) expected[i / 32 * 32 + static_cast<std::size_t>(counts[i / 32]++)] = x[i];
    const std::uint64_t in = gpu.put(x), out = gpu.put(std::vector<int>(x.size(), -1)), of = gpu.room(16);
    gpu.clean("compact", shape(4, 32), in, out, of);
    CHECK(same(gpu.get<int>(out, x.size()), expected));
    CHECK(same(gpu.get<int>(of, 4), counts));
  }
  {
    const std::uint64_t out = gpu.room(40 * 4);
    gpu.clean("recursion", shape(1, 40), out);
    std::vector<int> fibonacci{0, 1}, expected;
    for (std::size_t k = 2; k < 12; ++k) fibonacci.push_back(fibonacci[k - 1] + fibonacci[k - 2]);
    for (std::size_t k = 0; k < 40; ++k) expected.push_back(fibonacci[k % 12]);
    CHECK(same(gpu.get<int>(out, 40), expected));
  }
  {
    const auto x = numbers(5 * 128, 4);
    const std::uint64_t in = gpu.put(x), out = gpu.room(5 * 128 * 4);
    gpu.clean("scaled_by_pipeline", shape(1, 128), in, out, 3.0f, 5);
    std::vector<float> expected;
    for (std::size_t k = 0; k < x.size(); ++k) expected.push_back(3.0f * x[k / 128 * 128 + 127 - k % 128]);
    CHECK(same(gpu.get<float>(out, x.size()), expected));
  }
}

TEST_CASE("CUDA's products of matrices have the bits of their order in the emulator") {
  Launcher gpu(cuda_text("kernels", arch()));
  for (const auto& [name, n] :
       {std::pair<std::string, std::size_t>{"product_by_tiles", 48}, {"product_in_registers", 128}}) {
    const auto a = numbers(n * n, 5), b = numbers(n * n, 6);
    const std::uint64_t x = gpu.put(a), y = gpu.put(b), z = gpu.room(n * n * 4);
    LaunchOptions options;
    options.block = {16, 16, 1};
    const auto blocks = static_cast<std::uint32_t>(name == "product_by_tiles" ? n / 16 : n / 64);
    options.grid = {blocks, blocks, 1};
    gpu.clean(name, options, x, y, z, static_cast<int>(n));
    std::vector<float> expected(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;  // nvcc joins products and sums
        for (std::size_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
        expected[i * n + j] = sum;
      }
    CHECK(same(gpu.get<float>(z, n * n), expected));
  }
  {
    std::vector<std::uint16_t> a(256), b(128);
    const auto x = numbers(256 + 128 + 128, 7);
    for (std::size_t k = 0; k < 256; ++k) a[k] = numerics::f32_to_f16(x[k]);
    for (std::size_t k = 0; k < 128; ++k) b[k] = numerics::f32_to_f16(x[256 + k]);
    const std::vector<float> c = slice(x, 384, 128);
    const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), out = gpu.put(c);
    gpu.clean("tensor_core", shape(1, 32), in_a, in_b, out);
    // Of both generations the sums are within half a unit of f32 of 2^-20 of the exact ones; equality with their
    // models: tests/gpu/emulated_test.cpp.
    const auto made = gpu.get<float>(out, 128);
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        double exact = c[i * 8 + j];
        for (std::size_t k = 0; k < 16; ++k)
          exact += double{numerics::f16_to_f32(a[i * 16 + k])} * numerics::f16_to_f32(b[k * 8 + j]);
        CHECK(std::fabs(made[i * 8 + j] - exact) < 4e-6);
      }
  }
}

TEST_CASE("CUDA's scans, stencils and rows have the bits of their order in the emulator") {
  Launcher gpu(cuda_text("kernels", arch()));
  {
    const auto x = numbers(300, 8);
    const std::uint64_t in = gpu.put(x), out = gpu.room(300 * 4);
    LaunchOptions options = shape(3, 128);
    options.dynamic_shared_bytes = 2 * 128 * 4;
    gpu.clean("scan", options, in, out, 300);
    std::vector<float> expected;
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<float> from(128, 0);
      for (std::size_t t = 0; t < 128 && b * 128 + t < 300; ++t) from[t] = x[b * 128 + t];
      for (std::size_t d = 1; d < 128; d *= 2) {
        const auto before = from;
        for (std::size_t t = d; t < 128; ++t) from[t] = before[t - d] + before[t];
      }
      for (std::size_t t = 0; t < 128 && b * 128 + t < 300; ++t) expected.push_back(from[t]);
    }
    CHECK(same(gpu.get<float>(out, 300), expected));
  }
  {
    const auto x = numbers(300, 9);
    const std::uint64_t in = gpu.put(x), out = gpu.room(300 * 4);
    gpu.clean("stencil", shape(3, 128), in, out, 0.3f, 300);
    std::vector<float> expected;
    for (std::size_t i = 0; i < 300; ++i)
      expected.push_back(std::fma(0.3f, (i > 0 ? x[i - 1] : 0.0f) + (i + 1 < 300 ? x[i + 1] : 0.0f), x[i]));
    CHECK(same(gpu.get<float>(out, 300), expected));
  }
  {
    const std::size_t columns = 96;
    const auto x = numbers(4 * columns, 10);
    const std::uint64_t in = gpu.put(x), out = gpu.room(4 * columns * 4);
    gpu.clean("layer_norm", shape(4, 32), in, out, static_cast<int>(columns));
    std::vector<float> expected;
    for (std::size_t r = 0; r < 4; ++r) {
      const auto row = slice(x, r * columns, columns);
      std::vector<float> sums = by_butterfly(strided(row, 32)), squares(32, 0);
      const float mean = sums[0] / static_cast<float>(columns);
      for (std::size_t j = 0; j < columns; ++j)
        squares[j % 32] = std::fma(row[j] - mean, row[j] - mean, squares[j % 32]);
      const float scale = 1.0f / std::sqrt(by_butterfly(squares)[0] / static_cast<float>(columns) + 1e-5f);
      for (std::size_t j = 0; j < columns; ++j) expected.push_back((row[j] - mean) * scale);
    }
    CHECK(same(gpu.get<float>(out, expected.size()), expected));
  }
}

TEST_CASE("CUDA kernels with approximate exponentials are refused by name, or come near") {
  Launcher gpu(cuda_text("kernels", arch()));
  std::uint32_t line = 0;
  CHECK_THAT(gpu.refusal("softmax", &line), Catch::Contains("only the chip knows what `ex2.approx.ftz.f32` gives"));
  CHECK(line > 0);
  const std::size_t columns = 200;
  const auto x = numbers(2 * columns, 11);
  const std::uint64_t in = gpu.put(x), out = gpu.room(2 * columns * 4);
  LaunchOptions options = shape(2, 64);
  gpu.approximates_nearest = true;
  gpu.clean("softmax", options, in, out, static_cast<int>(columns));
  const auto made = gpu.get<float>(out, 2 * columns);
  for (std::size_t r = 0; r < 2; ++r) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += std::exp(double{x[r * columns + j]});
    for (std::size_t j = 0; j < columns; ++j)
      CHECK(made[r * columns + j] == Approx(std::exp(double{x[r * columns + j]}) / sum).epsilon(1e-5));
  }
  const auto k = numbers(50 * 32, 12), v = numbers(50 * 32, 13);
  const std::uint64_t q = gpu.put(slice(x, 0, 64)), of_k = gpu.put(k), of_v = gpu.put(v), result = gpu.room(2 * 32 * 4);
  options.block = {32, 1, 1};
  gpu.clean("attention", options, q, of_k, of_v, result, 50);
  const auto rows = gpu.get<float>(result, 64);
  for (std::size_t query = 0; query < 2; ++query) {
    std::vector<double> sums(32, 0);
    double weights = 0;
    for (std::size_t key = 0; key < 50; ++key) {
      double score = 0;
      for (std::size_t d = 0; d < 32; ++d) score += double{x[query * 32 + d]} * k[key * 32 + d];
      weights += std::exp(score);
      for (std::size_t d = 0; d < 32; ++d) sums[d] += std::exp(score) * v[key * 32 + d];
    }
    for (std::size_t d = 0; d < 32; ++d)
      CHECK(rows[query * 32 + d] == Approx(sums[d] / weights).epsilon(2e-5).margin(1e-6));
  }
}

TEST_CASE("CUDA kernels of halves and doubles have the bits of their order in the emulator") {
  Launcher gpu(cuda_text("kernels", arch()));
  const auto values = numbers(400, 14);
  std::vector<std::uint16_t> x, y, expected;
  for (std::size_t i = 0; i < 200; ++i)
    x.push_back(numerics::f32_to_f16(values[i])), y.push_back(numerics::f32_to_f16(values[200 + i]));
  const std::uint16_t a = numerics::f32_to_f16(1.7f);
  // Products of two f16s and their sums with a third are exact in f64 where no exponents are far apart, as here.
  for (std::size_t i = 0; i < 200; ++i)
    expected.push_back(static_cast<std::uint16_t>(
        numerics::round_f64(double{numerics::f16_to_f32(a)} * numerics::f16_to_f32(x[i]) + numerics::f16_to_f32(y[i]),
                            numerics::Format::f16)));
  const std::uint64_t in = gpu.put(x), out = gpu.put(y);
  gpu.clean("axpy_of_halves", shape(2, 64), in, out, std::uint32_t{a} << 16 | a, 100);
  CHECK(same(gpu.get<std::uint16_t>(out, 200), expected));

  std::vector<double> p(values.begin(), values.begin() + 200), q(values.begin() + 200, values.end()), lanes(32, 0);
  for (std::size_t i = 0; i < 200; ++i) lanes[i % 32] = std::fma(p[i], q[i], lanes[i % 32]);
  for (std::size_t d = 16; d > 0; d /= 2) {
    const auto before = lanes;
    for (std::size_t k = 0; k < 32; ++k) lanes[k] += k + d < 32 ? before[k + d] : before[k];
  }
  const std::uint64_t of_p = gpu.put(p), of_q = gpu.put(q), dot = gpu.room(8);
  gpu.clean("dot_of_doubles", shape(1, 32), of_p, of_q, dot, 200);
  CHECK(same(gpu.get<double>(dot, 1), {lanes[0]}));
}
