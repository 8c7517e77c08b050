// tests/data/ptx/rows.cu against the same in C++: in the same order where every operation is exact, and against
// mathematics in f64 where approximate exponentials, for which the nearest numbers stand, take part.
#include <algorithm>
#include <cmath>

#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

/// Of a block: threads in strides, warps by a butterfly, and so their sums.
float by_block(const std::vector<float>& of_threads) {
  std::vector<float> of_warps(32, 0);
  for (std::size_t w = 0; w < of_threads.size() / 32; ++w) of_warps[w] = by_butterfly(slice(of_threads, 32 * w, 32))[0];
  return by_butterfly(of_warps)[0];
}

/// Checks that numbers are near those of mathematics, all of them.
void check_near(const std::vector<float>& made, const std::vector<double>& expected, double margin, double relative) {
  REQUIRE(made.size() == expected.size());
  std::size_t far = 0;
  for (std::size_t k = 0; k < made.size(); ++k)
    if (!(std::fabs(made[k] - expected[k]) <= margin + relative * std::fabs(expected[k]))) ++far;
  CHECK(far == 0);
}

}  // namespace

TEST_CASE("CUDA's softmax of one pass and cross entropy come near mathematics") {
  Launcher gpu(cuda_text("rows", arch()));
  gpu.approximates_nearest = true;
  const std::size_t rows = 3, columns = 77;
  const auto x = numbers(rows * columns, 81);
  const std::uint64_t in = gpu.put(x), out = gpu.room(x.size() * 4), loss = gpu.room(rows * 4),
                      gradient = gpu.room(x.size() * 4);
  const std::vector<int> target{5, 76, 0};
  const std::uint64_t of_target = gpu.put(target);
  gpu.clean("softmax_online", shape(3, 32), in, out, 77);
  gpu.clean("cross_entropy", shape(3, 32), in, of_target, loss, gradient, 77);
  std::vector<double> weights, slopes, losses;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) sum += std::exp(double{x[r * columns + j]});
    for (std::size_t j = 0; j < columns; ++j) {
      weights.push_back(std::exp(double{x[r * columns + j]}) / sum);
      slopes.push_back(weights.back() - (static_cast<int>(j) == target[r] ? 1 : 0));
    }
    losses.push_back(std::log(sum) - x[r * columns + static_cast<std::size_t>(target[r])]);
  }
  check_near(gpu.get<float>(out, x.size()), weights, 0, 2e-6);
  check_near(gpu.get<float>(gradient, x.size()), slopes, 1e-7, 2e-6);
  check_near(gpu.get<float>(loss, rows), losses, 1e-6, 1e-6);
}

