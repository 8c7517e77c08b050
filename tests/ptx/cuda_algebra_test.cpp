// Linear algebra, physics and signals in CUDA (tests/data/ptx/algebra.cu), against C++ in the same order.
#include <cmath>
#include <complex>

#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;

std::vector<double> doubles(std::size_t count, unsigned seed) {
  const auto x = numbers(count, seed);
  return {x.begin(), x.end()};
}

/// The largest difference, relative to the largest number.
template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  double most = 0, largest = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    largest = std::max(largest, std::fabs(double{b[k]}));
    most = std::max(most, std::isfinite(a[k]) ? std::fabs(double{a[k]} - double{b[k]}) : HUGE_VAL);
  }
  return most / largest;
}

}  // namespace

TEST_CASE("CUDA's factors of matrices, and what is solved by them") {
  Launcher gpu(cuda_text("algebra", arch()));
  {
    const std::size_t n = 24;
    const auto b = doubles(n * n, 1);
    std::vector<double> a(n * n, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) a[i * n + j] += b[i * n + k] * b[j * n + k];
        if (i == j) a[i * n + j] += 1;
      }
    const std::uint64_t in = gpu.put(a);
    gpu.clean("cholesky", shape(1, 32), in, static_cast<int>(n));
    auto expected = a;
    for (std::size_t k = 0; k < n; ++k) {
      expected[k * n + k] = std::sqrt(expected[k * n + k]);
      for (std::size_t i = k + 1; i < n; ++i) expected[i * n + k] /= expected[k * n + k];
      for (std::size_t i = k + 1; i < n; ++i)
        for (std::size_t j = k + 1; j <= i; ++j)
          expected[i * n + j] = std::fma(-expected[i * n + k], expected[j * n + k], expected[i * n + j]);
    }
    CHECK(same(gpu.get<double>(in, n * n), expected));
  }
  {
    const std::size_t n = 20;
    const auto a = numbers(n * n, 2);
    const std::uint64_t in = gpu.put(a), at = gpu.room(n * 4);
    gpu.clean("lu_with_pivots", shape(1, 32), in, at, static_cast<int>(n));
    auto expected = a;
    std::vector<int> pivots;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t place = k;
      for (std::size_t i = k; i < n; ++i)
        if (std::fabs(expected[i * n + k]) > std::fabs(expected[place * n + k])) place = i;
      pivots.push_back(static_cast<int>(place));
      for (std::size_t j = 0; j < n; ++j) std::swap(expected[k * n + j], expected[place * n + j]);
      for (std::size_t i = k + 1; i < n; ++i) {
        const float factor = expected[i * n + k] = expected[i * n + k] / expected[k * n + k];
        for (std::size_t j = k + 1; j < n; ++j)
          expected[i * n + j] = std::fma(-factor, expected[k * n + j], expected[i * n + j]);
      }
    }
    CHECK(same(gpu.get<int>(at, n), pivots));
    CHECK(same(gpu.get<float>(in, n * n), expected));
  }
  {
    const std::size_t n = 16, columns = 70;
    auto lower = numbers(n * n, 3);
    for (std::size_t i = 0; i < n; ++i) lower[i * n + i] = 4 + std::fabs(lower[i * n + i]);
    auto b = numbers(n * columns, 4);
    LaunchOptions options = shape(3, 32);
    options.dynamic_shared_bytes = n * n * 4;
    const std::uint64_t of_lower = gpu.put(lower), of_b = gpu.put(b);
    gpu.clean("triangular_solves", options, of_lower, of_b, static_cast<int>(n), static_cast<int>(columns));
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < n; ++i) {
        float sum = b[i * columns + c];
        for (std::size_t j = 0; j < i; ++j) sum = std::fma(-lower[i * n + j], b[j * columns + c], sum);
        b[i * columns + c] = sum / lower[i * n + i];
      }
    CHECK(same(gpu.get<float>(of_b, b.size()), b));
  }
  {
    const std::size_t n = 100, systems = 3;
    const auto low = numbers(n * systems, 5), high = numbers(n * systems, 6), right = numbers(n * systems, 7);
    std::vector<float> diagonal;
    for (std::size_t k = 0; k < n * systems; ++k) diagonal.push_back(3 + std::fabs(low[k]) + std::fabs(high[k]));
    const std::uint64_t a = gpu.put(low), b = gpu.put(diagonal), c = gpu.put(high), d = gpu.put(right),
                        x = gpu.room(n * systems * 4);
    gpu.clean("tridiagonal", shape(3, 100), a, b, c, d, x, static_cast<int>(n));
    // What it solved, put back.
    const auto found = gpu.get<float>(x, n * systems);
    std::vector<float> again;
    for (std::size_t s = 0; s < systems; ++s)
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t k = s * n + i;
        again.push_back((i > 0 ? low[k] * found[k - 1] : 0) + diagonal[k] * found[k] +
                        (i + 1 < n ? high[k] * found[k + 1] : 0));
      }
    CHECK(apart(again, right) < 1e-6);
  }
}

