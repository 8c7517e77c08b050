// tests/data/ptx/grids.cu against the same in C++, in the order that the source states; nvcc joins a product with the
// sum that takes it.
#include <cmath>
#include <complex>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

Launcher grids() { return Launcher(cuda_text("grids", arch())); }

}  // namespace

TEST_CASE("CUDA's transposes exchange rows and columns, and their conflicts are counted") {
  Launcher gpu = grids();
  const auto x = numbers(96 * 64, 41);
  std::vector<float> expected(x.size());
  for (std::size_t i = 0; i < 96; ++i)
    for (std::size_t j = 0; j < 64; ++j) expected[j * 96 + i] = x[i * 64 + j];
  const std::uint64_t in = gpu.put(x);
  for (const std::string name : {"transpose_naive", "transpose_with_conflicts", "transpose_swizzled"}) {
    const std::uint64_t out = gpu.room(x.size() * 4);
    const LaunchReport report = gpu.clean(name, plane(2, 3, 32, 8), in, out, 96, 64);
    CHECK(same(gpu.get<float>(out, x.size()), expected));
    // 192 rows are read and 192 written. A row of a warp is 4 sectors; a column of a warp is 32.
    CHECK(report.global_sectors == (name == "transpose_naive" ? 192u * 36 : 192u * 8));
    if (name == "transpose_with_conflicts") CHECK(report.shared_wavefronts == 192u * 33);
    if (name == "transpose_swizzled") CHECK(report.shared_wavefronts == 192u * 2);
  }
}

TEST_CASE("CUDA's stencils have the bits of their order") {
  Launcher gpu = grids();
  {
    const std::size_t width = 37, height = 21;
    const auto x = numbers(width * height, 42);
    const std::uint64_t in = gpu.put(x), out = gpu.room(x.size() * 4);
    gpu.clean("five_points", plane(3, 2, 16, 16), in, out, 37, 21);
    std::vector<float> expected;
    const auto at = [&](std::size_t j, std::size_t i) {
      return j - 1 < height && i - 1 < width ? x[(j - 1) * width + i - 1] : 0.0f;
    };
    for (std::size_t j = 1; j <= height; ++j)
      for (std::size_t i = 1; i <= width; ++i)
        expected.push_back(0.25f * (((at(j, i - 1) + at(j, i + 1)) + at(j - 1, i)) + at(j + 1, i)));
    CHECK(same(gpu.get<float>(out, x.size()), expected));
  }
  {
    const std::size_t nx = 18, ny = 11, nz = 7;
    const auto x = numbers(nx * ny * nz, 43);
    const std::uint64_t in = gpu.put(x), out = gpu.put(std::vector<float>(x.size(), 0));
    gpu.clean("seven_points", plane(2, 2, 16, 8), in, out, 18, 11, 7, 0.4f, 0.1f);
    std::vector<float> expected(x.size(), 0);
    for (std::size_t k = 1; k + 1 < nz; ++k)
      for (std::size_t j = 1; j + 1 < ny; ++j)
        for (std::size_t i = 1; i + 1 < nx; ++i) {
          const std::size_t at = (k * ny + j) * nx + i;
          const float sides =
              ((x[at - 1] + x[at + 1]) + (x[at - nx] + x[at + nx])) + (x[at - nx * ny] + x[at + nx * ny]);
          expected[at] = std::fma(0.4f, x[at], 0.1f * sides);
        }
    CHECK(same(gpu.get<float>(out, x.size()), expected));
  }
  {
    const auto x = numbers(200, 44);
    const std::uint64_t in = gpu.put(x), out = gpu.room(800);
    gpu.clean("convolve", shape(2, 128), in, out, 200);
    const float mask[] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
    std::vector<float> expected;
    for (int i = 0; i < 200; ++i) {
      float sum = 0;
      for (int k = 0; k < 7; ++k)
        if (i + k - 3 >= 0 && i + k - 3 < 200) sum = std::fma(mask[k], x[static_cast<std::size_t>(i + k - 3)], sum);
      expected.push_back(sum);
    }
    CHECK(same(gpu.get<float>(out, 200), expected));
  }
}