TEST_CASE("CUDA's norms have the bits of their order") {
  Launcher gpu(cuda_text("rows", arch()));
  const std::size_t rows = 2, columns = 300;
  const auto x = numbers(rows * columns, 82), gain = numbers(columns, 83), bias = numbers(columns, 84);
  const std::uint64_t in = gpu.put(x), of_gain = gpu.put(gain), of_bias = gpu.put(bias);
  {
    const std::uint64_t out = gpu.room(x.size() * 4);
    gpu.clean("layer_norm_of_block", shape(2, 128), in, of_gain, of_bias, out, 300);
    std::vector<float> expected;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto row = slice(x, r * columns, columns);
      const float mean = by_block(strided(row, 128)) / 300;
      std::vector<float> squares(128, 0);
      for (std::size_t j = 0; j < columns; ++j)
        squares[j % 128] = std::fma(row[j] - mean, row[j] - mean, squares[j % 128]);
      const float scale = 1.0f / std::sqrt(by_block(squares) / 300 + 1e-5f);
      for (std::size_t j = 0; j < columns; ++j) expected.push_back(std::fma((row[j] - mean) * scale, gain[j], bias[j]));
    }
    CHECK(same(gpu.get<float>(out, x.size()), expected));
  }
  {
    std::vector<std::uint16_t> halves, of_gains, expected;
    for (const float v : x) halves.push_back(numerics::f32_to_bf16(v));
    for (const float v : gain) of_gains.push_back(numerics::f32_to_bf16(v));
    const std::uint64_t from = gpu.put(halves), gains = gpu.put(of_gains), out = gpu.room(x.size() * 2);
    gpu.clean("rms_norm", shape(2, 96), from, gains, out, 300);
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<float> squares(96, 0);
      const auto value = [&](std::size_t j) { return numerics::bf16_to_f32(halves[r * columns + j]); };
      for (std::size_t j = 0; j < columns; ++j) squares[j % 96] = std::fma(value(j), value(j), squares[j % 96]);
      const float scale = 1.0f / std::sqrt(by_block(squares) / 300 + 1e-6f);
      for (std::size_t j = 0; j < columns; ++j)
        expected.push_back(numerics::f32_to_bf16(value(j) * scale * numerics::bf16_to_f32(of_gains[j])));
    }
    CHECK(same(gpu.get<std::uint16_t>(out, x.size()), expected));
  }
  {
    // Two images of six channels in three groups, fifty pixels.
    const std::uint64_t out = gpu.room(600 * 4);
    gpu.clean("group_norm", shape(6, 64), in, out, 6, 3, 50);
    std::vector<float> expected;
    for (std::size_t g = 0; g < 6; ++g) {
      const auto all = slice(x, g * 100, 100);
      std::vector<float> sums(64, 0), squares(64, 0);
      for (std::size_t i = 0; i < 100; ++i)
        sums[i % 64] += all[i], squares[i % 64] = std::fma(all[i], all[i], squares[i % 64]);
      const float mean = by_block(sums) / 100, square = by_block(squares) / 100;
      const float scale = 1.0f / std::sqrt(std::fma(-mean, mean, square) + 1e-5f);
      for (const float v : all) expected.push_back((v - mean) * scale);
    }
    CHECK(same(gpu.get<float>(out, 600), expected));
  }
}

TEST_CASE("CUDA's rotations, gathers, scatters and quantised rows have the bits of their order") {
  Launcher gpu(cuda_text("rows", arch()));
  {
    const std::size_t positions = 5, heads = 2, half = 8;
    auto x = numbers(positions * heads * 2 * half, 85);
    std::vector<float> cosines, sines;
    for (std::size_t k = 0; k < positions * half; ++k) {
      cosines.push_back(static_cast<float>(std::cos(0.1 * static_cast<double>(k))));
      sines.push_back(static_cast<float>(std::sin(0.1 * static_cast<double>(k))));
    }
    const std::uint64_t at = gpu.put(x), c = gpu.put(cosines), s = gpu.put(sines);
    gpu.clean("rope", shape(5, 8), at, c, s, 2, 8);
    for (std::size_t p = 0; p < positions; ++p)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < half; ++i) {
          float& a = x[(p * heads + h) * 2 * half + i];
          float& b = x[(p * heads + h) * 2 * half + half + i];
          const float u = a, v = b, cosine = cosines[p * half + i], sine = sines[p * half + i], kept = u * cosine,
                      lost = v * sine, turned = v * cosine;
          a = kept - lost;  // nvcc does not join these
          b = std::fma(u, sine, turned);
        }
    CHECK(same(gpu.get<float>(at, x.size()), x));
  }
  {
    const auto table = numbers(20 * 12, 86);
    const std::vector<int> rows{7, 0, 7, 19, 3};
    const std::uint64_t of_table = gpu.put(table), of_rows = gpu.put(rows), out = gpu.room(5 * 12 * 4),
                        sums = gpu.put(std::vector<float>(240, 0));
    gpu.clean("gather_rows", shape(5, 2), of_table, of_rows, out, 3);
    std::vector<float> expected;
    for (const int r : rows)
      for (std::size_t j = 0; j < 12; ++j) expected.push_back(table[static_cast<std::size_t>(r) * 12 + j]);
    CHECK(same(gpu.get<float>(out, 60), expected));
    gpu.clean("scatter_rows", shape(5, 8), out, of_rows, sums, 12);
    std::vector<float> back(240, 0);
    for (std::size_t k = 0; k < 60; ++k) back[static_cast<std::size_t>(rows[k / 12]) * 12 + k % 12] += expected[k];
    CHECK(same(gpu.get<float>(sums, 240), back));
  }
  {
    const std::size_t columns = 150;
    const auto x = numbers(2 * columns, 87);
    const std::uint64_t in = gpu.put(x), q = gpu.room(x.size()), scales = gpu.room(8);
    gpu.clean("quantise_rows", shape(2, 64), in, q, scales, 150);
    std::vector<std::int8_t> expected;
    std::vector<float> steps;
    for (std::size_t r = 0; r < 2; ++r) {
      float most = 0;
      for (std::size_t j = 0; j < columns; ++j) most = std::max(most, std::fabs(x[r * columns + j]));
      steps.push_back(most / 127.0f);
      for (std::size_t j = 0; j < columns; ++j)
        expected.push_back(
            static_cast<std::int8_t>(std::clamp(std::nearbyint(x[r * columns + j] / steps[r]), -127.0f, 127.0f)));
    }
    CHECK(same(gpu.get<float>(scales, 2), steps));
    CHECK(same(gpu.get<std::int8_t>(q, x.size()), expected));
  }
}

