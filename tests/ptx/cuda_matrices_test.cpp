// tests/data/ptx/matrices.cu against the same in C++, in the order that the source states. Of tensor cores the order is
// that of their models (numerics/mma.h), which tests/numerics compares with published measurements.
#include <cmath>

#include "numerics/mma.h"
#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;
using numerics::MmaModel;

MmaModel model_of(const std::string& arch) { return arch == "sm_80" ? MmaModel::ampere : MmaModel::hopper; }

/// a (rows x k) times the transposed of b (columns x k), each sum by a chain of fused products.
std::vector<float> by_chains(const std::vector<float>& a, const std::vector<float>& b, std::size_t n) {
  std::vector<float> out;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      out.push_back(sum);
    }
  return out;
}

/// A sum of products by a tensor core: `leaves` of them an instruction, each of them in nodes of the unit's length.
double by_unit(const numerics::MmaUnit& unit, double sum, const std::vector<double>& x, const std::vector<double>& y,
               std::size_t leaves) {
  for (std::size_t base = 0; base < x.size(); base += leaves)
    for (std::size_t at = base; at < base + leaves;) {
      const std::size_t count = std::min(static_cast<std::size_t>(unit.length), base + leaves - at);
      sum = numerics::mma_node(unit, sum, std::span(x).subspan(at, count), std::span(y).subspan(at, count));
      at += count;
    }
  return sum;
}

std::vector<double> row(const std::vector<float>& x, std::size_t first, std::size_t stride, std::size_t count) {
  std::vector<double> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(x[first + k * stride]);
  return out;
}

/// Numbers of a format of 16 bits: as patterns and as f32.
template <Format format>
std::pair<std::vector<std::uint16_t>, std::vector<float>> halves(std::size_t count, unsigned seed) {
  std::vector<std::uint16_t> patterns;
  std::vector<float> values;
  for (const float v : numbers(count, seed)) {
    patterns.push_back(numerics::Pattern<format>::from_f32(v));
    values.push_back(numerics::Pattern<format>::to_f32(patterns.back()));
  }
  return {patterns, values};
}

}  // namespace

TEST_CASE("CUDA's vectorised and pipelined products have the bits of their order") {
  Launcher gpu(cuda_text("matrices", arch()));
  const std::size_t n = 64;
  const auto a = numbers(n * n, 51), b = numbers(n * n, 52), expected = by_chains(a, b, n);
  const std::uint64_t x = gpu.put(a), y = gpu.put(b), fours = gpu.room(n * n * 4), piped = gpu.room(n * n * 4);
  gpu.clean("product_of_fours", shape(1, 256), x, y, fours, 64);
  CHECK(same(gpu.get<float>(fours, n * n), expected));
  gpu.clean("product_with_pipeline", plane(2, 2, 256, 1), x, y, piped, 64);
  CHECK(same(gpu.get<float>(piped, n * n), expected));
}

TEST_CASE("CUDA's products by tensor cores have the bits of their units") {
  const std::string target = arch();
  Launcher gpu(cuda_text("matrices", target));
  const std::size_t n = 64;
  const auto [a, x] = halves<Format::f16>(n * n, 53);
  const auto [b, y] = halves<Format::f16>(n * n, 54);
  const numerics::MmaUnit& unit = *numerics::mma_unit(model_of(target), Format::f16, Format::f32);
  const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b);
  {
    const std::uint64_t out = gpu.room(n * n * 4);
    gpu.clean("product_by_wmma", plane(4, 4, 32, 1), in_a, in_b, out, 64);
    std::vector<float> expected;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expected.push_back(2 * static_cast<float>(by_unit(unit, 0, row(x, i * n, 1, n), row(y, j * n, 1, n), 16)));
    CHECK(same(gpu.get<float>(out, n * n), expected));
  }
  {
    const std::uint64_t out = gpu.room(n * n * 2);
    gpu.clean("product_by_mma", shape(1, 128), in_a, in_b, out, 64);
    std::vector<std::uint16_t> expected;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expected.push_back(
            numerics::f32_to_f16(static_cast<float>(by_unit(unit, 0, row(x, i * n, 1, n), row(y, j, n, n), 16))));
    CHECK(same(gpu.get<std::uint16_t>(out, n * n), expected));
  }
}