TEST_CASE("CUDA's life, shortest ways and Mandelbrot set") {
  Launcher gpu = grids();
  std::mt19937 random(45);
  {
    const int width = 40, height = 25;
    std::vector<std::uint8_t> x(1000), expected(1000);
    for (auto& cell : x) cell = random() % 3 == 0 ? 1 : 0;
    const std::uint64_t in = gpu.put(x), out = gpu.room(1000);
    gpu.clean("life", plane(2, 4, 32, 8), in, out, width, height);
    const auto cell = [&](int i, int j) {
      return x[static_cast<std::size_t>((j + height) % height * width + (i + width) % width)];
    };
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i) {
        int alive = -cell(i, j);
        for (int dj = -1; dj <= 1; ++dj)
          for (int di = -1; di <= 1; ++di) alive += cell(i + di, j + dj);
        expected[static_cast<std::size_t>(j * width + i)] = alive == 3 || (alive == 2 && cell(i, j) != 0) ? 1 : 0;
      }
    CHECK(same(gpu.get<std::uint8_t>(out, 1000), expected));
  }
  {
    const std::size_t n = 24;
    std::vector<float> d(n * n, INFINITY);
    for (std::size_t k = 0; k < n * n; ++k)
      if (random() % 4 == 0) d[k] = static_cast<float>(random() % 1000);
    const std::uint64_t at = gpu.put(d);
    for (std::size_t k = 0; k < n; ++k) {
      gpu.clean("floyd_warshall", plane(2, 2, 16, 16), at, 24, static_cast<int>(k));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (i != k && j != k) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
    CHECK(same(gpu.get<float>(at, n * n), d));
  }
  {
    const std::uint64_t out = gpu.room(64 * 40);
    gpu.clean("mandelbrot", plane(2, 5, 32, 8), out, 64, 40, -2.0f, -1.0f, 0.05f, 100);
    std::vector<std::uint8_t> expected;
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 64; ++x) {
        const float cx = std::fma(static_cast<float>(x), 0.05f, -2.0f),
                    cy = std::fma(static_cast<float>(y), 0.05f, -1.0f);
        float a = 0, b = 0;
        int k = 0;
        while (k < 100) {
          const float square = b * b;
          if (!(std::fma(a, a, square) < 4.0f)) break;
          const float next = std::fma(a, a, -square) + cx;
          b = std::fma(a + a, b, cy);
          a = next;
          ++k;
        }
        expected.push_back(static_cast<std::uint8_t>(k));
      }
    CHECK(same(gpu.get<std::uint8_t>(out, expected.size()), expected));
  }
}

TEST_CASE("CUDA's forces of bodies and Fourier transform") {
  Launcher gpu = grids();
  {
    const std::size_t n = 100;
    auto bodies = numbers(4 * n, 46);
    for (std::size_t k = 0; k < n; ++k) bodies[4 * k + 3] = std::fabs(bodies[4 * k + 3]);
    const std::uint64_t in = gpu.put(bodies), out = gpu.room(3 * n * 4);
    gpu.clean("n_body", shape(2, 64), in, out, 100);
    const auto made = gpu.get<float>(out, 3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      double sum[3] = {};
      for (std::size_t k = 0; k < n; ++k) {
        double r = 0.01f, d[3];
        for (std::size_t c = 0; c < 3; ++c) d[c] = double{bodies[4 * k + c]} - bodies[4 * i + c], r += d[c] * d[c];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += d[c] * bodies[4 * k + 3] / (r * std::sqrt(r));
      }
      for (std::size_t c = 0; c < 3; ++c) CHECK(made[3 * i + c] == Approx(sum[c]).margin(1e-3).epsilon(1e-4));
    }
  }
  {
    const double turn = 2 * std::acos(-1.0) / 256;
    const auto x = numbers(2 * 2 * 256, 47);
    std::vector<float> factors;
    for (int k = 0; k < 128; ++k) {
      factors.push_back(static_cast<float>(std::cos(turn * k)));
      factors.push_back(static_cast<float>(-std::sin(turn * k)));
    }
    const std::uint64_t in = gpu.put(x), out = gpu.room(x.size() * 4), of_factors = gpu.put(factors);
    gpu.clean("fft_256", shape(2, 128), in, out, of_factors);
    const auto made = gpu.get<float>(out, x.size());
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t f = 0; f < 256; f += 5) {
        std::complex<double> sum = 0;
        for (std::size_t k = 0; k < 256; ++k)
          sum += std::complex<double>(x[b * 512 + 2 * k], x[b * 512 + 2 * k + 1]) *
                 std::polar(1.0, -turn * static_cast<double>(f * k % 256));
        CHECK(std::abs(sum - std::complex<double>(made[b * 512 + 2 * f], made[b * 512 + 2 * f + 1])) < 1e-4);
      }
  }
}
