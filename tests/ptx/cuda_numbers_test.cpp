// tests/data/ptx/numbers.cu: formats against correct rounding, random numbers against a second writing of Philox and
// its published answers, functions of the library against this machine's, within the errors that CUDA states.
#include <gmpxx.h>

#include <cmath>

#include "numerics/format.h"
#include "numerics/native.h"
#include "tests/ptx/cuda.h"

namespace {

using namespace reckon;
using namespace reckon::ptx;
using namespace reckon::ptx::testing;
using numerics::Format;
using Four = std::array<std::uint32_t, 4>;

Four philox(Four c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * c[0], q = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(q),
         static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

/// The upper half of a product of 128 bits.
std::int64_t high_product(std::int64_t a, std::int64_t b) {
  mpz_class product = mpz_class(std::to_string(a)) * mpz_class(std::to_string(b));
  mpz_fdiv_q_2exp(product.get_mpz_t(), product.get_mpz_t(), 64);
  return std::stoll(product.get_str());
}

std::vector<float> wide_range(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out = numbers(count, seed);
  for (float& v : out) v = std::ldexp(v, static_cast<int>(random() % 40) - 20);
  out[0] = 0;
  out[1] = -0.0f;
  out[2] = INFINITY;
  out[3] = 1e9f;
  return out;
}

}  // namespace

TEST_CASE("CUDA's random numbers are Philox's, and so many points lie in the circle") {
  // The answers that Random123 publishes for zeros.
  REQUIRE(philox({0, 0, 0, 0}, 0, 0) == Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  Launcher gpu(cuda_text("numbers", arch()));
  const std::array<std::uint32_t, 2> key{123, 456};
  const std::uint64_t out = gpu.room(100 * 16), inside = gpu.put(std::vector<std::uint64_t>{0});
  gpu.clean("random_numbers", shape(1, 128), out, key, 100);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t k = 0; k < 100; ++k)
    for (const std::uint32_t word : philox({k, 0, 0, 0}, 123, 456)) expected.push_back(word);
  CHECK(same(gpu.get<std::uint32_t>(out, 400), expected));
  gpu.clean("monte_carlo", shape(2, 64), inside, 20, key);
  std::uint64_t count = 0;
  for (std::uint32_t t = 0; t < 128; ++t)
    for (std::uint32_t k = 0; k < 20; ++k) {
      const Four r = philox({t, k, 0, 0}, 123, 456);
      const float x = static_cast<float>(r[0] >> 8) * 0x1p-24f, y = static_cast<float>(r[1] >> 8) * 0x1p-24f,
                  square = y * y;
      if (std::fma(x, x, square) < 1.0f) ++count;
    }
  CHECK(gpu.get<std::uint64_t>(inside, 1) == std::vector<std::uint64_t>{count});
}

TEST_CASE("CUDA's conversions to 16 and 8 bits are correct roundings") {
  Launcher gpu(cuda_text("numbers", "sm_90"));
  const auto x = wide_range(400, 91);
  const std::uint64_t in = gpu.put(x), h = gpu.room(800), b = gpu.room(800), e4m3 = gpu.room(400), e5m2 = gpu.room(400),
                      back = gpu.room(800);
  gpu.clean("to_halves", shape(4, 128), in, h, b, 400);
  gpu.clean("to_eights", shape(2, 128), in, e4m3, e5m2, back, 200);
  std::vector<std::uint16_t> halves, bf16s, again;
  std::vector<std::uint8_t> fours, fives;
  for (const float v : x) {
    halves.push_back(static_cast<std::uint16_t>(numerics::round_f64(v, Format::f16)));
    bf16s.push_back(static_cast<std::uint16_t>(numerics::round_f64(v, Format::bf16)));
    const float most4 = 448, most5 = 57344;
    fours.push_back(static_cast<std::uint8_t>(numerics::round_f64(std::clamp(v, -most4, most4), Format::f8e4m3)));
    fives.push_back(static_cast<std::uint8_t>(numerics::round_f64(std::clamp(v, -most5, most5), Format::f8e5m2)));
    again.push_back(
        static_cast<std::uint16_t>(numerics::round_f64(numerics::widen(fours.back(), Format::f8e4m3), Format::f16)));
  }
  CHECK(same(gpu.get<std::uint16_t>(h, 400), halves));
  CHECK(same(gpu.get<std::uint16_t>(b, 400), bf16s));
  CHECK(same(gpu.get<std::uint8_t>(e4m3, 400), fours));
  CHECK(same(gpu.get<std::uint8_t>(e5m2, 400), fives));
  CHECK(same(gpu.get<std::uint16_t>(back, 400), again));
}

TEST_CASE("CUDA's pairs of halves are rounded one by one") {
  Launcher gpu(cuda_text("numbers", arch()));
  std::vector<std::uint16_t> x, y, bx, by;
  for (const float v : numbers(256, 92)) x.push_back(numerics::f32_to_f16(v)), bx.push_back(numerics::f32_to_bf16(v));
  for (const float v : numbers(256, 93)) y.push_back(numerics::f32_to_f16(v)), by.push_back(numerics::f32_to_bf16(v));
  x[0] = y[0];
  const std::uint64_t in = gpu.put(x), of = gpu.put(y), polynomial = gpu.room(512), greatest = gpu.room(512),
                      greater = gpu.room(512);
  gpu.clean("pairs", shape(1, 128), in, of, polynomial, greatest, greater, 128);
  const auto f16 = [](double v) {
    return numerics::f16_to_f32(static_cast<std::uint16_t>(numerics::round_f64(v, Format::f16)));
  };
  std::vector<std::uint16_t> p, g;
  std::vector<int> more;
  for (std::size_t k = 0; k < 256; ++k) {
    const double u = numerics::f16_to_f32(x[k]), v = numerics::f16_to_f32(y[k]);
    // Products of halves and their sums are exact in f64.
    const double q = f16(u * f16(f16(u * 0.5 - 1.25)) + v);
    p.push_back(numerics::f32_to_f16(static_cast<float>(f16(q * v) - std::fabs(u))));
    g.push_back(numerics::f32_to_f16(static_cast<float>(std::max(u, -v))));
    if (k % 2 == 0) {
      const double u1 = numerics::f16_to_f32(x[k + 1]), v1 = numerics::f16_to_f32(y[k + 1]);
      more.push_back(u > v && u1 > v1 ? 1 : u == v ? 2 : 0);
    }
  }
  CHECK(same(gpu.get<std::uint16_t>(polynomial, 256), p));
  CHECK(same(gpu.get<std::uint16_t>(greatest, 256), g));
  CHECK(same(gpu.get<int>(greater, 128), more));
  const std::uint64_t of_bx = gpu.put(bx), of_by = gpu.put(by);
  gpu.clean("bf16_pairs", shape(1, 128), of_bx, of_by, 128);
  const auto bf16 = [](double v) {
    return numerics::bf16_to_f32(static_cast<std::uint16_t>(numerics::round_f64(v, Format::bf16)));
  };
  std::vector<std::uint16_t> sums;
  for (std::size_t k = 0; k < 256; ++k) {
    const double u = numerics::bf16_to_f32(bx[k]), v = numerics::bf16_to_f32(by[k]);
    sums.push_back(numerics::f32_to_bf16(static_cast<float>(double{bf16(u * u)} + bf16(u * v + u))));
  }
  CHECK(same(gpu.get<std::uint16_t>(of_by, 256), sums));
}

TEST_CASE("CUDA's intervals enclose, by exact sums and products") {
  Launcher gpu(cuda_text("numbers", arch()));
  std::mt19937_64 random(94);
  std::vector<double> x, y;
  for (std::size_t k = 0; k < 200; ++k) {
    const double a = static_cast<double>(random() % 2000000) / 3 - 333333,
                 b = a + static_cast<double>(random() % 1000) / 7;
    ((k & 1) != 0 ? x : y).insert((k & 1) != 0 ? x.end() : y.end(), {a, b});
  }
  const std::uint64_t in = gpu.put(x), of = gpu.put(y), sum = gpu.room(1600), product = gpu.room(1600);
  gpu.clean("intervals", shape(1, 128), in, of, sum, product, 100);
  const auto sums = gpu.get<double>(sum, 200), products = gpu.get<double>(product, 200);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < 100; ++k) {
    // An enclosure is the exact number rounded outward: at most one spacing from what is rounded to nearest.
    for (int upper = 0; upper < 2; ++upper) {
      const double a = x[2 * k + static_cast<std::size_t>(upper)], b = y[2 * k + static_cast<std::size_t>(upper)];
      const mpq_class exact = mpq_class(a) + mpq_class(b);
      const std::uint64_t bits =
          numerics::round_rational(exact, Format::f64,
                                   upper != 0 ? numerics::Rounding::upward : numerics::Rounding::downward);
      if (std::bit_cast<double>(bits) != sums[2 * k + static_cast<std::size_t>(upper)]) ++wrong;
    }
    std::vector<mpq_class> ends;
    for (const double a : {x[2 * k], x[2 * k + 1]})
      for (const double b : {y[2 * k], y[2 * k + 1]}) ends.push_back(mpq_class(a) * mpq_class(b));
    const mpq_class low = *std::min_element(ends.begin(), ends.end()),
                    high = *std::max_element(ends.begin(), ends.end());
    if (std::bit_cast<double>(numerics::round_rational(low, Format::f64, numerics::Rounding::downward)) !=
        products[2 * k])
      ++wrong;
    if (std::bit_cast<double>(numerics::round_rational(high, Format::f64, numerics::Rounding::upward)) !=
        products[2 * k + 1])
      ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("CUDA's functions of the library are within two units") {
  Launcher gpu(cuda_text("numbers", arch()));
  gpu.approximates_nearest = true;
  std::vector<double> x;
  std::mt19937 random(95);
  for (std::size_t k = 0; k < 128; ++k)
    x.push_back(std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 40) - 45));
  x[5] = 1e22;
  x[6] = 3e300;
  const std::uint64_t in = gpu.put(x), out = gpu.room(8 * 128 * 8);
  gpu.clean("functions_of_doubles", shape(1, 128), in, out, 128);
  const auto made = gpu.get<double>(out, 8 * 128);
  std::size_t far = 0;
  for (std::size_t k = 0; k < 128; ++k) {
    const double v = x[k], of[] = {std::sin(v),
                                   std::cos(v),
                                   std::exp(-std::fabs(v)),
                                   std::log(std::fabs(v) + 1),
                                   std::pow(std::fabs(v), 0.3),
                                   std::erf(v),
                                   std::cbrt(v),
                                   std::atan2(v, 2.0)};
    for (std::size_t f = 0; f < 8; ++f)
      if (!(std::fabs(made[f * 128 + k] - of[f]) <= 4 * 0x1p-53 * std::fabs(of[f]) + 0x1p-1070)) ++far;
  }
  CHECK(far == 0);
  std::vector<float> angles = numbers(128, 96);
  angles[3] = 1e6f;
  angles[4] = 3e38f;
  const std::uint64_t of_angles = gpu.put(angles), waves = gpu.room(256 * 4);
  gpu.clean("angles", shape(1, 128), of_angles, waves, 128);
  const auto wave = gpu.get<float>(waves, 256);
  for (std::size_t k = 0; k < 128; ++k) {
    CHECK(wave[k] == Approx(std::sin(double{angles[k]})).epsilon(3e-7).margin(1e-9));
    CHECK(wave[128 + k] == Approx(std::cos(double{angles[k]})).epsilon(3e-7).margin(1e-9));
  }
}