TEST_CASE("CUDA's products of bf16, tf32 and bytes have the bits of their units") {
  const std::string target = arch();
  Launcher gpu(cuda_text("matrices", target));
  const std::size_t n = 32;
  {
    const auto [a, x] = halves<Format::bf16>(n * n, 55);
    const auto [b, y] = halves<Format::bf16>(n * n, 56);
    const auto c = numbers(n * n, 57);
    const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), out = gpu.put(c);
    gpu.clean("product_by_wmma_bf16", plane(2, 2, 32, 1), in_a, in_b, out, 32);
    const numerics::MmaUnit& unit = *numerics::mma_unit(model_of(target), Format::bf16, Format::f32);
    std::vector<float> expected;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expected.push_back(static_cast<float>(by_unit(unit, c[i * n + j], row(x, i * n, 1, n), row(y, j, n, n), 16)));
    CHECK(same(gpu.get<float>(out, n * n), expected));
  }
  {
    auto a = numbers(n * n, 58), b = numbers(n * n, 59);
    const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), out = gpu.room(n * n * 4);
    gpu.clean("product_by_tf32", plane(4, 2, 32, 1), in_a, in_b, out, 32);
    // To ten bits of fraction, ties away from zero.
    for (auto* all : {&a, &b})
      for (float& v : *all) v = std::bit_cast<float>((std::bit_cast<std::uint32_t>(v) + 0x1000u) & 0xffffe000u);
    const numerics::MmaUnit& unit = *numerics::mma_unit(model_of(target), Format::tf32, Format::f32);
    std::vector<float> expected;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expected.push_back(static_cast<float>(by_unit(unit, 0, row(a, i * n, 1, n), row(b, j, n, n), 8)));
    CHECK(same(gpu.get<float>(out, n * n), expected));
  }
  std::mt19937 random(60);
  std::vector<std::int8_t> a(32 * 32), b(32 * 32);
  for (auto* all : {&a, &b})
    for (auto& v : *all) v = static_cast<std::int8_t>(random());
  const auto sums = [&](std::size_t rows, std::size_t columns, std::size_t k) {
    std::vector<int> out;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        int sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
        out.push_back(sum);
      }
    return out;
  };
  const std::uint64_t in_a = gpu.put(a), in_b = gpu.put(b), tile = gpu.room(256 * 4), all = gpu.room(1024 * 4);
  gpu.clean("product_by_wmma_s8", shape(1, 32), in_a, in_b, tile);
  CHECK(same(gpu.get<int>(tile, 256), sums(32, 8, 16)));
  gpu.clean("product_by_dp4a", plane(2, 2, 16, 16), in_a, in_b, all, 32, 8);
  CHECK(same(gpu.get<int>(all, 1024), sums(32, 32, 32)));
}

TEST_CASE("CUDA's products with vectors have the bits of their order") {
  Launcher gpu(cuda_text("matrices", arch()));
  {
    const std::size_t rows = 10, columns = 70, batches = 3;
    const auto a = numbers(batches * rows * columns, 61), x = numbers(batches * columns, 62);
    const std::uint64_t in = gpu.put(a), of = gpu.put(x), out = gpu.room(batches * rows * 4);
    gpu.clean("matrix_vector", plane(3, 3, 128, 1), in, of, out, 10, 70);
    std::vector<float> expected;
    for (std::size_t b = 0; b < batches; ++b)
      for (std::size_t i = 0; i < rows; ++i) {
        std::vector<float> lanes(32, 0);
        for (std::size_t j = 0; j < columns; ++j)
          lanes[j % 32] = std::fma(a[(b * rows + i) * columns + j], x[b * columns + j], lanes[j % 32]);
        expected.push_back(by_butterfly(lanes)[0]);
      }
    CHECK(same(gpu.get<float>(out, expected.size()), expected));
  }
  {
    std::mt19937 random(63);
    const std::size_t rows = 50;
    std::vector<int> begins{0}, columns;
    std::vector<double> values, x(40), expected;
    for (double& v : x) v = static_cast<double>(random() % 1000) / 7;
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<double> lanes(8, 0);
      const std::size_t count = random() % 30;
      for (std::size_t k = 0; k < count; ++k) {
        columns.push_back(static_cast<int>(random() % 40));
        values.push_back(static_cast<double>(random() % 1000) / 11);
        lanes[k % 8] = std::fma(values.back(), x[static_cast<std::size_t>(columns.back())], lanes[k % 8]);
      }
      begins.push_back(static_cast<int>(columns.size()));
      for (std::size_t d = 4; d > 0; d /= 2)
        for (std::size_t k = 0; k < d; ++k) lanes[k] += lanes[k + d];
      expected.push_back(lanes[0]);
    }
    const std::uint64_t of_begins = gpu.put(begins), of_columns = gpu.put(columns), of_values = gpu.put(values),
                        of_x = gpu.put(x), out = gpu.room(rows * 8);
    gpu.clean("sparse_product", shape(4, 128), of_begins, of_columns, of_values, of_x, out, 50);
    CHECK(same(gpu.get<double>(out, rows), expected));
  }
}

TEST_CASE("CUDA's attention by tensor cores comes near what mathematics says") {
  Launcher gpu(cuda_text("matrices", arch()));
  gpu.approximates_nearest = true;
  const std::size_t queries = 32, keys = 48;
  const auto [q, of_q] = halves<Format::f16>(queries * 16, 64);
  const auto [k, of_k] = halves<Format::f16>(keys * 16, 65);
  const auto [v, of_v] = halves<Format::f16>(keys * 16, 66);
  const std::uint64_t in_q = gpu.put(q), in_k = gpu.put(k), in_v = gpu.put(v), out = gpu.room(queries * 16 * 4);
  gpu.clean("attention_by_mma", shape(2, 32), in_q, in_k, in_v, out, 48);
  const auto made = gpu.get<float>(out, queries * 16);
  for (std::size_t i = 0; i < queries; ++i) {
    std::vector<double> weights;
    double most = -1e300, all = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      double score = 0;
      for (std::size_t l = 0; l < 16; ++l) score += double{of_q[i * 16 + l]} * of_k[j * 16 + l];
      weights.push_back(score);
      most = std::max(most, score);
    }
    for (double& w : weights) all += w = std::exp2(w - most);
    for (std::size_t l = 0; l < 16; ++l) {
      double sum = 0;
      for (std::size_t j = 0; j < keys; ++j) sum += weights[j] * of_v[j * 16 + l];
      CHECK(made[i * 16 + l] == Approx(sum / all).margin(2e-3));  // weights are halves
    }
  }
}