TEST_CASE("CUDA's filters, lattices and orbits") {
  Launcher gpu(cuda_text("algebra", arch()));
  {
    const std::size_t width = 66, height = 34;
    const auto image = numbers(width * height, 8), weights = numbers(9, 9);
    const std::uint64_t in = gpu.put(image), of = gpu.put(weights), out = gpu.room((width - 2) * (height - 2) * 4);
    gpu.clean("winograd", plane(1, 16, 32, 1), in, of, out, static_cast<int>(width));
    std::vector<float> expected;
    for (std::size_t y = 0; y + 2 < height; ++y)
      for (std::size_t x = 0; x + 2 < width; ++x) {
        double sum = 0;
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) sum += double{image[(y + i) * width + x + j]} * weights[i * 3 + j];
        expected.push_back(static_cast<float>(sum));
      }
    CHECK(apart(gpu.get<float>(out, expected.size()), expected) < 1e-6);
  }
  {
    const int width = 37, height = 21;
    std::vector<unsigned char> image;
    std::mt19937 random(10);
    for (int k = 0; k < width * height; ++k) image.push_back(static_cast<unsigned char>(random()));
    const std::uint64_t in = gpu.put(image), out = gpu.room(image.size());
    gpu.clean("smooth", plane(3, 2, 16, 8), in, out, width, height);
    const auto mirrored = [](int k, int n) { return k < 0 ? -k : k >= n ? 2 * n - 2 - k : k; };
    const float taps[] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    std::vector<unsigned char> expected;  // sums of sixteenths of sixteenths are exact
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        float sum = 0;
        for (int i = -2; i <= 2; ++i)
          for (int j = -2; j <= 2; ++j)
            sum += taps[i + 2] * taps[j + 2] *
                   image[static_cast<std::size_t>(mirrored(y + i, height) * width + mirrored(x + j, width))];
        expected.push_back(static_cast<unsigned char>(std::lrint(sum)));
      }
    CHECK(same(gpu.get<unsigned char>(out, expected.size()), expected));
  }
  {
    const int width = 20, height = 13, n = width * height;
    auto f = numbers(static_cast<std::size_t>(9 * n), 11);
    for (float& each : f) each = 1 + 0.1f * each;
    const std::uint64_t in = gpu.put(f), out = gpu.room(f.size() * 4);
    gpu.clean("lattice", plane(2, 4, 16, 4), in, out, width, height, 1.2f);
    const auto made = gpu.get<float>(out, f.size());
    const int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    std::vector<float> expected(f.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        double g[9], density = 0, ux = 0, uy = 0;
        for (int k = 0; k < 9; ++k) {
          g[k] =
              f[static_cast<std::size_t>(k * n + (y - cy[k] + height) % height * width + (x - cx[k] + width) % width)];
          density += g[k], ux += cx[k] * g[k], uy += cy[k] * g[k];
        }
        ux /= density, uy /= density;
        for (int k = 0; k < 9; ++k) {
          const double weight = k == 0 ? 4.0 / 9 : k < 5 ? 1.0 / 9 : 1.0 / 36, along = 3 * (cx[k] * ux + cy[k] * uy);
          const double equal = weight * density * (1 + along + along * along / 2 - 1.5 * (ux * ux + uy * uy));
          expected[static_cast<std::size_t>(k * n + y * width + x)] = static_cast<float>(g[k] + 1.2f * (equal - g[k]));
        }
      }
    CHECK(apart(made, expected) < 1e-6);
  }
  {
    struct Orbit {
      double mass, step;
      int steps;
      alignas(8) float from[2], speed[2];
    } orbit{1, 0.01, 500, {1, 0}, {0, 1}};
    static_assert(sizeof(Orbit) == 40);
    const std::uint64_t out = gpu.room(40 * 16);
    gpu.clean("orbits", shape(2, 32), orbit, out, 40);
    const auto end = gpu.get<double>(out, 80);
    for (std::size_t i = 0; i < 40; ++i) {
      double x = 1 + 0.01 * static_cast<double>(i), y = 0, vx = 0, vy = 1;
      for (int k = 0; k < 500; ++k) {
        for (int half = 0; half < 2; ++half) {
          const double r = std::hypot(x, y), a = -1 / (r * r * r);
          vx += 0.005 * a * x, vy += 0.005 * a * y;
          if (half == 0) x += 0.01 * vx, y += 0.01 * vy;
        }
      }
      CHECK(end[2 * i] == Approx(x).margin(1e-9));
      CHECK(end[2 * i + 1] == Approx(y).margin(1e-9));
    }
  }
}

TEST_CASE("CUDA's complex numbers, and sums of f32 in twice the precision") {
  Launcher gpu(cuda_text("algebra", arch()));
  const std::size_t n = 100;
  const auto x = numbers(2 * n, 12), y = numbers(2 * n, 13);
  const std::uint64_t a = gpu.put(x), b = gpu.put(y), out = gpu.room(4 * n * 4);
  gpu.clean("quotients", shape(4, 32), a, b, out, static_cast<int>(n));
  const auto made = gpu.get<float>(out, 4 * n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<double> p(x[2 * k], x[2 * k + 1]), q(y[2 * k], y[2 * k + 1]);
    CHECK(std::abs(std::complex<double>(made[4 * k], made[4 * k + 1]) - p / q) < 1e-6 * std::abs(p / q));
    CHECK(std::abs(std::complex<double>(made[4 * k + 2], made[4 * k + 3]) - p * q) < 1e-6 * std::abs(p * q));
  }
  const std::uint64_t dot = gpu.room(8);
  gpu.clean("dot_of_twos", shape(1, 32), a, b, dot, static_cast<int>(2 * n));
  const auto parts = gpu.get<float>(dot, 2);
  long double exact = 0;
  for (std::size_t k = 0; k < 2 * n; ++k) exact += static_cast<long double>(x[k]) * y[k];
  CHECK(std::fabs(static_cast<double>(exact - parts[0] - parts[1])) < 1e-11);
}