TEST_CASE("CUDA's GELU, Adam and greatest four") {
  Launcher gpu(cuda_text("rows", arch()));
  gpu.approximates_nearest = true;
  const auto x = numbers(200, 88), g = numbers(200, 89);
  const std::uint64_t in = gpu.put(x), out = gpu.room(800), other = gpu.room(800);
  gpu.clean("gelu_by_erf", shape(2, 128), in, out, 200);
  gpu.clean("gelu_by_tanh", shape(2, 128), in, other, 200);
  std::vector<double> exact, by_tanh;
  for (const float v : x) {
    exact.push_back(0.5 * v * (1 + std::erf(v * std::sqrt(0.5))));
    by_tanh.push_back(0.5 * v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v))));
  }
  check_near(gpu.get<float>(out, 200), exact, 2e-7, 2e-6);
  check_near(gpu.get<float>(other, 200), by_tanh, 2e-7, 2e-6);
  {
    struct Options {
      float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f, decay = 0.01f;
      int step = 3;
    };
    const Options o;
    const float fix1 = 0.271f, fix2 = 0.003f;
    std::vector<float> weights = x, mean(200, 0.1f), square(200, 0.2f);
    const std::uint64_t w = gpu.put(weights), of_g = gpu.put(g), m = gpu.put(mean), v = gpu.put(square);
    gpu.clean("adam", shape(2, 128), w, of_g, m, v, o, fix1, fix2, 200);
    for (std::size_t k = 0; k < 200; ++k) {
      const float old = o.beta1 * mean[k], older = o.beta2 * square[k], share = (1 - o.beta2) * g[k];
      mean[k] = std::fma(1 - o.beta1, g[k], old);
      square[k] = std::fma(g[k], share, older);
      const float step = mean[k] / fix1 / (std::sqrt(square[k] / fix2) + o.epsilon);
      const float change = o.rate * std::fma(o.decay, weights[k], step);
      weights[k] = weights[k] - change;
    }
    CHECK(same(gpu.get<float>(m, 200), mean));
    CHECK(same(gpu.get<float>(v, 200), square));
    CHECK(same(gpu.get<float>(w, 200), weights));
  }
  {
    const std::uint64_t values = gpu.room(2 * 16), places = gpu.room(2 * 16);
    gpu.clean("top_four", shape(2, 32), in, values, places, 100);
    std::vector<float> greatest;
    std::vector<int> at;
    for (std::size_t r = 0; r < 2; ++r) {
      std::vector<int> order(100);
      for (int k = 0; k < 100; ++k) order[static_cast<std::size_t>(k)] = k;
      std::sort(order.begin(), order.end(), [&](int a, int b) {
        return x[r * 100 + static_cast<std::size_t>(a)] > x[r * 100 + static_cast<std::size_t>(b)];
      });
      for (std::size_t k = 0; k < 4; ++k)
        at.push_back(order[k]), greatest.push_back(x[r * 100 + static_cast<std::size_t>(order[k])]);
    }
    CHECK(same(gpu.get<float>(values, 8), greatest));
    CHECK(same(gpu.get<int>(places, 8), at));
  }
}