TEST_CASE("CUDA's whole numbers, choices and functions by their address") {
  Launcher gpu(cuda_text("numbers", arch()));
  std::mt19937_64 random(97);
  const std::size_t n = 100;
  std::vector<std::int64_t> x(n), y(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = static_cast<std::int64_t>(random() >> random() % 64) * (random() % 2 == 0 ? 1 : -1);
    y[k] = static_cast<std::int64_t>(random() >> random() % 63) | 1;
  }
  const std::uint64_t in = gpu.put(x), of = gpu.put(y), out = gpu.room(9 * n * 8);
  gpu.clean("whole_numbers", shape(1, 128), in, of, out, static_cast<int>(n));
  std::vector<std::int64_t> expected(9 * n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::int64_t a = x[k], b = y[k];
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    const auto low_a = static_cast<std::uint32_t>(ua), low_b = static_cast<std::uint32_t>(ub);
    expected[k] = a / b;
    expected[n + k] = a % b;
    expected[2 * n + k] = high_product(a, b);
    expected[3 * n + k] = std::int64_t{std::popcount(ua)} << 32 | std::int64_t{std::countl_zero(ub)} << 16 |
                          (a == 0 ? 0 : std::countr_zero(ua) + 1);
    std::uint64_t reversed = 0;
    for (int i = 0; i < 64; ++i) reversed |= (ua >> i & 1) << (63 - i);
    expected[4 * n + k] = static_cast<std::int64_t>(reversed);
    const std::uint64_t both = std::uint64_t{low_b} << 32 | low_a;
    expected[5 * n + k] = static_cast<std::int64_t>(static_cast<std::uint32_t>(both << (ub >> 32 & 31) >> 32));
    std::uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i)
      bytes |= static_cast<std::uint32_t>(both >> 8 * (ua >> 32 >> 4 * i & 7) & 0xff) << 8 * i;
    expected[6 * n + k] = static_cast<std::int64_t>(std::uint64_t{bytes});
    expected[7 * n + k] = static_cast<std::int64_t>(std::uint64_t{low_a / (low_b | 1)});
    const std::int64_t distance = std::int64_t{static_cast<std::int32_t>(low_a)} - static_cast<std::int32_t>(low_b);
    expected[8 * n + k] = static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(std::abs(distance) + 7)});
  }
  CHECK(same(gpu.get<std::int64_t>(out, 9 * n), expected));
  {
    const std::vector<int> code{0, 1, 2, 3, 4, 5, 6, 7, 1, 4, 2, 5};
    std::vector<int> v(32), values;
    for (int k = 0; k < 32; ++k) v[static_cast<std::size_t>(k)] = 37 * k - 300;
    for (int t = 0; t < 32; ++t) {
      int one = v[static_cast<std::size_t>(t)];
      for (const int c : code) {
        if (c == 0) one += 3;
        else if (c == 1) one *= 5;
        else if (c == 2) one ^= one >> 3;
        else if (c == 3) one = -one;
        else if (c == 4) one = static_cast<int>(static_cast<unsigned>(one) << 2) | t;
        else if (c == 5) one /= 7;
        else if (c == 6) one = std::max(one, -100000);
        else one %= 1000;
      }
      values.push_back(one);
    }
    const std::uint64_t of_code = gpu.put(code), from = gpu.put(v), to = gpu.room(128);
    gpu.clean("interpret", shape(1, 32), of_code, from, to, static_cast<int>(code.size()));
    CHECK(same(gpu.get<int>(to, 32), values));
  }
  const std::uint64_t areas = gpu.room(160), which = gpu.put(std::vector<int>{0, 1, 1, 0, 1}), made = gpu.room(20);
  gpu.clean("areas", shape(1, 40), areas);
  std::vector<float> of_shapes;
  for (int k = 0; k < 40; ++k) of_shapes.push_back(static_cast<float>(k * k) * (k % 3 == 0 ? 3.0f : 1.0f));
  CHECK(same(gpu.get<float>(areas, 40), of_shapes));
  gpu.clean("by_address", shape(1, 5), which, made);
  CHECK(gpu.get<int>(made, 5) == std::vector<int>{10, 9, 8, 13, 6});
}

TEST_CASE("what a CUDA kernel prints is kept") {
  Launcher gpu(cuda_text("numbers", arch()));
  const std::uint64_t in = gpu.put(std::vector<float>{1.5f, -2e30f});
  CHECK(gpu.clean("speaks", shape(1, 32), in).printed == "thread 0 has 1.5, as given\nthread 1 has -2e+30, as given\n");
}
